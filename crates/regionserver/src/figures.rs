//! The server in numbers, for those who watch it.

use crate::host::system_now_ms;
use crate::job::Pool;
use crate::server::RegionServer;
use finback_cell::TableName;
use finback_metrics::{
    Operation, RegionFigures, ServerFigures, TableFigures, TableTimes, UserFigures, WalFigures, file_io,
};
use finback_region::Region;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

impl RegionServer {
    /// The numbers of the server, but for what it does not know: its cluster, its block cache and its RPC server. And those
    /// of its regions. Looks at every store file; does no I/O.
    pub fn figures(&self) -> (ServerFigures, Vec<RegionFigures>) {
        let now_ms = system_now_ms().unsigned_abs();
        let regions: Vec<_> = self.regions.all().iter().map(|region| of_region(region, now_ms)).collect();
        let mut sum = RegionFigures::default();
        regions.iter().for_each(|region| sum.add(region));
        let of_tables = self.regions.table_counts().sum();
        let operations = self.operations.times.snapshot_with(&of_tables);
        let calls = |of: &[Operation]| of.iter().map(|one| operations[*one as usize].count()).sum();
        let work = self.operations.work();
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let (active_reads, active_writes) = self.handlers.active();
        let (checks_passed, checks_failed) = self.operations.checks();
        let server = ServerFigures {
            name: self.name().to_string(),
            start_ms: self.name().start_code,
            now_ms,
            calls: self.requests(),
            get_calls: calls(&[Operation::Get]),
            scan_calls: calls(&[Operation::Scan]),
            mutate_calls: calls(&[
                Operation::Put,
                Operation::Delete,
                Operation::Increment,
                Operation::Append,
                Operation::CheckAndMutate,
            ]),
            multi_calls: calls(&[Operation::Multi]),
            checks_passed,
            checks_failed,
            open_scanners: self.scanners.open() as u64,
            memstore_bytes: self.host.memstore_bytes(),
            memstore_limit_bytes: self.memstore_limit(),
            large_compactions_waiting: self.scheduler.waiting(Pool::LargeCompactions) as u64,
            small_compactions_waiting: self.scheduler.waiting(Pool::SmallCompactions) as u64,
            flushes_waiting: self.scheduler.waiting(Pool::Flushes) as u64,
            region_count: regions.len() as u64,
            regions: sum,
            operations,
            slow: self.operations.times.slow(),
            sizes: self.operations.sizes.snapshot_with(&of_tables),
            full_scans: count(&self.operations.full_scans),
            expired_scanners: self.scanners.expired(),
            flushes: work.flushes,
            compactions: work.compactions,
            major_compactions: work.major_compactions,
            failed_compactions: count(&self.operations.failed_compactions),
            split_requests: count(&self.operations.split_requests),
            splits: count(&self.operations.splits),
            active_reads: active_reads as u64,
            active_writes: active_writes as u64,
            users: self.users(),
            wal: self.wal_figures(),
            io: file_io().figures(),
            mob: self.mob_files().figures(),
            ..Default::default()
        };
        (server, regions)
    }

    /// The numbers of the tables of open regions that are more than sums over these, by namespace and name; without rates.
    pub fn table_figures(&self) -> Vec<TableFigures> {
        let of_table = |(table, times): (TableName, Arc<TableTimes>)| TableFigures {
            namespace: table.namespace().to_owned(),
            table: table.qualifier().to_owned(),
            operations: times.snapshot(),
            ..TableFigures::default()
        };
        let mut tables: Vec<_> = self.regions.table_counts().of_open().into_iter().map(of_table).collect();
        tables.sort_by(|one, other| (&one.namespace, &one.table).cmp(&(&other.namespace, &other.table)));
        tables
    }

    /// What users have asked for, each beside itself on other machines.
    fn users(&self) -> Vec<UserFigures> {
        let of_user = |load: finback_proto::pb::UserLoad| {
            let user = load.user_name;
            load.client_metrics.into_iter().map(move |client| UserFigures {
                user: user.clone(),
                reads: client.read_requests_count(),
                filtered_reads: client.filtered_requests_count(),
                writes: client.write_requests_count(),
                client: client.host_name,
            })
        };
        self.client_counts.loads().into_iter().flat_map(of_user).collect()
    }

    fn wal_figures(&self) -> WalFigures {
        let mut all = WalFigures::default();
        for log in self.logs() {
            let (stats, times) = (log.stats(), log.times());
            all.entries += stats.entries;
            all.bytes += stats.bytes;
            all.writes += stats.writes;
            all.failures += stats.failures;
            all.rolls += stats.rolls;
            all.files += stats.rolled_logs as u64 + u64::from(!stats.unavailable);
            all.queued_bytes += stats.queued_bytes as u64;
            all.slow += times.slow;
            all.entry_bytes = all.entry_bytes.and(&times.group_bytes);
            all.append = all.append.and(&times.writes);
            all.sync = all.sync.and(&times.syncs);
        }
        all
    }
}

fn of_region(region: &Region, now_ms: u64) -> RegionFigures {
    let metrics = region.metrics();
    let table = &region.info().table;
    RegionFigures {
        namespace: table.namespace().to_owned(),
        table: table.qualifier().to_owned(),
        encoded_name: region.encoded_name().to_string(),
        stores: metrics.stores as u64,
        store_files: metrics.store_files as u64,
        store_file_bytes: metrics.store_file_bytes,
        file_times: metrics.file_times,
        root_index_bytes: metrics.root_index_bytes,
        index_bytes: metrics.index_bytes,
        bloom_bytes: metrics.bloom_bytes,
        memstore_bytes: metrics.memstore_data_bytes,
        reads: metrics.reads,
        filtered_reads: metrics.filtered_reads,
        writes: metrics.writes,
        gets: metrics.gets,
        scans: metrics.scans,
        puts: metrics.puts,
        deletes: metrics.deletes,
        increments: metrics.increments,
        appends: metrics.appends,
        waited_us: metrics.waited_us,
        refused_writes: metrics.refused_writes,
        unlogged_writes: metrics.unlogged_writes,
        unlogged_bytes: metrics.unlogged_bytes,
        memstore_memory_bytes: metrics.memstore_bytes,
        most_store_files: metrics.most_store_files as u64,
        references: metrics.references as u64,
        replica: region.info().replica_id.into(),
        regions: 1,
        compacted_files: metrics.compactions.files,
        compactions: metrics.compactions.compactions,
        compacted_cells: metrics.compactions.cells,
        compacted_cell_bytes: metrics.compactions.cell_bytes,
        compacted_bytes: metrics.compactions.bytes_written,
        last_major_compaction_ms: metrics.last_major_compaction_ms,
        now_ms,
    }
}
