//! One connection to each service of each server.

use crate::config::ClientConfig;
use finback_rpc::{ConnectOptions, RpcException, SocketChannel, SocketLimits};
use parking_lot::{Mutex, RwLock};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Class of what is said of a server that was out of reach a moment ago.
const FAILED_SERVER: &str = "org.apache.hadoop.hbase.ipc.FailedServerException";
const CONNECT: &str = "java.net.ConnectException";

/// A service of HBase's servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServiceName {
    Client,
    Admin,
    Master,
    ClientMeta,
    Lock,
    Hbck,
}

impl ServiceName {
    const COUNT: usize = 6;

    fn name(self) -> &'static str {
        match self {
            Self::Client => "ClientService",
            Self::Admin => "AdminService",
            Self::Master => "MasterService",
            Self::ClientMeta => "ClientMetaService",
            Self::Lock => "LockService",
            Self::Hbck => "HbckService",
        }
    }
}

/// The connections of a client.
pub(crate) struct Servers {
    user: String,
    limits: SocketLimits,
    failed_expiry: Duration,
    /// Of each service, by `host:port`: as many as there are servers.
    slots: [RwLock<HashMap<String, Arc<Slot>>>; ServiceName::COUNT],
}

#[derive(Default)]
struct Slot {
    channel: Mutex<Option<Arc<SocketChannel>>>,
    /// Held while connecting: one at a time. Inside: when it failed last, and why.
    connecting: tokio::sync::Mutex<Option<(Instant, String)>>,
}

impl Servers {
    pub(crate) fn new(config: &ClientConfig) -> Self {
        let limits = SocketLimits {
            connect_timeout: config.connect_timeout,
            silence: config.read_timeout,
            write_stall: config.write_timeout,
            idle: Some(config.idle_timeout),
            max_in_flight: config.max_in_flight,
            cell_tags: config.cell_tags,
            ..SocketLimits::default()
        };
        Self {
            user: config.user.clone(),
            limits,
            failed_expiry: config.failed_server_expiry,
            slots: Default::default(),
        }
    }

    /// The connection to a service of the server at `address` (`host:port`), if there is one.
    pub(crate) fn live(&self, address: &str, service: ServiceName) -> Option<Arc<SocketChannel>> {
        self.slots[service as usize].read().get(address)?.live()
    }

    /// The connection to a service of the server at `address` (`host:port`), made if there is none.
    ///
    /// # Errors
    /// A retriable exception if the server is out of reach, at once if it was a moment ago.
    pub(crate) async fn channel(
        &self,
        address: &str,
        service: ServiceName,
    ) -> Result<Arc<SocketChannel>, RpcException> {
        let slot = self.slot(address, service);
        if let Some(channel) = slot.live() {
            return Ok(channel);
        }
        let mut failed = slot.connecting.lock().await;
        // Another caller may have connected meanwhile.
        if let Some(channel) = slot.live() {
            return Ok(channel);
        }
        if let Some((at, reason)) = &*failed
            && at.elapsed() < self.failed_expiry
        {
            let message = format!("This server is in the failed servers list: {address} ({reason})");
            return Err(RpcException::retriable(FAILED_SERVER, message));
        }
        match self.connect(address, service).await {
            Ok(channel) => {
                let channel = Arc::new(channel);
                *slot.channel.lock() = Some(Arc::clone(&channel));
                *failed = None;
                Ok(channel)
            }
            Err(error) => {
                let reason = error.to_string();
                *failed = Some((Instant::now(), reason.clone()));
                Err(RpcException::retriable(
                    CONNECT,
                    format!("Call to address={address} failed on connection: {reason}"),
                ))
            }
        }
    }

    fn slot(&self, address: &str, service: ServiceName) -> Arc<Slot> {
        let slots = &self.slots[service as usize];
        if let Some(slot) = slots.read().get(address) {
            return Arc::clone(slot);
        }
        Arc::clone(slots.write().entry(address.to_owned()).or_default())
    }

    async fn connect(&self, address: &str, service: ServiceName) -> std::io::Result<SocketChannel> {
        let options = ConnectOptions { service: service.name().to_owned(), user: self.user.clone() };
        let mut last = None;
        for address in tokio::net::lookup_host(address).await? {
            match SocketChannel::connect_within(address, &options, self.limits.clone()).await {
                Ok(channel) => return Ok(channel),
                Err(error) => last = Some(error),
            }
        }
        Err(last.unwrap_or_else(|| std::io::Error::other("the name has no address")))
    }
}

impl Slot {
    fn live(&self) -> Option<Arc<SocketChannel>> {
        let mut channel = self.channel.lock();
        match &*channel {
            Some(live) if !live.is_closed() => Some(Arc::clone(live)),
            _ => {
                *channel = None;
                None
            }
        }
    }
}
