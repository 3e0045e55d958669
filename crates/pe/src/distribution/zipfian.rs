//! Zipf's law: the n-th of the items with a chance of 1/n^theta. By "Quickly Generating Billion-Record Synthetic Databases"
//! (Gray et al., SIGMOD 1994), as in YCSB.

use crate::random::Random;
use std::sync::{Arc, LazyLock};

/// YCSB's exponent.
const THETA: f64 = 0.99;
/// Items whose chances are added up one by one; beyond, the sum is one of Euler and Maclaurin's, exact to 1e-12.
const SUMMED: u64 = 4096;

/// For each n up to [`SUMMED`] the sum of the first n chances, beginning with none.
static SUMS: LazyLock<Arc<[f64]>> = LazyLock::new(|| {
    let mut sum = 0.0;
    let chances = (1..=SUMMED).map(|n| {
        sum += (n as f64).powf(-THETA);
        sum
    });
    std::iter::once(0.0).chain(chances).collect()
});

/// The sum of 1/k^theta for k from 1 to n.
fn zeta(n: u64) -> f64 {
    if n <= SUMMED {
        return SUMS[n as usize];
    }
    let (from, to) = (SUMMED as f64, n as f64);
    let integral = (to.powf(1.0 - THETA) - from.powf(1.0 - THETA)) / (1.0 - THETA);
    let ends = (to.powf(-THETA) - from.powf(-THETA)) / 2.0;
    let slopes = THETA * (from.powf(-THETA - 1.0) - to.powf(-THETA - 1.0)) / 12.0;
    SUMS[SUMMED as usize] + integral + ends + slopes
}

/// Numbers from 0 on, of which the first come most often.
#[derive(Debug, Clone)]
pub(crate) struct Zipfian {
    items: u64,
    zeta: f64,
    eta: f64,
    alpha: f64,
    /// Below this product with `zeta` it is the second item.
    second: f64,
}

impl Zipfian {
    pub(crate) fn of(items: u64) -> Self {
        let mut zipfian = Self {
            items: 0,
            zeta: 0.0,
            eta: 0.0,
            alpha: 1.0 / (1.0 - THETA),
            second: 1.0 + 0.5f64.powf(THETA),
        };
        zipfian.grow(items);
        zipfian
    }

    /// There are as many items now.
    pub(crate) fn grow(&mut self, items: u64) {
        if items == self.items {
            return;
        }
        self.items = items;
        self.zeta = zeta(items);
        self.eta = (1.0 - (2.0 / items as f64).powf(1.0 - THETA)) / (1.0 - zeta(2) / self.zeta);
    }

    pub(crate) fn next(&self, random: &mut Random) -> u64 {
        let chance = random.fraction();
        let place = chance * self.zeta;
        if place < 1.0 || self.items < 2 {
            return 0;
        }
        if place < self.second {
            return 1;
        }
        let number = self.items as f64 * (self.eta * chance - self.eta + 1.0).powf(self.alpha);
        (number as u64).min(self.items - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_what_ycsb_has_precomputed() {
        let of_ycsb = 26.469_028_201_783_02;
        let ours = zeta(10_000_000_000);
        assert!((ours - of_ycsb).abs() < 1e-6, "{ours}");
        let by_hand: f64 = (1..=100_000).map(|n| f64::from(n).powf(-THETA)).sum();
        assert!((zeta(100_000) - by_hand).abs() < 1e-9);
    }

    #[test]
    fn the_first_come_as_often_as_the_law_says() {
        let (zipfian, mut random) = (Zipfian::of(1000), Random::of_client(5, 0));
        let mut seen = vec![0u32; 1000];
        for _ in 0..200_000 {
            seen[zipfian.next(&mut random) as usize] += 1;
        }
        for item in [0, 1, 2, 9, 99] {
            let wanted = 200_000.0 * f64::from(item as u32 + 1).powf(-THETA) / zeta(1000);
            let found = f64::from(seen[item]);
            assert!((found / wanted - 1.0).abs() < 0.25, "{item}: {found} instead of {wanted}");
        }
    }

    #[test]
    fn one_item_is_always_the_first() {
        let mut random = Random::of_client(5, 0);
        assert!((0..100).all(|_| Zipfian::of(1).next(&mut random) == 0));
        assert!((0..100).all(|_| Zipfian::of(2).next(&mut random) < 2));
    }
}
