//! `configuration`

use super::rsgroup;
use super::tools::live_servers_named;
use crate::arguments::Arguments;
use crate::command::{Group, command};
use crate::error::Result;
use crate::shell::Shell;
use crate::value::Value;
use finback_client::ServerName;

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
        command!(
            "update_rsgroup_config",
            1..1,
            of_group,
            "\
Has all servers of a group read their configuration again.

  hbase> update_rsgroup_config 'my_group'"
        ),
    ],
};

async fn one(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    for server in live_servers_named(shell, &arguments.flat()).await? {
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

async fn of_group(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let (admin, group) = (shell.admin(), rsgroup::group(shell, &arguments.text()).await?);
    let is_member = |server: &ServerName| {
        group.servers.iter().any(|one| one.host_name == server.host && one.port() == u32::from(server.port))
    };
    for server in admin.region_servers().await?.into_iter().filter(is_member) {
        admin.update_configuration(&server).await?;
    }
    Ok(Value::Nil)
}
