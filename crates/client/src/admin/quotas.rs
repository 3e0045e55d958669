//! Quotas.

use super::{Admin, malformed};
use crate::Scan;
use crate::error::{Error, Result};
use bytes::Bytes;
use finback_cell::{Cell, ServerName, TableName};
use finback_proto::{Message, ProtoError, pb, pbuf};

/// The table of quotas, where there are any.
const TABLE: &str = "hbase:quota";
/// Quotas, each under the row of its owner.
const QUOTAS: &[u8] = b"q";
/// What was observed of space.
const USAGE: &[u8] = b"u";
/// Qualifier of what the master found out about a table's space.
const POLICY: &[u8] = b"p";
/// Before the name of a snapshot whose size was observed.
const SNAPSHOT: &[u8] = b"ss";

/// A quota as it is kept: of which owner, in which column (of a user: for all, a namespace, or a table).
#[derive(Debug, Clone)]
pub struct StoredQuotas {
    /// `u.user`, `t.table`, `n.namespace`, `r.server`
    pub row: Bytes,
    /// `s`, `s.namespace:`, `s.namespace:table`
    pub qualifier: Bytes,
    /// The quotas.
    pub quotas: pb::Quotas,
}

impl Admin {
    /// Sets or removes a quota, as the message says.
    ///
    /// # Errors
    /// As of all operations; `DoNotRetryIOException` where quotas are switched off.
    pub async fn set_quota(&self, quota: &pb::SetQuotaRequest) -> Result<()> {
        let _: pb::SetQuotaResponse = self.ask_master("SetQuota", quota).await?;
        Ok(())
    }

    /// All quotas, in the order of the table that has them: by kind of owner and name.
    ///
    /// # Errors
    /// As of all operations; `TableNotFoundException` where there are no quotas.
    pub async fn quotas(&self) -> Result<Vec<StoredQuotas>> {
        let mut quotas = Vec::new();
        let mut rows = self.table(&super::named(TABLE)?).scan(Scan::new().family(QUOTAS))?;
        while let Some(row) = rows.next().await? {
            // The table has switches as well, under names without a point.
            if row.key().get(1) != Some(&b'.') {
                continue;
            }
            for cell in &row {
                quotas.push(StoredQuotas {
                    row: Bytes::copy_from_slice(row.key()),
                    qualifier: Bytes::copy_from_slice(cell.qualifier()),
                    quotas: stored(&cell, "Quotas")?,
                });
            }
        }
        Ok(quotas)
    }

    /// How much space tables take, as far as quotas are kept of it: name and bytes.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn space_quota_sizes(
        &self,
    ) -> Result<Vec<pb::get_space_quota_region_sizes_response::RegionSizes>> {
        let answer: pb::GetSpaceQuotaRegionSizesResponse =
            self.ask_master("GetSpaceQuotaRegionSizes", &pb::GetSpaceQuotaRegionSizesRequest {}).await?;
        Ok(answer.sizes)
    }

    /// How tables with a quota of space stand, as the master found out.
    ///
    /// # Errors
    /// As of all operations; `TableNotFoundException` where there are no quotas.
    pub async fn space_quota_snapshots(&self) -> Result<Vec<(TableName, pb::SpaceQuotaSnapshot)>> {
        let scan = Scan::prefix("t.").column(USAGE, POLICY);
        let mut snapshots = Vec::new();
        let mut rows = self.table(&super::named(TABLE)?).scan(scan)?;
        while let Some(row) = rows.next().await? {
            let Ok(table) = TableName::parse(row.key().get(2..).unwrap_or_default()) else { continue };
            if let Some(cell) = (&row).into_iter().next() {
                snapshots.push((table, unmarked(&cell, "SpaceQuotaSnapshot")?));
            }
        }
        Ok(snapshots)
    }

    /// The same, as a region server knows it.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn space_quota_snapshots_of(
        &self,
        server: &ServerName,
    ) -> Result<Vec<(TableName, pb::SpaceQuotaSnapshot)>> {
        const METHOD: &str = "GetSpaceQuotaSnapshots";
        let question = pb::GetSpaceQuotaSnapshotsRequest {};
        let answer: pb::GetSpaceQuotaSnapshotsResponse = self.ask_server(server, METHOD, &question).await?;
        let named = |one: pb::get_space_quota_snapshots_response::TableQuotaSnapshot| {
            let name = TableName::try_from(&one.table_name.unwrap_or_default()).map_err(malformed(METHOD))?;
            Ok((name, one.snapshot.unwrap_or_default()))
        };
        answer.snapshots.into_iter().map(named).collect()
    }

    /// The bytes that snapshots take, as far as quotas are kept of them.
    ///
    /// # Errors
    /// As of all operations; `TableNotFoundException` where there are no quotas.
    pub async fn snapshot_sizes(&self) -> Result<Vec<(String, u64)>> {
        let scan = Scan::prefix("t.").family(USAGE);
        let mut sizes = Vec::new();
        let mut rows = self.table(&super::named(TABLE)?).scan(scan)?;
        while let Some(row) = rows.next().await? {
            for cell in &row {
                let Some(name) = cell.qualifier().strip_prefix(SNAPSHOT) else { continue };
                let snapshot: pb::SpaceQuotaSnapshot = unmarked(&cell, "SpaceQuotaSnapshot")?;
                sizes.push((String::from_utf8_lossy(name).into_owned(), snapshot.quota_usage()));
            }
        }
        Ok(sizes)
    }

    /// Whether a user may take more than its quota while the server has some left. Gives back what was before.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn set_exceed_throttle_quota(&self, enabled: bool) -> Result<bool> {
        let question = pb::SwitchExceedThrottleQuotaRequest { exceed_throttle_quota_enabled: enabled };
        let answer: pb::SwitchExceedThrottleQuotaResponse =
            self.ask_master("SwitchExceedThrottleQuota", &question).await?;
        Ok(answer.previous_exceed_throttle_quota_enabled)
    }
}

/// A message as HBase marks those that it keeps.
fn stored<M: Message + Default>(cell: &Cell<'_>, message: &'static str) -> Result<M> {
    pbuf::decode(cell.value(), message).map_err(malformed(TABLE))
}

/// A message without that mark.
fn unmarked<M: Message + Default>(cell: &Cell<'_>, message: &'static str) -> Result<M> {
    let decoded = M::decode(cell.value()).map_err(|source| ProtoError::Decode { message, source });
    decoded.map_err(|error| Error::Malformed { method: TABLE, reason: error.to_string() })
}
