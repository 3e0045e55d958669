//! The operations of administrators.

mod balancer_log;
mod cluster;
mod entity_lock;
mod files;
mod labels;
mod meta_contents;
mod namespaces;
mod permissions;
mod procedures;
mod quotas;
mod regions;
mod replication;
mod rsgroups;
mod slow_log;
mod snapshots;
mod switches;
mod tables;

use crate::connection::IntoTableName;
use crate::error::{Attempt, Error, Result};
use crate::failure;
use crate::servers::ServiceName;
use crate::shared::Shared;
use crate::table::Table;
use bytes::Bytes;
pub use cluster::StatusOption;
pub use entity_lock::{EntityLock, LockKind};
pub use files::CompactionState;
use finback_cell::{ServerName, TableName};
use finback_proto::footprint::Measured;
use finback_proto::{Message, ProtoError};
use finback_rpc::{ChannelExt, Request, RpcException};
pub use meta_contents::MetaContents;
pub use namespaces::NamespaceDescriptor;
use procedures::Nonces;
pub use quotas::StoredQuotas;
pub use replication::{PeerConfig, PeerDescription};
pub use rsgroups::RsGroup;
pub use slow_log::SlowLogFilter;
pub use snapshots::{SnapshotRequest, SnapshotType};
use std::sync::Arc;
use std::time::Duration;
pub use switches::{BalanceResult, NormalizedTables, RegionSwitch};
pub use tables::{TablePattern, TableState};

/// HBase's priority of administrators' calls.
const ADMIN_PRIORITY: u32 = 100;

/// The operations of administrators: cheap to clone.
///
/// What a master carries out as a procedure (tables, regions, namespaces, snapshots) is waited for: when the method gives
/// back, it is done.
///
/// ```no_run
/// # use finback_client::{ColumnFamilyDescriptor, Connection, TableDescriptor, TableName};
/// # async fn example(connection: Connection) -> Result<(), Box<dyn std::error::Error>> {
/// let admin = connection.admin();
/// let mut flowers = TableDescriptor::new(TableName::parse(b"flowers")?);
/// flowers.families.push(ColumnFamilyDescriptor::with_defaults(b"f").with("VERSIONS", "3"));
/// admin.create_table(&flowers, ["h", "p"]).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Admin {
    shared: Arc<Shared>,
    timeout: Duration,
}

impl Admin {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { timeout: shared.config.operation_timeout, shared }
    }

    /// The same, with another time for operations with all their tries and all their waiting.
    #[must_use]
    pub fn with_operation_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Calls the active master, until it answers: for calls of HBase's that have no method here.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn ask_master<Q: Message, A: Measured>(&self, method: &'static str, question: &Q) -> Result<A> {
        self.ask_master_service(ServiceName::Master, method, question).await
    }

    pub(crate) async fn ask_master_service<Q: Message, A: Measured>(
        &self,
        service: ServiceName,
        method: &'static str,
        question: &Q,
    ) -> Result<A> {
        let mut retrying = self.shared.retrying(method, self.timeout);
        loop {
            let timeout = retrying.call_timeout(self.shared.config.rpc_timeout);
            let failed = match retrying.within(self.try_master(service, method, question, timeout)).await? {
                Ok(answer) => return Ok(answer),
                Err(failed) => failed,
            };
            if !failed.exception.do_not_retry {
                *self.shared.master.lock() = None;
            }
            retrying.failed(failed).await?;
        }
    }

    async fn try_master<Q: Message, A: Measured>(
        &self,
        service: ServiceName,
        method: &'static str,
        question: &Q,
        timeout: Duration,
    ) -> Result<A, Attempt> {
        let known = self.shared.master.lock().clone();
        let master = match known {
            Some(master) => master,
            None => self.find_master().await?,
        };
        let answer = self.call(&master.address(), service, method, question, timeout).await;
        answer.map_err(|exception| attempt(method, Some(&master), exception))
    }

    async fn find_master(&self) -> Result<ServerName, Attempt> {
        let found = self.shared.registry.active_master().await;
        let master = found.map_err(|exception| attempt("find the active master", None, exception))?;
        *self.shared.master.lock() = Some(master.clone());
        Ok(master)
    }

    /// Calls a region server, until it answers: for calls of HBase's that have no method here.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn ask_server<Q: Message, A: Measured>(
        &self,
        server: &ServerName,
        method: &'static str,
        question: &Q,
    ) -> Result<A> {
        self.ask_server_service(ServiceName::Admin, server, method, question).await
    }

    pub(crate) async fn ask_server_service<Q: Message, A: Measured>(
        &self,
        service: ServiceName,
        server: &ServerName,
        method: &'static str,
        question: &Q,
    ) -> Result<A> {
        let mut retrying = self.shared.retrying(method, self.timeout);
        loop {
            let timeout = retrying.call_timeout(self.shared.config.rpc_timeout);
            let asking = async {
                let answer = self.call(&server.address(), service, method, question, timeout).await;
                answer.map_err(|exception| attempt(method, Some(server), exception))
            };
            match retrying.within(asking).await? {
                Ok(answer) => return Ok(answer),
                // The region is elsewhere: this server will say nothing else.
                Err(failed) if failure::is_not_serving(&failed.exception) => {
                    return Err(Error::Refused(Box::new(failed)));
                }
                Err(failed) => retrying.failed(failed).await?,
            }
        }
    }

    async fn call<Q: Message, A: Measured>(
        &self,
        address: &str,
        service: ServiceName,
        method: &'static str,
        question: &Q,
        timeout: Duration,
    ) -> Result<A, RpcException> {
        let channel = self.shared.servers.channel(address, service).await?;
        let timeout = Some(timeout);
        let call = Request { method, priority: ADMIN_PRIORITY, timeout, ..Request::default() };
        let (answer, _): (A, Bytes) = channel.call_measured(call, question).await?;
        Ok(answer)
    }

    fn table(&self, name: &TableName) -> Table {
        Table::new(Arc::clone(&self.shared), name).with_operation_timeout(self.timeout)
    }
}

fn attempt(method: &'static str, server: Option<&ServerName>, exception: RpcException) -> Attempt {
    Attempt { method, server: server.map(ServerName::address), region: None, number: 1, exception }
}

fn named(table: impl IntoTableName) -> Result<TableName> {
    table.into_table_name().map_err(|error| Error::Argument(error.to_string()))
}

fn malformed(method: &'static str) -> impl Fn(ProtoError) -> Error {
    move |error| Error::Malformed { method, reason: error.to_string() }
}
