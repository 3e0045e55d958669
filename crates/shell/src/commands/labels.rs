//! `visibility labels`

use super::security::{must_have, rewritten};
use crate::arguments::{Arguments, Options};
use crate::command::{Group, command};
use crate::error::{Result, ShellError};
use crate::shell::Shell;
use crate::value::Value;
use finback_client::messages::{self, security_capabilities_response::Capability};
use finback_client::{Bytes, Message, StringBinary};

/// Of a write: the expression of its visibility. Of a read: the labels under which it is done.
pub(super) const ATTRIBUTE: &str = "VISIBILITY";

pub(super) const GROUP: Group = Group {
    name: "visibility labels",
    title: "Visibility labels",
    commands: &[
        command!(
            "add_labels",
            1..,
            add,
            "\
Makes labels.

  hbase> add_labels 'SECRET'
  hbase> add_labels ['SECRET', 'PRIVATE']"
        ),
        command!(
            "list_labels",
            0..1,
            list,
            "\
Lists the labels, or those that a regular expression matches.

  hbase> list_labels
  hbase> list_labels 'secret.*'"
        ),
        command!(
            "set_auths",
            2..,
            set_auths,
            "\
Lets a user or a group (with @ before it) see what has these labels.

  hbase> set_auths 'user1', ['SECRET', 'PRIVATE']
  hbase> set_auths '@group1', ['SECRET', 'PRIVATE']"
        ),
        command!(
            "get_auths",
            1..1,
            get_auths,
            "\
Lists the labels that a user or a group (with @ before it) sees.

  hbase> get_auths 'user1'"
        ),
        command!(
            "clear_auths",
            2..,
            clear_auths,
            "\
Lets a user or a group (with @ before it) not see any more what has these labels.

  hbase> clear_auths 'user1', ['SECRET', 'PRIVATE']"
        ),
        command!(
            "set_visibility",
            3..3,
            set_visibility,
            "\
Puts an expression of labels on the cells that a scan finds.

  hbase> set_visibility 't1', 'A|B', {COLUMNS => ['c1', 'c2']}
  hbase> set_visibility 't1', '(A&B)|C', {COLUMNS => 'c1', TIMERANGE => [1303668804000, 1303668904000]}"
        ),
    ],
};

async fn available(shell: &Shell) -> Result<()> {
    must_have(shell, Capability::CellVisibility, "Visibility labels feature is").await
}

/// All that is left, at least one.
fn labels(arguments: &mut Arguments) -> Result<Vec<Vec<u8>>> {
    let labels: Vec<_> = arguments.flat().iter().map(Value::to_bytes).collect();
    match labels.is_empty() {
        true => Err(ShellError::argument("Arguments cannot be null")),
        false => Ok(labels),
    }
}

async fn add(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    available(shell).await?;
    shell.admin().add_labels(labels(&mut arguments)?).await?;
    Ok(Value::Nil)
}

async fn set_auths(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    available(shell).await?;
    let user = arguments.text();
    shell.admin().set_auths(&user, labels(&mut arguments)?).await?;
    Ok(Value::Nil)
}

async fn clear_auths(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    available(shell).await?;
    let user = arguments.text();
    shell.admin().clear_auths(&user, labels(&mut arguments)?).await?;
    Ok(Value::Nil)
}

async fn get_auths(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    available(shell).await?;
    let labels = shell.admin().auths(&arguments.text()).await?;
    listed(shell, &labels)
}

async fn list(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    available(shell).await?;
    let regex = arguments.optional_text().unwrap_or_else(|| ".*".to_owned());
    let labels = shell.admin().labels(Some(&regex)).await?;
    listed(shell, &labels)
}

fn listed(shell: &mut Shell, labels: &[Bytes]) -> Result<Value> {
    labels.iter().try_for_each(|label| shell.out.row(&[&StringBinary(label).to_string()]))?;
    Ok(Value::Nil)
}

async fn set_visibility(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let (table, expression) = (arguments.table()?, arguments.text());
    let attribute = (ATTRIBUTE, of_write(expression));
    let rows = rewritten(shell, &table, arguments.options()?, attribute).await?;
    shell.out.footer(Some(rows), false)?;
    Ok(Value::Nil)
}

/// The value of the attribute for a write.
pub(super) fn of_write(expression: String) -> Vec<u8> {
    messages::CellVisibility { expression }.encode_to_vec()
}

/// The value of the attribute for a read, if `AUTHORIZATIONS` are asked for.
pub(super) fn of_read(options: &mut Options) -> Option<Vec<u8>> {
    let is_asked_for = options.has("AUTHORIZATIONS");
    let label = options.list("AUTHORIZATIONS").iter().map(Value::to_text).collect();
    is_asked_for.then(|| messages::Authorizations { label }.encode_to_vec())
}
