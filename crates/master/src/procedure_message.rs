//! Procedures and locks as clients list them: in HBase's messages, under the names of HBase's classes.

use finback_proto::pb;

use crate::core::{Lock, Mode, Procedure, Resource, Status};

mod state_data;
#[cfg(test)]
mod tests;

/// A procedure. As in HBase, one that waits for a lock is RUNNABLE, and one that waits for regions WAITING.
pub(crate) fn procedure(id: u64, procedure: &Procedure) -> pb::Procedure {
    let state = match &procedure.status {
        Status::Running if procedure.holds() => pb::ProcedureState::WaitingTimeout,
        Status::Running if procedure.waits_for_regions() => pb::ProcedureState::Waiting,
        Status::Waiting | Status::Running => pb::ProcedureState::Runnable,
        Status::Finished(_) if procedure.result().is_none() => pb::ProcedureState::Runnable,
        Status::Finished(Ok(())) => pb::ProcedureState::Success,
        Status::Finished(Err(_)) => pb::ProcedureState::Rolledback,
    };
    pb::Procedure {
        class_name: procedure.operation.java_class(),
        proc_id: id,
        submitted_time: procedure.submitted_ms,
        owner: procedure.owner.clone(),
        state: state.into(),
        last_update: procedure.updated_ms,
        exception: failure(procedure),
        nonce_group: procedure.nonce.map(|(group, _)| group),
        nonce: procedure.nonce.map(|(_, nonce)| nonce),
        state_message: state_data::messages(procedure),
        locked: (procedure.status == Status::Running).then_some(true),
        ..Default::default()
    }
}

/// A procedure that goes on, as HBase's `processlist` shows tasks.
pub(crate) fn task(id: u64, procedure: &Procedure) -> Option<pb::ServerTask> {
    if procedure.result().is_some() {
        return None;
    }
    let waits = procedure.status == Status::Waiting || procedure.waits_for_regions();
    let class = procedure.operation.java_class();
    let name = class.rsplit('.').next().unwrap_or(&class);
    let of_table = procedure.operation.table().map(|table| format!(" of {table}")).unwrap_or_default();
    Some(pb::ServerTask {
        description: format!("{name}{of_table}, pid={id}"),
        status: if procedure.status == Status::Waiting { "Waiting for its locks" } else { "At work" }
            .to_owned(),
        state: if waits { pb::server_task::State::Waiting } else { pb::server_task::State::Running }.into(),
        start_time: Some(procedure.submitted_ms),
        completion_time: None,
    })
}

/// Why a procedure failed, if it did.
pub(crate) fn failure(procedure: &Procedure) -> Option<pb::ForeignExceptionMessage> {
    let exception = procedure.result()?.as_ref().err()?;
    Some(pb::ForeignExceptionMessage {
        source: Some("master".to_owned()),
        generic_exception: Some(pb::GenericExceptionMessage {
            class_name: Some(exception.class.clone().into_owned()),
            message: Some(exception.message.clone()),
            ..Default::default()
        }),
    })
}

/// A lock with those that hold it and those that wait for it.
pub(crate) fn lock(lock: &Lock<'_>) -> pb::LockedResource {
    let (kind, name) = match &lock.resource {
        Resource::Namespace(name) => (pb::LockedResourceType::Namespace, (*name).to_owned()),
        Resource::Table(name) => (pb::LockedResourceType::Table, name.to_string()),
        Resource::Region(encoded) => (pb::LockedResourceType::Region, encoded.to_string()),
    };
    let message = |(id, held): &(u64, &Procedure)| procedure(*id, held);
    let exclusive = lock.mode == Mode::Exclusive;
    pb::LockedResource {
        resource_type: kind.into(),
        resource_name: Some(name),
        lock_type: if exclusive { pb::LockType::Exclusive } else { pb::LockType::Shared }.into(),
        exclusive_lock_owner_procedure: lock.holders.first().filter(|_| exclusive).map(message),
        shared_lock_count: Some(if exclusive {
            0
        } else {
            i32::try_from(lock.holders.len()).unwrap_or(i32::MAX)
        }),
        waiting_procedures: lock.waiting.iter().map(message).collect(),
    }
}
