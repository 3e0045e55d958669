use std::sync::Arc;

use finback_hfile::Block;
use finback_sync::Mutex;

use crate::block_key::BlockKey;
use crate::bucket::{Bookkeeping, Bucket, Evicted, weight};

/// A share is handed out in so many steps, or more if they would be longer than [`MAX_STEP_BYTES`]: fine enough to waste
/// little, coarse enough that data blocks make room seldom.
const STEPS: u64 = 16;
/// What is taken from a large cache for memory that is not its own is taken in so many.
const TAKEN_STEPS: u64 = 64;
/// Data blocks that make room for a step are freed at once.
const MAX_STEP_BYTES: u64 = 16 << 20;

/// Blocks that data blocks cannot push out while they fit a share of the cache. What of the share they do not use is
/// lent to data blocks.
pub(crate) struct Reserve {
    bucket: Bucket,
    share_bytes: u64,
}

impl Reserve {
    pub(crate) fn new(share_bytes: u64, books: &Arc<Bookkeeping>) -> Self {
        Self { bucket: Bucket::new(share_bytes, books), share_bytes }
    }

    pub(crate) fn bucket(&self) -> &Bucket {
        &self.bucket
    }

    fn step_bytes(&self) -> u64 {
        (self.share_bytes / STEPS).clamp(1, MAX_STEP_BYTES)
    }
}

/// How the bytes of the cache are divided between the reserves and the rest: none is promised twice.
pub(crate) struct Division<const N: usize> {
    capacity_bytes: u64,
    pub(crate) reserves: [Reserve; N],
    /// Everything that has no reserve, or no more room in it.
    pub(crate) general: Bucket,
    /// Who inserts into a reserve holds this.
    given: Mutex<Given<N>>,
}

/// What others than the general bucket may use now, in bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Given<const N: usize> {
    /// Each reserve.
    reserves: [u64; N],
    /// Memory that is not the cache's, and counts in it.
    outside: u64,
    /// What was taken from the cache for that: rounded up.
    taken: u64,
}

impl<const N: usize> Division<N> {
    /// `shares`: bytes of each reserve, no more than `capacity_bytes` together.
    pub(crate) fn new(capacity_bytes: u64, shares: [u64; N], books: &Arc<Bookkeeping>) -> Self {
        Self {
            capacity_bytes,
            reserves: shares.map(|share| Reserve::new(share, books)),
            general: Bucket::new(capacity_bytes, books),
            given: Mutex::new(Given { reserves: [0; N], outside: 0, taken: 0 }),
        }
    }

    /// Puts a block into a reserve. What has no room there competes with the data blocks; what then had to go is given
    /// back.
    pub(crate) fn insert_reserved(&self, number: usize, key: BlockKey, block: Arc<Block>) -> Evicted {
        let pushed_out = self.insert_granted(number, key, block);
        pushed_out.into_iter().flat_map(|kept| self.general.insert(kept.key, kept.block)).collect()
    }

    fn insert_granted(&self, number: usize, key: BlockKey, block: Arc<Block>) -> Evicted {
        let reserve = &self.reserves[number];
        let mut given = self.given.lock();
        let share = self.share(reserve, given.taken);
        let wanted = reserve.bucket.bytes().saturating_add(weight(&block)).min(share);
        if wanted > given.reserves[number] {
            given.reserves[number] = wanted.saturating_add(reserve.step_bytes()).min(share);
            self.give_general_the_rest(&given);
        }
        reserve.bucket.insert(key, block)
    }

    /// Takes back what reserves were granted and use no more.
    pub(crate) fn take_back(&self) {
        let mut given = self.given.lock();
        let before = *given;
        for (granted, reserve) in given.reserves.iter_mut().zip(&self.reserves) {
            let needed = reserve.bucket.bytes().saturating_add(reserve.step_bytes());
            // Not at each block: a reserve that breathes should not move data blocks to and fro.
            if granted.saturating_sub(needed) > 2 * reserve.step_bytes() {
                *granted = needed;
            }
        }
        if *given != before {
            self.give_general_the_rest(&given);
        }
    }

    /// Memory that is not the cache's, and counts in it, grew or shrank by so many bytes: reserves and rest get smaller
    /// or larger in proportion.
    pub(crate) fn outside_changed(&self, bytes: i64) {
        let mut given = self.given.lock();
        given.outside = given.outside.saturating_add_signed(bytes);
        let step = self.taken_step_bytes();
        let taken = given.outside.div_ceil(step).saturating_mul(step).min(self.capacity_bytes);
        // What comes and goes, as with compactions, is not given back each time: what the cache remembers of blocks that it has evicted gets
        // a little less by each change of its capacity.
        let comes_again = taken > 0 && taken < given.taken && given.taken - taken <= step;
        if taken == given.taken || comes_again {
            return;
        }
        if taken == self.capacity_bytes {
            // What is open cannot be pushed out: from here on memory is not bounded any more.
            let (outside, capacity) = (given.outside, self.capacity_bytes);
            tracing::warn!(
                outside,
                capacity,
                "indexes of open files, compactions and the file tier leave the block cache nothing"
            );
        }
        given.taken = taken;
        for number in 0..N {
            let share = self.share(&self.reserves[number], taken);
            self.reserves[number].bucket.set_capacity(share);
            given.reserves[number] = given.reserves[number].min(share);
        }
        self.give_general_the_rest(&given);
    }

    /// Memory that is not the cache's is taken from it in such steps.
    fn taken_step_bytes(&self) -> u64 {
        let fine = (self.capacity_bytes / TAKEN_STEPS).max(MAX_STEP_BYTES / 4);
        fine.min(self.capacity_bytes / STEPS).max(1)
    }

    /// What of its share a reserve has when so many bytes were taken from the cache.
    fn share(&self, reserve: &Reserve, taken: u64) -> u64 {
        let left = u128::from(self.capacity_bytes - taken);
        (u128::from(reserve.share_bytes) * left / u128::from(self.capacity_bytes.max(1))) as u64
    }

    fn give_general_the_rest(&self, given: &Given<N>) {
        let others = given.reserves.iter().sum::<u64>().saturating_add(given.taken);
        self.general.set_capacity(self.capacity_bytes.saturating_sub(others));
    }

    /// Bytes of memory that is not the cache's, and counts in it.
    pub(crate) fn outside_bytes(&self) -> u64 {
        self.given.lock().outside
    }

    /// Bytes that the cache itself may have.
    pub(crate) fn bytes_left(&self) -> u64 {
        self.capacity_bytes - self.given.lock().taken
    }

    /// Blocks and bytes of all.
    pub(crate) fn len_and_bytes(&self) -> (u64, u64) {
        let buckets = self.reserves.iter().map(Reserve::bucket).chain([&self.general]);
        buckets.fold((0, 0), |(len, bytes), bucket| (len + bucket.len(), bytes + bucket.bytes()))
    }
}
