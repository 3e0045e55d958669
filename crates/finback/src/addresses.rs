//! Where a server listens, and the file that says so.

use std::io::Write;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::Path;

use finback_cell::ServerName;
use tokio::net::TcpListener;

use crate::config::ServerConfig;
use crate::info_ports::{MASTER_INFO_PORT, REGIONSERVER_INFO_PORT};
use crate::server::Failure;

/// Name of the file in the data directory that says on which ports a running server listens.
pub(crate) const PORTS_FILE: &str = "ports";

/// Sockets that are bound, and the names that clients are told.
pub(crate) struct Addresses {
    pub(crate) zookeeper: TcpListener,
    pub(crate) master: TcpListener,
    pub(crate) regionserver: TcpListener,
    pub(crate) master_name: ServerName,
    pub(crate) regionserver_name: ServerName,
}

impl Addresses {
    pub(crate) fn bind(config: &ServerConfig, start_code: u64) -> Result<Self, Failure> {
        let zookeeper =
            listen("ZooKeeper responder", &config.address, config.zookeeper_port, "listen.zookeeper-port")?;
        let master = listen("master", &config.address, config.master_port, "listen.master-port")?;
        let regionserver =
            listen("region server", &config.address, config.regionserver_port, "listen.regionserver-port")?;
        Ok(Self {
            master_name: ServerName { host: config.host_name(), port: port(&master)?, start_code },
            regionserver_name: ServerName {
                host: config.host_name(),
                port: port(&regionserver)?,
                start_code,
            },
            zookeeper,
            master,
            regionserver,
        })
    }

    /// The lines of the ports file.
    pub(crate) fn ports(&self) -> Result<String, Failure> {
        let (zookeeper, master, regionserver) =
            (port(&self.zookeeper)?, port(&self.master)?, port(&self.regionserver)?);
        Ok(format!(
            "{ZOOKEEPER_PORT}={zookeeper}\n{MASTER_PORT}={master}\n{REGIONSERVER_PORT}={regionserver}\n"
        ))
    }
}

/// The lines of the info ports, of those that there are.
pub(crate) fn info_port_lines(config: &ServerConfig) -> String {
    let ports = [
        (MASTER_INFO_PORT, config.master_info_port),
        (REGIONSERVER_INFO_PORT, config.regionserver_info_port),
    ];
    ports.into_iter().filter_map(|(name, port)| Some(format!("{name}={}\n", port?))).collect()
}

/// Names in the ports file.
const ZOOKEEPER_PORT: &str = "hbase.zookeeper.property.clientPort";
const MASTER_PORT: &str = "hbase.master.port";
const REGIONSERVER_PORT: &str = "hbase.regionserver.port";

fn listen(what: &str, host: &str, port: u16, setting: &str) -> Result<TcpListener, Failure> {
    let cannot = |error: std::io::Error| {
        let advice = match error.kind() {
            std::io::ErrorKind::AddrInUse => {
                format!(" (another server? choose another with -D {setting}=PORT)")
            }
            _ => String::new(),
        };
        format!("cannot listen on {host}:{port} for the {what}: {error}{advice}")
    };
    let address: SocketAddr =
        (host, port).to_socket_addrs().map_err(cannot)?.next().ok_or_else(|| {
            format!("cannot listen on {host}:{port} for the {what}: the name has no address")
        })?;
    finback_rpc::bind(address).map_err(cannot)
}

pub(crate) fn port(listener: &TcpListener) -> Result<u16, Failure> {
    listener
        .local_addr()
        .map(|address| address.port())
        .map_err(|error| format!("a socket has no address: {error}"))
}

/// Writes the ports file, whole or not at all.
pub(crate) fn write_ports(data: &Path, ports: &str) -> Result<(), Failure> {
    let path = data.join(PORTS_FILE);
    let temporary = data.join("ports.tmp");
    let written = std::fs::File::create(&temporary)
        .and_then(|mut file| file.write_all(ports.as_bytes()))
        .and_then(|()| std::fs::rename(&temporary, &path));
    written.map_err(|error| format!("cannot write {}: {error}", path.display()))
}
