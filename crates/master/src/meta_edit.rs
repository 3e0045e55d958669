//! A change of hbase:meta: the mutation it is written as, and what it does to memory once it is written.
//!
//! ```text
//! row = region name:  info:regioninfo  "PBUF" RegionInfo        info:state  OPEN, OPENING, ...
//!                     info:splitA, splitB, merge0000, merge0001, ...  "PBUF" RegionInfo
//!                     info:server  host:port                    info:serverstartcode  i64
//!                     info:seqnumDuringOpen  i64                info:sn  host,port,startcode
//!                     info:server_0001, ...  the same of replica 1, and so on
//! row = table name:   table:state  TableState
//! ```

use std::sync::Arc;

use bytes::Bytes;
use finback_cell::{RegionInfo, RegionState, ServerName, TableName};
use finback_proto::{Message, pb, pbuf};
use pb::mutation_proto::{ColumnValue, DeleteType, MutationType, column_value::QualifierValue};
use pb::table_state::State as TableState;

use crate::{
    state::{ClusterState, Region},
    system_tables::{INFO, TABLE},
};

/// What a region that comes of others is said to have been opened with, before it is opened.
const FIRST_OPEN_SEQUENCE_NUMBER: u64 = 1;

/// Columns that each replica has.
const OF_REPLICAS: [&str; 5] = ["server", "serverstartcode", "seqnumDuringOpen", "sn", "state"];

/// One row's change.
#[derive(Debug, Clone)]
pub(crate) enum MetaEdit {
    /// A region that exists from now on, closed; it is to have so many replicas, itself counted.
    AddRegion { region: RegionInfo, replicas: u32 },
    /// A region that comes of others, and exists from now on, closed. Those it was merged from go with the same change.
    AddOffspring { region: RegionInfo, merged_from: Vec<RegionInfo>, replicas: u32 },
    /// A region that was split, and is never opened again. As in HBase its state stays what it was, CLOSED: flags tell it.
    Split { parent: RegionInfo, daughters: Box<[RegionInfo; 2]> },
    /// A region that exists from now on, and was split; of what came of it, the two that are nearest to its ends.
    AddSplitParent { parent: RegionInfo, daughters: Vec<RegionInfo> },
    /// A merged region that needs none of its parents' files any more.
    ForgetParents { region: RegionInfo, parents: usize },
    /// A region that exists no more.
    RemoveRegion(RegionInfo),
    /// A region is going to be opened on a server, and its replicas with it.
    Opening { region: RegionInfo, server: ServerName, replicas: u32 },
    /// A region is open, and its replicas with it: so many, itself counted.
    Opened { region: RegionInfo, server: ServerName, open_seq_num: u64, replicas: u32 },
    /// A region has fewer replicas than it had, itself counted.
    ForgetReplicas { region: RegionInfo, from: u32, to: u32 },
    /// A region's state alone changes, and that of its replicas; its last location stays, as HBase leaves it.
    RegionState { region: RegionInfo, state: RegionState, replicas: u32 },
    /// A table's state; the table exists from now on.
    TableState { table: TableName, state: TableState },
    /// A table that exists no more.
    RemoveTable(TableName),
}

impl MetaEdit {
    /// The change as a mutation of hbase:meta with timestamp `at`.
    pub(crate) fn to_mutation(&self, at: u64) -> pb::MutationProto {
        match self {
            Self::AddRegion { region, replicas } => {
                let mut cells = vec![region_info(region, at), state_cell(RegionState::Closed, at)];
                cells.extend(empty_locations(*replicas, at));
                put(region.name(), INFO, cells, at)
            }
            Self::AddOffspring { region, merged_from, replicas } => {
                let mut cells = vec![
                    region_info(region, at),
                    cell("seqnumDuringOpen", FIRST_OPEN_SEQUENCE_NUMBER.to_be_bytes().to_vec(), at),
                    state_cell(RegionState::Closed, at),
                ];
                let parents = merged_from.iter().enumerate();
                cells.extend(parents.map(|(number, parent)| info_cell(merge_qualifier(number), parent, at)));
                cells.extend(empty_locations(*replicas, at));
                put(region.name(), INFO, cells, at)
            }
            Self::Split { parent, daughters } => put(
                parent.name(),
                INFO,
                vec![
                    region_info(&retired(parent), at),
                    info_cell("splitA", &daughters[0], at),
                    info_cell("splitB", &daughters[1], at),
                ],
                at,
            ),
            Self::AddSplitParent { parent, daughters } => {
                let mut cells = vec![region_info(&retired(parent), at), state_cell(RegionState::Closed, at)];
                // As in HBase, the same one twice, where the other has no reference any more.
                if let (Some(first), Some(last)) = (daughters.first(), daughters.last()) {
                    cells.push(info_cell("splitA", first, at));
                    cells.push(info_cell("splitB", last, at));
                }
                put(parent.name(), INFO, cells, at)
            }
            Self::ForgetParents { region, parents } => {
                let of_old = ["mergeA".to_owned(), "mergeB".to_owned()];
                let qualifiers = (0..*parents).map(merge_qualifier).chain(of_old);
                delete_columns(region.name(), INFO, qualifiers, at)
            }
            Self::RemoveRegion(region) => delete(region.name(), INFO, None, at),
            Self::Opening { region, server, replicas } => {
                let mut cells = vec![region_info(region, at)];
                let name = server.to_string();
                cells.extend((0..*replicas).map(|id| cell(of_replica("sn", id), name.clone(), at)));
                cells.extend(state_cells(RegionState::Opening, *replicas, at));
                put(region.name(), INFO, cells, at)
            }
            Self::Opened { region, server, open_seq_num, replicas } => {
                let mut cells = vec![region_info(region, at)];
                for replica_id in 0..*replicas {
                    let name = |column| of_replica(column, replica_id);
                    cells.extend([
                        cell(name("server"), server.address(), at),
                        cell(name("serverstartcode"), server.start_code.to_be_bytes().to_vec(), at),
                        cell(name("seqnumDuringOpen"), open_seq_num.to_be_bytes().to_vec(), at),
                        cell(name("sn"), server.to_string(), at),
                        cell(name("state"), RegionState::Open.name(), at),
                    ]);
                }
                put(region.name(), INFO, cells, at)
            }
            Self::ForgetReplicas { region, from, to } => {
                let columns = (*to..*from).flat_map(|replica_id| {
                    OF_REPLICAS.into_iter().map(move |column| of_replica(column, replica_id))
                });
                delete_columns(region.name(), INFO, columns, at)
            }
            Self::RegionState { region, state, replicas } => {
                let mut cells = vec![region_info(region, at)];
                cells.extend(state_cells(*state, *replicas, at));
                put(region.name(), INFO, cells, at)
            }
            Self::TableState { table, state } => {
                let value = pb::TableState { state: (*state).into() }.encode_to_vec();
                put(table.to_bytes(), TABLE, vec![cell("state", value, at)], at)
            }
            Self::RemoveTable(table) => delete(table.to_bytes(), TABLE, Some("state"), at),
        }
    }

    /// Whether hbase:meta, which `state` mirrors, says so already.
    pub(crate) fn is_made(&self, state: &ClusterState) -> bool {
        let known = |region: &RegionInfo| state.regions.get(&region.encoded_name());
        match self {
            Self::AddRegion { region, .. } | Self::AddOffspring { region, .. } => known(region).is_some(),
            Self::AddSplitParent { parent, .. } => known(parent).is_some(),
            Self::Split { parent, .. } => known(parent).is_none_or(Region::is_split),
            Self::ForgetParents { region, .. } => {
                known(region).is_none_or(|known| known.merged_from.is_empty())
            }
            Self::RemoveRegion(region) => known(region).is_none(),
            Self::TableState { table, state: wanted } => {
                state.tables.get(table).is_some_and(|table| table.state == *wanted)
            }
            Self::RemoveTable(table) => !state.tables.contains_key(table),
            // Regions come and go by themselves: it says nothing.
            Self::ForgetReplicas { .. }
            | Self::Opening { .. }
            | Self::Opened { .. }
            | Self::RegionState { .. } => false,
        }
    }

    /// What memory says after the write.
    pub(crate) fn apply(&self, state: &mut ClusterState, now: u64) {
        match self {
            Self::AddRegion { region, .. } => state.add_region(region.clone(), RegionState::Closed, now),
            Self::AddOffspring { region, merged_from, .. } => {
                state.add_region(region.clone(), RegionState::Closed, now);
                if let Some(known) = state.regions.get_mut(&region.encoded_name()) {
                    known.merged_from = merged_from.iter().map(RegionInfo::encoded_name).collect();
                }
            }
            Self::Split { parent, daughters } => {
                set_state(state, parent, RegionState::Split, now);
                if let Some(known) = state.regions.get_mut(&parent.encoded_name()) {
                    known.info = retired(parent);
                    known.split_into = daughters.iter().map(RegionInfo::encoded_name).collect();
                }
            }
            Self::AddSplitParent { parent, daughters } => {
                state.add_region(retired(parent), RegionState::Split, now);
                if let Some(known) = state.regions.get_mut(&parent.encoded_name()) {
                    known.split_into = daughters.iter().map(RegionInfo::encoded_name).collect();
                }
            }
            Self::ForgetParents { region, .. } => {
                if let Some(known) = state.regions.get_mut(&region.encoded_name()) {
                    known.merged_from.clear();
                }
            }
            // Nobody remembers where replicas are but hbase:meta.
            Self::ForgetReplicas { .. } => {}
            Self::RemoveRegion(region) => state.remove_region(region),
            Self::Opening { region, .. } => set_state(state, region, RegionState::Opening, now),
            Self::Opened { region, server, open_seq_num, .. } => {
                set_state(state, region, RegionState::Open, now);
                if let Some(known) = state.regions.get_mut(&region.encoded_name()) {
                    known.server = Some(server.clone());
                    known.open_seq_num = i64::try_from(*open_seq_num).unwrap_or(i64::MAX);
                }
            }
            Self::RegionState { region, state: new, .. } => set_state(state, region, *new, now),
            Self::TableState { table, state: new } => {
                let known = state.tables.entry(table.clone()).or_insert_with(|| crate::state::Table {
                    descriptor: None,
                    state: *new,
                    regions: Default::default(),
                });
                known.state = *new;
                Arc::make_mut(&mut state.table_states).insert(table.clone(), *new);
            }
            Self::RemoveTable(table) => {
                state.tables.remove(table);
                Arc::make_mut(&mut state.table_states).remove(table);
            }
        }
    }
}

fn set_state(state: &mut ClusterState, region: &RegionInfo, new: RegionState, now: u64) {
    if let Some(known) = state.regions.get_mut(&region.encoded_name()) {
        known.state = new;
        known.since_ms = now;
    }
}

/// As HBase sees a region that was split.
fn retired(region: &RegionInfo) -> RegionInfo {
    RegionInfo { offline: true, split: true, ..region.clone() }
}

/// The column of a replica: the region's own, or with the replica's number.
fn of_replica(column: &'static str, replica_id: u32) -> String {
    match replica_id {
        0 => column.to_owned(),
        id => format!("{column}_{id:04X}"),
    }
}

fn merge_qualifier(number: usize) -> String {
    format!("merge{number:04}")
}

fn cell(qualifier: impl Into<Bytes>, value: impl Into<Bytes>, at: u64) -> QualifierValue {
    QualifierValue {
        qualifier: Some(qualifier.into()),
        value: Some(value.into()),
        timestamp: Some(at),
        ..Default::default()
    }
}

fn region_info(region: &RegionInfo, at: u64) -> QualifierValue {
    info_cell("regioninfo", region, at)
}

fn info_cell(qualifier: impl Into<Bytes>, region: &RegionInfo, at: u64) -> QualifierValue {
    cell(qualifier, pbuf::encode(&pb::RegionInfo::from(region)), at)
}

fn state_cell(state: RegionState, at: u64) -> QualifierValue {
    cell("state", state.name(), at)
}

/// The state of a region and of its replicas, which are so many with itself.
fn state_cells(state: RegionState, replicas: u32, at: u64) -> impl Iterator<Item = QualifierValue> {
    (0..replicas).map(move |replica_id| cell(of_replica("state", replica_id), state.name(), at))
}

/// Places of replicas that are nowhere yet: HBase's clients learn from them how many there are.
fn empty_locations(replicas: u32, at: u64) -> impl Iterator<Item = QualifierValue> {
    let columns = ["server", "serverstartcode", "seqnumDuringOpen"];
    let of = move |replica_id| columns.map(|column| cell(of_replica(column, replica_id), "", at));
    (1..replicas).flat_map(of)
}

/// A Put of cells of one family.
pub(crate) fn put(
    row: Bytes,
    family: &'static [u8],
    cells: Vec<QualifierValue>,
    at: u64,
) -> pb::MutationProto {
    mutation(row, MutationType::Put, family, cells, at)
}

/// A Delete of a family, or of all versions of one of its columns.
pub(crate) fn delete(
    row: Bytes,
    family: &'static [u8],
    qualifier: Option<&'static str>,
    at: u64,
) -> pb::MutationProto {
    match qualifier {
        Some(qualifier) => delete_columns(row, family, std::iter::once(qualifier.to_owned()), at),
        None => {
            let delete_type = Some(DeleteType::DeleteFamily.into());
            let cell = QualifierValue { delete_type, ..cell("", "", at) };
            mutation(row, MutationType::Delete, family, vec![cell], at)
        }
    }
}

/// A Delete of all versions of columns.
fn delete_columns(
    row: Bytes,
    family: &'static [u8],
    qualifiers: impl Iterator<Item = String>,
    at: u64,
) -> pb::MutationProto {
    let delete_type = Some(DeleteType::DeleteMultipleVersions.into());
    let cells = qualifiers.map(|qualifier| QualifierValue { delete_type, ..cell(qualifier, "", at) });
    mutation(row, MutationType::Delete, family, cells.collect(), at)
}

fn mutation(
    row: Bytes,
    kind: MutationType,
    family: &'static [u8],
    cells: Vec<QualifierValue>,
    at: u64,
) -> pb::MutationProto {
    pb::MutationProto {
        row: Some(row),
        mutate_type: Some(kind.into()),
        column_value: vec![ColumnValue { family: Bytes::from_static(family), qualifier_value: cells }],
        timestamp: Some(at),
        ..Default::default()
    }
}

/// A cell of hbase:namespace.
pub(crate) fn namespace_cell(value: Vec<u8>, at: u64) -> QualifierValue {
    cell("d", value, at)
}
