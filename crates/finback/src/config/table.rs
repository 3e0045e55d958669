//! The settings of a server: sixty at most. What tables may have of their own is in `table_defaults`.

use super::cache_value::OptionalFile;
use super::codec_value::ZstdCodec;
use super::compaction_value::{Hour, Share};
use super::error::ConfigError;
use super::log_value::{LogFormat, LogLevels};
use super::otel_value::{Collector, ShareOrNone};
use super::quantity::{
    ByteCount, Milliseconds, OptionalMilliseconds, Rate, SizeThreshold, TimeThreshold, canonical,
};
use super::setting::{Reach, Setting, settings};
use super::table_defaults::TableDefaults;
use super::translate::{
    COMPACTION_THROUGHPUT, FLUSH_THROUGHPUT, FromHBase, NONE, ROLL_SIZE, SLOW_CALLS, VALUE_COMPRESSION,
    mebibytes, same, seconds,
};
use super::value::{
    Count, CountOrNone, Flag, Host, InfoPort, Kind, LocalDirectory, Memory, OptionalCodec, OptionalHost,
    Port, Znode,
};
use super::values::Values;

settings! {
    /// The settings of a server, checked and typed.
    ServerConfig, SETTINGS, with tables: TableDefaults;

    /// The directory that holds everything, in HBase's layout. `--data` on the command line wins over it.
    data_dir: LocalDirectory = "finback-data", "data", Restart, same(&["hbase.rootdir"]);

    /// Address that ZooKeeper responder, master and region server listen on. 0.0.0.0: all of the machine's.
    address: Host = "127.0.0.1", "listen.address", Restart, same(&[
        "hbase.zookeeper.property.clientPortAddress",
        "hbase.master.ipc.address",
        "hbase.regionserver.ipc.address",
    ]);
    /// Name of the machine that is told to clients. Empty: the address that the server listens on, or the machine's own name
    /// when that is all addresses.
    advertised_host: OptionalHost = "", "listen.advertised-host", Restart, same(&[
        "hbase.master.hostname",
        "hbase.regionserver.hostname",
        "hbase.unsafe.regionserver.hostname",
    ]);
    /// Address that the web page and the metrics are served on. HBase's default is all addresses.
    info_address: Host = "127.0.0.1", "listen.info-address", Restart, same(&[
        "hbase.master.info.bindAddress",
        "hbase.regionserver.info.bindAddress",
    ]);
    /// Whether the web page shows rows of tables. false: everything but these.
    shows_rows: Flag = "true", "listen.info-rows", Restart, NONE;
    /// A name that the web page is reached by besides addresses, `localhost` and the machine's own names, as that of a proxy. Under
    /// other names it shows only metrics.
    info_name: OptionalHost = "", "listen.info-name", Restart, NONE;
    /// Port of the ZooKeeper responder, where HBase's clients look first. 0: any free port.
    zookeeper_port: Port = "2181", "listen.zookeeper-port", Restart,
        same(&["hbase.zookeeper.property.clientPort"]);
    /// Port of the master. 0: any free port.
    master_port: Port = "16000", "listen.master-port", Restart, same(&["hbase.master.port"]);
    /// Port of the region server. 0: any free port.
    regionserver_port: Port = "16020", "listen.regionserver-port", Restart, same(&["hbase.regionserver.port"]);
    /// Port of the web page and the metrics, where HBase has its master's. 0: any free port, also if another process has this
    /// one. off: none.
    master_info_port: InfoPort = "16010", "listen.master-info-port", Restart, same(&["hbase.master.info.port"]);
    /// The same where HBase has its region server's.
    regionserver_info_port: InfoPort = "16030", "listen.regionserver-info-port", Restart,
        same(&["hbase.regionserver.info.port"]);
    /// The ZooKeeper node under which clients find the cluster; clients must have the same.
    znode_parent: Znode = "/hbase", "listen.znode", Restart, same(&["zookeeper.znode.parent"]);

    /// Memory of the whole process, or a fraction of the memory of the machine (or of the control group, if that
    /// allows less). Memstores, block cache, requests and replies all live within it; what it does not count is
    /// the program itself. A quarter is what a Java virtual machine takes.
    memory_limit: Memory = "0.25", "memory.limit", Restart, same(&["finback.memory.limit"]);
    /// Memory for the memstores of all regions together, in bytes or as a fraction of memory.limit; at
    /// the limit, writes wait for flushes. Together with the block cache at most 0.8 of it.
    global_memstore: Memory = "0.4", "memory.memstores", Restart, same(&[
        "hbase.regionserver.global.memstore.size",
        "hbase.regionserver.global.memstore.upperLimit",
    ]);
    /// Memory for blocks of files that were read, in bytes or as a fraction of memory.limit.
    block_cache: Memory = "0.4", "memory.block-cache", Restart, same(&["hfile.block.cache.size"]);
    /// A second tier of the block cache: a file, best on an SSD, where the files of regions are not. What it holds is used
    /// again after a restart. Empty: none.
    cache_file: OptionalFile = "", "memory.cache-file", Restart, same(&["hbase.bucketcache.ioengine"]);
    /// Size of that file. For each block that it has, 176 bytes are taken from the block cache, up to a quarter of that.
    cache_file_bytes: ByteCount = "10g", "memory.cache-file-size", Restart, mebibytes(&["hbase.bucketcache.size"]);

    /// Long reads (scans beyond their first few hundred cells, aggregations) that are carried out at a time, and as many
    /// large writes. Short calls need no handler.
    handlers: Count = "30", "rpc.handlers", Restart, same(&["hbase.regionserver.handler.count"]);
    /// Calls of a kind (reads of rows, scans, writes) that may wait in a server at the same time, for memory, a disk, the log
    /// or their turn; beyond it clients are told to come back. HBase has ten times the handlers, whose threads wait.
    max_queued_calls: Count = "3000", "rpc.max-queued-calls", Restart,
        same(&["hbase.ipc.server.max.callqueue.length"]);
    /// Longest request that is read from a client, within the memory for requests; a longer one is refused before it is read.
    max_request_bytes: ByteCount = "256m", "rpc.max-request-size", Restart,
        same(&["hbase.ipc.max.request.size"]);
    /// Most bytes of cells in one scan reply, whatever the client asks for, and within the memory for replies.
    max_scan_result_bytes: ByteCount = "100m", "rpc.max-scan-reply-size", Restart,
        same(&["hbase.server.scanner.max.result.size"]);
    /// Largest row that a get reads, and within the memory for replies; of larger ones clients must ask for parts.
    max_row_bytes: ByteCount = "1g", "rpc.max-row-size", Restart, same(&["hbase.table.max.rowsize"]);
    /// A scanner that its client has not used for so long is closed.
    scanner_timeout: Milliseconds = "1m", "rpc.scanner-timeout", Restart,
        same(&["hbase.client.scanner.timeout.period", "hbase.regionserver.lease.period"]);
    /// Between two reports of the region server to the master: what clients learn of loads and sizes is as old as that.
    report_interval: Milliseconds = "3s", "rpc.report-interval", Restart, same(&["hbase.regionserver.msginterval"]);

    /// How many of the last calls that were slow, or had large replies, are kept in memory for administrators. 0: none.
    slow_calls_kept: CountOrNone = "256", "slow-calls.kept", Restart, SLOW_CALLS;
    /// A call that takes longer is slow. off: none is.
    slow_call_time: TimeThreshold = "10s", "slow-calls.time", Restart, same(&["hbase.ipc.warn.response.time"]);
    /// A reply of more bytes is large. off: none is.
    large_reply_bytes: SizeThreshold = "100m", "slow-calls.reply-size", Restart,
        same(&["hbase.ipc.warn.response.size"]);

    /// From which level on the log is written (off, error, warn, info, debug, trace), and for parts of the server apart, as in
    /// info,finback_wal=debug. FINBACK_LOG in the environment wins over it.
    log_levels: LogLevels = "info", "log.level", Now, NONE;
    /// Lines for people (text) or for programs (json). FINBACK_LOG_FORMAT in the environment wins over it.
    log_format: LogFormat = "text", "log.format", Now, NONE;

    /// A collector of OpenTelemetry, to which spans of calls and metrics are sent: http://HOST:PORT of its OTLP over HTTP, as in
    /// http://localhost:4318. Empty: what OTEL_EXPORTER_OTLP_ENDPOINT in the environment says, or none.
    otel_endpoint: Collector = "", "otel.endpoint", Restart, NONE;
    /// Share of the calls whose spans are sent, of clients that do not say themselves whether a call is traced. Slow calls always
    /// are.
    otel_sample: ShareOrNone = "0.001", "otel.sample", Restart, NONE;

    /// Whether a synced write is on disk (fdatasync) before it is acknowledged. HBase's default is false: there
    /// the copies in the memory of three machines count. A standalone server has no second copy.
    /// Without it, FSYNC_WAL still asks for the disk.
    wal_hsync: Flag = "true", "wal.sync-to-disk", Restart, same(&["hbase.wal.hsync"]);
    /// A new write-ahead log begins when the old one has so many bytes. HBase has the size of a block, and a share of it.
    wal_roll_bytes: ByteCount = "128m", "wal.roll-size", Restart, ROLL_SIZE;
    /// A new write-ahead log begins at least so often.
    wal_roll_period: Milliseconds = "1h", "wal.roll-period", Restart, same(&["hbase.regionserver.logroll.period"]);
    /// With more write-ahead logs than this, the families that keep the oldest one alive are flushed.
    max_wals: Count = "32", "wal.max-files", Restart, same(&["hbase.regionserver.maxlogs"]);
    /// Whether write-ahead logs are compressed: region, table, row, family, qualifier and tags are written once in each log,
    /// and then as numbers.
    wal_compression: Flag = "false", "wal.compression", Restart, same(&["hbase.regionserver.wal.enablecompression"]);
    /// In compressed logs, the codec by which each value is compressed as well: gz, snappy, lz4, zstd or none.
    wal_value_compression: OptionalCodec = "none", "wal.value-compression", Restart, VALUE_COMPRESSION;

    /// The codec of Zstandard, in files of families with COMPRESSION ZSTD and in logs, by its Java class: Hadoop's
    /// native one (bare frames), org.apache.hadoop.hbase.io.compress.zstd.ZstdCodec, or that of aircompressor (both in
    /// chunks). HBase reads only what its own setting says. Finback reads all; files become so when they are
    /// compacted.
    zstd_codec: ZstdCodec = "org.apache.hadoop.io.compress.ZStandardCodec", "compression.zstd-codec", Restart,
        same(&["hbase.io.compress.zstd.codec"]);

    /// How many regions are flushed at once.
    flush_threads: Count = "2", "flush.threads", Restart, same(&["hbase.hstore.flusher.count"]);
    /// How long the flush of a region with a store of more files than hbase.hstore.blockingStoreFiles waits at most for
    /// a compaction.
    blocking_wait: Milliseconds = "90s", "flush.blocking-wait", Now, same(&["hbase.hstore.blockingWaitTime"]);
    /// Bytes a second that all flushes together write while memstores are empty; twice as much when the memory for them is almost
    /// used up, and without a limit when it is.
    flush_throughput: Rate = "unlimited", "flush.throughput", Now, FLUSH_THROUGHPUT;

    /// Whether there are compactions, until somebody switches them (`compaction_switch` in HBase's shell).
    compactions_enabled: Flag = "true", "compaction.enabled", Now, same(&["hbase.regionserver.compaction.enabled"]);
    /// Threads for compactions of many bytes; they help with the others.
    large_compaction_threads: Count = "1", "compaction.large-threads", Restart,
        same(&["hbase.regionserver.thread.compaction.large"]);
    /// Threads for compactions of few bytes.
    small_compaction_threads: Count = "1", "compaction.small-threads", Restart,
        same(&["hbase.regionserver.thread.compaction.small"]);
    /// A compaction that reads more than this is one of many bytes.
    large_compaction_bytes: ByteCount = "2560m", "compaction.large-size", Now,
        same(&["hbase.regionserver.thread.compaction.throttle"]);
    /// Bytes a second that all compactions together write, for the sake of clients, while no store is near its
    /// hbase.hstore.blockingStoreFiles. unlimited: neither do the next two settings count.
    compaction_throughput: Rate = "50m", "compaction.throughput", Now, COMPACTION_THROUGHPUT;
    /// The same when a store is about to have too many files; when it has them there is no limit.
    compaction_throughput_pressed: Rate = "100m", "compaction.throughput-pressed", Now,
        same(&["hbase.hstore.compaction.throughput.higher.bound"]);
    /// The same in off-peak hours, and while clients ask for hardly anything: at most 20 calls and 100 rows in a second.
    compaction_throughput_off_peak: Rate = "unlimited", "compaction.throughput-off-peak", Now,
        same(&["hbase.hstore.compaction.throughput.offpeak"]);
    /// The hour of the day, in the machine's time zone, in which off-peak hours begin. -1: there are none. Tables may have their
    /// own, under HBase's name.
    off_peak_start_hour: Hour = "-1", "compaction.off-peak-start", Now, same(&["hbase.offpeak.start.hour"]);
    /// The hour of the day in which off-peak hours are over. -1: there are none.
    off_peak_end_hour: Hour = "-1", "compaction.off-peak-end", Now, same(&["hbase.offpeak.end.hour"]);

    /// How long a write-ahead log that is no longer needed is kept in the archive.
    old_wal_ttl: Milliseconds = "10m", "archive.wal-ttl", Restart, same(&["hbase.master.logcleaner.ttl"]);
    /// How long a store file stays in the archive that nothing needs: no table, link or snapshot.
    hfile_ttl: Milliseconds = "5m", "archive.file-ttl", Restart, same(&["hbase.master.hfilecleaner.ttl"]);
    /// How often such files, and snapshots that have outlived their time to live, are looked for and removed.
    cleaner_interval: Milliseconds = "10m", "archive.clean-interval", Restart, same(&["hbase.master.cleaner.interval"]);
    /// The time to live of snapshots that are taken without one. 0: forever.
    snapshot_ttl: OptionalMilliseconds = "0", "archive.snapshot-ttl", Restart, seconds(&["hbase.master.snapshot.ttl"]);

    /// How many MOB files (of families with IS_MOB, which have their large values in files of their own) are kept open at most; one in
    /// any case.
    mob_open_files: CountOrNone = "1000", "mob.open-files", Restart, same(&["hbase.mob.file.cache.size"]);
    /// The share of these that stays open when, once an hour, those are closed that were not read lately.
    mob_open_share: Share = "0.5", "mob.open-share", Restart, same(&["hbase.mob.cache.evict.remain.ratio"]);
    /// How often MOB files are looked for that no store file refers to, or whose family's time to live is over for all that is in
    /// them. They go to the archive. 0: never.
    mob_sweep_interval: OptionalMilliseconds = "1d", "mob.sweep-interval", Restart,
        seconds(&["hbase.master.mob.cleaner.period"]);
    /// But not while they are younger than this, nor before nothing has referred to them for so long.
    mob_min_age: Milliseconds = "1h", "mob.min-age", Restart, same(&["hbase.mob.min.age.archive"]);
    /// How often the values in MOB files are written anew, without those that are deleted: what otherwise only a major compaction does
    /// that somebody asks for. 0: never.
    mob_compaction_period: OptionalMilliseconds = "7d", "mob.compaction-period", Restart,
        seconds(&["hbase.mob.compaction.chore.period"]);
    /// Of how many regions at a time. 0: of all.
    mob_compaction_batch: CountOrNone = "0", "mob.compaction-batch", Restart,
        same(&["hbase.mob.major.compaction.region.batch.size"]);
}

/// Where data are unless told otherwise.
pub(super) fn default_data_dir() -> &'static str {
    SETTINGS[0].default
}
