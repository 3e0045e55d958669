//! Groups of region servers: the service of a master that has them.

use super::Admin;
use crate::coprocessor::ServiceMethod;
use crate::error::Result;
use finback_cell::TableName;
use finback_proto::{Message, pb};

const SERVICE: &str = "RSGroupAdminService";

/// A group: its servers (without start codes), its tables, its configuration.
pub use pb::RsGroupInfo as RsGroup;

/// A server of any start code.
fn server((host, port): &(String, u16)) -> pb::ServerName {
    pb::ServerName { host_name: host.clone(), port: Some((*port).into()), start_code: None }
}

fn tables(tables: &[TableName]) -> Vec<pb::TableName> {
    tables.iter().map(Into::into).collect()
}

impl Admin {
    /// All groups.
    ///
    /// # Errors
    /// As of all operations; `UnknownProtocolException` where there are no groups, as for all that follow.
    pub async fn rsgroups(&self) -> Result<Vec<RsGroup>> {
        let question = pb::ListRsGroupInfosRequest {};
        let answer: pb::ListRsGroupInfosResponse = self.ask_rsgroups("ListRSGroupInfos", &question).await?;
        Ok(answer.r_s_group_info)
    }

    /// A group, if there is one of this name.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn rsgroup(&self, name: &str) -> Result<Option<RsGroup>> {
        let question = pb::GetRsGroupInfoRequest { r_s_group_name: name.to_owned() };
        let answer: pb::GetRsGroupInfoResponse = self.ask_rsgroups("GetRSGroupInfo", &question).await?;
        Ok(answer.r_s_group_info)
    }

    /// The group of a server, by its host and port.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn rsgroup_of_server(&self, address: &(String, u16)) -> Result<Option<RsGroup>> {
        let question = pb::GetRsGroupInfoOfServerRequest { server: server(address) };
        let answer: pb::GetRsGroupInfoOfServerResponse =
            self.ask_rsgroups("GetRSGroupInfoOfServer", &question).await?;
        Ok(answer.r_s_group_info)
    }

    /// The group of a table.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn rsgroup_of_table(&self, table: &TableName) -> Result<Option<RsGroup>> {
        let question = pb::GetRsGroupInfoOfTableRequest { table_name: table.into() };
        let answer: pb::GetRsGroupInfoOfTableResponse =
            self.ask_rsgroups("GetRSGroupInfoOfTable", &question).await?;
        Ok(answer.r_s_group_info)
    }

    /// Makes a group.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn add_rsgroup(&self, name: &str) -> Result<()> {
        let question = pb::AddRsGroupRequest { r_s_group_name: name.to_owned() };
        let _: pb::AddRsGroupResponse = self.ask_rsgroups("AddRSGroup", &question).await?;
        Ok(())
    }

    /// Removes a group that has neither servers nor tables.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn remove_rsgroup(&self, name: &str) -> Result<()> {
        let question = pb::RemoveRsGroupRequest { r_s_group_name: name.to_owned() };
        let _: pb::RemoveRsGroupResponse = self.ask_rsgroups("RemoveRSGroup", &question).await?;
        Ok(())
    }

    /// Gives a group another name.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn rename_rsgroup(&self, old: &str, new: &str) -> Result<()> {
        let question =
            pb::RenameRsGroupRequest { old_rsgroup_name: old.to_owned(), new_rsgroup_name: new.to_owned() };
        let _: pb::RenameRsGroupResponse = self.ask_rsgroups("RenameRSGroup", &question).await?;
        Ok(())
    }

    /// Moves regions to balance the servers of a group; whether that was done.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn balance_rsgroup(&self, name: &str) -> Result<bool> {
        let question =
            pb::BalanceRsGroupRequest { r_s_group_name: name.to_owned(), ignore_rit: None, dry_run: None };
        let answer: pb::BalanceRsGroupResponse = self.ask_rsgroups("BalanceRSGroup", &question).await?;
        Ok(answer.balance_ran)
    }

    /// Moves servers, by host and port, and tables into a group.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn move_to_rsgroup(
        &self,
        name: &str,
        servers: &[(String, u16)],
        to_move: &[TableName],
    ) -> Result<()> {
        let (target_group, servers) = (name.to_owned(), servers.iter().map(server).collect::<Vec<_>>());
        let table_name = tables(to_move);
        match (servers.is_empty(), table_name.is_empty()) {
            (_, true) => {
                let question = pb::MoveServersRequest { target_group, servers };
                let _: pb::MoveServersResponse = self.ask_rsgroups("MoveServers", &question).await?;
            }
            (true, false) => {
                let question = pb::MoveTablesRequest { target_group, table_name };
                let _: pb::MoveTablesResponse = self.ask_rsgroups("MoveTables", &question).await?;
            }
            (false, false) => {
                let question = pb::MoveServersAndTablesRequest { target_group, servers, table_name };
                let _: pb::MoveServersAndTablesResponse =
                    self.ask_rsgroups("MoveServersAndTables", &question).await?;
            }
        }
        Ok(())
    }

    /// Has groups forget servers that are decommissioned or gone.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn remove_servers_of_rsgroups(&self, servers: &[(String, u16)]) -> Result<()> {
        let question = pb::RemoveServersRequest { servers: servers.iter().map(server).collect() };
        let _: pb::RemoveServersResponse = self.ask_rsgroups("RemoveServers", &question).await?;
        Ok(())
    }

    /// Gives a group this configuration, instead of that which it had.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn configure_rsgroup(&self, name: &str, configuration: Vec<pb::NameStringPair>) -> Result<()> {
        let question = pb::UpdateRsGroupConfigRequest { group_name: name.to_owned(), configuration };
        let _: pb::UpdateRsGroupConfigResponse = self.ask_rsgroups("UpdateRSGroupConfig", &question).await?;
        Ok(())
    }

    async fn ask_rsgroups<Q: Message, A: Message + Default>(
        &self,
        method: &'static str,
        question: &Q,
    ) -> Result<A> {
        self.call_master_service(ServiceMethod { service: SERVICE, method }, question).await
    }
}
