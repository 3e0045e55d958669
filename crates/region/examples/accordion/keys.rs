//! Draws keys.

use crate::plan::KeyChoice;

/// YCSB's skew.
const THETA: f64 = 0.99;

/// A sequence of key numbers, the same for each policy.
pub(crate) struct Keys {
    choice: KeyChoice,
    count: u64,
    state: u64,
    next: u64,
    zeta: f64,
}

impl Keys {
    pub(crate) fn new(choice: KeyChoice, count: u64, seed: u64) -> Self {
        let zeta = match choice {
            KeyChoice::Zipf => (1..=count).map(|rank| (rank as f64).powf(-THETA)).sum(),
            _ => 0.0,
        };
        Self { choice, count, state: seed, next: 0, zeta }
    }

    /// A number from which a row is made by [`row`].
    pub(crate) fn draw(&mut self) -> u64 {
        match self.choice {
            KeyChoice::Once => {
                self.next += 1;
                mix(self.next)
            }
            KeyChoice::Uniform => mix(self.random() % self.count),
            KeyChoice::Zipf => mix(self.zipf()),
        }
    }

    /// Gray et al., "Quickly generating billion-record synthetic databases", as in YCSB.
    fn zipf(&mut self) -> u64 {
        let uniform = (self.random() >> 11) as f64 / (1_u64 << 53) as f64;
        let scaled = uniform * self.zeta;
        if scaled < 1.0 {
            return 0;
        }
        if scaled < 1.0 + 0.5_f64.powf(THETA) {
            return 1;
        }
        let count = self.count as f64;
        let zeta_of_two = 1.0 + 0.5_f64.powf(THETA);
        let eta = (1.0 - (2.0 / count).powf(1.0 - THETA)) / (1.0 - zeta_of_two / self.zeta);
        let rank = count * (eta * uniform - eta + 1.0).powf(1.0 / (1.0 - THETA));
        (rank as u64).min(self.count - 1)
    }

    fn random(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.state)
    }
}

/// Scatters numbers (the finalizer of splitmix64), each to another.
fn mix(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// `user` and sixteen digits, as YCSB makes them.
pub(crate) fn row(number: u64) -> [u8; 20] {
    let mut row = *b"user0000000000000000";
    let mut rest = number % 10_000_000_000_000_000;
    for digit in row[4..].iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    row
}
