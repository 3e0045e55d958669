//! What a standalone server shows when it is ready.

use crate::config::ServerConfig;
use std::io::Write;
use std::path::PathBuf;

/// Prints where the data is, which files of settings were read, what clients need, and how to stop.
pub(crate) fn show(config: &ServerConfig, files: &[PathBuf], ports: &str) {
    let port = |name: &str| {
        let line = ports.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        line.unwrap_or("?").to_owned()
    };
    let data = std::fs::canonicalize(&config.data_dir).unwrap_or_else(|_| config.data_dir.clone());
    let zookeeper = port("hbase.zookeeper.property.clientPort");
    // Nobody has to look.
    let _ = writeln!(
        std::io::stdout(),
        "
  Finback {version} is ready.

  data            {data}
{settings}  ZooKeeper       {zk_host}:{zookeeper}   (for clients to find the server; read-only)
  master          {master_host}:{master}
  region server   {rs_host}:{regionserver}
{info}  process         {pid}

  An HBase client or the HBase shell needs, in hbase-site.xml or its Configuration:

    hbase.zookeeper.quorum               {zk_host}
    hbase.zookeeper.property.clientPort  {zookeeper}

  Stop it with Ctrl-C, or:  kill {pid}
",
        version = env!("CARGO_PKG_VERSION"),
        data = data.display(),
        settings = settings_line(files),
        zk_host = config.address,
        master_host = config.host_name(),
        master = port("hbase.master.port"),
        rs_host = config.host_name(),
        regionserver = port("hbase.regionserver.port"),
        info = info_line(config),
        pid = std::process::id(),
    );
}

/// Files are found where nobody has named them: which, is to be seen.
fn settings_line(files: &[PathBuf]) -> String {
    let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    if files.is_empty() { String::new() } else { format!("  settings        {}\n", files.join("   ")) }
}

/// Where people and collectors look; nothing if there is no such port.
fn info_line(config: &ServerConfig) -> String {
    let ports = [config.master_info_port, config.regionserver_info_port].into_iter().flatten();
    let addresses: Vec<String> = ports.map(|port| format!("http://{}:{port}", config.info_address)).collect();
    if addresses.is_empty() {
        String::new()
    } else {
        format!("  web page        {}\n", addresses.join("   "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Sources;

    #[test]
    fn files_of_settings_are_shown_if_there_are_any() {
        assert_eq!(settings_line(&[]), "");
        let files = [PathBuf::from("/a/hbase-site.xml"), PathBuf::from("/a/finback.toml")];
        assert_eq!(settings_line(&files), "  settings        /a/hbase-site.xml   /a/finback.toml\n");
    }

    #[test]
    fn info_ports_are_shown_those_that_there_are() {
        let mut config = ServerConfig::load(&Sources::default()).unwrap().config;
        assert_eq!(info_line(&config), "  web page        http://127.0.0.1:16010   http://127.0.0.1:16030\n");
        config.master_info_port = None;
        assert_eq!(info_line(&config), "  web page        http://127.0.0.1:16030\n");
        config.regionserver_info_port = None;
        assert_eq!(info_line(&config), "");
    }
}
