//! Whether a table's schema makes sense; HBase's checks, in its order and words.

use finback_cell::{ColumnFamilyDescriptor, MAX_BLOCK_SIZE_BYTES, TableDescriptor, coprocessor};
use finback_rpc::{RpcException, exceptions};

const SWITCH: &str = "hbase.table.sanity.checks";
const MIN_MAX_FILESIZE: i64 = 2 << 20;
const MIN_FLUSH_SIZE: i64 = 1 << 20;
const FOREVER: i64 = i32::MAX as i64;
const IN_MEMORY_COMPACTIONS: [&str; 4] = ["NONE", "BASIC", "EAGER", "ADAPTIVE"];
/// Codecs that store files can be written with.
const COMPRESSIONS: [&str; 5] = ["NONE", "GZ", "SNAPPY", "LZ4", "ZSTD"];
/// HBase's own, in its package of region servers.
const SPLIT_POLICIES: [&str; 7] = [
    "BusyRegionSplitPolicy",
    "ConstantSizeRegionSplitPolicy",
    "DelimitedKeyPrefixRegionSplitPolicy",
    "DisabledRegionSplitPolicy",
    "IncreasingToUpperBoundRegionSplitPolicy",
    "KeyPrefixRegionSplitPolicy",
    "SteppingSplitPolicy",
];
const BLOCK_SIZES: std::ops::RangeInclusive<i64> = 1024..=MAX_BLOCK_SIZE_BYTES as i64;

/// Checks what HBase's clients check in their own builders, and what nothing can be made of: these are not switched off.
pub(crate) fn check_names(table: &TableDescriptor) -> Result<(), RpcException> {
    for family in &table.families {
        family.check_name().map_err(exceptions::do_not_retry)?;
        let shown = family.name.escape_ascii();
        let text = std::str::from_utf8(&family.name)
            .map_err(|_| exceptions::do_not_retry(format!("Family name is not UTF-8: {shown}")))?;
        // They are names of directories.
        if text.chars().any(char::is_control) || text == "recovered.hfiles" {
            return Err(exceptions::do_not_retry(format!("Family name cannot be: {shown}")));
        }
        if number(family, "VERSIONS", 1)? < 1 {
            return Err(exceptions::do_not_retry("Maximum versions must be positive"));
        }
    }
    Ok(())
}

/// The server's settings that schemas are checked by.
#[derive(Clone, Copy, Debug)]
pub struct SanityChecks {
    /// `hbase.table.sanity.checks`: whether schemas that make no sense are refused, and not only warned of. Default true.
    pub refuse: bool,
    /// `hbase.hstore.blockingStoreFiles`, for tables that do not say it themselves. Default 16.
    pub blocking_store_files: i64,
}

impl Default for SanityChecks {
    fn default() -> Self {
        Self { refuse: true, blocking_store_files: 16 }
    }
}

/// HBase's sanity checks; where they do not refuse (by the server's settings, or the table's own
/// `hbase.table.sanity.checks`) they only warn.
pub(crate) fn check(table: &TableDescriptor, checks: SanityChecks) -> Result<(), RpcException> {
    let throws = checks.refuse && table.flag(SWITCH, true);
    let complain = |message: String| -> Result<(), RpcException> {
        if throws {
            return Err(insane(message));
        }
        tracing::warn!(table = %table.name, "{message}");
        Ok(())
    };
    check_sizes(table, &complain)?;
    check_split_policy(table, &complain)?;
    check_coprocessors(table, &complain)?;
    table.families.iter().try_for_each(|family| check_compression(family, &complain))?;
    table.families.iter().try_for_each(check_encryption)?;
    check_fifo_compaction(table, checks.blocking_store_files)?;
    if table.families.is_empty() {
        complain("Table should have at least one column family.".into())?;
    }
    let replication = parse(table.attribute("REGION_REPLICATION"), "REGION_REPLICATION", 1)?;
    if replication < 1 {
        complain("Table region replication should be at least one.".into())?;
    }
    if replication > TableDescriptor::MAX_REGION_REPLICATION.into() {
        // Each replica of each region has its columns in hbase:meta, and its part of each report.
        let most = TableDescriptor::MAX_REGION_REPLICATION;
        return Err(exceptions::do_not_retry(format!("Table region replication should be at most {most}.")));
    }
    if table.name.is_meta() && table.is_read_only() {
        return Err(insane("Meta table can't be set as read only."));
    }
    for family in &table.families {
        let scope = number(family, "REPLICATION_SCOPE", 0)?;
        if !(0..=1).contains(&scope) {
            let name = String::from_utf8_lossy(&family.name);
            complain(format!("Replication scope for column family {name} is {scope} which is invalid."))?;
        }
    }
    table.families.iter().try_for_each(|family| check_bloom_filter(family, &complain))?;
    table.families.iter().try_for_each(|family| check_family(family, &complain))
}

fn insane(message: impl std::fmt::Display) -> RpcException {
    exceptions::do_not_retry(format!(
        "{message} Set {SWITCH} to false at conf or table descriptor if you want to bypass sanity checks"
    ))
}

type Complain<'a> = &'a dyn Fn(String) -> Result<(), RpcException>;

fn check_sizes(table: &TableDescriptor, complain: Complain<'_>) -> Result<(), RpcException> {
    let max_filesize = parse(table.attribute("MAX_FILESIZE"), "MAX_FILESIZE", MIN_MAX_FILESIZE)?;
    if max_filesize < MIN_MAX_FILESIZE {
        complain(format!(
            "MAX_FILESIZE for table descriptor or \"hbase.hregion.max.filesize\" ({max_filesize}) is too small, which might cause over splitting into unmanageable number of regions."
        ))?;
    }
    let flush_size = parse(table.attribute("MEMSTORE_FLUSHSIZE"), "MEMSTORE_FLUSHSIZE", MIN_FLUSH_SIZE)?;
    if flush_size < MIN_FLUSH_SIZE {
        complain(format!(
            "MEMSTORE_FLUSHSIZE for table descriptor or \"hbase.hregion.memstore.flush.size\" ({flush_size}) is too small, which might cause very frequent flushing."
        ))?;
    }
    Ok(())
}

/// There is no encryption. Nobody is to believe that there is: HBase would let this one be switched off, and not open the regions.
fn check_encryption(family: &ColumnFamilyDescriptor) -> Result<(), RpcException> {
    match family.attribute("ENCRYPTION") {
        None => Ok(()),
        Some(cipher) => {
            Err(insane(format!("Cipher {cipher} failed test: encryption is disabled on the cluster")))
        }
    }
}

fn check_family(family: &ColumnFamilyDescriptor, complain: Complain<'_>) -> Result<(), RpcException> {
    let name = String::from_utf8_lossy(&family.name);
    let ttl = time_to_live(family)?;
    if ttl <= 0 {
        complain(format!("TTL for column family {name} must be positive."))?;
    }
    if !BLOCK_SIZES.contains(&number(family, "BLOCKSIZE", 65536)?) {
        complain(format!("Block size for column family {name}  must be between 1K and 16MB."))?;
    }
    let min_versions = number(family, "MIN_VERSIONS", 0)?;
    if min_versions < 0 {
        complain(format!("Min versions for column family {name}  must be positive."))?;
    }
    if min_versions > number(family, "VERSIONS", 1)? {
        complain(format!("Min versions for column family {name} must be less than the Max versions."))?;
    }
    if number(family, "DFS_REPLICATION", 0)? < 0 {
        complain(format!("HFile Replication for column family {name}  must be greater than zero."))?;
    }
    match family.attribute("IN_MEMORY_COMPACTION").map(str::to_uppercase) {
        Some(policy) if !IN_MEMORY_COMPACTIONS.contains(&policy.as_str()) => {
            complain(format!("No enum constant org.apache.hadoop.hbase.MemoryCompactionPolicy.{policy}"))
        }
        _ => Ok(()),
    }
}

/// Classes that are not HBase's cannot be loaded here, as in HBase without their jar.
fn check_split_policy(table: &TableDescriptor, complain: Complain<'_>) -> Result<(), RpcException> {
    let named = table.attribute("SPLIT_POLICY").filter(|class| !class.is_empty());
    let Some(class) = named.or_else(|| table.attribute("hbase.regionserver.region.split.policy")) else {
        return Ok(());
    };
    let known = class.strip_prefix("org.apache.hadoop.hbase.regionserver.");
    if known.is_some_and(|class| SPLIT_POLICIES.contains(&class)) {
        return Ok(());
    }
    let name = &table.name;
    complain(format!("Unable to load configured region split policy '{class}' for table '{name}'"))
}

/// Likewise: classes that are not built in are not there.
fn check_coprocessors(table: &TableDescriptor, complain: Complain<'_>) -> Result<(), RpcException> {
    let unknown = table.coprocessors().find(|class| !coprocessor::BUILT_IN.contains(class));
    unknown.map_or(Ok(()), |class| complain(format!("Class {class} cannot be loaded")))
}

/// Codecs that are not there, as in HBase without their libraries.
fn check_compression(family: &ColumnFamilyDescriptor, complain: Complain<'_>) -> Result<(), RpcException> {
    for key in
        ["COMPRESSION", "COMPRESSION_COMPACT", "COMPRESSION_COMPACT_MAJOR", "COMPRESSION_COMPACT_MINOR"]
    {
        let Some(codec) = family.attribute(key) else { continue };
        if !COMPRESSIONS.iter().any(|known| known.eq_ignore_ascii_case(codec)) {
            let codec = codec.to_lowercase();
            complain(format!("Compression algorithm '{codec}' previously failed test."))?;
        }
    }
    Ok(())
}

/// What a store whose files are only ever dropped must have; this is not to be bypassed.
fn check_fifo_compaction(table: &TableDescriptor, blocking_store_files: i64) -> Result<(), RpcException> {
    const POLICY: &str = "hbase.hstore.defaultengine.compactionpolicy.class";
    const FIFO: &str = "org.apache.hadoop.hbase.regionserver.compactions.FIFOCompactionPolicy";
    const BLOCKING_FILES: &str = "hbase.hstore.blockingStoreFiles";
    const LEAST_BLOCKING_FILES: i64 = 1000;
    for family in &table.families {
        if family.setting(POLICY).or_else(|| table.attribute(POLICY)) != Some(FIFO) {
            continue;
        }
        if time_to_live(family)? == FOREVER {
            return Err(insane("Default TTL is not supported for FIFO compaction"));
        }
        if number(family, "MIN_VERSIONS", 0)? > 0 {
            return Err(insane("MIN_VERSION > 0 is not supported for FIFO compaction"));
        }
        let files = family.setting(BLOCKING_FILES).or_else(|| table.attribute(BLOCKING_FILES));
        let files = parse(files, BLOCKING_FILES, blocking_store_files)?;
        if files < LEAST_BLOCKING_FILES {
            return Err(insane(format!(
                "Blocking file count '{BLOCKING_FILES}' {files} is below recommended minimum of {LEAST_BLOCKING_FILES} for column family {}",
                String::from_utf8_lossy(&family.name)
            )));
        }
    }
    Ok(())
}

fn check_bloom_filter(family: &ColumnFamilyDescriptor, complain: Complain<'_>) -> Result<(), RpcException> {
    let filter = family.attribute("BLOOMFILTER");
    if !filter.is_some_and(|filter| filter.eq_ignore_ascii_case("ROWPREFIX_FIXED_LENGTH")) {
        return Ok(());
    }
    let length = family.setting("RowPrefixBloomFilter.prefix_length").map(|text| text.trim().parse::<i64>());
    let longest = i64::try_from(finback_cell::MAX_ROW_LENGTH).unwrap_or(i64::MAX);
    match length {
        Some(Ok(length)) if (1..=longest).contains(&length) => Ok(()),
        _ => complain("Failed to get bloom filter param".into()),
    }
}

fn time_to_live(family: &ColumnFamilyDescriptor) -> Result<i64, RpcException> {
    match family.attribute("TTL") {
        Some("FOREVER") => Ok(FOREVER),
        _ => number(family, "TTL", FOREVER),
    }
}

fn number(family: &ColumnFamilyDescriptor, key: &str, default: i64) -> Result<i64, RpcException> {
    parse(family.attribute(key), key, default)
}

fn parse(text: Option<&str>, key: &str, default: i64) -> Result<i64, RpcException> {
    let Some(text) = text else { return Ok(default) };
    text.trim().parse().map_err(|_| exceptions::do_not_retry(format!("{key} is not a number: {text:?}")))
}

#[cfg(test)]
mod tests;
