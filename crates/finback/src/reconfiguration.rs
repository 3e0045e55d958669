//! Settings that change while the server works: the configuration file is read again when an administrator says so.

use std::path::PathBuf;
use std::sync::Arc;

use finback_master::Reconfigurer;
use finback_regionserver::RegionServer;
use parking_lot::Mutex;

use crate::config::{Reach, ServerConfig, Sources};
use crate::{region_server_options, server};

/// Where a server's settings come from.
#[derive(Debug, Clone)]
pub struct ConfigurationFile {
    /// The file, and what wins over it.
    pub sources: Sources,
    /// From `--data`, which wins over both.
    pub data: Option<PathBuf>,
}

impl ConfigurationFile {
    /// The settings as they are now.
    pub(crate) fn read(&self) -> Result<ServerConfig, String> {
        let (mut config, _) = ServerConfig::load(&self.sources).map_err(|error| error.to_string())?;
        if let Some(data) = &self.data {
            config.data_dir.clone_from(data);
        }
        Ok(config)
    }
}

/// A server whose settings can be read again.
pub(crate) struct Reconfiguration {
    file: ConfigurationFile,
    /// What the server goes by. One change at a time.
    current: Mutex<ServerConfig>,
    region_server: Arc<RegionServer>,
    master: Reconfigurer,
}

impl Reconfiguration {
    pub(crate) fn new(
        file: ConfigurationFile,
        current: ServerConfig,
        region_server: Arc<RegionServer>,
        master: Reconfigurer,
    ) -> Self {
        Self { file, current: Mutex::new(current), region_server, master }
    }

    /// Reads the settings again and goes by those that can be changed now; which they are, and which wait, the log says.
    /// Settings that make no sense change nothing.
    ///
    /// # Errors
    /// In one line, why the settings make no sense.
    pub(crate) fn apply(&self) -> Result<(), String> {
        let mut current = self.current.lock();
        let read = self.file.read()?;
        let changed = current.differences(&read);
        let of = |reach| -> Vec<&str> {
            changed.iter().copied().filter(|name| ServerConfig::reach_of(name) == reach).collect()
        };
        let (now, later, never) = (of(Reach::Now), of(Reach::Opening), of(Reach::Restart));
        tracing::info!(
            applied = now.join(", "),
            when_regions_are_opened = later.join(", "),
            after_a_restart = never.join(", "),
            "the configuration was read again"
        );
        if !now.is_empty() || !later.is_empty() {
            let mut config = read;
            // What is fixed until a restart stays what it is, also for what is made of it.
            config.keep(&current, &never);
            let memory = config.memory().map_err(|error| error.to_string())?;
            self.region_server.reconfigure(
                region_server_options::region(&config, &memory),
                region_server_options::background(&config),
            );
            self.master.reconfigure(server::master_config(&config));
            *current = config;
        }
        Ok(())
    }
}
