//! Ports of the loopback address.

use crate::error::{Doing, Result};
use std::net::{Ipv4Addr, TcpListener};

/// The ports of a server that its clients use, free when they were looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ports {
    pub(crate) zookeeper: u16,
    pub(crate) master: u16,
    pub(crate) regionserver: u16,
}

impl Ports {
    /// Three that are free.
    pub(crate) fn free() -> Result<Self> {
        let listen = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
        let find = || {
            // All are held until the last is found, so that none comes twice.
            let held = [listen()?, listen()?, listen()?];
            let port = |listener: &TcpListener| listener.local_addr().map(|address| address.port());
            let [zookeeper, master, regionserver] = &held;
            Ok(Self { zookeeper: port(zookeeper)?, master: port(master)?, regionserver: port(regionserver)? })
        };
        find().doing(|| "find free ports".to_owned())
    }

    /// As settings, by HBase's names.
    pub(crate) fn settings(&self) -> [(&'static str, u16); 3] {
        [
            ("hbase.zookeeper.property.clientPort", self.zookeeper),
            ("hbase.master.port", self.master),
            ("hbase.regionserver.port", self.regionserver),
        ]
    }
}
