//! The state of the cluster as clients (shell `status`, hbtop) ask for it.

use finback_cell::{RegionState, ServerName};
use finback_proto::{convert, pb};
use pb::{Option as StatusOption, table_state::State as TableState};

use crate::{
    options::MasterConfig,
    state::{ClusterState, Region, Table},
};

/// Whether these options ask for something; none ask for all.
pub(crate) fn wants(options: &[i32], option: StatusOption) -> bool {
    options.is_empty() || options.contains(&option.into())
}

/// What of the status is asked for; unknown options (later releases have more) are ignored, none means all.
pub(crate) fn build(
    state: &ClusterState,
    options: &[i32],
    master: &ServerName,
    config: &MasterConfig,
) -> pb::ClusterStatus {
    let wants = |option| wants(options, option);
    let mut status = pb::ClusterStatus::default();
    if wants(StatusOption::HbaseVersion) {
        status.hbase_version = Some(pb::HBaseVersionFileContent { version: config.version.clone() });
    }
    if wants(StatusOption::ClusterId) {
        status.cluster_id = Some(pb::ClusterId { cluster_id: state.cluster_id.clone() });
    }
    if wants(StatusOption::LiveServers) || wants(StatusOption::Tasks) {
        status.live_servers = live_servers(state);
    }
    if wants(StatusOption::DeadServers) {
        status.dead_servers = state.dead_servers.iter().map(Into::into).collect();
    }
    if wants(StatusOption::Master) {
        status.master = Some(master.into());
    }
    if wants(StatusOption::RegionsInTransition) {
        let moving = state.regions.values().filter(|region| is_in_transition(state, region));
        status.regions_in_transition = moving.map(in_transition).collect();
    }
    if wants(StatusOption::BalancerOn) {
        status.balancer_on = Some(state.switches.kept.balancer);
    }
    if wants(StatusOption::MasterInfoPort) {
        status.master_info_port = Some(config.info_port);
    }
    if wants(StatusOption::ServersName) {
        status.servers_name = state.servers.keys().map(Into::into).collect();
    }
    if wants(StatusOption::TableToRegionsCount) {
        let counts = state.tables.iter().map(|(name, table)| pb::TableRegionStatesCount {
            table_name: name.into(),
            region_states_count: count(state, table),
        });
        status.table_region_states_count = counts.collect();
    }
    status
}

/// When the major compaction of a region was, as its server last reported.
pub(crate) fn last_major_compaction(state: &ClusterState, encoded: &str) -> Option<i64> {
    let loads = state.servers.values().filter_map(|server| server.load.as_ref());
    let is_region = |load: &&pb::RegionLoad| {
        convert::encoded_name(&load.region_specifier).is_ok_and(|name| name == encoded.as_bytes())
    };
    let load = loads.flat_map(|load| &load.region_loads).find(is_region)?;
    i64::try_from(load.last_major_compaction_ts()).ok()
}

fn live_servers(state: &ClusterState) -> Vec<pb::LiveServerInfo> {
    let live = |(server, known): (&ServerName, &crate::state::LiveServer)| pb::LiveServerInfo {
        server: server.into(),
        server_load: known.load.clone().unwrap_or_default(),
    };
    state.servers.iter().map(live).collect()
}

fn is_in_transition(state: &ClusterState, region: &Region) -> bool {
    let is_stuck = match region.state {
        RegionState::FailedOpen => !state.tables.get(&region.info.table).is_some_and(is_disabled),
        state => state == RegionState::FailedClose,
    };
    region.transition.is_some() || is_stuck
}

/// Of such a table a region that did not open is as good as closed: nobody tries it again.
fn is_disabled(table: &Table) -> bool {
    table.state == TableState::Disabled
}

fn in_transition(region: &Region) -> pb::RegionInTransition {
    pb::RegionInTransition {
        spec: convert::specifier_by_name(&region.info),
        region_state: pb::RegionState {
            region_info: (&region.info).into(),
            state: state_message(region.state).into(),
            stamp: Some(region.since_ms),
        },
    }
}

fn state_message(state: RegionState) -> pb::region_state::State {
    pb::region_state::State::from_str_name(state.name()).unwrap_or(pb::region_state::State::Offline)
}

fn count(state: &ClusterState, table: &Table) -> pb::RegionStatesCount {
    let mut counts = pb::RegionStatesCount::default();
    for region in table.regions.values().filter_map(|encoded| state.regions.get(encoded)) {
        let counter = match region.state {
            _ if region.transition.is_some() => &mut counts.regions_in_transition,
            RegionState::Open => &mut counts.open_regions,
            RegionState::Split => &mut counts.split_regions,
            _ if region.info.split => &mut counts.split_regions,
            RegionState::Closed | RegionState::Offline => &mut counts.closed_regions,
            RegionState::FailedOpen if is_disabled(table) => &mut counts.closed_regions,
            _ => &mut counts.regions_in_transition,
        };
        *counter += 1;
        counts.total_regions += 1;
    }
    counts
}
