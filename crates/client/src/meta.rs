//! Rows of `hbase:meta`.

pub(crate) mod query;

use crate::location::RegionLocation;
use crate::row::Row;
use finback_cell::{Cell, RegionInfo, RegionState, ServerName};
use finback_proto::{pb, pbuf};
use std::sync::Arc;

/// What `hbase:meta` tells of a region.
#[derive(Clone, Debug, PartialEq)]
pub struct MetaRegion {
    /// The region (its primary).
    pub region: RegionInfo,
    /// Its state, if that is told.
    pub state: Option<RegionState>,
    /// Its replicas, the primary among them, by their numbers, with the server of each (if it has one) and the sequence
    /// number at which that opened it.
    pub replicas: Vec<(u32, Option<ServerName>, i64)>,
    /// The regions that it was split into.
    pub daughters: Vec<RegionInfo>,
}

impl MetaRegion {
    /// Reads a row; none if it is not one of a region.
    pub(crate) fn of_row(row: &Row) -> Option<Self> {
        let region = region_info(row.value("info", "regioninfo")?)?;
        let state = row.value("info", "state").and_then(RegionState::parse);
        let daughters =
            ["splitA", "splitB"].iter().filter_map(|column| region_info(row.value("info", column)?));
        let daughters = daughters.collect();
        let mut replicas = vec![replica(row, 0)];
        for cell in row.cells().filter(|cell| cell.family() == b"info") {
            if let Some(number) = replica_number(&cell) {
                replicas.push(replica(row, number));
            }
        }
        replicas.sort_by_key(|replica| replica.0);
        replicas.dedup_by_key(|replica| replica.0);
        Some(Self { region, state, replicas, daughters })
    }

    /// Whether the region was split, and is there only until its daughters need it no more.
    pub fn is_split_parent(&self) -> bool {
        self.region.offline && self.region.split
    }

    /// The server of the primary.
    pub fn server(&self) -> Option<&ServerName> {
        self.replicas.first()?.1.as_ref()
    }

    /// Where the primary is, if it is somewhere.
    pub fn location(&self) -> Option<RegionLocation> {
        let at = |(number, server, seq_num): &(u32, Option<ServerName>, i64)| {
            Some(RegionLocation::new(self.region.replica(*number), server.clone()?, *seq_num))
        };
        let (primary, others) = self.replicas.split_first()?;
        Some(at(primary)?.with_replicas(others.iter().filter_map(at).map(Arc::new).collect()))
    }
}

fn region_info(value: &[u8]) -> Option<RegionInfo> {
    let message: pb::RegionInfo = pbuf::decode(value, "RegionInfo").ok()?;
    RegionInfo::try_from(&message).ok()
}

/// `server_0001`: which replica the cell is about.
fn replica_number(cell: &Cell<'_>) -> Option<u32> {
    let digits =
        cell.qualifier().strip_prefix(b"server_").or_else(|| cell.qualifier().strip_prefix(b"state_"))?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

fn replica(row: &Row, number: u32) -> (u32, Option<ServerName>, i64) {
    let suffix = if number == 0 { String::new() } else { format!("_{number:04X}") };
    let value = |column: &str| row.value("info", format!("{column}{suffix}"));
    let long = |column| Some(i64::from_be_bytes(value(column)?.try_into().ok()?));
    let server = || {
        let (host, port) = std::str::from_utf8(value("server")?).ok()?.rsplit_once(':')?;
        let start_code = u64::try_from(long("serverstartcode")?).ok()?;
        Some(ServerName { host: host.to_owned(), port: port.parse().ok()?, start_code })
    };
    (number, server(), long("seqnumDuringOpen").unwrap_or(-1))
}

#[cfg(test)]
mod tests;
