//! `storefiletracker`: how tables keep track of their files.

use crate::arguments::{Arguments, table_name};
use crate::command::{Group, command};
use crate::error::{Result, ShellError};
use crate::shell::Shell;
use crate::value::Value;
use finback_client::TablePattern;

pub(super) const GROUP: Group = Group {
    name: "storefiletracker",
    title: "Store file trackers",
    commands: &[
        command!(
            "change_sft",
            2..3,
            change,
            "\
Changes how a table, or one of its families, keeps track of its files: DEFAULT, FILE.

  hbase> change_sft 't1', 'FILE'
  hbase> change_sft 't2', 'cf1', 'FILE'"
        ),
        command!(
            "change_sft_all",
            2..2,
            change_all,
            "\
Changes how the tables that a regular expression matches keep track of their files, after asking.

  hbase> change_sft_all 't.*', 'FILE'
  hbase> change_sft_all 'ns:t.*', 'FILE'"
        ),
    ],
};

async fn change(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let table = arguments.table()?;
    let rest: Vec<String> = arguments.flat().iter().map(Value::to_text).collect();
    let (family, tracker) = match &rest[..] {
        [tracker] => (None, tracker),
        [family, tracker] => (Some(family.as_bytes()), tracker),
        _ => {
            return Err(ShellError::argument(
                "a table, perhaps a family, and a tracker are wanted, none of them nil",
            ));
        }
    };
    shell.admin().modify_store_file_tracker(&table, family, tracker).await?;
    Ok(Value::Nil)
}

async fn change_all(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let (regex, tracker) = (arguments.text(), arguments.text());
    let tables = shell.admin().table_names(&TablePattern::matching(regex.clone())).await?;
    let names: Vec<String> = tables.iter().map(ToString::to_string).collect();
    names.iter().try_for_each(|name| shell.out.row(&[name]))?;
    if names.is_empty() {
        shell.out.line(format!("No tables matched the regex {regex}"))?;
        return Ok(Value::Nil);
    }
    if shell.asked(&format!("Change the above {} tables's sft", names.len()))? {
        for name in &names {
            shell.admin().modify_store_file_tracker(&table_name(name.as_bytes())?, None, &tracker).await?;
        }
    }
    Ok(Value::Nil)
}
