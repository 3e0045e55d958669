//! The real binary on a directory of its own, with ports that the system chose.

use std::fs::{self, File};
use std::net::SocketAddr;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Nothing in these tests takes as long, even where other users of the disk hold up its syncs for a minute.
pub(crate) const LONG: Duration = Duration::from_secs(240);
/// So much of what a server said is shown when its test fails.
const LAST_LINES: usize = 60;

/// A directory for a server's data, and beside it what its processes said.
pub(crate) struct Place {
    directory: tempfile::TempDir,
}

/// Settings of each server, unless a test has others: free ports, and regions that stay what they are, since the clients of
/// these tests do not look for them again.
const EACH_SERVER: [&str; 6] = [
    "hbase.zookeeper.property.clientPort=0",
    "hbase.master.port=0",
    "hbase.regionserver.port=0",
    "hbase.master.info.port=0",
    "hbase.regionserver.info.port=0",
    "hbase.regionserver.region.split.policy=org.apache.hadoop.hbase.regionserver.DisabledRegionSplitPolicy",
];

impl Place {
    pub(crate) fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    /// The data directory; the server makes it.
    pub(crate) fn data(&self) -> PathBuf {
        self.directory.path().join("data")
    }

    /// A configuration file, for servers that are started when it is there.
    pub(crate) fn config(&self) -> PathBuf {
        self.directory.path().join("site.conf")
    }

    /// Directories of logs, of servers that live or died.
    pub(crate) fn log_dirs(&self) -> Vec<PathBuf> {
        entries(&self.data().join("WALs"))
    }

    /// Waits until the logs of dead servers are put away, which has time while clients are served.
    pub(crate) async fn only_logs_of_one_server_are_left(&self) {
        let since = Instant::now();
        while self.log_dirs().len() > 1 {
            assert!(since.elapsed() < LONG, "logs of dead servers stay: {:?}", self.log_dirs());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert_eq!(self.log_dirs().len(), 1);
    }

    /// The newest log of the user's regions.
    pub(crate) fn newest_log(&self) -> PathBuf {
        let logs = self.log_dirs().into_iter().flat_map(|dir| entries(&dir));
        logs.filter(|log| log.extension().is_some_and(|end| end != "meta"))
            .max_by_key(|log| fs::metadata(log).unwrap().modified().unwrap())
            .expect("a log")
    }

    pub(crate) fn start(&self) -> RunningServer {
        self.start_with(&[])
    }

    /// Starts a server and waits until it serves.
    pub(crate) fn start_with(&self, settings: &[&str]) -> RunningServer {
        let mut server = self.spawn(settings);
        server.wait_until_ready();
        server
    }

    /// Starts a server that is to end by itself, and waits for that.
    pub(crate) fn start_refused(&self, settings: &[&str]) -> Ended {
        let server = self.spawn(settings);
        server.ends()
    }

    /// Starts a server and does not wait.
    pub(crate) fn spawn(&self, settings: &[&str]) -> RunningServer {
        let stderr = self.directory.path().join(format!("stderr.{}", entries(self.directory.path()).len()));
        let mut command = Command::new(env!("CARGO_BIN_EXE_finback"));
        command.arg("server").arg("--data").arg(self.data());
        for setting in EACH_SERVER.iter().chain(settings) {
            command.arg("-D").arg(setting);
        }
        if self.config().exists() {
            command.arg("--config").arg(self.config());
        }
        let former_ports = identity(&self.data().join("ports"));
        let started = Instant::now();
        let child = command
            .env("FINBACK_LOG", "info")
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&stderr).unwrap())
            .spawn()
            .unwrap();
        RunningServer { child: Some(child), started, data: self.data(), stderr, former_ports, ports: [0; 5] }
    }
}

/// What tells a file from another of the same name: its number alone does not, a file that is gone leaves it to the next.
fn identity(file: &Path) -> Option<(u64, i64, i64)> {
    fs::metadata(file).ok().map(|metadata| (metadata.ino(), metadata.mtime(), metadata.mtime_nsec()))
}

/// What is in a directory; nothing where there is none.
pub(crate) fn entries(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// A server process. Killed when dropped.
pub(crate) struct RunningServer {
    child: Option<Child>,
    pub(crate) started: Instant,
    data: PathBuf,
    stderr: PathBuf,
    /// The ports file that a killed server left.
    former_ports: Option<(u64, i64, i64)>,
    ports: [u16; 5],
}

/// A server process that has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) stderr: String,
}

impl Ended {
    /// Checks that it gave up, and said why in one line of its own with all of `words`.
    pub(crate) fn refused_with(&self, words: &[&str]) {
        assert!(!self.status.success(), "{self:?}");
        let line = self.stderr.lines().rfind(|line| line.starts_with("finback: ")).unwrap_or_default();
        for word in words {
            assert!(line.contains(word), "no {word:?} in {}", self.stderr);
        }
    }
}

impl RunningServer {
    pub(crate) fn wait_until_ready(&mut self) {
        let file = self.data.join("ports");
        while [None, self.former_ports].contains(&identity(&file)) {
            let ended = self.child.as_mut().unwrap().try_wait().unwrap();
            assert!(ended.is_none(), "the server ended: {}", self.stderr());
            assert!(self.started.elapsed() < LONG, "the server is not ready: {}", self.stderr());
            std::thread::sleep(Duration::from_millis(1));
        }
        let text = fs::read_to_string(file).unwrap();
        let ports: Vec<u16> =
            text.lines().map(|line| line.split_once('=').unwrap().1.parse().unwrap()).collect();
        self.ports = ports.try_into().unwrap();
    }

    pub(crate) fn zookeeper(&self) -> SocketAddr {
        ([127, 0, 0, 1], self.ports[0]).into()
    }

    pub(crate) fn master(&self) -> SocketAddr {
        ([127, 0, 0, 1], self.ports[1]).into()
    }

    pub(crate) fn regionserver(&self) -> SocketAddr {
        ([127, 0, 0, 1], self.ports[2]).into()
    }

    pub(crate) fn master_info(&self) -> SocketAddr {
        ([127, 0, 0, 1], self.ports[3]).into()
    }

    pub(crate) fn regionserver_info(&self) -> SocketAddr {
        ([127, 0, 0, 1], self.ports[4]).into()
    }

    /// What it has said so far.
    pub(crate) fn stderr(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.stderr).unwrap()).into_owned()
    }

    pub(crate) fn is_alive(&mut self) -> bool {
        self.child.as_mut().unwrap().try_wait().unwrap().is_none()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.as_ref().unwrap().id()
    }

    /// Resident memory in KiB: now (`VmRSS`), or at its highest (`VmHWM`).
    pub(crate) fn memory_kib(&self, which: &str) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(which)?.strip_prefix(':')).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    /// SIGTERM, without waiting for the end.
    pub(crate) fn terminate(&self) {
        let sent = Command::new("sh").args(["-c", &format!("kill -TERM {}", self.pid())]).status();
        assert!(sent.unwrap().success());
    }

    /// SIGTERM; the server must end by itself, and well.
    pub(crate) fn stop(self) -> Ended {
        self.terminate();
        let ended = self.ends();
        assert!(ended.status.success(), "{ended:?}");
        ended
    }

    /// SIGKILL.
    pub(crate) fn kill(mut self) {
        let mut child = self.child.take().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Waits for the end.
    pub(crate) fn ends(mut self) -> Ended {
        let since = Instant::now();
        loop {
            if let Some(status) = self.child.as_mut().unwrap().try_wait().unwrap() {
                self.child = None;
                return Ended { status, stderr: self.stderr() };
            }
            assert!(since.elapsed() < LONG, "the server does not end: {}", self.stderr());
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // It may have ended.
            let _ = child.kill();
            let _ = child.wait();
        }
        if std::thread::panicking() {
            let said = fs::read(&self.stderr).unwrap_or_default();
            let said = String::from_utf8_lossy(&said);
            let lines: Vec<&str> = said.lines().collect();
            eprintln!("what the server said last:");
            lines[lines.len().saturating_sub(LAST_LINES)..].iter().for_each(|line| eprintln!("{line}"));
        }
    }
}
