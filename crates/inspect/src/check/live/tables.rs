//! Tables of a cluster.

use super::{ClusterRegion, Kind, Look};
use crate::check::chain::{Break, breaks};
use crate::check::tables::of_break;
use finback_cell::{RegionInfo, TableName};
use finback_proto::pb::table_state::State as TableState;
use std::collections::{BTreeMap, BTreeSet};

impl Look<'_> {
    pub(super) fn tables(&mut self) {
        let cluster = self.cluster;
        let mut regions: BTreeMap<&TableName, Vec<&ClusterRegion>> = BTreeMap::new();
        for region in cluster.regions.iter().filter(|region| !region.info.is_meta()) {
            regions.entry(&region.info.table).or_default().push(region);
        }
        let names = cluster.tables.keys().chain(&cluster.described).chain(regions.keys().copied());
        let names: BTreeSet<&TableName> = names.filter(|table| !table.is_meta()).collect();
        self.report.tables = names.len() as u64;
        for table in names {
            self.table(table, regions.get(table).map_or(&[], Vec::as_slice));
        }
    }

    fn table(&mut self, table: &TableName, regions: &[&ClusterRegion]) {
        let is_described = self.cluster.described.contains(table);
        let path = table.to_string();
        let Some(state) = self.state(table) else {
            let what = match regions.is_empty() {
                true => "nothing".to_owned(),
                false => format!("{} regions, and no state", regions.len()),
            };
            let next = match is_described {
                true => "HBase's hbck2 has setTableState, and its master makes one when it is started",
                false => {
                    "No descriptor of it is there, either: stop the servers, and see what finback check DIR says"
                }
            };
            let message = format!("hbase:meta has {what} of this table. {next}");
            return self.note_at(Kind::TableUnknown, path, message);
        };
        if !is_described {
            let message = "hbase:meta has this table, and the master has no descriptor of it. Stop the servers: finback \
                           check DIR --fix writes one";
            self.note_at(Kind::DescriptorMissing, path.clone(), message);
        }
        self.table_state(table, state, regions);
        let mut serving: Vec<&RegionInfo> =
            regions.iter().filter(|region| region.serves()).map(|region| &region.info).collect();
        if serving.is_empty() {
            let message = "hbase:meta has no regions of this table. Stop the servers, and see what finback check DIR says \
                           of its directory";
            return self.note_at(Kind::NoRegions, path, message);
        }
        serving.sort_by(|a, b| (&a.start_key, a.region_id).cmp(&(&b.start_key, b.region_id)));
        for found in breaks(&serving) {
            let mut finding = of_break(table, path.clone(), &found);
            if let Break::Hole(..) = found {
                finding.message.push_str(". Stop the servers: finback check DIR --fix fills it");
            }
            self.note(finding);
        }
    }

    fn table_state(&mut self, table: &TableName, state: TableState, regions: &[&ClusterRegion]) {
        match state {
            TableState::Enabled => {}
            TableState::Enabling | TableState::Disabling => {
                let message = format!(
                    "{}: if that does not end, see the master's procedures (finback shell: list_procedures), and enable or \
                     disable it again",
                    state.as_str_name()
                );
                self.note_at(Kind::TableInTransition, table.to_string(), message);
            }
            TableState::Disabled => {
                let open: Vec<String> = regions
                    .iter()
                    .filter(|region| !self.open_on(&region.info).is_empty())
                    .map(|region| region.info.encoded_name())
                    .collect();
                if !open.is_empty() {
                    let named = &open[..open.len().min(super::NAMED_REGIONS)];
                    let more = if open.len() > named.len() { ", …" } else { "" };
                    let message = format!(
                        "DISABLED, and {} of its regions are open: {}{more}. finback shell: enable it, then disable it again",
                        open.len(),
                        named.join(", ")
                    );
                    self.note_at(Kind::DisabledTableOpen, table.to_string(), message);
                }
            }
        }
    }
}
