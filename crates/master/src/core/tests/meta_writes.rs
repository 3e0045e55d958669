//! Writes of hbase:meta: what they say, and what comes of those that are refused.

use super::*;
use finback_proto::pb::table_state::State as TableState;

#[test]
fn what_has_begun_comes_to_its_end_when_the_clock_is_right_again() {
    let mut core = initialized();
    create(&mut core, "t", &[]);
    play(&mut core, START);
    let table = TableName::parse(b"t").unwrap();
    let id = core.submit(Operation::DisableTable(table.clone()), Origin::default(), START).unwrap();
    let mut states = 0;
    play_where(&mut core, START, |action| {
        let Action::WriteMeta { mutations, .. } = action else { return None };
        states += usize::from(mutations.iter().any(|mutation| mutation.row() == b"t"));
        let is_second = states == 2;
        is_second.then(|| exceptions::failed_sanity_check("timestamp is too much in future"))
    });
    assert_eq!(core.procedures.get(id).unwrap().status, Status::Finished(Ok(())));
    assert_eq!(core.state.tables[&table].state, TableState::Disabled);
    assert_eq!(states, 3);
}

/// What is written into a column of info, in order.
fn written(actions: &[Action], column: &str) -> Vec<String> {
    let mutations = actions.iter().filter_map(|action| match action {
        Action::WriteMeta { mutations, .. } => Some(mutations),
        _ => None,
    });
    let columns = mutations.flatten().flat_map(|mutation| &mutation.column_value);
    let cells = columns.flat_map(|columns| &columns.qualifier_value);
    let named = cells.filter(|cell| cell.qualifier() == column.as_bytes());
    named.map(|cell| String::from_utf8(cell.value().to_vec()).unwrap()).collect()
}

#[test]
fn replicas_have_places_from_the_beginning_and_the_state_of_their_region() {
    let mut core = initialized();
    let name = TableName::parse(b"t").unwrap();
    let mut table = TableDescriptor::new(name.clone());
    table.families.push(ColumnFamilyDescriptor::with_defaults(b"f"));
    finback_cell::schema::set_entry(&mut table.attributes, "REGION_REPLICATION", "2");
    let mut play_through = |operation| {
        core.submit(operation, Origin::default(), START).unwrap();
        let done = play(&mut core, START);
        (core.state.assignable_regions_of(&name), done)
    };
    let (regions, done) = play_through(Operation::CreateTable { table, split_keys: Vec::new() });
    assert_eq!(written(&done, "server_0001"), ["", "h:1"]);
    assert_eq!(written(&done, "state_0001"), ["OPENING", "OPEN"]);
    assert_eq!(written(&done, "sn_0001"), ["h,1,5", "h,1,5"]);
    assert_eq!(written(&done, "server_0002"), [""; 0]);

    let (_, done) = play_through(Operation::DisableTable(name.clone()));
    assert_eq!(written(&done, "state_0001"), ["CLOSING", "CLOSED"]);
    assert_eq!(written(&done, "sn_0001"), [""; 0], "it stays as HBase leaves it");
    play_through(Operation::EnableTable(name.clone()));

    let (table, region) = (name.clone(), regions[0].clone());
    let (_, done) = play_through(Operation::SplitRegion { table, region, split_row: "m".into() });
    assert_eq!(written(&done, "seqnumDuringOpen_0001")[..2], ["", ""]);
    assert_eq!(written(&done, "server_0001"), ["", "", "h:1", "h:1"]);
}
