//! Groups of which there is nothing (or little) here: what is not there, and why.

use crate::arguments::Arguments;
use crate::command::{Group, command, not_there};
use crate::error::Result;
use crate::shell::Shell;
use crate::value::Value;

macro_rules! none_of {
    ($const:ident, $name:literal, $title:literal, $reason:expr, [$($command:literal),* $(,)?]) => {
        pub(super) const $const: Group =
            Group { name: $name, title: $title, commands: &[$(not_there!($command, $reason)),*] };
    };
}

none_of!(
    REPLICATION,
    "replication",
    "Replication",
    "this shell does not manage replication, and Finback has none; for Apache HBase use HBase's own shell",
    [
        "add_peer",
        "remove_peer",
        "list_peers",
        "enable_peer",
        "disable_peer",
        "set_peer_replicate_all",
        "set_peer_serial",
        "set_peer_namespaces",
        "append_peer_namespaces",
        "remove_peer_namespaces",
        "set_peer_exclude_namespaces",
        "append_peer_exclude_namespaces",
        "remove_peer_exclude_namespaces",
        "show_peer_tableCFs",
        "set_peer_tableCFs",
        "set_peer_exclude_tableCFs",
        "append_peer_exclude_tableCFs",
        "remove_peer_exclude_tableCFs",
        "set_peer_bandwidth",
        "list_replicated_tables",
        "append_peer_tableCFs",
        "remove_peer_tableCFs",
        "enable_table_replication",
        "disable_table_replication",
        "get_peer_config",
        "list_peer_configs",
        "update_peer_config",
    ]
);

none_of!(
    LABELS,
    "visibility labels",
    "Visibility labels",
    "this shell does not manage visibility labels, and Finback has none; for Apache HBase use HBase's own shell",
    ["add_labels", "list_labels", "set_auths", "get_auths", "clear_auths", "set_visibility",]
);

none_of!(
    RSGROUP,
    "rsgroup",
    "Groups of region servers",
    "this shell does not manage groups of region servers, and Finback has none; for Apache HBase use HBase's own shell",
    [
        "list_rsgroups",
        "get_rsgroup",
        "add_rsgroup",
        "remove_rsgroup",
        "balance_rsgroup",
        "move_servers_rsgroup",
        "move_tables_rsgroup",
        "move_namespaces_rsgroup",
        "move_servers_tables_rsgroup",
        "move_servers_namespaces_rsgroup",
        "get_server_rsgroup",
        "get_table_rsgroup",
        "remove_servers_rsgroup",
        "rename_rsgroup",
        "alter_rsgroup_config",
        "show_rsgroup_config",
        "get_namespace_rsgroup",
    ]
);

const NO_QUOTAS: &str =
    "this shell does not manage quotas yet; Admin::set_quota of finback-client and HBase's own shell do";
const NO_ACLS: &str =
    "this shell does not manage permissions, and Finback has none; for Apache HBase use HBase's own shell";

pub(super) const QUOTAS: Group = Group {
    name: "quotas",
    title: "Quotas",
    commands: &[
        not_there!("set_quota", NO_QUOTAS),
        not_there!("list_quotas", NO_QUOTAS),
        command!(
            "list_quota_table_sizes",
            0..0,
            sizes,
            "\
Lists how much space tables take, as far as quotas are kept of it.

  hbase> list_quota_table_sizes"
        ),
        not_there!("list_quota_snapshots", NO_QUOTAS),
        not_there!("list_snapshot_sizes", NO_QUOTAS),
        command!(
            "enable_rpc_throttle",
            0..0,
            throttle,
            "\
Has servers enforce quotas of requests. Shows what was before.

  hbase> enable_rpc_throttle"
        ),
        command!(
            "disable_rpc_throttle",
            0..0,
            do_not_throttle,
            "\
Has servers not enforce quotas of requests. Shows what was before.

  hbase> disable_rpc_throttle"
        ),
        not_there!("enable_exceed_throttle_quota", NO_QUOTAS),
        not_there!("disable_exceed_throttle_quota", NO_QUOTAS),
    ],
};

pub(super) const SECURITY: Group = Group {
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
        not_there!("grant", NO_ACLS),
        not_there!("revoke", NO_ACLS),
        not_there!("user_permission", NO_ACLS),
    ],
};

async fn sizes(shell: &mut Shell, _: Arguments) -> Result<Value> {
    let sizes = shell.admin().space_quota_sizes().await?;
    shell.out.header(&["TABLE", "SIZE"])?;
    for one in &sizes {
        let name = one.table_name.as_ref().map(finback_client::TableName::try_from);
        let name = name.and_then(std::result::Result::ok).map_or_else(String::new, |name| name.to_string());
        shell.out.row(&[&name, &one.size().to_string()])?;
    }
    shell.out.footer(Some(sizes.len()), false)?;
    Ok(Value::Nil)
}

async fn throttle(shell: &mut Shell, _: Arguments) -> Result<Value> {
    set_throttle(shell, true).await
}

async fn do_not_throttle(shell: &mut Shell, _: Arguments) -> Result<Value> {
    set_throttle(shell, false).await
}

async fn set_throttle(shell: &mut Shell, enabled: bool) -> Result<Value> {
    let before = shell.admin().set_rpc_throttle(enabled).await?;
    shell.out.row(&[&format!("Previous rpc throttle state : {before}")])?;
    Ok(Value::Bool(before))
}

async fn capabilities(shell: &mut Shell, _: Arguments) -> Result<Value> {
    let answer = shell.admin().security_capabilities().await?;
    for capability in answer.capabilities() {
        shell.out.line(capability.as_str_name())?;
    }
    Ok(Value::Nil)
}
