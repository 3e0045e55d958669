//! The operations that are at work, and the results of past ones.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use finback_cell::TableName;

use super::procedure::{Nonce, Procedure, Status, Step, Wait};
use crate::operation::Operation;

/// How long a result is kept for the client, as in HBase (`hbase.procedure.cleaner.evict.ttl`).
const RESULT_TTL_MS: u64 = 15 * 60 * 1000;
/// How long when the client has it, as in HBase (`hbase.procedure.cleaner.acked.evict.ttl`).
const ACKNOWLEDGED_TTL_MS: u64 = 5 * 60 * 1000;
/// Results kept at most; the oldest go first.
const MAX_RESULTS: usize = 10_000;
/// Memory and disk that results take at most, about; the oldest go first.
const MAX_RESULT_BYTES: usize = 32 << 20;

/// All operations, by id, and the results of past ones.
#[derive(Debug, Default)]
pub(crate) struct Procedures {
    pub(super) by_id: BTreeMap<u64, Procedure>,
    /// Those that are at work, or wait for their turn.
    pub(super) active: BTreeSet<u64>,
    pub(super) nonces: HashMap<Nonce, u64>,
}

impl Procedures {
    pub(crate) fn get(&self, id: u64) -> Option<&Procedure> {
        self.by_id.get(&id)
    }

    /// Those at work, and those whose results are kept.
    pub(crate) fn all(&self) -> impl Iterator<Item = (u64, &Procedure)> {
        self.by_id.iter().map(|(id, procedure)| (*id, procedure))
    }

    /// Those that are at work, or wait for their turn.
    pub(crate) fn active(&self) -> impl Iterator<Item = (u64, &Procedure)> {
        self.active.iter().filter_map(|id| Some((*id, self.by_id.get(id)?)))
    }

    pub(crate) fn by_nonce(&self, nonce: Nonce) -> Option<u64> {
        self.nonces.get(&nonce).copied()
    }

    /// The latest flush of a table.
    pub(crate) fn last_flush(&self, table: &TableName) -> Option<&Procedure> {
        let flushes = |p: &&Procedure| matches!(&p.operation, Operation::FlushTable { table: flushed, .. } if flushed == table);
        self.by_id.values().rev().find(flushes)
    }

    /// Regions of a table that a change of its schema has still to reopen.
    pub(crate) fn regions_to_reopen(&self, table: &TableName) -> usize {
        let opens = |p: &Procedure| p.steps.iter().filter(|s| matches!(s, Step::Open(_))).count();
        let changes = |p: &Procedure| {
            let schema = p.operation.class_name() == "ModifyTableProcedure";
            schema && p.operation.table() == Some(table)
        };
        self.active().filter(|(_, p)| changes(p)).map(|(_, p)| opens(p)).sum()
    }

    /// Those that can go on: at work and not waiting for anything, or free to begin.
    pub(super) fn runnable(&self) -> Vec<u64> {
        let ready = |(_, procedure): &(u64, &Procedure)| {
            procedure.status == Status::Running && matches!(procedure.wait, Wait::Ready)
        };
        let mut runnable: Vec<u64> = self.active().filter(ready).map(|(id, _)| id).collect();
        runnable.extend(self.admissible());
        runnable
    }

    /// Results that nobody will ask for any more, or for which there is no room, the oldest first.
    pub(super) fn evictable(&self, now: u64) -> Vec<u64> {
        // What an earlier master began is not over because nobody is at it yet.
        let finished = |(_, p): &(&u64, &Procedure)| matches!(p.status, Status::Finished(_));
        let mut kept = self.by_id.iter().filter(finished).count();
        let mut kept_bytes: usize = self.by_id.iter().filter(finished).map(|(_, p)| p.footprint).sum();
        let is_old = |p: &Procedure| {
            let since = |then: u64| now.saturating_sub(then);
            let taken = p.acknowledged_ms.is_some_and(|taken| since(taken) > ACKNOWLEDGED_TTL_MS);
            taken || since(p.updated_ms) > RESULT_TTL_MS
        };
        let mut evictable = Vec::new();
        for (id, procedure) in self.by_id.iter().filter(finished) {
            if is_old(procedure) || kept > MAX_RESULTS || kept_bytes > MAX_RESULT_BYTES {
                kept -= 1;
                kept_bytes -= procedure.footprint;
                evictable.push(*id);
            }
        }
        evictable
    }

    pub(super) fn forget(&mut self, id: u64) {
        let Some(procedure) = self.by_id.remove(&id) else { return };
        if let Some(nonce) = procedure.nonce.filter(|nonce| self.nonces.get(nonce) == Some(&id)) {
            self.nonces.remove(&nonce);
        }
    }
}
