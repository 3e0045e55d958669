//! Chance: small, fast, and the same again from the same seed.

/// SplitMix64 (Steele, Lea and Flood, 2014): 64 bits of state, a nanosecond a number. Good enough for choosing rows.
#[derive(Debug, Clone)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    /// The stream of one client: those of a seed are apart from each other.
    pub(crate) fn of_client(seed: u64, client: u64) -> Self {
        let mut random = Self { state: seed };
        random.state = random.next() ^ client.wrapping_mul(0xD1B5_4A32_D192_ED03);
        random.next();
        random
    }

    /// A seed that nobody has chosen.
    pub(crate) fn any_seed() -> u64 {
        let mut bytes = [0; 8];
        match getrandom::fill(&mut bytes) {
            Ok(()) => u64::from_le_bytes(bytes),
            // A system without randomness: the time of day will do for choosing rows.
            Err(_) => std::time::SystemTime::now()
                .duration_since(std::time::UNIX_EPOCH)
                .map_or(1, |since| since.as_nanos() as u64),
        }
    }

    #[inline]
    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `count`; 0 if that is 0.
    #[inline]
    pub(crate) fn below(&mut self, count: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(count)) >> 64) as u64
    }

    /// A number `>= 0` and `< 1`.
    #[inline]
    pub(crate) fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_again_and_clients_differ() {
        let stream = |seed, client| {
            let mut random = Random::of_client(seed, client);
            (0..8).map(|_| random.next()).collect::<Vec<_>>()
        };
        assert_eq!(stream(7, 1), stream(7, 1));
        assert_ne!(stream(7, 1), stream(7, 2));
        assert_ne!(stream(7, 1), stream(8, 1));
    }

    #[test]
    fn numbers_stay_below_their_bound_and_reach_everything() {
        let mut random = Random::of_client(1, 0);
        let mut seen = [false; 10];
        for _ in 0..1000 {
            seen[random.below(10) as usize] = true;
            assert!((0.0..1.0).contains(&random.fraction()));
        }
        assert_eq!(seen, [true; 10]);
        assert_eq!((random.below(1), random.below(0)), (0, 0));
    }
}
