//! What a standalone server shows when it is ready.

use crate::config::ServerConfig;

/// Prints where the data is, what clients need, and how to stop.
pub(crate) fn show(config: &ServerConfig, ports: &str) {
    let port = |name: &str| {
        let line = ports.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        line.unwrap_or("?").to_owned()
    };
    let data = std::fs::canonicalize(&config.data_dir).unwrap_or_else(|_| config.data_dir.clone());
    let zookeeper = port("hbase.zookeeper.property.clientPort");
    println!(
        "
  Finback {version} is ready.

  data            {data}
  ZooKeeper       {zk_host}:{zookeeper}   (for clients to find the server; read-only)
  master          {master_host}:{master}
  region server   {rs_host}:{regionserver}
  process         {pid}

  An HBase client or the HBase shell needs, in hbase-site.xml or its Configuration:

    hbase.zookeeper.quorum               {zk_host}
    hbase.zookeeper.property.clientPort  {zookeeper}

  Stop it with Ctrl-C, or:  kill {pid}
",
        version = env!("CARGO_PKG_VERSION"),
        data = data.display(),
        zk_host = config.zookeeper_address,
        master_host = config.master_host_name(),
        master = port("hbase.master.port"),
        rs_host = config.regionserver_host_name(),
        regionserver = port("hbase.regionserver.port"),
        pid = std::process::id(),
    );
}
