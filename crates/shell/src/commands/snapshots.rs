//! `snapshots`

use crate::arguments::{Arguments, Options};
use crate::command::{Group, command};
use crate::error::{Result, ShellError};
use crate::format::ruby_time;
use crate::shell::Shell;
use crate::value::Value;
use fancy_regex::Regex;
use finback_client::messages::SnapshotDescription;
use finback_client::{SnapshotRequest, SnapshotType};
use std::time::Duration;

pub(super) const GROUP: Group = Group {
    name: "snapshots",
    title: "Snapshots",
    commands: &[
        command!(
            "snapshot",
            2..,
            take,
            "\
Takes a snapshot of a table; with SKIP_FLUSH without what is only in memory; with TTL for as many seconds.

  hbase> snapshot 'sourceTable', 'snapshotName'
  hbase> snapshot 'namespace:sourceTable', 'snapshotName', {SKIP_FLUSH => true}
  hbase> snapshot 'sourceTable', 'snapshotName', {TTL => 86400, MAX_FILESIZE => 21474836480}"
        ),
        command!(
            "clone_snapshot",
            2..3,
            clone,
            "\
Makes a table of a snapshot.

  hbase> clone_snapshot 'snapshotName', 'tableName'"
        ),
        command!(
            "restore_snapshot",
            1..2,
            restore,
            "\
Makes a table, which must be disabled, what it was when the snapshot was taken.

  hbase> restore_snapshot 'snapshotName'"
        ),
        command!(
            "delete_snapshot",
            1..1,
            delete,
            "\
Deletes a snapshot.

  hbase> delete_snapshot 'snapshotName'"
        ),
        command!(
            "delete_all_snapshot",
            1..1,
            delete_all,
            "\
Deletes the snapshots that a regular expression matches, after asking.

  hbase> delete_all_snapshot 's.*'"
        ),
        command!(
            "delete_table_snapshots",
            1..2,
            delete_of_tables,
            "\
Deletes the snapshots of tables, all or those that a regular expression matches, after asking.

  hbase> delete_table_snapshots 'tableName'
  hbase> delete_table_snapshots 'tableName.*', 'snapshotName.*'"
        ),
        command!(
            "list_snapshots",
            0..1,
            list,
            "\
Lists the snapshots, or those that a regular expression matches.

  hbase> list_snapshots
  hbase> list_snapshots 'abc.*'"
        ),
        command!(
            "list_table_snapshots",
            1..2,
            list_of_tables,
            "\
Lists the snapshots of tables, all or those that a regular expression matches.

  hbase> list_table_snapshots 'tableName'
  hbase> list_table_snapshots 'tableName.*', 'snapshotName.*'"
        ),
    ],
};

async fn take(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let table = arguments.table()?;
    let mut request = SnapshotRequest::new(arguments.text(), &table)?;
    for hash in arguments.flat() {
        let mut options = Options::of(hash)?;
        if options.is_set("SKIP_FLUSH") {
            request = request.kind(SnapshotType::Skipflush);
        }
        if let Some(seconds) = options.count("TTL")? {
            request = request.ttl(Duration::from_secs(seconds));
        }
        if let Some(bytes) = options.count("MAX_FILESIZE")? {
            request = request.max_file_size(bytes);
        }
    }
    shell.admin().snapshot(&request).await?;
    Ok(Value::Nil)
}

async fn clone(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let name = arguments.text();
    let table = arguments.table()?;
    refuse_acls(&mut arguments.options()?)?;
    shell.admin().clone_snapshot(&name, &table).await?;
    Ok(Value::Nil)
}

async fn restore(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let name = arguments.text();
    refuse_acls(&mut arguments.options()?)?;
    shell.admin().restore_snapshot(&name, false).await?;
    Ok(Value::Nil)
}

fn refuse_acls(options: &mut Options) -> Result<()> {
    match options.is_set("RESTORE_ACL") {
        true => {
            Err(ShellError::argument("RESTORE_ACL: this shell restores no permissions; grant them again"))
        }
        false => Ok(()),
    }
}

async fn delete(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    shell.admin().delete_snapshot(&arguments.text()).await?;
    Ok(Value::Nil)
}

async fn delete_all(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let regex = arguments.text();
    let found = matching(shell, None, Some(regex.clone())).await?;
    delete_after_asking(shell, &found, &format!("regex {regex}")).await
}

async fn delete_of_tables(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let (table, name) = (arguments.text(), arguments.optional_text().unwrap_or_else(|| ".*".to_owned()));
    let wanted =
        format!("table name regular expression {table} and the snapshot name regular expression {name}");
    let found = matching(shell, Some(table), Some(name)).await?;
    delete_after_asking(shell, &found, &wanted).await
}

async fn delete_after_asking(
    shell: &mut Shell,
    found: &[SnapshotDescription],
    wanted: &str,
) -> Result<Value> {
    rows(shell, found)?;
    if found.is_empty() {
        shell.out.line(format!("No snapshots matched the {wanted}"))?;
        return Ok(Value::Nil);
    }
    if !shell.asked(&format!("Delete the above {} snapshots", found.len()))? {
        return Ok(Value::Nil);
    }
    for snapshot in found {
        shell.admin().delete_snapshot(&snapshot.name).await?;
    }
    shell.out.line(format!("{} snapshots successfully deleted.", found.len()))?;
    Ok(Value::Nil)
}

async fn list(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let found = matching(shell, None, arguments.optional_text()).await?;
    show(shell, &found)
}

async fn list_of_tables(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let found = matching(shell, Some(arguments.text()), arguments.optional_text()).await?;
    show(shell, &found)
}

fn rows(shell: &mut Shell, found: &[SnapshotDescription]) -> Result<()> {
    shell.out.header(&["SNAPSHOT", "TABLE + CREATION TIME"])?;
    for one in found {
        let created = ruby_time(one.creation_time(), &shell.zone);
        shell.out.row(&[&one.name, &format!("{} ({created})", one.table())])?;
    }
    Ok(())
}

fn show(shell: &mut Shell, found: &[SnapshotDescription]) -> Result<Value> {
    rows(shell, found)?;
    shell.out.footer(Some(found.len()), false)?;
    Ok(Value::Array(found.iter().map(|one| Value::text(&one.name)).collect()))
}

async fn matching(
    shell: &Shell,
    table: Option<String>,
    name: Option<String>,
) -> Result<Vec<SnapshotDescription>> {
    let (table, name) = (whole(table)?, whole(name)?);
    let mut found = shell.admin().snapshots().await?;
    let is_match = |regex: &Option<Regex>, text: &str| {
        regex.as_ref().is_none_or(|regex| regex.is_match(text).unwrap_or(false))
    };
    found.retain(|one| is_match(&table, one.table()) && is_match(&name, &one.name));
    Ok(found)
}

/// An expression that has to match all of a name.
fn whole(regex: Option<String>) -> Result<Option<Regex>> {
    match regex {
        None => Ok(None),
        Some(regex) => match Regex::new(&format!("^(?:{regex})$")) {
            Ok(regex) => Ok(Some(regex)),
            Err(error) => Err(ShellError::argument(format!("{regex}: {error}"))),
        },
    }
}
