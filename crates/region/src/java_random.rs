//! The chance by which HBase spreads major compactions over time.
//!
//! It takes the first number of Java's `Random`, seeded with the hash of the name of the store's oldest file: the same
//! at each look, on each server, and before and after a restart. The algorithms are those that Java's documentation
//! lays down for `String.hashCode` and `Random.nextDouble`.

/// Java's `hashCode` of a string of ASCII characters, which names of store files are.
pub(crate) fn hash_code(name: &str) -> i32 {
    name.encode_utf16().fold(0i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)))
}

/// The first `nextDouble` of a `Random` with this seed: from 0 to below 1.
pub(crate) fn first_double(seed: i32) -> f64 {
    const MULTIPLIER: u64 = 0x5_DEEC_E66D;
    const MASK: u64 = (1 << 48) - 1;
    let mut state = (i64::from(seed) as u64 ^ MULTIPLIER) & MASK;
    let mut next = |bits: u32| {
        state = state.wrapping_mul(MULTIPLIER).wrapping_add(0xB) & MASK;
        state >> (48 - bits)
    };
    let (high, low) = (next(26), next(27));
    ((high << 27) + low) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests;
