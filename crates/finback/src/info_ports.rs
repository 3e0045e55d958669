//! The ports of the HTTP server: one of the master and one of the region server, as HBase has them. Both show the same.

use crate::config::ServerConfig;
use finback_web::{Pages, WebServer};
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

pub(crate) const MASTER_INFO_PORT: &str = "hbase.master.info.port";
pub(crate) const REGIONSERVER_INFO_PORT: &str = "hbase.regionserver.info.port";

/// Sockets that are bound, each with the setting of its port.
pub(crate) struct InfoPorts(Vec<(&'static str, TcpListener)>);

impl InfoPorts {
    /// Binds what is wanted, and puts into `config` which ports these are. A port that cannot be had is no reason not to
    /// serve clients: a free one takes its place, or none.
    pub(crate) fn bind(config: &mut ServerConfig) -> Self {
        let wanted = [
            (MASTER_INFO_PORT, &config.info_address, &mut config.master_info_port),
            (REGIONSERVER_INFO_PORT, &config.info_address, &mut config.regionserver_info_port),
        ];
        let mut bound = Vec::new();
        for (setting, address, port) in wanted {
            let listener = port.and_then(|port| listen(setting, address, port));
            *port = listener.as_ref().and_then(|listener| listener.local_addr().ok()).map(|at| at.port());
            bound.extend(listener.map(|listener| (setting, listener)));
        }
        Self(bound)
    }

    /// Serves the pages on each of them until `closed`, to who calls the server by one of `names` or by its address.
    pub(crate) fn serve(
        self,
        pages: Arc<dyn Pages>,
        names: Vec<String>,
        serving: &mut JoinSet<()>,
        closed: &watch::Receiver<bool>,
    ) {
        let server = WebServer::new(pages).known_as(names);
        for (_, listener) in self.0 {
            let mut closed = closed.clone();
            let end = async move {
                // An error means that the sender is gone: the server is going down as well.
                let _ = closed.wait_for(|set| *set).await;
            };
            serving.spawn(server.clone().serve(listener, end));
        }
    }
}

fn listen(setting: &str, host: &str, port: u16) -> Option<TcpListener> {
    let error = match bind(host, port) {
        Ok(listener) => return Some(listener),
        Err(error) => error,
    };
    match bind(host, 0) {
        Ok(listener) if error.kind() == io::ErrorKind::AddrInUse => {
            let instead = listener.local_addr().map_or(0, |address| address.port());
            tracing::warn!(
                setting,
                port,
                instead,
                "another process has this port: the page is on a free one"
            );
            Some(listener)
        }
        _ => {
            tracing::error!(setting, host, port, %error, "there is no page on this port");
            None
        }
    }
}

fn bind(host: &str, port: u16) -> io::Result<TcpListener> {
    let address: Option<SocketAddr> = (host, port).to_socket_addrs()?.next();
    finback_rpc::bind(address.ok_or_else(|| io::Error::other("the name has no address"))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_port_that_is_taken_is_replaced_by_a_free_one() {
        let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = taken.local_addr().unwrap().port();
        let listener = listen(MASTER_INFO_PORT, "127.0.0.1", port).expect("another port");
        assert_ne!(listener.local_addr().unwrap().port(), port);
    }

    #[tokio::test]
    async fn an_address_that_is_not_ours_means_no_page() {
        // For documentation: nobody has it.
        assert!(listen(MASTER_INFO_PORT, "192.0.2.1", 0).is_none());
    }
}
