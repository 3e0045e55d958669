//! How the files of a table's stores are tracked, and how that is changed: by way of a migration, under which the old tracker
//! counts and the new one is kept. Checks and words are HBase's.

use std::sync::Arc;

use bytes::Bytes;
use finback_cell::{ColumnFamilyDescriptor, TableDescriptor, TableName, schema::set_entry};
use finback_layout::{MIGRATION_DESTINATION, MIGRATION_SOURCE, StoreFileTracker, TRACKER};
use finback_proto::pb;
use finback_rpc::{Call, Outcome, Reply, RpcException, exceptions};

use crate::{
    core::Origin,
    driver::Driver,
    master_service::{MasterService, table_name},
    operation::{self, Operation},
};

/// A migration that leads elsewhere is ended, another begun, and that ended.
const MOST_STEPS: usize = 3;

fn tracker(
    table: &TableDescriptor,
    family: &ColumnFamilyDescriptor,
) -> Result<StoreFileTracker, RpcException> {
    StoreFileTracker::of(table, family).map_err(exceptions::do_not_retry)
}

fn name(tracker: StoreFileTracker) -> &'static str {
    match tracker {
        StoreFileTracker::Default => "DEFAULT",
        StoreFileTracker::File => "FILE",
        StoreFileTracker::Migration { .. } => "MIGRATION",
    }
}

fn simple_name(is_file: bool) -> &'static str {
    if is_file { "FILE" } else { "DEFAULT" }
}

/// A family that begins with a migration has nothing to migrate.
fn check_new_family(table: &TableDescriptor, family: &ColumnFamilyDescriptor) -> Result<(), RpcException> {
    match tracker(table, family)? {
        StoreFileTracker::Migration { .. } => Err(exceptions::do_not_retry(format!(
            "Should not use MIGRATION as store file tracker for new family {} of table {}",
            String::from_utf8_lossy(&family.name),
            table.name
        ))),
        _ => Ok(()),
    }
}

/// Whether a table may begin like this.
pub(crate) fn check_creation(table: &TableDescriptor) -> Result<(), RpcException> {
    table.families.iter().try_for_each(|family| check_new_family(table, family))
}

/// Whether a table may become another one.
pub(crate) fn check_modification(
    old: &TableDescriptor,
    new: &TableDescriptor,
    is_disabled: bool,
) -> Result<(), RpcException> {
    for family in &new.families {
        match old.family(&family.name) {
            None => check_new_family(new, family)?,
            Some(before) => {
                let (from, to) = (tracker(old, before)?, tracker(new, family)?);
                let whose =
                    format!("for family {} of table {}", String::from_utf8_lossy(&family.name), new.name);
                check_change(from, to, &whose)?;
                let leaves = matches!(from, StoreFileTracker::Migration { .. }) && from != to;
                if leaves && is_disabled {
                    return Err(exceptions::table_not_enabled(format!(
                        "Should not change store file tracker implementation from MIGRATION while table {} is disabled",
                        new.name
                    )));
                }
            }
        }
    }
    Ok(())
}

fn check_change(old: StoreFileTracker, new: StoreFileTracker, whose: &str) -> Result<(), RpcException> {
    use StoreFileTracker::Migration;
    let refused = |message: String| Err(exceptions::do_not_retry(format!("{message} {whose}")));
    match (old, new) {
        (Migration { from_file, to_file }, Migration { from_file: source, to_file: destination }) => {
            let changed = |what: &str, old, new| {
                let (old, new) = (simple_name(old), simple_name(new));
                refused(format!("The {what} tracker has been changed from {old} to {new}"))
            };
            if from_file != source {
                return changed("src", from_file, source);
            }
            if to_file != destination {
                return changed("dst", to_file, destination);
            }
            Ok(())
        }
        (Migration { to_file, .. }, new) if simple_name(to_file) != name(new) => {
            refused(format!("Should migrate tracker to {} but got {}", simple_name(to_file), name(new)))
        }
        (Migration { .. }, _) => Ok(()),
        (old, Migration { from_file, to_file }) => {
            if simple_name(from_file) != name(old) {
                let (is, got) = (name(old), simple_name(from_file));
                return refused(format!(
                    "Should use src tracker {is} first but got {got} when migrating from {is}"
                ));
            }
            if from_file == to_file {
                return refused(format!("The src tracker and dst tracker are both {}", name(old)));
            }
            Ok(())
        }
        (old, new) if old != new => {
            refused(format!("Should change to MIGRATION first when migrating from {}", name(old)))
        }
        _ => Ok(()),
    }
}

/// The schema one step nearer to a tracker, of a family or of the table; the same when it is there.
pub(crate) fn towards(
    table: &TableDescriptor,
    family: Option<&Bytes>,
    wanted: StoreFileTracker,
) -> Result<TableDescriptor, RpcException> {
    let mut next = table.clone();
    let (current, settings) = match family {
        None => {
            let of_table = StoreFileTracker::of_settings(|key| table.attribute(key));
            (of_table.map_err(exceptions::do_not_retry)?, &mut next.attributes)
        }
        Some(name) => {
            let found = table.family(name).ok_or_else(|| {
                let name = name.escape_ascii();
                exceptions::no_such_column_family(format!("{name} does not exist for table {}", table.name))
            })?;
            let place = next.families.iter_mut().find(|family| family.name == *name);
            let current = tracker(table, found)?;
            match place {
                Some(family) => (current, &mut family.configuration),
                None => return Ok(next),
            }
        }
    };
    match current {
        current if current == wanted => {}
        StoreFileTracker::Migration { to_file, .. } => {
            set_entry(settings, TRACKER, simple_name(to_file));
            settings.retain(|(key, _)| {
                key[..] != *MIGRATION_SOURCE.as_bytes() && key[..] != *MIGRATION_DESTINATION.as_bytes()
            });
        }
        current => {
            set_entry(settings, TRACKER, "MIGRATION");
            set_entry(settings, MIGRATION_SOURCE, name(current));
            set_entry(settings, MIGRATION_DESTINATION, name(wanted));
        }
    }
    Ok(next)
}

/// The tracker that a client asks for.
pub(crate) fn wanted(name: &str) -> Result<StoreFileTracker, RpcException> {
    let setting = |key: &str| match key {
        TRACKER => Some(name),
        _ => Some("DEFAULT"),
    };
    match StoreFileTracker::of_settings(setting).map_err(exceptions::do_not_retry)? {
        StoreFileTracker::Migration { .. } => {
            Err(exceptions::do_not_retry(format!("Do not need to transfer to {name}")))
        }
        tracker => Ok(tracker),
    }
}

/// How many steps it takes to get to a tracker, at most and at least one.
fn steps_to(
    table: &TableDescriptor,
    family: Option<&Bytes>,
    tracker: StoreFileTracker,
) -> Result<usize, RpcException> {
    let mut reached = table.clone();
    for steps in 0..MOST_STEPS {
        let next = towards(&reached, family, tracker)?;
        if next == reached {
            return Ok(steps.max(1));
        }
        reached = next;
    }
    Ok(MOST_STEPS)
}

impl MasterService {
    /// ModifyTableStoreFileTracker and ModifyColumnStoreFileTracker.
    pub(crate) fn file_tracker_call(&self, method: &str, call: &Call) -> Option<Outcome> {
        let driver = self.driver.clone();
        let outcome = match method {
            "ModifyTableStoreFileTracker" => {
                call.decode().map(|request: pb::ModifyTableStoreFileTrackerRequest| {
                    let origin = Origin::of(call, request.nonce_group, request.nonce);
                    Outcome::pending(async move {
                        let change = Change::asked(&request.table_name, None, &request.dst_sft)?;
                        let proc_id = Some(change.begin(&driver, origin).await?);
                        Ok(Reply::new(&pb::ModifyTableStoreFileTrackerResponse { proc_id }))
                    })
                })
            }
            "ModifyColumnStoreFileTracker" => {
                call.decode().map(|request: pb::ModifyColumnStoreFileTrackerRequest| {
                    let origin = Origin::of(call, request.nonce_group, request.nonce);
                    Outcome::pending(async move {
                        let family = Some(request.family);
                        let change = Change::asked(&request.table_name, family, &request.dst_sft)?;
                        let proc_id = Some(change.begin(&driver, origin).await?);
                        Ok(Reply::new(&pb::ModifyColumnStoreFileTrackerResponse { proc_id }))
                    })
                })
            }
            _ => return None,
        };
        Some(outcome.unwrap_or_else(Outcome::exception))
    }
}

/// A change of a tracker: a procedure for each of its steps.
struct Change {
    table: TableName,
    family: Option<Bytes>,
    tracker: StoreFileTracker,
}

impl Change {
    fn asked(table: &pb::TableName, family: Option<Bytes>, tracker: &str) -> Result<Self, RpcException> {
        Ok(Self { tracker: wanted(tracker)?, table: table_name(table)?, family })
    }

    /// Carries it out but for the last step, which it begins; gives back that one's procedure.
    async fn begin(self, driver: &Arc<Driver>, origin: Origin) -> Result<u64, RpcException> {
        if let Some(id) = driver.started(&origin).await? {
            return Ok(id);
        }
        let steps = driver.read(|core| {
            let table = operation::find(&core.state, &self.table)?.descriptor.clone();
            table.map_or(Ok(1), |table| steps_to(&table, self.family.as_ref(), self.tracker))
        })?;
        let operation = Operation::ModifyFileTracker {
            table: self.table,
            family: self.family,
            to_file: self.tracker == StoreFileTracker::File,
        };
        for _ in 1..steps {
            let without_nonce = Origin { nonce: None, ..origin.clone() };
            let id = driver.run(operation.clone(), without_nonce).await?;
            driver.finished(id).await?;
        }
        driver.run(operation, origin).await
    }
}

#[cfg(test)]
mod tests;
