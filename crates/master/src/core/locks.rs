//! What procedures lock, as HBase's do: one that changes a table has it for itself, and its namespace must stay; one that
//! changes a region has that for itself, and its table must stay; one that changes a namespace has that for itself.
//! Whoever waits has its place in all its queues: those that came later do not overtake it.

use std::{
    borrow::Cow,
    collections::{BTreeMap, btree_map::Entry},
};

use finback_cell::{RegionInfo, TableName};

use super::{Decision, Procedure, Procedures, Status};
use crate::operation::{Held, Operation};

/// What can be locked, in the order in which HBase locks and lists it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Resource<'a> {
    Namespace(&'a str),
    Table(Cow<'a, TableName>),
    /// By encoded name.
    Region(Cow<'a, str>),
}

/// How.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Shared,
    Exclusive,
}

impl Mode {
    fn excludes(self, other: Self) -> bool {
        self == Self::Exclusive || other == Self::Exclusive
    }
}

/// What an operation locks; with the decision, also the regions that it makes.
pub(crate) fn locks<'a>(operation: &'a Operation, decision: Option<&Decision>) -> Vec<(Resource<'a>, Mode)> {
    let namespace = operation.namespace();
    if let Operation::HoldLock { held: Held::Table(table), exclusive, .. } = operation {
        let mode = if *exclusive { Mode::Exclusive } else { Mode::Shared };
        let table = (Resource::Table(Cow::Borrowed(table)), mode);
        return vec![(Resource::Namespace(namespace), Mode::Shared), table];
    }
    let Some(table) = operation.table() else {
        let kept = Resource::Table(Cow::Owned(TableName::namespace_table()));
        return vec![(Resource::Namespace(namespace), Mode::Exclusive), (kept, Mode::Shared)];
    };
    let of_table = |mode| {
        vec![(Resource::Namespace(namespace), Mode::Shared), (Resource::Table(Cow::Borrowed(table)), mode)]
    };
    let regions: &[String] = match operation {
        Operation::AssignRegion { region, .. }
        | Operation::UnassignRegion { region, .. }
        | Operation::MoveRegion { region, .. }
        | Operation::TruncateRegion { region, .. }
        | Operation::SplitRegion { region, .. }
        | Operation::CollectRegion { region, .. } => std::slice::from_ref(region),
        Operation::MergeRegions { regions, .. } => regions,
        Operation::HoldLock { held, .. } => {
            let Held::Regions(_, regions) = held else { return of_table(Mode::Exclusive) };
            let regions = regions.keys().map(|region| Resource::Region(Cow::Borrowed(&region[..])));
            let mut locks = of_table(Mode::Shared);
            locks.extend(regions.map(|region| (region, Mode::Exclusive)));
            return locks;
        }
        // HBase's takes no lock at all; but what it flushes must be there.
        Operation::FlushTable { .. } => &[],
        Operation::CreateTable { .. }
        | Operation::TakeSnapshot { .. }
        | Operation::CloneSnapshot(_)
        | Operation::RestoreSnapshot(_)
        | Operation::DeleteTable(_)
        | Operation::EnableTable(_)
        | Operation::DisableTable(_)
        | Operation::TruncateTable { .. }
        | Operation::ModifyTable { .. }
        | Operation::AddFamily { .. }
        | Operation::ModifyFamily { .. }
        | Operation::ModifyFileTracker { .. }
        | Operation::DeleteFamily { .. }
        | Operation::CreateNamespace { .. }
        | Operation::ModifyNamespace { .. }
        | Operation::DeleteNamespace(_) => return of_table(Mode::Exclusive),
    };
    let known = regions.iter().map(|region| Cow::Borrowed(&region[..]));
    let new = decision.iter().flat_map(|decision| &decision.new_regions);
    let new = new.map(RegionInfo::encoded_name).map(Cow::Owned);
    let mut locks = of_table(Mode::Shared);
    locks.extend(known.chain(new).map(|region| (Resource::Region(region), Mode::Exclusive)));
    locks
}

/// What is locked.
#[derive(Debug, Default)]
struct Claims<'a>(BTreeMap<Resource<'a>, Mode>);

impl<'a> Claims<'a> {
    /// The first of its locks that an operation cannot have.
    fn obstacle(&self, wanted: &[(Resource<'a>, Mode)]) -> Option<Resource<'a>> {
        let taken = |(resource, mode): &&(Resource<'a>, Mode)| {
            self.0.get(resource).is_some_and(|claimed| claimed.excludes(*mode))
        };
        wanted.iter().find(taken).map(|(resource, _)| resource.clone())
    }

    fn take(&mut self, wanted: Vec<(Resource<'a>, Mode)>) {
        for (resource, mode) in wanted {
            match self.0.entry(resource) {
                Entry::Occupied(mut claimed) if mode == Mode::Exclusive => {
                    claimed.insert(mode);
                }
                Entry::Occupied(_) => {}
                Entry::Vacant(free) => {
                    free.insert(mode);
                }
            }
        }
    }
}

/// A lock that is held.
#[derive(Debug)]
pub(crate) struct Lock<'a> {
    pub(crate) resource: Resource<'a>,
    pub(crate) mode: Mode,
    /// Procedures that hold it: one if the lock is exclusive.
    pub(crate) holders: Vec<(u64, &'a Procedure)>,
    /// Procedures that wait for it, in order.
    pub(crate) waiting: Vec<(u64, &'a Procedure)>,
}

fn locks_of(procedure: &Procedure) -> Vec<(Resource<'_>, Mode)> {
    locks(&procedure.operation, procedure.decision.as_ref())
}

impl Procedures {
    fn with_status(&self, status: Status) -> impl Iterator<Item = (u64, &Procedure)> {
        self.active().filter(move |(_, procedure)| procedure.status == status)
    }

    /// Whether an operation cannot run beside those that are at work or wait.
    pub(super) fn exclude(&self, operation: &Operation) -> bool {
        let mut wanted = Claims::default();
        wanted.take(locks(operation, None));
        self.active().any(|(_, procedure)| wanted.obstacle(&locks_of(procedure)).is_some())
    }

    /// Those that wait, in order, and what for: none, if they can have their locks now.
    fn queue(&self) -> Vec<(u64, &Procedure, Option<Resource<'_>>)> {
        if self.with_status(Status::Waiting).next().is_none() {
            return Vec::new();
        }
        let mut claims = Claims::default();
        self.with_status(Status::Running).for_each(|(_, procedure)| claims.take(locks_of(procedure)));
        let waiting = self.with_status(Status::Waiting).map(|(id, procedure)| {
            let wanted = locks_of(procedure);
            let obstacle = claims.obstacle(&wanted);
            claims.take(wanted);
            (id, procedure, obstacle)
        });
        waiting.collect()
    }

    /// Those that wait, and can have their locks now.
    pub(super) fn admissible(&self) -> impl Iterator<Item = u64> {
        self.queue().into_iter().filter(|(_, _, obstacle)| obstacle.is_none()).map(|(id, _, _)| id)
    }

    /// What is locked by whom, in HBase's order.
    pub(crate) fn locks(&self) -> Vec<Lock<'_>> {
        let mut held: BTreeMap<Resource<'_>, Lock<'_>> = BTreeMap::new();
        for (id, procedure) in self.with_status(Status::Running) {
            for (resource, mode) in locks_of(procedure) {
                let empty =
                    || Lock { resource: resource.clone(), mode, holders: Vec::new(), waiting: Vec::new() };
                held.entry(resource.clone()).or_insert_with(empty).holders.push((id, procedure));
            }
        }
        for (id, procedure, obstacle) in self.queue() {
            // Behind another that waits itself, it waits for what that one waits for.
            let lock = obstacle.and_then(|resource| held.get_mut(&resource));
            if let Some(lock) = lock {
                lock.waiting.push((id, procedure));
            }
        }
        held.into_values().collect()
    }
}
