//! `docs/compatibility.md` says of every call of HBase whether it works: a running server is asked.

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use finback_rpc::{Channel, ConnectOptions, Request, SocketChannel};

const PAGE: &str = include_str!("../../../docs/compatibility.md");
const PATIENCE: Duration = Duration::from_secs(60);
/// They work, and end the server: other tests call them.
const ENDINGS: [&str; 3] = ["Shutdown", "StopMaster", "StopServer"];

struct RunningServer {
    process: Child,
    _directory: tempfile::TempDir,
    ports: String,
}

impl RunningServer {
    fn start() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_finback"));
        command.args(["server", "--data"]).arg(directory.path());
        for port in [
            "hbase.zookeeper.property.clientPort=0",
            "hbase.master.port=0",
            "hbase.regionserver.port=0",
            "hbase.master.info.port=0",
            "hbase.regionserver.info.port=0",
        ] {
            command.args(["-D", port]);
        }
        let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let ports = wait_for(&directory.path().join("ports"));
        Self { process, _directory: directory, ports }
    }

    fn address(&self, setting: &str) -> SocketAddr {
        let port = self.ports.lines().find_map(|line| line.strip_prefix(setting)?.strip_prefix('='));
        format!("127.0.0.1:{}", port.unwrap()).parse().unwrap()
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

fn wait_for(path: &Path) -> String {
    let begun = Instant::now();
    loop {
        match std::fs::read_to_string(path) {
            Ok(content) => return content,
            Err(error) => assert!(begun.elapsed() < PATIENCE, "no {}: {error}", path.display()),
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Services with what the page says of their methods: name, and whether it works.
fn claims() -> Vec<(&'static str, Vec<(&'static str, bool)>)> {
    let calls = PAGE.split_once("## Calls").unwrap().1;
    let services = calls.split("\n### ").skip(1);
    services.map(|section| (section.lines().next().unwrap().trim(), methods(section))).collect()
}

fn methods(section: &'static str) -> Vec<(&'static str, bool)> {
    let mut methods = Vec::new();
    for (row, works) in [("| works | ", true), ("| not yet | ", false)] {
        let line = section.lines().find(|line| line.starts_with(row)).unwrap();
        methods.extend(line.split('`').skip(1).step_by(2).map(|method| (method, works)));
    }
    methods
}

/// Whether a server has a method: what it has may well refuse an empty request.
async fn has(channel: &SocketChannel, method: &'static str) -> bool {
    let request = Request { method, timeout: Some(PATIENCE), ..Request::default() };
    match channel.call_encoded(request).await {
        Ok(_) => true,
        Err(error) => {
            assert_ne!(error.simple_class(), "ConnectionClosedException", "{method}: {error}");
            !error.message.contains(&format!("java.lang.UnsupportedOperationException: {method}"))
        }
    }
}

#[tokio::test]
async fn every_call_is_answered_as_the_page_says() {
    let server = RunningServer::start();
    let (master, region_server) =
        (server.address("hbase.master.port"), server.address("hbase.regionserver.port"));
    let mut asked = 0;
    for (service, methods) in claims() {
        let addresses: &[SocketAddr] = match service {
            "ClientService" | "AdminService" | "BootstrapNodeService" => &[region_server],
            "MasterService" | "RegionServerStatusService" | "LockService" => &[master],
            "ClientMetaService" => &[master, region_server],
            // Not a service to connect to: the transport's own tests have it.
            "ConnectionRegistryService" => continue,
            _ => {
                assert!(methods.iter().all(|(_, works)| !works), "{service} is not served");
                continue;
            }
        };
        for address in addresses {
            let channel = SocketChannel::connect(
                *address,
                &ConnectOptions { service: service.to_owned(), user: "test".to_owned() },
            )
            .await
            .unwrap();
            for (method, works) in methods.iter().filter(|(method, _)| !ENDINGS.contains(method)) {
                assert_eq!(has(&channel, method).await, *works, "{service}.{method}");
                asked += 1;
            }
        }
    }
    assert!(asked >= 100, "the page has only {asked} calls");
}
