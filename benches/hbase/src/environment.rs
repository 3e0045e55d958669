//! Where binaries, class paths and room on the disk are.

use crate::error::{BenchError, Doing, Result};
use std::path::{Path, PathBuf};

/// Where binaries, class paths and room on the disk are. `./dev bench hbase` says it in the environment; without it, what stands
/// beside this program is taken, and HBase cannot be started.
#[derive(Debug)]
pub(crate) struct Environment {
    /// Finback's binary. `FINBACK`.
    pub(crate) finback: PathBuf,
    /// The class path of an HBase server. `HBASE_CLASS_PATH`.
    hbase: Option<String>,
    /// The class path of HBase's tools, PerformanceEvaluation among them. `HBASE_TOOLS_CLASS_PATH`.
    hbase_tools: Option<String>,
    /// What a JVM needs to run HBase, divided by white space. `JVM_OPTIONS`.
    pub(crate) jvm_options: Vec<String>,
    /// The commit that the binary was made of. `FINBACK_COMMIT`.
    pub(crate) commit: Option<String>,
    /// Where data directories, logs and results are made, on a real disk. `BENCH_WORK`.
    pub(crate) work: PathBuf,
}

impl Environment {
    /// What the process was told.
    pub(crate) fn of_process() -> Result<Self> {
        let program = std::env::current_exe().doing(|| "find this program".to_owned())?;
        let beside = program.parent().unwrap_or(Path::new("."));
        let path = |name: &str, default: &str| {
            std::env::var_os(name).map_or_else(|| beside.join(default), PathBuf::from)
        };
        let text = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let work = path("BENCH_WORK", "../bench-hbase");
        std::fs::create_dir_all(&work).doing(|| format!("make {}", work.display()))?;
        Ok(Self {
            finback: path("FINBACK", "finback"),
            hbase: text("HBASE_CLASS_PATH"),
            hbase_tools: text("HBASE_TOOLS_CLASS_PATH"),
            jvm_options: text("JVM_OPTIONS")
                .unwrap_or_default()
                .split_whitespace()
                .map(str::to_owned)
                .collect(),
            commit: text("FINBACK_COMMIT"),
            work: work.canonicalize().doing(|| format!("find {}", work.display()))?,
        })
    }

    /// The class path of an HBase server.
    ///
    /// # Errors
    /// Nobody said it.
    pub(crate) fn hbase(&self) -> Result<&str> {
        self.hbase.as_deref().ok_or_else(|| needed("HBASE_CLASS_PATH"))
    }

    /// The version of that HBase, by the name of its jar; none if there is no such jar.
    pub(crate) fn hbase_version(&self) -> Option<&str> {
        let jars = self.hbase.as_deref()?.split(':').filter_map(|path| path.rsplit('/').next());
        let mut versions = jars.filter_map(|jar| jar.strip_prefix("hbase-server-")?.strip_suffix(".jar"));
        versions.find(|version| version.starts_with(|first: char| first.is_ascii_digit()))
    }

    /// The class path of HBase's tools.
    ///
    /// # Errors
    /// Nobody said it.
    pub(crate) fn hbase_tools(&self) -> Result<&str> {
        self.hbase_tools.as_deref().ok_or_else(|| needed("HBASE_TOOLS_CLASS_PATH"))
    }

    /// An empty directory on the disk that is measured, which goes when the value does.
    pub(crate) fn fresh_directory(&self, name: &str) -> Result<tempfile::TempDir> {
        tempfile::Builder::new()
            .prefix(&format!("{name}."))
            .tempdir_in(&self.work)
            .doing(|| format!("make a directory in {}", self.work.display()))
    }
}

fn needed(name: &str) -> BenchError {
    BenchError::Missing(format!("{name} is not set: run ./dev bench hbase, which sets it"))
}
