//! Open scanners, their leases and call sequence numbers.

use crate::ended_scanners::EndedScanners;
use crate::idle_memory::{IdleMemory, Kept};
use crate::scanner_shares::ScannerShares;
use finback_cell::Scan;
use finback_region::{KeptReadPoint, Region, RegionScanner};
use finback_rpc::{ConnectionInfo, RpcException, exceptions};
use parking_lot::Mutex;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Read points of scanners that this server closed before their end.
const KEPT_READ_POINTS: usize = 4096;

/// What a scanner takes in any case, in bytes: that much of what is its own is counted with the number of scanners.
const SMALL_BYTES: usize = 4 << 10;

/// A scan between two calls.
pub(crate) struct OpenScanner {
    /// Whose it is.
    pub(crate) owner: Arc<ConnectionInfo>,
    pub(crate) region: Arc<Region>,
    pub(crate) scanner: RegionScanner,
    /// What it was opened for.
    pub(crate) scan: Scan,
    /// Whether the call that opened it had a number: that was the first one.
    pub(crate) opened_by_number: bool,
    /// Memory that this takes, and the filter's message, in bytes.
    pub(crate) request_bytes: usize,
    /// Cells of one result at most.
    pub(crate) batch: usize,
    /// Bytes of one reply at most.
    pub(crate) max_bytes: usize,
    pub(crate) small: bool,
    pub(crate) wants_cursor: bool,
    /// Whether a replica was asked.
    pub(crate) stale: bool,
    /// Memory that the reply to the last call took, in bytes.
    pub(crate) reply_bytes: usize,
    /// Whether the last call was a renewal, of a client that may take its answer for another.
    pub(crate) renewed: bool,
    /// Whether results were sent when the filter was done: with these it has ended the region, and nothing but that.
    pub(crate) done_with_results: bool,
}

impl OpenScanner {
    fn kept(&self) -> Kept {
        let carried = self.scanner.carried_bytes();
        let own = carried.saturating_add(self.request_bytes);
        let own = if own > SMALL_BYTES { own } else { 0 };
        Kept { blocks: self.scanner.held_bytes() - carried, own }
    }
}

pub(crate) struct Slot {
    owner: Arc<ConnectionInfo>,
    of_meta: bool,
    /// `None` while a call works with it.
    pub(crate) scanner: Option<Box<OpenScanner>>,
    next_call: u64,
    pub(crate) expires: Instant,
    /// Of what it keeps while it waits.
    idle: Option<u64>,
}

/// The scanners by their ids.
pub(crate) struct Slots {
    pub(crate) by_id: HashMap<u64, Slot>,
    shares: ScannerShares,
    idle: IdleMemory,
    /// Of scanners that the server has closed before their end, for as long as a lease: their clients open others that are
    /// to see the same.
    left: VecDeque<(Instant, KeptReadPoint)>,
}

impl Slots {
    /// Keeps the read points of scanners that were closed before their end, the newest if there are many.
    pub(crate) fn keep_read_points(&mut self, closed: &[Slot], until: Instant) {
        let scanners = closed.iter().filter_map(|slot| slot.scanner.as_ref());
        self.left.extend(scanners.map(|open| (until, open.scanner.keep_read_point())));
        let surplus = self.left.len().saturating_sub(KEPT_READ_POINTS);
        self.left.drain(..surplus);
    }

    /// Takes a scanner away.
    pub(crate) fn remove(&mut self, id: u64) -> Option<Slot> {
        let slot = self.by_id.remove(&id)?;
        self.idle.remove(slot.idle);
        self.shares.remove(&slot.owner, slot.of_meta);
        Some(slot)
    }

    /// Has scanners let go of their blocks, those that have waited longest first, until the others have no more than this.
    /// If that does not suffice, those go that have much of their own, until what the last one has is the rest, or more than it may be
    /// by itself: their clients open others behind the last rows that they got. Gives these back.
    fn park(&mut self, most_bytes: usize) -> Vec<Slot> {
        let mut closed = Vec::new();
        while self.idle.bytes() > most_bytes {
            if let Some(id) = self.idle.take_longest_with_blocks() {
                if let Some(open) = self.by_id.get_mut(&id).and_then(|slot| slot.scanner.as_mut()) {
                    open.scanner.park();
                }
            } else if let Some(id) = self.idle.longest_of_several(most_bytes) {
                closed.extend(self.remove(id));
            } else {
                break;
            }
        }
        closed
    }
}

/// The scanners of one server.
pub(crate) struct Scanners {
    pub(crate) slots: Mutex<Slots>,
    /// Bytes that scanners keep while they wait for their clients, at most.
    idle_bytes: usize,
    ended: Mutex<EndedScanners>,
    next_id: AtomicU64,
    lease: Duration,
    expired: AtomicU64,
}

impl Scanners {
    /// Ids begin with the server's start code, so that those of an earlier life are unknown to this one. `bytes`: that
    /// scanners keep while they wait for their clients, besides segments of memstores.
    pub(crate) fn new(start_code: u64, lease: Duration, bytes: usize) -> Self {
        // 31 bits of the start code, 32 bits to count; positive as a Java long.
        let next_id = AtomicU64::new((start_code & 0x7fff_ffff) << 32 | 1);
        Self {
            slots: Mutex::new(Slots {
                by_id: HashMap::new(),
                shares: ScannerShares::new(bytes, SMALL_BYTES),
                idle: IdleMemory::default(),
                left: VecDeque::new(),
            }),
            idle_bytes: bytes,
            ended: Mutex::new(EndedScanners::new(lease, bytes)),
            next_id,
            lease,
            expired: AtomicU64::new(0),
        }
    }

    /// How long a scanner lives without a call.
    pub(crate) fn lease(&self) -> Duration {
        self.lease
    }

    /// How many are open.
    pub(crate) fn open(&self) -> usize {
        self.slots.lock().shares.open()
    }

    /// Whether another one may stay open.
    ///
    /// # Errors
    /// A RegionTooBusyException: its owner has too many.
    pub(crate) fn check(&self, owner: &Arc<ConnectionInfo>, of_meta: bool) -> Result<(), RpcException> {
        self.slots.lock().shares.check(owner, of_meta)
    }

    /// An id for a new scanner.
    pub(crate) fn new_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// Takes a scanner for a call. `call_number` must be the next one, if given.
    pub(crate) fn take(&self, id: u64, call_number: Option<u64>) -> Result<Box<OpenScanner>, RpcException> {
        let mut slots = self.slots.lock();
        let Slots { by_id, idle, .. } = &mut *slots;
        let slot = by_id.get_mut(&id).ok_or_else(|| unknown(id))?;
        if let Some(number) = call_number.filter(|number| *number != slot.next_call) {
            return Err(exceptions::out_of_order_scanner_next(format!(
                "Expected nextCallSeq: {} But the nextCallSeq got from client: {number}; scanner {id}",
                slot.next_call
            )));
        }
        let scanner = slot.scanner.take().ok_or_else(|| {
            exceptions::out_of_order_scanner_next(format!("another call works with scanner {id}"))
        })?;
        slot.next_call += u64::from(call_number.is_some());
        idle.remove(slot.idle.take());
        Ok(scanner)
    }

    /// Keeps a scanner for its next call, with a new lease.
    pub(crate) fn keep(&self, id: u64, scanner: Box<OpenScanner>) {
        let expires = Instant::now() + self.lease;
        let kept = scanner.kept();
        let mut slots = self.slots.lock();
        let Slots { by_id, idle, shares, .. } = &mut *slots;
        let slot = by_id.entry(id).or_insert_with(|| {
            let (owner, of_meta) = (Arc::clone(&scanner.owner), scanner.region.info().is_meta());
            shares.add(&owner, of_meta);
            let next_call = u64::from(scanner.opened_by_number);
            Slot { owner, of_meta, scanner: None, next_call, expires, idle: None }
        });
        slot.scanner = Some(scanner);
        slot.expires = expires;
        idle.remove(slot.idle.take());
        slot.idle = idle.add(id, kept);
        let closed = slots.park(self.idle_bytes);
        if !closed.is_empty() {
            tracing::info!(closed = closed.len(), "scanners that kept too much of their own");
            slots.keep_read_points(&closed, expires);
        }
        // Those are dropped outside the lock: they may free much memory.
        drop(slots);
    }

    /// Extends the lease.
    pub(crate) fn renew(&self, id: u64) {
        if let Some(slot) = self.slots.lock().by_id.get_mut(&id) {
            slot.expires = Instant::now() + self.lease;
        }
    }

    /// Closes a scanner.
    pub(crate) fn close(&self, id: u64) {
        // Dropped outside the lock: it may free much memory.
        let slot = self.slots.lock().remove(id);
        drop(slot);
    }

    /// Closes a scanner that is at its end: a later call of the client's is no error.
    pub(crate) fn end(&self, id: u64) {
        self.close(id);
        let now = Instant::now();
        self.ended.lock().add(id, now);
    }

    /// Whether this server closed the scanner at its end lately.
    pub(crate) fn has_ended(&self, id: u64) -> bool {
        self.ended.lock().has(id)
    }

    /// How many were dropped since their lease was over.
    pub(crate) fn expired(&self) -> u64 {
        self.expired.load(Ordering::Relaxed)
    }

    /// What a scanner reads, unless a call works with it: its region, and the rows where it was to begin and end.
    pub(crate) fn describe(&self, id: u64) -> Option<(Arc<Region>, Scan)> {
        let slots = self.slots.lock();
        let open = slots.by_id.get(&id)?.scanner.as_ref()?;
        Some((Arc::clone(&open.region), open.scan.clone()))
    }

    /// Drops scanners whose lease is over. One that a call works with is left alone.
    pub(crate) fn expire(&self, now: Instant) {
        let mut slots = self.slots.lock();
        let over: Vec<u64> = slots
            .by_id
            .iter()
            .filter(|(_, slot)| slot.scanner.is_some() && slot.expires <= now)
            .map(|(id, _)| *id)
            .collect();
        slots.left.retain(|(until, _)| *until > now);
        let dropped: Vec<Slot> = over.into_iter().filter_map(|id| slots.remove(id)).collect();
        drop(slots);
        if !dropped.is_empty() {
            self.expired.fetch_add(dropped.len() as u64, Ordering::Relaxed);
            tracing::info!(scanners = dropped.len(), "leases of scanners are over");
        }
    }
}

/// Closes a scanner that a call works with, should the call end unexpectedly: nobody else would.
pub(crate) struct CloseUnlessKept<'a> {
    scanners: &'a Scanners,
    id: u64,
    armed: bool,
}

impl<'a> CloseUnlessKept<'a> {
    pub(crate) fn new(scanners: &'a Scanners, id: u64) -> Self {
        Self { scanners, id, armed: true }
    }

    /// The call came to its end.
    pub(crate) fn disarm(mut self) {
        self.armed = false;
    }
}

impl Drop for CloseUnlessKept<'_> {
    fn drop(&mut self) {
        if self.armed {
            self.scanners.close(self.id);
        }
    }
}

/// The exception for an id that is not known.
pub(crate) fn unknown(id: u64) -> RpcException {
    exceptions::unknown_scanner(format!(
        "Unknown scanner '{id}'. This can happen due to any of the following reasons: a) Scanner id given is wrong, \
         b) Scanner lease expired because of long wait between consecutive client checkins, c) Server may be closing \
         down, d) RegionServer restart during upgrade.\nIf the issue is due to reason (b), a possible fix would be \
         increasing the value of 'hbase.client.scanner.timeout.period' configuration."
    ))
}
