//! Region servers come and go.

use finback_cell::{RegionState, ServerName};
use finback_proto::pb;
use finback_rpc::{RpcException, exceptions};

use super::{Core, Purpose};
use crate::{
    action::Action,
    state::{LiveServer, Stage},
    storage_work::StorageWork,
};

impl Core {
    /// Event: a region server reports for duty.
    ///
    /// # Errors
    /// ClockOutOfSyncException, or YouAreDeadException.
    pub(crate) fn server_started(
        &mut self,
        server: ServerName,
        server_time: u64,
        now: u64,
    ) -> Result<(), RpcException> {
        self.set_time(now);
        let skew = now.abs_diff(server_time);
        let allowed = self.config.max_clock_skew.as_millis();
        if u128::from(skew) > allowed {
            return Err(exceptions::clock_out_of_sync(format!(
                "Server {server} has been rejected; Reported time is too far out of sync with master.  Time difference of {skew}ms > max allowed of {allowed}ms"
            )));
        }
        self.refuse_dead(&server, "STARTUP")?;
        let same_address = |old: &&ServerName| old.host == server.host && old.port == server.port;
        let before: Vec<ServerName> = self.state.servers.keys().filter(same_address).cloned().collect();
        for old in before.iter().filter(|old| **old != server) {
            if old.start_code > server.start_code {
                let message = format!("Server {server} is older than {old}, which serves its address");
                return Err(exceptions::you_are_dead(message));
            }
            tracing::warn!(%old, new = %server, "region server was restarted");
            self.expire(old.clone());
        }
        tracing::info!(%server, "region server registered");
        self.state.servers.insert(server, LiveServer { last_report_ms: now, load: None });
        self.startup_server_came();
        self.open_waiting_regions();
        self.pump();
        Ok(())
    }

    /// Event: a region server says that it is alive.
    ///
    /// # Errors
    /// YouAreDeadException for a server that is not known as alive: its logs may have been split already.
    pub(crate) fn server_reported(
        &mut self,
        server: &ServerName,
        load: Option<pb::ServerLoad>,
        now: u64,
    ) -> Result<(), RpcException> {
        self.set_time(now);
        self.refuse_dead(server, "REPORT")?;
        let Some(known) = self.state.servers.get_mut(server) else {
            let message = format!("Server REPORT rejected; {server} has not reported for duty");
            return Err(exceptions::you_are_dead(message));
        };
        known.last_report_ms = now;
        known.load = load.or_else(|| known.load.take());
        Ok(())
    }

    fn refuse_dead(&self, server: &ServerName, what: &str) -> Result<(), RpcException> {
        match self.state.dead_servers.contains(server) {
            true => Err(exceptions::you_are_dead(format!(
                "Server {what} rejected; currently processing {server} as dead server"
            ))),
            false => Ok(()),
        }
    }

    /// Event: time has passed. Servers that were silent for too long are dead.
    pub(crate) fn tick(&mut self, now: u64) {
        self.set_time(now);
        let Some(expiry) = self.config.server_expiry.map(|expiry| expiry.as_millis() as u64) else { return };
        // After a pause of this process itself, silence proves nothing: everyone gets a new term.
        let slept = now.saturating_sub(self.last_tick_ms) > expiry / 2;
        self.last_tick_ms = now;
        if slept {
            self.state.servers.values_mut().for_each(|server| server.last_report_ms = now);
            return;
        }
        let silent = |known: &LiveServer| now.saturating_sub(known.last_report_ms) > expiry;
        let dead: Vec<_> = self
            .state
            .servers
            .iter()
            .filter(|(_, known)| silent(known))
            .map(|(server, _)| server.clone())
            .collect();
        for server in dead {
            tracing::error!(%server, "region server is silent: taken for dead");
            self.expire(server);
        }
        self.pump();
    }

    pub(super) fn expire(&mut self, server: ServerName) {
        self.statistics.crashed(&server.to_string(), self.now);
        self.state.bury(&server);
        self.recover_dead_server(server, 0);
    }

    pub(super) fn recover_dead_server(&mut self, server: ServerName, attempt: u32) {
        let work = StorageWork::RecoverServerLogs(server.clone());
        self.act(Action::Storage(work), Purpose::DeadServerLogs { server, attempt });
    }

    /// The logs of a dead server are split, or not: without them its regions must stay closed.
    pub(super) fn dead_server_logs(
        &mut self,
        server: ServerName,
        attempt: u32,
        result: Result<(), RpcException>,
    ) {
        if let Err(e) = result {
            tracing::error!(%server, attempt, "logs of a dead server cannot be recovered yet: {e}");
            return self.pause(attempt + 1, Purpose::DeadServerPause { server, attempt: attempt + 1 });
        }
        self.statistics.recovered(&server.to_string(), self.now);
        let mut lost: Vec<String> = Vec::new();
        for (encoded, region) in &self.state.regions {
            let concerned = match &region.transition {
                Some(t) => t.server.as_ref() == Some(&server) && t.stage != Stage::Recording,
                None => region.location() == Some(&server),
            };
            if concerned {
                lost.push(encoded.clone());
            }
        }
        // hbase:meta first: the others wait for it.
        lost.sort_by_key(|encoded| {
            (encoded != finback_cell::region_info::META_ENCODED_NAME, encoded.clone())
        });
        lost.iter().for_each(|encoded| self.region_lost(encoded));
    }

    /// A region whose server is dead, and whose logs are split: it is opened elsewhere. Who waits for it to be closed has it
    /// closed then.
    pub(super) fn region_lost(&mut self, encoded: &str) {
        let Some(region) = self.state.regions.get_mut(encoded) else { return };
        let recovering = |server: &ServerName, purposes: &std::collections::HashMap<u64, Purpose>| {
            purposes.values().any(|purpose| match purpose {
                Purpose::DeadServerLogs { server: dead, .. }
                | Purpose::DeadServerPause { server: dead, .. } => dead == server,
                _ => false,
            })
        };
        if region.server.as_ref().is_some_and(|server| recovering(server, &self.purposes)) {
            return; // It is looked at again when its logs are split.
        }
        region.transition = None;
        if region.state == RegionState::Open {
            region.state = RegionState::AbnormallyClosed;
        }
        self.open_regions(&[encoded.to_owned()]);
    }
}
