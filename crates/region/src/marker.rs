//! Markers in the log: opening, closing and flushing, as HBase writes them.

use crate::blocking::wait_for;
use crate::error::RegionError;
use crate::given_up::GivesUp;
use crate::region::Region;
use finback_cell::{CellBlockBuilder, CellType, Durability, cell::CellParts};
use finback_proto::{Message, pb};
use finback_wal::{Position, WalAppend};

/// A step of a flush.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FlushPhase {
    Start,
    Commit,
    Abort,
}

impl Region {
    /// Notes a step of a flush; `stores` are families with the names of their new files.
    pub(crate) fn mark_flush(
        &self,
        phase: FlushPhase,
        sequence_id: u64,
        stores: &[(Vec<u8>, Vec<String>)],
    ) -> Result<Position, RegionError> {
        use pb::flush_descriptor::{FlushAction, StoreFlushDescriptor};
        let action = match phase {
            FlushPhase::Start => FlushAction::StartFlush,
            FlushPhase::Commit => FlushAction::CommitFlush,
            FlushPhase::Abort => FlushAction::AbortFlush,
        };
        let store_flushes = stores
            .iter()
            .map(|(family, files)| StoreFlushDescriptor {
                family_name: family.clone().into(),
                store_home_dir: String::from_utf8_lossy(family).into_owned(),
                flush_output: files.clone(),
            })
            .collect();
        let descriptor = pb::FlushDescriptor {
            action: action as i32,
            table_name: self.wal_table.to_vec().into(),
            encoded_region_name: self.wal_region.to_vec().into(),
            flush_sequence_number: Some(sequence_id),
            store_flushes,
            region_name: Some(self.name.clone()),
        };
        self.mark(b"HBASE::FLUSH", &descriptor.encode_to_vec())
    }

    /// Notes that the region was opened (`open`) or closed.
    pub(crate) fn mark_event(&self, open: bool) -> Result<Position, RegionError> {
        use pb::region_event_descriptor::EventType;
        let stores = self
            .stores
            .iter()
            .map(|store| pb::StoreDescriptor {
                family_name: store.family.name.clone(),
                store_home_dir: String::from_utf8_lossy(&store.family.name).into_owned(),
                store_file: store.files().iter().map(|file| file.name()).collect(),
                store_file_size_bytes: Some(store.files().iter().map(|file| file.size_bytes()).sum()),
            })
            .collect();
        let event = if open { EventType::RegionOpen } else { EventType::RegionClose };
        let descriptor = pb::RegionEventDescriptor {
            event_type: event as i32,
            table_name: self.wal_table.to_vec().into(),
            encoded_region_name: self.wal_region.to_vec().into(),
            log_sequence_number: Some(self.read_point()),
            stores,
            server: None,
            region_name: Some(self.name.clone()),
        };
        let qualifier: &[u8] =
            if open { b"HBASE::REGION_EVENT::REGION_OPEN" } else { b"HBASE::REGION_EVENT::REGION_CLOSE" };
        self.mark(qualifier, &descriptor.encode_to_vec())
    }

    /// Appends a marker under a sequence id of its own. It is durable with the next edit, or soon.
    pub(crate) fn mark(&self, qualifier: &[u8], value: &[u8]) -> Result<Position, RegionError> {
        self.mark_with(&[(qualifier, value)], Durability::AsyncWal)
    }

    /// Appends markers, as [`mark`](Self::mark) one, in one entry. From SYNC_WAL on the caller waits for it.
    pub(crate) fn mark_with(
        &self,
        markers: &[(&[u8], &[u8])],
        durability: Durability,
    ) -> Result<Position, RegionError> {
        let now = self.environment.host.now_ms();
        let start = &self.info.start_key;
        let mut cells = CellBlockBuilder::default();
        for &(qualifier, value) in markers {
            cells.push_parts(&CellParts {
                row: if start.is_empty() { &[0] } else { start },
                family: finback_wal::META_FAMILY,
                qualifier,
                timestamp: now,
                type_code: CellType::Put.code(),
                value,
                tags: b"",
            });
        }
        let cells = cells.finish().bytes().clone();
        let wal = &self.environment.wal;
        let permit = wait_for(wal.reserve(cells.len()))?;
        let _append = self.append_lock.lock();
        let guard = GivesUp(self);
        let sequence_id = self.mvcc.begin();
        let appended = wal.append(
            permit,
            WalAppend {
                region: self.wal_region.clone(),
                table: self.wal_table.clone(),
                sequence_id,
                write_time_ms: now.unsigned_abs(),
                nonce_group: 0,
                nonce: 0,
                cells,
                cell_count: markers.len() as u32,
                durability,
                after: None,
            },
        );
        self.mvcc.abandon(sequence_id);
        guard.disarm();
        Ok(appended?)
    }
}
