//! Settings that change while the server works: the configuration files are read again when an administrator says so.

use std::sync::Arc;

use finback_log::Log;
use finback_master::Reconfigurer;
use finback_regionserver::RegionServer;
use parking_lot::Mutex;

use crate::config::{Effective, Loaded, Reach, ServerConfig, Sources, setting_named};
use crate::{logging, region_server_options, server};

/// A server whose settings can be read again.
pub(crate) struct Reconfiguration {
    sources: Sources,
    /// What the server goes by. One change at a time.
    current: Mutex<Current>,
    /// The port that the master's page is on, whichever was asked for.
    master_info_port: Option<u16>,
    region_server: Arc<RegionServer>,
    master: Reconfigurer,
    log: Log,
}

struct Current {
    config: ServerConfig,
    effective: Arc<Effective>,
}

impl Reconfiguration {
    /// Of a server that was started by what was `loaded`; `bound` has the ports that it has found.
    pub(crate) fn new(
        sources: Sources,
        loaded: Loaded,
        bound: &ServerConfig,
        region_server: Arc<RegionServer>,
        master: Reconfigurer,
        log: Log,
    ) -> Self {
        let current = Current { config: loaded.config, effective: Arc::new(loaded.effective) };
        let master_info_port = bound.master_info_port;
        Self { sources, current: Mutex::new(current), master_info_port, region_server, master, log }
    }

    /// What the server goes by now, and where each value comes from. Settings that wait for a restart have the value that they
    /// had when the server started.
    pub(crate) fn effective(&self) -> Arc<Effective> {
        Arc::clone(&self.current.lock().effective)
    }

    /// Reads the settings again and goes by those that can be changed now; which they are, and which wait, the log says.
    /// Settings that make no sense change nothing.
    ///
    /// # Errors
    /// In one line, why the settings make no sense.
    pub(crate) fn apply(&self) -> Result<(), String> {
        let mut current = self.current.lock();
        let read = ServerConfig::load(&self.sources).map_err(|error| error.to_string())?;
        let changed = current.config.differences(&read.config);
        let of = |reach| -> Vec<&str> {
            let is_of = |name: &str| setting_named(name).is_ok_and(|setting| setting.reach == reach);
            changed.iter().copied().filter(|name| is_of(name)).collect()
        };
        let (now, later, never) = (of(Reach::Now), of(Reach::Opening), of(Reach::Restart));
        tracing::info!(
            applied = now.join(", "),
            when_regions_are_opened = later.join(", "),
            after_a_restart = never.join(", "),
            "the configuration was read again"
        );
        let mut config = read.config;
        // What is fixed until a restart stays what it is, also for what is made of it.
        config.keep(&current.config, &never);
        let memory = config.memory().map_err(|error| error.to_string())?;
        // A level that was changed on the page stays what it is if the file says nothing new of levels.
        if now.iter().any(|name| name.starts_with("log.")) {
            logging::configure(&self.log, &config);
        }
        if !now.is_empty() || !later.is_empty() {
            self.region_server.reconfigure(
                region_server_options::region(&config, &memory),
                region_server_options::background(&config),
            );
            let bound = ServerConfig { master_info_port: self.master_info_port, ..config.clone() };
            self.master.reconfigure(server::master_config(&bound));
        }
        let effective = Arc::new(read.effective.keeping(&current.effective, &never));
        *current = Current { config, effective };
        Ok(())
    }
}
