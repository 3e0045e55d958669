//! What a batch waits for, step by step.

use super::Prepared;
use super::answers::Answer;
use super::multi::{Call, Multi, Regions};
use crate::error::Attempt;
use crate::failure;
use crate::location::RegionLocation;
use crate::locator::{KnownRegions, Side};
use crate::shared::Shared;
use finback_rpc::exceptions;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::vec;

/// What a task of a batch has done.
pub(super) enum Step {
    /// Where actions are to be sent, of which that is not known yet, and of which it cannot be told. Calls of one list are made one
    /// after the other.
    Located { calls: Vec<Vec<Call>>, unknown: Vec<usize>, unlocated: Vec<(usize, Attempt)> },
    /// What became of actions, and the calls that have waited for that.
    Sent { answers: Vec<Answer>, next: vec::IntoIter<Call> },
    /// Why actions have failed, now that it is known whether their table is disabled.
    Failed(Failures),
}

/// Actions that have failed together.
pub(super) struct Failures {
    pub(super) failed: Vec<(usize, Attempt)>,
    /// Whether others of their call have not.
    pub(super) progress: bool,
    /// Actions that have waited for them, and share rows with them.
    pub(super) next: Vec<usize>,
}

/// What the tasks of a batch share.
pub(super) struct Work {
    pub(super) shared: Arc<Shared>,
    pub(super) known: Arc<KnownRegions>,
    pub(super) actions: Vec<Prepared>,
    pub(super) deadline: Instant,
    pub(super) rpc_timeout: Duration,
    /// Whether actions of one row are sent in their order, however many calls it takes.
    pub(super) in_order: bool,
}

impl Work {
    pub(super) fn remaining(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// The time for a call.
    pub(super) fn timeout(&self) -> Duration {
        self.rpc_timeout.min(self.remaining()).max(Duration::from_millis(1))
    }

    fn row(&self, index: usize) -> &[u8] {
        self.actions[index].action.row()
    }

    /// Where actions are to be sent, as far as is known.
    pub(super) fn find(&self, indices: Vec<usize>) -> Step {
        let (mut regions, mut unknown) = (Regions::default(), Vec::new());
        let mut moment = self.known.at_this_moment();
        for index in indices {
            let row = self.row(index);
            // Rows in order have the region of those before them.
            if let Some(location) = regions.last_with(row) {
                regions.push(location, index);
                continue;
            }
            // In order all at one moment: of a row whose region becomes known meanwhile, later actions would come before the first.
            if !self.in_order {
                moment.pass();
            }
            match moment.find(row, Side::At) {
                Some(location) => regions.push(location, index),
                None => unknown.push(index),
            }
        }
        drop(moment);
        self.located(regions, unknown, Vec::new())
    }

    /// Where actions are to be sent, as hbase:meta says.
    pub(super) async fn look_up(&self, indices: Vec<usize>) -> Step {
        let (mut regions, mut unlocated) = (Regions::default(), Vec::new());
        let mut every: Option<Attempt> = None;
        // In order, later actions of a row go where its first one goes, whatever becomes known meanwhile; and if that has nowhere to go,
        // they have neither.
        let mut of_rows: HashMap<&[u8], Result<Arc<RegionLocation>, Attempt>> = HashMap::new();
        let since = Instant::now();
        for index in indices {
            let row = self.row(index);
            let before = of_rows.get(row).cloned().or_else(|| regions.last_with(row).map(Ok));
            let located = match (before, &every) {
                (Some(located), _) => located,
                (None, None) => self.locate(row, since).await,
                // No other row waits for the same failure.
                (None, Some(failed)) => self.known.find(row, Side::At).ok_or_else(|| failed.clone()),
            };
            if self.in_order && !of_rows.contains_key(row) {
                of_rows.insert(row, located.clone());
            }
            match located {
                Ok(location) => regions.push(location, index),
                Err(failed) => {
                    if failure::fails_every_look_up(&failed.exception) {
                        every.get_or_insert_with(|| failed.clone());
                    }
                    unlocated.push((index, failed));
                }
            }
        }
        self.located(regions, Vec::new(), unlocated)
    }

    async fn locate(&self, row: &[u8], since: Instant) -> Result<Arc<RegionLocation>, Attempt> {
        let locating = self.shared.locator.locate_since(&self.known, row, Side::At, since);
        match tokio::time::timeout(self.timeout(), locating).await {
            Ok(located) => located,
            Err(_) => {
                let exception = exceptions::call_timeout("no location in time");
                Err(Attempt { method: "locate", server: None, region: None, number: 1, exception })
            }
        }
    }

    fn located(&self, regions: Regions, unknown: Vec<usize>, unlocated: Vec<(usize, Attempt)>) -> Step {
        let sizes = |index: usize| self.actions[index].action.size();
        let rows = |index: usize| self.in_order.then(|| self.row(index));
        Step::Located { calls: regions.by_server(sizes, rows), unknown, unlocated }
    }

    /// Makes a call, if there is time for it; gives back what became of its actions.
    pub(super) async fn send(&self, regions: Call) -> Vec<Answer> {
        let multi = Multi::new(&self.actions, &regions);
        if self.remaining().is_zero() {
            return multi.all_failed(&exceptions::call_timeout("no time left for the call"));
        }
        let (request, cells) = multi.request(self.shared.nonce_group);
        let server = &regions[0].0;
        let asked = self.shared.call_at(server, "Multi", self.timeout(), &request, cells).await;
        let answers = match asked {
            Ok((response, block)) => multi.answers(&response, block),
            Err(exception) => multi.all_failed(&exception),
        };
        for (location, exception) in multi.failures(&answers) {
            self.shared.locator.failed(Some(&self.known), location, exception);
        }
        answers
    }
}
