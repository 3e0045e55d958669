//! What Finback does instead of obeying a setting of HBase that has no effect here.

const CODEC_CLASSES: &str =
    "no Java class is loaded; those that HBase has for this codec all read and write the same form";
const CODEC_BUFFERS: &str =
    "chunks are made for HBase's default, 256 KiB: an HBase with smaller buffers does not read them";
const NO_DICTIONARIES: &str =
    "blocks are compressed without a dictionary, and those that have one are not read";

/// Beginnings of names, and what is so instead. The longest that fits counts.
pub(super) const REASONS: &[(&str, &str)] = &[
    ("", "there is nothing in Finback that it would change"),
    ("hbase.assignment.", "the master assigns regions within the process, without queues to tune"),
    ("hbase.auth.", "there is no authentication yet: who reaches the ports reaches the data"),
    ("hbase.balancer.", "a standalone server has no regions to balance"),
    ("hbase.blockcache.", "there is one block cache: memory.block-cache, and memory.cache-file behind it"),
    (
        "hbase.bucketcache.",
        "blocks of all sizes share memory.cache-file, and are there again after a restart",
    ),
    ("hbase.bulkload.", "it is a setting of HBase's tools and clients"),
    ("hbase.canary.", "it is a setting of HBase's tools"),
    ("hbase.client.", "it is a setting of clients, and counts in theirs"),
    ("hbase.cluster.distributed", "Finback is a standalone server"),
    ("hbase.coprocessor.", "coprocessors are Java code, and are not loaded"),
    ("hbase.crypto.", "files are not encrypted yet"),
    ("hbase.dfs.", "files are on the local disk"),
    ("hbase.fs.", "files are on the local disk"),
    ("hbase.hbck.", "finback check reads and repairs a root directory"),
    ("hbase.hconnection.", "it is a setting of clients, and counts in theirs"),
    (
        "hbase.hregion.compacting.memstore.adaptive.compaction.threshold",
        "ADAPTIVE drops cells when 10 % of them can go",
    ),
    ("hbase.hregion.memstore.chunkpool.", "memstores have arenas of their own, within memory.memstores"),
    ("hbase.hregion.memstore.mslab.", "memstores have arenas of their own, within memory.memstores"),
    (
        "hbase.hstore.compaction.throughput.tune.period",
        "how near stores are to too many files is looked at each minute",
    ),
    ("hbase.hstore.flush.throughput.tune.period", "the memory of memstores is looked at each 20 s"),
    ("hbase.hstore.flush.throughput.upper.bound", "it is twice flush.throughput"),
    ("hbase.htable.", "it is a setting of clients, and counts in theirs"),
    ("hbase.http.", "the web page has limits of its own"),
    ("hbase.io.compress.", "each codec has a level of its own, and HBase's codecs read what it writes"),
    ("hbase.io.compress.brotli.", "BROTLI is not there yet"),
    ("hbase.io.compress.bzip2.", "BZIP2 is not there yet"),
    ("hbase.io.compress.dictionary.max.size", NO_DICTIONARIES),
    ("hbase.io.compress.gz.codec", CODEC_CLASSES),
    ("hbase.io.compress.lz4.buffersize", CODEC_BUFFERS),
    ("hbase.io.compress.lz4.codec", CODEC_CLASSES),
    ("hbase.io.compress.lzma.", "LZMA is not there yet"),
    ("hbase.io.compress.lzo.", "LZO is not there yet"),
    ("hbase.io.compress.snappy.buffersize", CODEC_BUFFERS),
    ("hbase.io.compress.snappy.codec", CODEC_CLASSES),
    ("hbase.io.compress.zstd.buffersize", CODEC_BUFFERS),
    ("hbase.io.compress.zstd.dictionary", NO_DICTIONARIES),
    ("hbase.ipc.client.", "it is a setting of clients, and counts in theirs"),
    (
        "hbase.ipc.server.",
        "calls do not queue for threads: rpc.handlers and rpc.max-queued-calls are all there is",
    ),
    ("hbase.ipc.server.max.callqueue.size", "requests have a share of memory.limit"),
    ("hbase.ipc.server.priority.max.callqueue.length", "2000 calls of the cluster itself may wait"),
    ("hbase.lease.", "rpc.scanner-timeout is the only lease"),
    ("hbase.local.dir", "no code is loaded"),
    (
        "hbase.lru.blockcache.",
        "a quarter of the block cache is lent to families with IN_MEMORY, a quarter to indexes and Bloom filters",
    ),
    ("hbase.mapred.", "it is a setting of HBase's tools"),
    ("hbase.mapreduce.", "it is a setting of HBase's tools"),
    ("hbase.master.", "the master is in the same process, and needs no tuning"),
    ("hbase.master.cleaner.snapshot.", "snapshots are looked through at each archive.clean-interval"),
    ("hbase.master.hfilecleaner.", "the archive is cleaned by archive.file-ttl and archive.clean-interval"),
    ("hbase.master.kerberos.", "there is no authentication yet: who reaches the ports reaches the data"),
    ("hbase.master.keytab.", "there is no authentication yet: who reaches the ports reaches the data"),
    ("hbase.master.loadbalancer.", "a standalone server has no regions to balance"),
    ("hbase.master.logcleaner.", "the archive is cleaned by archive.wal-ttl"),
    ("hbase.master.mob.", "what is done for MOB files now and then is in [mob]"),
    ("hbase.master.normalizer.", "there is no normalizer yet"),
    (
        "hbase.master.procedure.remote.locks.timeout.ms",
        "a client's lock, or its place among those that wait for one, is lost after 30 s of silence",
    ),
    ("hbase.mob.", "it is of the MOB compactions that older releases of HBase had, or an attribute of scans"),
    ("hbase.mob.cache.evict.period", "MOB files that were not read lately are closed once an hour"),
    ("hbase.normalizer.", "there is no normalizer yet"),
    ("hbase.procedure.", "procedures are written to a file of their own, and synced"),
    ("hbase.quota.", "there are no quotas yet"),
    ("hbase.region.replica.", "replicas are the region itself, under another name"),
    ("hbase.regions.", "a standalone server has no regions to balance"),
    ("hbase.regionserver.dns.", "listen.advertised-host says by which name clients find the server"),
    ("hbase.regionserver.global.memstore.", "writes are slowed when memory.memstores is nearly used up"),
    ("hbase.regionserver.info.port.auto", "a port that is taken is replaced by a free one anyway"),
    (
        "hbase.regionserver.kerberos.",
        "there is no authentication yet: who reaches the ports reaches the data",
    ),
    ("hbase.regionserver.keytab.", "there is no authentication yet: who reaches the ports reaches the data"),
    ("hbase.regionserver.metahandler.", "calls on HBase's own tables need no handler"),
    ("hbase.regionserver.thrift.", "there is no Thrift server"),
    ("hbase.regionserver.wal.tags.enablecompression", "in compressed logs, tags are compressed"),
    ("hbase.replication.", "there is no replication to other clusters yet"),
    ("hbase.rest-csrf.", "there is no REST server"),
    ("hbase.rest.", "there is no REST server"),
    (
        "hbase.rpc.",
        "it is a setting of clients, or of authentication and encryption, which there are not yet",
    ),
    ("hbase.rpc.timeout", "it is a setting of clients, and counts in theirs"),
    ("hbase.rsgroup.", "there is one region server, and one group"),
    ("hbase.security.", "there is no authentication yet: who reaches the ports reaches the data"),
    ("hbase.server.hashNonce.", "nonces are kept for 30 minutes, within the memory for them"),
    ("hbase.snapshot.", "snapshots are there, and take what time they need"),
    ("hbase.splitlog.", "a start replays its logs itself"),
    ("hbase.status.", "nothing is sent by multicast"),
    ("hbase.superuser", "there is no authentication yet: who reaches the ports reaches the data"),
    ("hbase.systemtables.", "HBase's own tables have memstores without in-memory compaction"),
    ("hbase.thrift.", "there is no Thrift server"),
    ("hbase.tmp.dir", "nothing is kept outside of data"),
    ("hbase.unsafe.stream.capability.enforce", "what is synced is on the local disk"),
    ("hbase.wal.", "there is one write-ahead log, below data: see the settings of [wal]"),
    ("hbase.zookeeper.", "the ZooKeeper responder is part of the server, and keeps nothing on disk"),
    (
        "hbase.zookeeper.quorum",
        "clients find the server's own ZooKeeper responder; listen.address says where it listens",
    ),
    ("hfile.", "HFiles are version 3, as HBase's defaults make them"),
    (
        "io.storefile.",
        "files are made as HBase's defaults make them; families say which Bloom filter they have",
    ),
    ("zookeeper.", "the ZooKeeper responder is part of the server, and keeps nothing on disk"),
];

/// Why a setting of HBase has no effect: what Finback does instead.
pub(super) fn reason(name: &str) -> &'static str {
    let fits = REASONS.iter().filter(|(beginning, _)| name.starts_with(beginning));
    fits.max_by_key(|(beginning, _)| beginning.len()).map_or("", |(_, reason)| reason)
}

#[cfg(test)]
mod tests {
    use super::super::names::{Named, all, look_up};
    use super::*;

    #[test]
    fn the_longest_beginning_counts() {
        assert_eq!(reason("hbase.rest.port"), "there is no REST server");
        assert!(reason("hbase.ipc.server.max.callqueue.size").contains("memory.limit"));
        assert!(reason("hbase.ipc.server.callqueue.read.ratio").contains("rpc.handlers"));
        assert_eq!(reason("hbase.server.thread.wakefrequency"), REASONS[0].1);
    }

    #[test]
    fn what_is_said_of_levels_of_codecs_is_said_of_nothing_else() {
        let levels = reason("hbase.io.compress.zstd.level");
        for codec in ["brotli", "gz", "lz4", "lzma", "lzo", "snappy", "zstd"] {
            let of = |what: &str| match look_up(&format!("hbase.io.compress.{codec}.{what}")) {
                Some(Named::WithoutEffect(instead)) => Some(instead),
                _ => None,
            };
            assert!(
                [of("codec"), of("buffersize"), of("dictionary")]
                    .iter()
                    .flatten()
                    .all(|instead| *instead != levels)
            );
        }
        for codec in ["lz4", "snappy", "zstd"] {
            assert_eq!(reason(&format!("hbase.io.compress.{codec}.buffersize")), CODEC_BUFFERS);
        }
    }

    #[test]
    fn each_reason_is_of_names_without_effect() {
        assert!(REASONS.is_sorted_by(|left, right| left.0 < right.0));
        for (beginning, _) in REASONS.iter().filter(|(beginning, _)| !beginning.ends_with('.')) {
            let is_without =
                beginning.is_empty() || matches!(look_up(beginning), Some(Named::WithoutEffect(_)));
            assert!(is_without, "{beginning}");
        }
    }

    #[test]
    fn settings_that_reasons_name_are_there() {
        let is_setting = |word: &str| all().any(|setting| setting.name == word);
        for (_, reason) in REASONS {
            let words = reason.split([' ', ',', ':', ';']).filter(|word| word.contains('.'));
            assert!(words.clone().all(is_setting), "{reason}");
        }
    }
}
