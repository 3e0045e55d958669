//! `configuration`

use super::tools::servers_named;
use crate::arguments::Arguments;
use crate::command::{Group, command};
use crate::error::Result;
use crate::shell::Shell;
use crate::value::Value;

pub(super) const GROUP: Group = Group {
    name: "configuration",
    title: "Configuration of servers that run",
    commands: &[
        command!(
            "update_config",
            1..1,
            one,
            "\
Has a server read its configuration again.

  hbase> update_config 'host187.example.com,60020,1289493121758'"
        ),
        command!(
            "update_all_config",
            0..0,
            all,
            "\
Has all servers read their configuration again.

  hbase> update_all_config"
        ),
    ],
};

async fn one(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    for server in servers_named(shell, &arguments.flat()).await? {
        shell.admin().update_configuration(&server).await?;
    }
    Ok(Value::Nil)
}

async fn all(shell: &mut Shell, _: Arguments) -> Result<Value> {
    let admin = shell.admin();
    for server in admin.region_servers().await? {
        admin.update_configuration(&server).await?;
    }
    Ok(Value::Nil)
}
