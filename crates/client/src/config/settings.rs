//! A configuration out of HBase's settings.

use super::{ClientConfig, ClusterAddress, MASTER_PORT, REGION_SERVER_PORT, ZOOKEEPER_PORT, addresses};
use crate::error::{Error, Result};
use std::collections::HashMap;
use std::str::FromStr;
use std::time::Duration;

/// Reads the settings that are the client's.
pub(super) fn read<'a>(settings: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<ClientConfig> {
    let settings = Settings(settings.into_iter().collect());
    let mut config = ClientConfig::at(settings.cluster()?);
    let milliseconds: [(&str, &mut Duration); 9] = [
        ("hbase.rpc.timeout", &mut config.rpc_timeout),
        ("hbase.client.operation.timeout", &mut config.operation_timeout),
        ("hbase.client.scanner.timeout.period", &mut config.scan_timeout),
        ("hbase.client.pause", &mut config.pause),
        ("hbase.ipc.client.socket.timeout.connect", &mut config.connect_timeout),
        ("hbase.ipc.client.socket.timeout.read", &mut config.read_timeout),
        ("hbase.ipc.client.socket.timeout.write", &mut config.write_timeout),
        ("hbase.ipc.client.connection.minIdleTimeBeforeClose", &mut config.idle_timeout),
        ("hbase.ipc.client.failed.servers.expiry", &mut config.failed_server_expiry),
    ];
    for (name, field) in milliseconds {
        if let Some(value) = settings.number::<u64>(name)? {
            *field = Duration::from_millis(value);
        }
    }
    for (name, field) in [
        ("hbase.client.primaryCallTimeout.get", &mut config.primary_get_patience),
        ("hbase.client.primaryCallTimeout.scan", &mut config.primary_scan_patience),
    ] {
        if let Some(value) = settings.number::<u64>(name)? {
            *field = Duration::from_micros(value);
        }
    }
    let of_ms = |name| settings.number::<u64>(name).map(|ms| ms.map(Duration::from_millis));
    config.read_rpc_timeout = of_ms("hbase.rpc.read.timeout")?;
    config.write_rpc_timeout = of_ms("hbase.rpc.write.timeout")?;
    config.pause_overloaded = of_ms("hbase.client.pause.server.overloaded")?;
    settings.set("hbase.client.retries.number", &mut config.retries)?;
    settings.set("hbase.client.scanner.caching", &mut config.scanner_caching)?;
    settings.set("hbase.client.scanner.max.result.size", &mut config.scanner_max_result_size)?;
    settings.set("hbase.client.locate.prefetch.limit", &mut config.locate_prefetch)?;
    settings.set("hbase.client.write.buffer", &mut config.write_buffer)?;
    settings.set("hbase.client.keyvalue.maxsize", &mut config.max_cell_size)?;
    settings.set("hbase.client.bootstrap.hedged.fanout", &mut config.registry_fanout)?;
    settings.set("hbase.client.master_registry.hedged.fanout", &mut config.registry_fanout)?;
    Ok(config)
}

struct Settings<'a>(HashMap<&'a str, &'a str>);

impl Settings<'_> {
    fn number<T: FromStr>(&self, name: &str) -> Result<Option<T>> {
        let Some(value) = self.0.get(name) else { return Ok(None) };
        let number =
            value.trim().parse().map_err(|_| Error::Setting(format!("{name} is {value:?}: no number")))?;
        Ok(Some(number))
    }

    fn set<T: FromStr>(&self, name: &str, field: &mut T) -> Result<()> {
        if let Some(value) = self.number(name)? {
            *field = value;
        }
        Ok(())
    }

    /// HBase's `hbase.client.registry.impl`, and what each of its classes reads.
    fn cluster(&self) -> Result<ClusterAddress> {
        let list = |name: &str, port| self.0.get(name).map(|list| addresses(list, port));
        let implementation =
            self.0.get("hbase.client.registry.impl").copied().unwrap_or("ZKConnectionRegistry");
        match implementation.rsplit('.').next().unwrap_or_default() {
            "ZKConnectionRegistry" => {
                let port = self.number("hbase.zookeeper.property.clientPort")?.unwrap_or(ZOOKEEPER_PORT);
                Ok(ClusterAddress::ZooKeeper {
                    quorum: list("hbase.zookeeper.quorum", port)
                        .unwrap_or_else(|| vec![format!("127.0.0.1:{port}")]),
                    parent: self.0.get("zookeeper.znode.parent").copied().unwrap_or("/hbase").to_owned(),
                })
            }
            "MasterRegistry" => Ok(ClusterAddress::Masters(self.masters()?)),
            "RpcConnectionRegistry" => Ok(match list("hbase.client.bootstrap.servers", REGION_SERVER_PORT) {
                Some(servers) => ClusterAddress::Bootstrap(servers),
                None => ClusterAddress::Bootstrap(self.masters()?),
            }),
            other => Err(Error::Setting(format!(
                "hbase.client.registry.impl is {other}; known are ZKConnectionRegistry, MasterRegistry and RpcConnectionRegistry"
            ))),
        }
    }

    fn masters(&self) -> Result<Vec<String>> {
        let port = self.number("hbase.master.port")?.unwrap_or(MASTER_PORT);
        let masters = self.0.get("hbase.masters").or_else(|| self.0.get("hbase.master.hostname"));
        Ok(masters.map_or_else(|| vec![format!("127.0.0.1:{port}")], |masters| addresses(masters, port)))
    }
}
