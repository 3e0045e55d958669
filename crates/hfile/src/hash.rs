//! The hash functions of Bloom filters (`hbase.hash.type`).

/// Which function; the numbers are those of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum HashType {
    /// Bob Jenkins' lookup3, `hashlittle`.
    Jenkins = 0,
    /// MurmurHash2, with HBase's slip: bytes of the tail are taken as signed.
    #[default]
    Murmur = 1,
    /// MurmurHash3, 32 bits.
    Murmur3 = 2,
}

impl HashType {
    pub(crate) fn from_code(code: u32) -> Option<Self> {
        [Self::Jenkins, Self::Murmur, Self::Murmur3].into_iter().find(|hash| *hash as u32 == code)
    }

    pub(crate) fn hash(self, bytes: &[u8], seed: u32) -> u32 {
        match self {
            Self::Jenkins => jenkins(bytes, seed),
            Self::Murmur => murmur2(bytes, seed),
            Self::Murmur3 => murmur3(bytes, seed),
        }
    }
}

/// Up to four bytes as a number, the lowest first.
fn little_endian(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |all, &byte| all << 8 | u32::from(byte))
}

fn murmur2(bytes: &[u8], seed: u32) -> u32 {
    const M: u32 = 0x5bd1_e995;
    let mut hash = seed ^ bytes.len() as u32;
    let words = bytes.chunks_exact(4);
    let tail = words.remainder();
    for word in words {
        let mut word = little_endian(word).wrapping_mul(M);
        word = (word ^ word >> 24).wrapping_mul(M);
        hash = hash.wrapping_mul(M) ^ word;
    }
    if !tail.is_empty() {
        for (number, &byte) in tail.iter().enumerate() {
            // Java's bytes are signed: a high bit flips all that is above it.
            hash ^= (i32::from(byte as i8) as u32) << (8 * number);
        }
        hash = hash.wrapping_mul(M);
    }
    hash = (hash ^ hash >> 13).wrapping_mul(M);
    hash ^ hash >> 15
}

fn murmur3(bytes: &[u8], seed: u32) -> u32 {
    let mix = |word: u32| word.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
    let mut hash = seed;
    let words = bytes.chunks_exact(4);
    // Mixing nothing gives nothing.
    let tail = mix(little_endian(words.remainder()));
    for word in words {
        hash = (hash ^ mix(little_endian(word))).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    hash ^= tail ^ bytes.len() as u32;
    hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
    hash ^ hash >> 16
}

fn jenkins(bytes: &[u8], seed: u32) -> u32 {
    let start = 0xdead_beef_u32.wrapping_add(bytes.len() as u32).wrapping_add(seed);
    let (mut a, mut b, mut c) = (start, start, start);
    let mut rest = bytes;
    let add = |a: &mut u32, b: &mut u32, c: &mut u32, block: &[u8]| {
        let word = |from: usize| little_endian(&block[from.min(block.len())..(from + 4).min(block.len())]);
        *a = a.wrapping_add(word(0));
        *b = b.wrapping_add(word(4));
        *c = c.wrapping_add(word(8));
    };
    while rest.len() > 12 {
        add(&mut a, &mut b, &mut c, &rest[..12]);
        for (first, second, third) in [(4, 6, 8), (16, 19, 4)] {
            a = a.wrapping_sub(c) ^ c.rotate_left(first);
            c = c.wrapping_add(b);
            b = b.wrapping_sub(a) ^ a.rotate_left(second);
            a = a.wrapping_add(c);
            c = c.wrapping_sub(b) ^ b.rotate_left(third);
            b = b.wrapping_add(a);
        }
        rest = &rest[12..];
    }
    if rest.is_empty() {
        return c;
    }
    add(&mut a, &mut b, &mut c, rest);
    c = (c ^ b).wrapping_sub(b.rotate_left(14));
    a = (a ^ c).wrapping_sub(c.rotate_left(11));
    b = (b ^ a).wrapping_sub(a.rotate_left(25));
    c = (c ^ b).wrapping_sub(b.rotate_left(16));
    a = (a ^ c).wrapping_sub(c.rotate_left(4));
    b = (b ^ a).wrapping_sub(a.rotate_left(14));
    (c ^ b).wrapping_sub(b.rotate_left(24))
}

#[cfg(test)]
mod tests;
