//! What the master does by itself, and whether it does.

use super::{Admin, named};
use crate::connection::IntoTableName;
use crate::error::Result;
use finback_cell::TableName;
use finback_proto::pb;

/// What may be switched off for regions.
pub use pb::MasterSwitchType as RegionSwitch;

/// Which tables are normalized: without anything, all.
#[derive(Debug, Clone, Default)]
pub struct NormalizedTables {
    /// One of these.
    pub tables: Vec<TableName>,
    /// The name matches this regular expression of Java's.
    pub regex: Option<String>,
    /// In this namespace.
    pub namespace: Option<String>,
}

/// What a balancer has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BalanceResult {
    /// Whether it ran.
    pub ran: bool,
    /// Moves that it found worth while.
    pub moves_calculated: u32,
    /// Moves that it made.
    pub moves_executed: u32,
}

/// A switch: a method that sets it, and gives back how it was; and one that asks.
macro_rules! switch {
    (
        $(#[doc = $set_doc:literal])+ $set:ident = $set_method:literal $set_request:expr => $set_response:ident.$before:ident;
        $(#[doc = $get_doc:literal])+ $get:ident = $get_method:literal $get_request:expr => $get_response:ident.$now:ident;
    ) => {
        impl Admin {
            $(#[doc = $set_doc])+
            /// Gives back what was before.
            ///
            /// # Errors
            /// As of all operations.
            pub async fn $set(&self, on: bool) -> Result<bool> {
                let question = $set_request(on);
                let answer: pb::$set_response = self.ask_master($set_method, &question).await?;
                Ok(answer.$before())
            }

            $(#[doc = $get_doc])+
            ///
            /// # Errors
            /// As of all operations.
            pub async fn $get(&self) -> Result<bool> {
                let answer: pb::$get_response = self.ask_master($get_method, &$get_request).await?;
                Ok(answer.$now)
            }
        }
    };
}

switch! {
    /// Whether regions are moved to balance servers.
    set_balancer = "SetBalancerRunning" (|on| pb::SetBalancerRunningRequest { on, synchronous: Some(true) })
        => SetBalancerRunningResponse.prev_balance_value;
    /// Whether regions are moved to balance servers.
    is_balancer_enabled = "IsBalancerEnabled" pb::IsBalancerEnabledRequest {} => IsBalancerEnabledResponse.enabled;
}

switch! {
    /// Whether regions are split and merged to be of one size.
    set_normalizer = "SetNormalizerRunning" (|on| pb::SetNormalizerRunningRequest { on })
        => SetNormalizerRunningResponse.prev_normalizer_value;
    /// Whether regions are split and merged to be of one size.
    is_normalizer_enabled = "IsNormalizerEnabled" pb::IsNormalizerEnabledRequest {}
        => IsNormalizerEnabledResponse.enabled;
}

switch! {
    /// Whether hbase:meta is cleared of regions that were split or merged.
    set_catalog_janitor = "EnableCatalogJanitor" (|enable| pb::EnableCatalogJanitorRequest { enable })
        => EnableCatalogJanitorResponse.prev_value;
    /// Whether hbase:meta is cleared of regions that were split or merged.
    is_catalog_janitor_enabled = "IsCatalogJanitorEnabled" pb::IsCatalogJanitorEnabledRequest {}
        => IsCatalogJanitorEnabledResponse.value;
}

switch! {
    /// Whether files that nobody needs are deleted.
    set_cleaner_chore = "SetCleanerChoreRunning" (|on| pb::SetCleanerChoreRunningRequest { on })
        => SetCleanerChoreRunningResponse.prev_value;
    /// Whether files that nobody needs are deleted.
    is_cleaner_chore_enabled = "IsCleanerChoreEnabled" pb::IsCleanerChoreEnabledRequest {}
        => IsCleanerChoreEnabledResponse.value;
}

impl Admin {
    /// Moves regions to balance servers, or, `dry_run`, only finds out which; also while regions are in transition, if
    /// `ignore_transitions`.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn balance(&self, dry_run: bool, ignore_transitions: bool) -> Result<BalanceResult> {
        let question = pb::BalanceRequest { ignore_rit: Some(ignore_transitions), dry_run: Some(dry_run) };
        let answer: pb::BalanceResponse = self.ask_master("Balance", &question).await?;
        Ok(BalanceResult {
            ran: answer.balancer_ran,
            moves_calculated: answer.moves_calculated(),
            moves_executed: answer.moves_executed(),
        })
    }

    /// Splits and merges regions to be of one size: of these tables, or of all.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn normalize<T: IntoTableName>(&self, tables: impl IntoIterator<Item = T>) -> Result<bool> {
        let tables = tables.into_iter().map(named).collect::<Result<_>>()?;
        self.normalize_matching(&NormalizedTables { tables, ..NormalizedTables::default() }).await
    }

    /// Splits and merges regions to be of one size: of the tables for which everything holds that is given.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn normalize_matching(&self, of: &NormalizedTables) -> Result<bool> {
        let question = pb::NormalizeRequest {
            table_names: of.tables.iter().map(Into::into).collect(),
            regex: of.regex.clone(),
            namespace: of.namespace.clone(),
        };
        let answer: pb::NormalizeResponse = self.ask_master("Normalize", &question).await?;
        Ok(answer.normalizer_ran)
    }

    /// Whether regions may be split, or merged. Gives back what was before.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn set_region_switch(&self, switch: RegionSwitch, on: bool) -> Result<bool> {
        let question = pb::SetSplitOrMergeEnabledRequest {
            enabled: on,
            synchronous: Some(true),
            switch_types: vec![switch.into()],
        };
        let answer: pb::SetSplitOrMergeEnabledResponse =
            self.ask_master("SetSplitOrMergeEnabled", &question).await?;
        Ok(answer.prev_value.first().copied().unwrap_or(false))
    }

    /// Whether regions may be split, or merged.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn is_region_switch_on(&self, switch: RegionSwitch) -> Result<bool> {
        let question = pb::IsSplitOrMergeEnabledRequest { switch_type: switch.into() };
        let answer: pb::IsSplitOrMergeEnabledResponse =
            self.ask_master("IsSplitOrMergeEnabled", &question).await?;
        Ok(answer.enabled)
    }

    /// Clears hbase:meta of regions that were split or merged, now; how many there were.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn run_catalog_janitor(&self) -> Result<i32> {
        let answer: pb::RunCatalogScanResponse =
            self.ask_master("RunCatalogScan", &pb::RunCatalogScanRequest {}).await?;
        Ok(answer.scan_result())
    }

    /// Deletes files that nobody needs, now.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn run_cleaner_chore(&self) -> Result<bool> {
        let answer: pb::RunCleanerChoreResponse =
            self.ask_master("RunCleanerChore", &pb::RunCleanerChoreRequest {}).await?;
        Ok(answer.cleaner_chore_ran)
    }

    /// Whether snapshots that have outlived their time are deleted. Gives back what was before.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn set_snapshot_cleanup(&self, enabled: bool) -> Result<bool> {
        let question = pb::SetSnapshotCleanupRequest { enabled, synchronous: Some(true) };
        let answer: pb::SetSnapshotCleanupResponse =
            self.ask_master("SwitchSnapshotCleanup", &question).await?;
        Ok(answer.prev_snapshot_cleanup)
    }

    /// Whether snapshots that have outlived their time are deleted.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn is_snapshot_cleanup_enabled(&self) -> Result<bool> {
        let answer: pb::IsSnapshotCleanupEnabledResponse =
            self.ask_master("IsSnapshotCleanupEnabled", &pb::IsSnapshotCleanupEnabledRequest {}).await?;
        Ok(answer.enabled)
    }

    /// Whether quotas of requests are enforced. Gives back what was before.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn set_rpc_throttle(&self, enabled: bool) -> Result<bool> {
        let question = pb::SwitchRpcThrottleRequest { rpc_throttle_enabled: enabled };
        let answer: pb::SwitchRpcThrottleResponse = self.ask_master("SwitchRpcThrottle", &question).await?;
        Ok(answer.previous_rpc_throttle_enabled)
    }

    /// Whether quotas of requests are enforced.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn is_rpc_throttle_enabled(&self) -> Result<bool> {
        let answer: pb::IsRpcThrottleEnabledResponse =
            self.ask_master("IsRpcThrottleEnabled", &pb::IsRpcThrottleEnabledRequest {}).await?;
        Ok(answer.rpc_throttle_enabled)
    }
}
