//! `namespace`

use super::ddl;
use super::quotas::{self, QuotaFilter};
use crate::arguments::Arguments;
use crate::command::{Group, command};
use crate::error::{Result, ShellError};
use crate::shell::Shell;
use crate::value::Value;
use fancy_regex::Regex;
use finback_client::NamespaceDescriptor;

pub(super) const GROUP: Group = Group {
    name: "namespace",
    title: "Namespaces",
    commands: &[
        command!(
            "create_namespace",
            1..,
            create,
            "\
Creates a namespace, with settings if there are any.

  hbase> create_namespace 'ns1'
  hbase> create_namespace 'ns1', {'PROPERTY_NAME' => 'PROPERTY_VALUE'}"
        ),
        command!(
            "drop_namespace",
            1..1,
            drop,
            "\
Drops a namespace, which must have no tables.

  hbase> drop_namespace 'ns1'"
        ),
        command!(
            "alter_namespace",
            2..,
            alter,
            "\
Sets or removes settings of a namespace.

  hbase> alter_namespace 'ns1', {METHOD => 'set', 'PROPERTY_NAME' => 'PROPERTY_VALUE'}
  hbase> alter_namespace 'ns1', {METHOD => 'unset', NAME => 'PROPERTY_NAME'}"
        ),
        command!(
            "describe_namespace",
            1..1,
            describe,
            "\
Shows a namespace with its settings.

  hbase> describe_namespace 'ns1'"
        ),
        command!(
            "list_namespace",
            0..1,
            list,
            "\
Lists the namespaces, or those that a regular expression matches.

  hbase> list_namespace
  hbase> list_namespace 'abc.*'"
        ),
        command!(
            "list_namespace_tables",
            1..1,
            tables,
            "\
Lists the tables of a namespace.

  hbase> list_namespace_tables 'ns1'"
        ),
    ],
};

async fn create(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let mut namespace = NamespaceDescriptor::new(arguments.text());
    for hash in arguments.flat() {
        for (key, value) in hash_of(hash)? {
            set(&mut namespace, key, value.to_text());
        }
    }
    shell.admin().create_namespace(&namespace).await?;
    Ok(Value::Nil)
}

fn hash_of(value: Value) -> Result<Vec<(String, Value)>> {
    match value {
        Value::Hash(pairs) => Ok(pairs.into_iter().map(|(key, value)| (key.to_text(), value)).collect()),
        other => Err(ShellError::argument(format!("{} of {other} is not of Hash type", other.class()))),
    }
}

fn set(namespace: &mut NamespaceDescriptor, key: String, value: String) {
    namespace.configuration.retain(|(known, _)| *known != key);
    namespace.configuration.push((key, value));
}

async fn drop(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    shell.admin().delete_namespace(&arguments.text()).await?;
    Ok(Value::Nil)
}

async fn alter(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let mut namespace = shell.admin().namespace(&arguments.text()).await?;
    for hash in arguments.flat() {
        let mut entries = hash_of(hash)?;
        let at = entries.iter().position(|(key, _)| key == "METHOD");
        let method = at.map(|at| entries.remove(at).1.to_text()).unwrap_or_default();
        match method.as_str() {
            "set" => entries.into_iter().for_each(|(key, value)| set(&mut namespace, key, value.to_text())),
            "unset" => {
                let name = entries.iter().find(|(key, _)| key == "NAME").map(|(_, value)| value.to_text());
                let name =
                    name.ok_or_else(|| ShellError::argument("NAME parameter missing for unset method"))?;
                namespace.configuration.retain(|(known, _)| *known != name);
            }
            other => {
                return Err(ShellError::argument(format!(
                    "Unknown METHOD '{other}': it is 'set' or 'unset'"
                )));
            }
        }
    }
    shell.admin().modify_namespace(&namespace).await?;
    Ok(Value::Nil)
}

async fn describe(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let namespace = shell.admin().namespace(&arguments.text()).await?;
    let mut settings = namespace.configuration;
    settings.sort();
    let settings: String = settings.iter().map(|(key, value)| format!(", {key} => '{value}'")).collect();
    shell.out.header(&["DESCRIPTION"])?;
    shell.out.row(&[&format!("{{NAME => '{}'{settings}}}", namespace.name)])?;
    match quotas::table_exists(shell).await? {
        true => ddl::listed_quotas(shell, &QuotaFilter::of_namespace(&namespace.name)?).await?,
        false => shell.out.line("Quota is disabled")?,
    }
    Ok(Value::Nil)
}

async fn list(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let regex = arguments.optional_text().unwrap_or_else(|| ".*".to_owned());
    let regex = Regex::new(&regex).map_err(|error| ShellError::argument(format!("{regex}: {error}")))?;
    let mut names: Vec<_> = shell.admin().namespaces().await?.into_iter().map(|one| one.name).collect();
    names.retain(|name| regex.is_match(name).unwrap_or(false));
    names.sort();
    shell.out.header(&["NAMESPACE"])?;
    listed(shell, &names)?;
    Ok(Value::Nil)
}

async fn tables(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    shell.out.header(&["TABLE"])?;
    let tables = shell.admin().tables_of_namespace(&arguments.text()).await?;
    let names: Vec<_> = tables.iter().map(|table| table.qualifier().to_owned()).collect();
    listed(shell, &names)?;
    Ok(Value::Array(names.iter().map(Value::text).collect()))
}

fn listed(shell: &mut Shell, names: &[String]) -> Result<()> {
    names.iter().try_for_each(|name| shell.out.row(&[name]))?;
    Ok(shell.out.footer(Some(names.len()), false)?)
}
