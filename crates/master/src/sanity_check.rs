//! Whether a table's schema makes sense; HBase's checks, in its order and words.

use finback_cell::{ColumnFamilyDescriptor, TableDescriptor};
use finback_rpc::{RpcException, exceptions};

const SWITCH: &str = "hbase.table.sanity.checks";
const MIN_MAX_FILESIZE: i64 = 2 << 20;
const MIN_FLUSH_SIZE: i64 = 1 << 20;
const BLOCK_SIZES: std::ops::RangeInclusive<i64> = 1024..=16 << 20;

/// Checks what HBase's clients check in their own builders, and what nothing can be made of: these are not switched off.
pub(crate) fn check_names(table: &TableDescriptor) -> Result<(), RpcException> {
    for family in &table.families {
        let shown = family.name.escape_ascii();
        let text = std::str::from_utf8(&family.name)
            .map_err(|_| exceptions::do_not_retry(format!("Family name is not UTF-8: {shown}")))?;
        if text.starts_with('.') {
            return Err(exceptions::do_not_retry(format!("Family names cannot start with a period: {text}")));
        }
        let illegal = |c: char| c.is_control() || matches!(c, ':' | '/' | '\\');
        if let Some(c) = text.chars().find(|c| illegal(*c)) {
            let message = format!(
                "Illegal character <{c}>. Family names cannot contain control characters or colons: {shown}"
            );
            return Err(exceptions::do_not_retry(message));
        }
        if text == "recovered.edits" || text == "recovered.hfiles" {
            return Err(exceptions::do_not_retry(format!("Family name cannot be: {text}")));
        }
        if number(family, "VERSIONS", 1)? < 1 {
            return Err(exceptions::do_not_retry("Maximum versions must be positive"));
        }
    }
    Ok(())
}

/// HBase's sanity checks; with `enabled` false (or the table's own `hbase.table.sanity.checks`) they only warn.
pub(crate) fn check(table: &TableDescriptor, enabled: bool) -> Result<(), RpcException> {
    let throws = enabled && table.flag(SWITCH, true);
    let complain = |message: String| -> Result<(), RpcException> {
        if throws {
            return Err(exceptions::do_not_retry(format!(
                "{message} Set {SWITCH} to false at conf or table descriptor if you want to bypass sanity checks"
            )));
        }
        tracing::warn!(table = %table.name, "{message}");
        Ok(())
    };
    check_sizes(table, &complain)?;
    if table.families.is_empty() {
        complain("Table should have at least one column family.".into())?;
    }
    if parse(table.attribute("REGION_REPLICATION"), "REGION_REPLICATION", 1)? < 1 {
        complain("Table region replication should be at least one.".into())?;
    }
    if table.name.is_meta() && table.is_read_only() {
        return Err(exceptions::do_not_retry("Meta table can't be set as read only."));
    }
    table.families.iter().try_for_each(|family| check_family(family, &complain))
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

fn check_family(family: &ColumnFamilyDescriptor, complain: Complain<'_>) -> Result<(), RpcException> {
    let name = String::from_utf8_lossy(&family.name);
    let ttl = match family.attribute("TTL") {
        Some("FOREVER") => i64::from(i32::MAX),
        _ => number(family, "TTL", i64::from(i32::MAX))?,
    };
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
    let scope = number(family, "REPLICATION_SCOPE", 0)?;
    if !(0..=1).contains(&scope) {
        let message = format!("Replication scope for column family {name} is {scope} which is invalid.");
        return Err(exceptions::do_not_retry(message));
    }
    if number(family, "DFS_REPLICATION", 0)? < 0 {
        complain(format!("HFile Replication for column family {name}  must be greater than zero."))?;
    }
    Ok(())
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
