//! `procedures`

use crate::arguments::Arguments;
use crate::command::{Group, command, not_there};
use crate::error::Result;
use crate::format::{message, ruby_time};
use crate::shell::Shell;
use crate::value::Value;
use finback_client::messages::{LockType, Procedure};

pub(super) const GROUP: Group = Group {
    name: "procedures",
    title: "Procedures and locks",
    commands: &[
        command!(
            "list_procedures",
            0..0,
            list,
            "\
Lists the procedures of the master: those at work, and those that have ended lately.

  hbase> list_procedures"
        ),
        command!(
            "list_locks",
            0..0,
            locks,
            "\
Lists the locks that procedures hold and wait for.

  hbase> list_locks"
        ),
        not_there!("abort_procedure", "HBase itself has it no more: a procedure goes on until it is done"),
    ],
};

async fn list(shell: &mut Shell, _: Arguments) -> Result<Value> {
    let procedures = shell.admin().procedures().await?;
    shell.out.header(&["PID", "Name", "State", "Submitted", "Last_Update", "Parameters"])?;
    let time = |ms: u64, shell: &Shell| ruby_time(i64::try_from(ms).unwrap_or(i64::MAX), &shell.zone);
    for one in &procedures {
        let (submitted, updated) = (time(one.submitted_time, shell), time(one.last_update, shell));
        let state = one.state().as_str_name();
        let parameters = one.state_message.iter().map(|part| message(&part.type_url, &part.value)).collect();
        let parameters = Value::Array(parameters).to_string();
        shell.out.row(&[
            &one.proc_id.to_string(),
            &one.class_name,
            state,
            &submitted,
            &updated,
            &parameters,
        ])?;
    }
    shell.out.footer(Some(procedures.len()), false)?;
    Ok(Value::Nil)
}

async fn locks(shell: &mut Shell, _: Arguments) -> Result<Value> {
    let shown = |one: &Procedure| format!("{} (pid {})", one.class_name, one.proc_id);
    for lock in shell.admin().locks().await? {
        shell.out.line(format!("{}({})", lock.resource_type().as_str_name(), lock.resource_name()))?;
        match lock.lock_type() {
            LockType::Exclusive => {
                let owner = lock.exclusive_lock_owner_procedure.as_ref().map(shown).unwrap_or_default();
                shell.out.line(format!("Lock type: EXCLUSIVE, procedure: {owner}"))?;
            }
            LockType::Shared => {
                shell.out.line(format!("Lock type: SHARED, count: {}", lock.shared_lock_count()))?;
            }
        }
        if !lock.waiting_procedures.is_empty() {
            shell.out.header(&["Waiting procedures"])?;
            lock.waiting_procedures.iter().try_for_each(|one| shell.out.row(&[&shown(one)]))?;
            shell.out.footer(None, false)?;
        }
        shell.out.line("")?;
    }
    Ok(Value::Nil)
}
