//! Switches that clients may turn. Those of splits, merges, the catalog janitor, the cleaners and the removal of snapshots are
//! obeyed; what the others control does not exist yet.
//!
//! Those that HBase keeps in ZooKeeper are on disk before their call is answered, and read before anything acts on them;
//! the others are forgotten by the next start, as in HBase.

use std::sync::Arc;

use finback_layout::{KeptSwitches, LayoutError};
use finback_proto::{Message, pb};
use finback_rpc::{Call, Outcome, RpcException, exceptions};

use crate::{
    driver::Driver,
    master_service::{MasterService, reply},
};

/// The switches, as HBase has them after a first start.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Switches {
    pub(crate) kept: KeptSwitches,
    pub(crate) catalog_janitor: bool,
    pub(crate) cleaner: bool,
}

impl Default for Switches {
    fn default() -> Self {
        Self { kept: KeptSwitches::default(), catalog_janitor: true, cleaner: true }
    }
}

impl MasterService {
    /// Turns a switch that is kept: it is on disk before the answer.
    pub(crate) fn kept_switch_call(&self, method: &str, call: &Call) -> Option<Outcome> {
        let outcome = match method {
            "SetBalancerRunning" => call.decode().map(|request: pb::SetBalancerRunningRequest| {
                self.turn_kept(
                    |kept| &mut kept.balancer,
                    request.on,
                    |before| pb::SetBalancerRunningResponse { prev_balance_value: Some(before) },
                )
            }),
            "SetNormalizerRunning" => call.decode().map(|request: pb::SetNormalizerRunningRequest| {
                self.turn_kept(
                    |kept| &mut kept.normalizer,
                    request.on,
                    |before| pb::SetNormalizerRunningResponse { prev_normalizer_value: Some(before) },
                )
            }),
            "SetSplitOrMergeEnabled" => call.decode().map(|request: pb::SetSplitOrMergeEnabledRequest| {
                let driver = Arc::clone(&self.driver);
                Outcome::pending(async move {
                    let prev_value = driver.turn(move |kept| turn_each(kept, &request)).await?;
                    reply(&pb::SetSplitOrMergeEnabledResponse { prev_value })
                })
            }),
            "SwitchSnapshotCleanup" => call.decode().map(|request: pb::SetSnapshotCleanupRequest| {
                self.turn_kept(
                    |kept| &mut kept.snapshot_cleanup,
                    request.enabled,
                    |before| pb::SetSnapshotCleanupResponse { prev_snapshot_cleanup: before },
                )
            }),
            _ => return None,
        };
        Some(outcome.unwrap_or_else(Outcome::exception))
    }

    /// `answer` is made of what the switch was before.
    fn turn_kept<M: Message + 'static>(
        &self,
        switch: fn(&mut KeptSwitches) -> &mut bool,
        on: bool,
        answer: fn(bool) -> M,
    ) -> Outcome {
        let driver = Arc::clone(&self.driver);
        Outcome::pending(async move {
            let before = driver.turn(move |kept| std::mem::replace(switch(kept), on)).await?;
            reply(&answer(before))
        })
    }
}

/// Turns the switches of a request; gives back what each was before.
fn turn_each(kept: &mut KeptSwitches, request: &pb::SetSplitOrMergeEnabledRequest) -> Vec<bool> {
    let mut before = Vec::new();
    for kind in request.switch_types() {
        let switch = match kind {
            pb::MasterSwitchType::Split => &mut kept.split,
            pb::MasterSwitchType::Merge => &mut kept.merge,
        };
        before.push(std::mem::replace(switch, request.enabled));
    }
    before
}

impl Driver {
    /// Turns switches that are kept, on disk and then in memory; one change comes after the other. It is carried through when
    /// nobody waits for it any more.
    ///
    /// # Errors
    /// The storage's: the switches stay as they were.
    pub(crate) async fn turn<R: Send + 'static>(
        self: &Arc<Self>,
        change: impl FnOnce(&mut KeptSwitches) -> R + Send + 'static,
    ) -> Result<R, RpcException> {
        let alone = Arc::clone(&self.turning).lock_owned().await;
        let driver = Arc::clone(self);
        let turned = self.look_at_disk(move |root| -> Result<R, LayoutError> {
            let _alone = alone;
            let before = driver.read(|core| core.state.switches.kept);
            let mut after = before;
            let result = change(&mut after);
            if let Err(error) = root.write_switches(after) {
                // They may be there nevertheless, if only the sync of the directory has failed.
                if let Err(error) = root.write_switches(before) {
                    tracing::warn!("the next start may find switches as they were to be turned: {error}");
                }
                return Err(error);
            }
            driver.event(|core, _| core.state.switches.kept = after);
            Ok(result)
        });
        turned.await?.map_err(|error| exceptions::io(format!("keeping switches: {error}")))
    }
}
