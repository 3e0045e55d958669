//! `security`: who may do what.

use super::selection;
use crate::arguments::{Arguments, Options};
use crate::command::{Group, command};
use crate::error::{Result, ShellError};
use crate::shell::Shell;
use crate::value::Value;
use fancy_regex::Regex;
use finback_client::messages::{self, permission, security_capabilities_response::Capability};
use finback_client::{Message, Put, StringBinary, TableName, TablePattern};

pub(super) const GROUP: Group = Group {
    name: "security",
    title: "Security",
    commands: &[
        command!(
            "list_security_capabilities",
            0..0,
            capabilities,
            "\
Lists what the cluster has of security.

  hbase> list_security_capabilities"
        ),
        command!(
            "grant",
            1..5,
            grant,
            "\
Gives a user permissions: R to read, W to write, X to execute, C to create, A to administer; everywhere, in a namespace (which
is written with @ before it), a table, a family, a column. A group is written with @ before it. With a hash of users and a
scan, it puts them on cells.

  hbase> grant 'bobsmith', 'RWXCA'
  hbase> grant '@admins', 'RWXCA'
  hbase> grant 'bobsmith', 'RWXCA', '@ns1'
  hbase> grant 'bobsmith', 'RW', 't1', 'f1', 'col1'
  hbase> grant 't1', { '@admins' => 'RW', 'bobsmith' => 'R' }, { COLUMNS => 'f1' }"
        ),
        command!(
            "revoke",
            1..4,
            revoke,
            "\
Takes a user's permissions: everywhere, in a namespace, a table, a family, a column.

  hbase> revoke 'bobsmith'
  hbase> revoke 'bobsmith', '@ns1'
  hbase> revoke 'bobsmith', 't1', 'f1', 'col1'"
        ),
        command!(
            "user_permission",
            0..1,
            user_permission,
            "\
Lists permissions: those for everything, or those in namespaces (with @ before it) or tables that a regular expression matches.

  hbase> user_permission
  hbase> user_permission '@ns.*'
  hbase> user_permission 'table.*'"
        ),
    ],
};

async fn capabilities(shell: &mut Shell, _: Arguments) -> Result<Value> {
    let answer = shell.admin().security_capabilities().await?;
    let names: Vec<&str> = answer.capabilities().map(|capability| capability.as_str_name()).collect();
    names.iter().try_for_each(|name| shell.out.line(name))?;
    Ok(Value::Array(names.iter().map(Value::text).collect()))
}

/// What the cluster has to have for these commands; `what` is how HBase's shell calls it.
pub(super) async fn must_have(shell: &Shell, capability: Capability, what: &str) -> Result<()> {
    let answer = shell.admin().security_capabilities().await?;
    match answer.capabilities().any(|one| one == capability) {
        true => Ok(()),
        false => Err(ShellError::argument(format!("DISABLED: {what} not available"))),
    }
}

async fn access_control(shell: &Shell) -> Result<()> {
    must_have(shell, Capability::Authorization, "Security features are").await
}

/// The actions of letters; HBase passes over those that it does not know.
fn actions(letters: &str) -> Vec<i32> {
    use permission::Action;
    let of = |letter: char| match letter {
        'R' => Some(Action::Read),
        'W' => Some(Action::Write),
        'X' => Some(Action::Exec),
        'C' => Some(Action::Create),
        'A' => Some(Action::Admin),
        _ => None,
    };
    let mut actions: Vec<i32> = letters.chars().filter_map(of).map(Into::into).collect();
    actions.sort_unstable();
    actions.dedup();
    actions
}

/// `actions=READ,WRITE`
fn shown_actions(actions: &[i32]) -> String {
    let name = |&action: &i32| permission::Action::try_from(action).map_or("NULL", |one| one.as_str_name());
    let names: Vec<&str> = actions.iter().map(name).collect();
    format!("[Permission: actions={}]", names.join(","))
}

fn globally(action: Vec<i32>) -> messages::Permission {
    messages::Permission {
        r#type: permission::Type::Global.into(),
        global_permission: Some(messages::GlobalPermission { action }),
        ..messages::Permission::default()
    }
}

/// Where permissions hold: everywhere, in a namespace, a table, a family, a column; checked to be there.
async fn place(shell: &Shell, arguments: &mut Arguments, action: Vec<i32>) -> Result<messages::Permission> {
    let Some(name) = arguments.optional_text() else { return Ok(globally(action)) };
    if let Some(namespace) = name.strip_prefix('@') {
        if !shell.admin().namespaces().await?.iter().any(|one| one.name == namespace) {
            return Err(ShellError::argument(format!("Can't find a namespace: {namespace}")));
        }
        let namespace_name = Some(namespace.to_owned().into());
        return Ok(messages::Permission {
            r#type: permission::Type::Namespace.into(),
            namespace_permission: Some(messages::NamespacePermission { namespace_name, action }),
            ..messages::Permission::default()
        });
    }
    let table = crate::arguments::table_name(name.as_bytes())?;
    if !shell.admin().table_exists(&table).await? {
        return Err(ShellError::argument(format!("Can't find a table: {name}")));
    }
    let (family, qualifier) = (arguments.optional_text(), arguments.optional_text());
    if let Some(family) = &family
        && shell.admin().descriptor(&table).await?.family(family.as_bytes()).is_none()
    {
        return Err(ShellError::argument(format!("Can't find a family: {family}")));
    }
    Ok(messages::Permission {
        r#type: permission::Type::Table.into(),
        table_permission: Some(messages::TablePermission {
            table_name: Some((&table).into()),
            family: family.map(Into::into),
            qualifier: qualifier.map(Into::into),
            action,
        }),
        ..messages::Permission::default()
    })
}

async fn grant(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let first = arguments.text();
    let letters = match arguments.next() {
        Value::Hash(users) => return grant_cells(shell, &first, users, arguments).await,
        Value::Str(letters) => String::from_utf8_lossy(&letters).into_owned(),
        _ => return Err(ShellError::argument("Second argument should be a String or Hash")),
    };
    access_control(shell).await?;
    if letters.is_empty() {
        return Err(ShellError::argument("Invalid permission: no actions associated with user"));
    }
    let permission = place(shell, &mut arguments, actions(&letters)).await?;
    shell.admin().grant(messages::UserPermission { user: first.into(), permission }, true).await?;
    Ok(Value::Nil)
}

/// Writes the cells that a scan finds once more, with permissions on them.
async fn grant_cells(
    shell: &mut Shell,
    table: &str,
    users: Vec<(Value, Value)>,
    mut arguments: Arguments,
) -> Result<Value> {
    let Value::Hash(scan) = arguments.next() else {
        return Err(ShellError::argument("Scanner specification is not a Hash"));
    };
    let user = |(user, letters): (Value, Value)| messages::users_and_permissions::UserPermissions {
        user: user.to_bytes().into(),
        permissions: vec![globally(actions(&letters.to_text()))],
    };
    let permissions =
        messages::UsersAndPermissions { user_permissions: users.into_iter().map(user).collect() };
    let name = crate::arguments::table_name(table.as_bytes())?;
    let attribute = ("acl", permissions.encode_to_vec());
    let rows = rewritten(shell, &name, Options::of(Value::Hash(scan))?, attribute).await?;
    shell.out.footer(Some(rows), false)?;
    Ok(Value::Nil)
}

/// Writes each cell that a scan finds once more, with an attribute; gives back how many rows there were.
pub(super) async fn rewritten(
    shell: &Shell,
    name: &TableName,
    mut options: Options,
    (attribute, value): (&str, Vec<u8>),
) -> Result<usize> {
    let table = shell.table(name)?;
    let mut format = selection::cell_format(shell, name, &mut options)?;
    let mut rows = table.scan(selection::scan(&mut options, &mut format)?)?;
    let mut count = 0;
    while let Some(row) = rows.next().await? {
        for cell in &row {
            let put = Put::new(row.key()).timestamp(cell.timestamp());
            let put = put.column(cell.family(), cell.qualifier(), cell.value());
            table.put(put.attribute(attribute, value.clone())).await?;
        }
        count += 1;
    }
    Ok(count)
}

async fn revoke(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    access_control(shell).await?;
    let user = arguments.text();
    let permission = place(shell, &mut arguments, Vec::new()).await?;
    shell.admin().revoke(messages::UserPermission { user: user.into(), permission }).await?;
    Ok(Value::Nil)
}

async fn user_permission(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    shell.out.header(&["User", "Namespace,Table,Family,Qualifier:Permission"])?;
    access_control(shell).await?;
    let regex = arguments.optional_text().filter(|regex| !regex.is_empty());
    let mut found = Vec::new();
    for question in questions(shell, regex.as_deref()).await? {
        found.extend(shell.admin().user_permissions(&question).await?);
    }
    for one in &found {
        let permission = shown(&one.permission, regex.is_some());
        shell.out.row(&[&String::from_utf8_lossy(&one.user), &permission])?;
    }
    shell.out.footer(Some(found.len()), false)?;
    Ok(Value::Nil)
}

/// What to ask for: each namespace, or each table, that the expression matches.
async fn questions(shell: &Shell, regex: Option<&str>) -> Result<Vec<messages::GetUserPermissionsRequest>> {
    let question = |kind: permission::Type| messages::GetUserPermissionsRequest {
        r#type: Some(kind.into()),
        ..messages::GetUserPermissionsRequest::default()
    };
    let Some(regex) = regex else { return Ok(vec![question(permission::Type::Global)]) };
    if let Some(regex) = regex.strip_prefix('@') {
        let regex = Regex::new(&format!("^(?:{regex})$"))
            .map_err(|error| ShellError::argument(format!("{regex}: {error}")))?;
        let mut names: Vec<_> = shell.admin().namespaces().await?.into_iter().map(|one| one.name).collect();
        names.retain(|name| regex.is_match(name).unwrap_or(false));
        let of = |name: String| messages::GetUserPermissionsRequest {
            namespace_name: Some(name.into()),
            ..question(permission::Type::Namespace)
        };
        return Ok(names.into_iter().map(of).collect());
    }
    let tables = shell.admin().table_names(&TablePattern::matching(regex).with_system_tables()).await?;
    let of = |table: &TableName| messages::GetUserPermissionsRequest {
        table_name: Some(table.into()),
        ..question(permission::Type::Table)
    };
    Ok(tables.iter().map(of).collect())
}

/// `namespace,table,family,qualifier: [Permission: actions=…]`
fn shown(permission: &messages::Permission, with_place: bool) -> String {
    let text = |bytes: &Option<finback_client::Bytes>| {
        bytes.as_ref().map(|bytes| StringBinary(bytes).to_string()).unwrap_or_default()
    };
    if let Some(of_table) = &permission.table_permission {
        let table = of_table.table_name.as_ref().and_then(|name| TableName::try_from(name).ok());
        let (namespace, table) =
            table.map(|table| (table.namespace().to_owned(), table.to_string())).unwrap_or_default();
        let (family, qualifier) = (text(&of_table.family), text(&of_table.qualifier));
        let place =
            if with_place { format!("{namespace},{table},{family},{qualifier}") } else { ",,,".into() };
        return format!("{place}: {}", shown_actions(&of_table.action));
    }
    if let Some(of_namespace) = &permission.namespace_permission {
        let namespace = if with_place { text(&of_namespace.namespace_name) } else { String::new() };
        return format!("{namespace},,,: {}", shown_actions(&of_namespace.action));
    }
    let global = permission.global_permission.as_ref();
    format!(",,,: {}", shown_actions(global.map(|global| &global.action[..]).unwrap_or_default()))
}
