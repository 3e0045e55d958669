//! Flushes and compactions.

use super::{Admin, attempt, named};
use crate::connection::IntoTableName;
use crate::error::{Error, Result};
use crate::failure;
use crate::meta::MetaRegion;
use bytes::Bytes;
use finback_cell::{RegionInfo, ServerName, StringBinary};
use finback_proto::{convert, pb};
use finback_rpc::exceptions;
use std::time::Instant;

/// Whether files are being merged.
pub use pb::get_region_info_response::CompactionState;

/// The procedure by which a table is flushed (HBase's `MasterFlushTableProcedureManager`).
const FLUSH_TABLE: &str = "flush-table-proc";

impl Admin {
    /// Writes the memstores of a table, or of one of its families, to files.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn flush_table(&self, table: impl IntoTableName, family: Option<&str>) -> Result<()> {
        let table = self.existing(table).await?;
        let configuration =
            family.map(|family| pb::NameStringPair { name: "family".to_owned(), value: family.to_owned() });
        let procedure = pb::ProcedureDescription {
            signature: FLUSH_TABLE.to_owned(),
            instance: Some(table.to_string()),
            configuration: configuration.into_iter().collect(),
            ..Default::default()
        };
        let question = pb::ExecProcedureRequest { procedure: procedure.clone() };
        let _: pb::ExecProcedureResponse = self.ask_master("ExecProcedure", &question).await?;
        let started = Instant::now();
        for look in 0.. {
            let question = pb::IsProcedureDoneRequest { procedure: Some(procedure.clone()) };
            let answer: pb::IsProcedureDoneResponse = self.ask_master("IsProcedureDone", &question).await?;
            if answer.done() {
                break;
            }
            self.pause("ExecProcedure", look, started).await?;
        }
        Ok(())
    }

    /// Writes the memstores of a region, or of one of its families, to files.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn flush_region(
        &self,
        region: &MetaRegion,
        family: Option<&[u8]>,
    ) -> Result<pb::FlushRegionResponse> {
        let question = pb::FlushRegionRequest {
            region: convert::specifier_by_name(&region.region),
            family: family.map(Bytes::copy_from_slice),
            ..Default::default()
        };
        self.ask_server(served(region)?, "FlushRegion", &question).await
    }

    /// Has the files of a table merged: some, or, `major`, all. Does not wait for it.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn compact_table(
        &self,
        table: impl IntoTableName,
        family: Option<&[u8]>,
        major: bool,
    ) -> Result<()> {
        let table = self.existing(table).await?;
        for region in self.table(&table).regions().await? {
            if region.server().is_none() {
                continue;
            }
            match self.compact_region(&region, family, major).await {
                // Gone meanwhile: to where it will be compacted as well.
                Err(error) if error.exception().is_some_and(failure::is_not_serving) => {}
                done => done?,
            }
        }
        Ok(())
    }

    /// Has the MOB files of a table merged, which masters before HBase 2.5 do by themselves; Finback's has its servers merge all
    /// files of the families that have MOB files, `major` or not. Later ones of HBase answer `NotServingRegionException`: with
    /// them it is part of [`compact_table`](Self::compact_table). Does not wait for it.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn compact_mob_files(
        &self,
        table: impl IntoTableName,
        family: Option<&[u8]>,
        major: bool,
    ) -> Result<()> {
        let table = self.existing(table).await?;
        let question = pb::CompactRegionRequest {
            region: convert::specifier_by_name(&RegionInfo::of_mob_files(table)),
            major: Some(major),
            family: family.map(Bytes::copy_from_slice),
        };
        let master = self.master().await?;
        let _: pb::CompactRegionResponse = self.ask_server(&master, "CompactRegion", &question).await?;
        Ok(())
    }

    /// Has the files of a region merged: some, or, `major`, all. Does not wait for it.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn compact_region(
        &self,
        region: &MetaRegion,
        family: Option<&[u8]>,
        major: bool,
    ) -> Result<()> {
        let question = pb::CompactRegionRequest {
            region: convert::specifier_by_name(&region.region),
            major: Some(major),
            family: family.map(Bytes::copy_from_slice),
        };
        let _: pb::CompactRegionResponse =
            self.ask_server(served(region)?, "CompactRegion", &question).await?;
        Ok(())
    }

    /// Has the files of all regions of a server merged: some, or, `major`, all. Does not wait for it.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn compact_server(&self, server: &ServerName, major: bool) -> Result<()> {
        for region in self.regions_of_server(server).await? {
            let region = convert::specifier_by_name(&region);
            let question = pb::CompactRegionRequest { region, major: Some(major), family: None };
            let asked: Result<pb::CompactRegionResponse> =
                self.ask_server(server, "CompactRegion", &question).await;
            match asked {
                // Gone meanwhile.
                Err(error) if error.exception().is_some_and(failure::is_not_serving) => {}
                done => drop(done?),
            }
        }
        Ok(())
    }

    /// Writes the memstores of all regions of a server to files.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn flush_server(&self, server: &ServerName) -> Result<()> {
        for region in self.regions_of_server(server).await? {
            let region = convert::specifier_by_name(&region);
            let question = pb::FlushRegionRequest { region, ..Default::default() };
            let asked: Result<pb::FlushRegionResponse> =
                self.ask_server(server, "FlushRegion", &question).await;
            match asked {
                // Gone meanwhile.
                Err(error) if error.exception().is_some_and(failure::is_not_serving) => {}
                done => drop(done?),
            }
        }
        Ok(())
    }

    /// Whether files of a table are being merged.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn compaction_state_of_table(&self, table: impl IntoTableName) -> Result<CompactionState> {
        let (mut minor, mut major) = (false, false);
        for region in self.table(&self.existing(table).await?).regions().await? {
            if region.server().is_none() {
                continue;
            }
            let state = match self.compaction_state(&region).await {
                // Closed, or gone meanwhile.
                Err(error) if error.exception().is_some_and(failure::is_not_serving) => continue,
                asked => asked?,
            };
            minor |= matches!(state, CompactionState::Minor | CompactionState::MajorAndMinor);
            major |= matches!(state, CompactionState::Major | CompactionState::MajorAndMinor);
        }
        Ok(match (minor, major) {
            (false, false) => CompactionState::None,
            (true, false) => CompactionState::Minor,
            (false, true) => CompactionState::Major,
            (true, true) => CompactionState::MajorAndMinor,
        })
    }

    /// Whether files of a region are being merged.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn compaction_state(&self, region: &MetaRegion) -> Result<CompactionState> {
        let question = pb::GetRegionInfoRequest {
            region: convert::specifier_by_name(&region.region),
            compaction_state: Some(true),
            ..Default::default()
        };
        let answer: pb::GetRegionInfoResponse =
            self.ask_server(served(region)?, "GetRegionInfo", &question).await?;
        Ok(answer.compaction_state())
    }

    /// When all files of a table were merged last, in milliseconds since the epoch; none if they never were.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn last_major_compaction(&self, table: impl IntoTableName) -> Result<Option<i64>> {
        let question = pb::MajorCompactionTimestampRequest { table_name: (&named(table)?).into() };
        let answer: pb::MajorCompactionTimestampResponse =
            self.ask_master("getLastMajorCompactionTimestamp", &question).await?;
        Ok(Some(answer.compaction_timestamp).filter(|&timestamp| timestamp > 0))
    }

    /// Whether a server merges files. Gives back what was before.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn set_compactions(&self, server: &ServerName, enabled: bool) -> Result<bool> {
        let question = pb::CompactionSwitchRequest { enabled };
        let answer: pb::CompactionSwitchResponse =
            self.ask_server(server, "CompactionSwitch", &question).await?;
        Ok(answer.prev_state)
    }
}

/// The server of a region that has one.
fn served(region: &MetaRegion) -> Result<&ServerName> {
    region.server().ok_or_else(|| {
        let name = StringBinary(&region.region.name()).to_string();
        let exception = exceptions::do_not_retry_region(format!("{name} has no server"));
        Error::Refused(Box::new(attempt("locate", None, exception)))
    })
}
