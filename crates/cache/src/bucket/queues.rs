use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use finback_hfile::Block;

use super::table::{Kept, Table};
use crate::block_key::{BlockKey, NumberHash, hash_of};

/// One part in so many, at least, is for blocks that came last, of which most are never used again: what one of them leaves behind is
/// memory that the processor's cache still has, when the next one comes.
const LEAST_NEW: u64 = 50;
/// One part in so many, at least, is for those that stay.
const LEAST_STAYING: u64 = 5;

/// The room for new blocks grows by what came back after it was given up for new, and shrinks by so many times what had stayed, and
/// came back.
const SHRINKS: u64 = 2;
/// Either by so many times more at most, where few of the others are known.
const MOST_TIMES: u64 = 8;

/// Blocks that are left where they are for one that leaves.
const MAX_SPARED: usize = 32;

/// Places of blocks that left with their file are cleared away when there are more of them than of others, and of these.
const FEW_PLACES: usize = 64;

/// Where a block stands in a queue: no more, if another ticket is kept for its key.
#[derive(Debug, Clone, Copy)]
struct Place {
    key: BlockKey,
    ticket: u64,
}

/// Which blocks go when there is no room (S3-FIFO): new ones wait in a short queue, and leave it for the long one if they are used
/// meanwhile, or come again soon after they have left. What is used in the long queue begins there anew. So a
/// block that a scan sees once pushes out only its like; and a use changes no queue, but a number beside the block. As long as there is
/// room, blocks stay at once: of what is asked for in turn, and does not fit, a part is found. How short the short queue is, is learnt from
/// what comes back (as in ARC): where blocks are wanted again soon and then no more, it has most of the room.
///
/// Sources: Yang and others, "FIFO queues are all you need for cache eviction", SOSP 2023; Megiddo and Modha, "ARC: a self-tuning,
/// low overhead replacement cache", FAST 2003.
#[derive(Debug)]
pub(super) struct Queues {
    capacity: u64,
    weight: u64,
    new_weight: u64,
    /// Blocks in the table.
    blocks: usize,
    new: VecDeque<Place>,
    staying: VecDeque<Place>,
    /// Bytes that new blocks may have when others stay.
    room_for_new: u64,
    /// Blocks that left unused when they were new.
    gone_new: Gone,
    /// Blocks that left when they had stayed, and were used no more.
    gone_stayed: Gone,
    next_ticket: u64,
}

impl Queues {
    pub(super) fn of(capacity: u64) -> Self {
        Self {
            capacity,
            weight: 0,
            new_weight: 0,
            blocks: 0,
            new: VecDeque::new(),
            staying: VecDeque::new(),
            room_for_new: capacity / LEAST_NEW,
            gone_new: Gone::default(),
            gone_stayed: Gone::default(),
            next_ticket: 0,
        }
    }

    pub(super) fn weight(&self) -> u64 {
        self.weight
    }

    pub(super) fn blocks(&self) -> usize {
        self.blocks
    }

    /// Puts a block of so many bytes in, and gives what has to go: what is in its way, or itself, if it is too large. Says whether it was
    /// not there yet; the one that is there stays as it is.
    pub(super) fn insert(
        &mut self,
        table: &Table,
        key: BlockKey,
        block: Arc<Block>,
        weight: u64,
        leaving: &mut Vec<Kept>,
    ) -> bool {
        if table.look(&key, |_| ()).is_some() {
            return false;
        }
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        let has_room = self.weight + weight <= self.capacity - self.capacity / LEAST_NEW;
        let stays = self.comes_back(hash_of(&key), weight) || has_room;
        let kept = Kept::new(key, block, weight, ticket, stays);
        if weight > self.capacity {
            leaving.push(kept);
            return true;
        }
        let place = Place { key, ticket };
        self.weight += weight;
        self.blocks += 1;
        if stays {
            self.staying.push_back(place);
        } else {
            self.new_weight += weight;
            self.new.push_back(place);
        }
        table.insert(kept);
        self.make_room(table, leaving);
        true
    }

    pub(super) fn remove(&mut self, table: &Table, key: &BlockKey) -> Option<Kept> {
        let kept = table.remove(key)?;
        self.left(&kept);
        self.clear_places(table);
        Some(kept)
    }

    pub(super) fn set_capacity(&mut self, table: &Table, capacity: u64, leaving: &mut Vec<Kept>) {
        self.capacity = capacity;
        self.set_room_for_new(self.room_for_new);
        self.make_room(table, leaving);
    }

    /// Whether a block was given up not long ago that was wanted again. Learns from what was, how much room new blocks are to have.
    fn comes_back(&mut self, hash: u64, weight: u64) -> bool {
        let times = |of: &Gone, others: &Gone| (others.len() / of.len().max(1)).clamp(1, MOST_TIMES);
        if self.gone_new.take(hash) {
            let more = weight * times(&self.gone_new, &self.gone_stayed);
            self.set_room_for_new(self.room_for_new.saturating_add(more));
            return true;
        }
        if self.gone_stayed.take(hash) {
            let less = weight * SHRINKS * times(&self.gone_stayed, &self.gone_new);
            self.set_room_for_new(self.room_for_new.saturating_sub(less));
        }
        // Who had stayed has to be used again as others: else what is asked for in turn pushes itself out.
        false
    }

    fn set_room_for_new(&mut self, bytes: u64) {
        let least = self.capacity / LEAST_NEW;
        self.room_for_new = bytes.clamp(least, self.capacity - self.capacity / LEAST_STAYING);
    }

    /// To be called of each block that is no more in the table.
    fn left(&mut self, kept: &Kept) {
        self.weight -= kept.weight;
        self.blocks -= 1;
        if !kept.stays.load(Relaxed) {
            self.new_weight -= kept.weight;
        }
    }

    fn make_room(&mut self, table: &Table, leaving: &mut Vec<Kept>) {
        while self.weight > self.capacity {
            let too_many_new = self.new_weight > self.room_for_new && self.new.len() > 1;
            let gone = if too_many_new || self.staying.is_empty() {
                self.oldest_new(table)
            } else {
                self.oldest_staying(table)
            };
            if let Some(kept) = gone {
                self.left(&kept);
                leaving.push(kept);
            }
        }
        self.gone_new.keep(self.blocks);
        self.gone_stayed.keep(self.blocks / 2);
    }

    /// Takes out the first of the new blocks, unless it was used: then it stays.
    fn oldest_new(&mut self, table: &Table) -> Option<Kept> {
        let place = self.new.pop_front()?;
        let is_used = |kept: &Kept| {
            let stays = kept.uses() > 0;
            if stays {
                kept.set_uses(0);
                kept.stays.store(true, Relaxed);
            }
            (stays, kept.weight)
        };
        match table.look(&place.key, |kept| (kept.ticket == place.ticket).then(|| is_used(kept)))?? {
            (true, weight) => {
                self.new_weight -= weight;
                self.staying.push_back(place);
                None
            }
            (false, _) => {
                self.gone_new.note(hash_of(&place.key));
                table.remove(&place.key)
            }
        }
    }

    /// Takes out the first block of those that stay which was not used since it came to the front last. If there are too many that
    /// were, one goes all the same: a new one, if there is one.
    fn oldest_staying(&mut self, table: &Table) -> Option<Kept> {
        for _ in 0..MAX_SPARED {
            let place = self.staying.pop_front()?;
            let spare = |kept: &Kept| {
                let uses = kept.uses();
                kept.set_uses(uses.saturating_sub(1));
                uses > 0
            };
            match table.look(&place.key, |kept| (kept.ticket == place.ticket).then(|| spare(kept))).flatten()
            {
                None => {}
                Some(true) => self.staying.push_back(place),
                Some(false) => return self.give_up_stayed(table, place),
            }
        }
        if !self.new.is_empty() {
            return self.oldest_new(table);
        }
        let place = self.staying.pop_front()?;
        let is_there = table.look(&place.key, |kept| kept.ticket == place.ticket)?;
        is_there.then(|| self.give_up_stayed(table, place))?
    }

    #[cfg(test)]
    pub(super) fn places(&self) -> usize {
        self.new.len() + self.staying.len()
    }

    #[cfg(test)]
    pub(super) fn remembered(&self) -> usize {
        self.gone_new.in_order.len().max(self.gone_new.known.len()) + self.gone_stayed.in_order.len()
    }

    fn give_up_stayed(&mut self, table: &Table, place: Place) -> Option<Kept> {
        self.gone_stayed.note(hash_of(&place.key));
        table.remove(&place.key)
    }

    /// Forgets the places of blocks that are gone, if they are many.
    fn clear_places(&mut self, table: &Table) {
        if self.new.len() + self.staying.len() <= 2 * self.blocks + FEW_PLACES {
            return;
        }
        let is_there =
            |place: &Place| table.look(&place.key, |kept| kept.ticket == place.ticket) == Some(true);
        self.new.retain(is_there);
        self.staying.retain(is_there);
    }
}

/// Keys of blocks that left, by their hashes.
#[derive(Debug, Default)]
struct Gone {
    /// Each with the number of its note.
    known: HashMap<u64, u64, NumberHash>,
    /// The same, and some that are known no more, or anew.
    in_order: VecDeque<(u64, u64)>,
    notes: u64,
}

impl Gone {
    fn note(&mut self, hash: u64) {
        self.notes += 1;
        self.known.insert(hash, self.notes);
        self.in_order.push_back((hash, self.notes));
    }

    fn len(&self) -> u64 {
        self.known.len() as u64
    }

    /// Whether a key is among them; it is not any more.
    fn take(&mut self, hash: u64) -> bool {
        self.known.remove(&hash).is_some()
    }

    /// Forgets the oldest but so many.
    fn keep(&mut self, count: usize) {
        while self.in_order.len() > count {
            let Some((hash, note)) = self.in_order.pop_front() else { return };
            if self.known.get(&hash) == Some(&note) {
                self.known.remove(&hash);
            }
        }
    }
}
