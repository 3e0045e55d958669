//! Regions that do not open, and what is done with them.

use super::*;
use finback_proto::pb::table_state::State as TableState;

/// A table of one region, which does not open; another attempt at it is under way.
fn tried_again() -> (Core, TableName, Action) {
    let mut core = initialized();
    create(&mut core, "t", &[]);
    play(&mut core, START);
    let table = TableName::parse(b"t").unwrap();
    let region = core.state.regions_of(&table)[0].clone();
    let failed = core.state.regions.get_mut(&region).unwrap();
    (failed.state, failed.server) = (RegionState::FailedOpen, None);
    core.open_failed_regions(START);
    let (id, opening) = core.take_actions().remove(0);
    assert!(matches!(opening, Action::WriteMeta { .. }));
    core.completed(id, Ok(Output::Done), START);
    let (id, open) = core.take_actions().remove(0);
    core.completed(id, Ok(Output::Done), START);
    (core, table, open)
}

fn fails(core: &mut Core, open: &Action) {
    let Action::OpenRegions { server, regions } = open else { panic!("{open:?}") };
    let transition = ReportedTransition::FailedOpen;
    let report = RegionReport { region: regions[0].0.clone(), transition };
    assert_eq!(core.regions_reported(server, &[report], START).unwrap(), None);
}

#[test]
fn a_table_is_disabled_though_an_attempt_at_its_region_fails_meanwhile() {
    let (mut core, table, open) = tried_again();
    let id = core.submit(Operation::DisableTable(table.clone()), Origin::default(), START).unwrap();
    play(&mut core, START);
    fails(&mut core, &open);
    play(&mut core, START);
    assert_eq!(core.procedures.get(id).unwrap().status, Status::Finished(Ok(())));
    assert_eq!(core.state.tables[&table].state, TableState::Disabled);
    let status = crate::cluster_status::build(&core.state, &[], &server(0, 1), &MasterConfig::default());
    assert_eq!(status.regions_in_transition, []);
    let counts = status.table_region_states_count.iter().find(|counts| counts.table_name == (&table).into());
    let counts = &counts.unwrap().region_states_count;
    assert_eq!((counts.closed_regions, counts.regions_in_transition), (1, 0));
}

#[test]
fn a_region_that_does_not_open_meanwhile_is_not_split() {
    let (mut core, table, open) = tried_again();
    let region = core.state.regions_of(&table)[0].clone();
    let split = Operation::SplitRegion { table, region: region.clone(), split_row: "f".into() };
    // It was open when the split was let in.
    core.state.regions.get_mut(&region).unwrap().state = RegionState::Open;
    let id = core.submit(split, Origin::default(), START).unwrap();
    play(&mut core, START);
    fails(&mut core, &open);
    let done = play(&mut core, START);
    assert!(!kinds(&done).contains(&"create"));
    assert!(matches!(core.procedures.get(id).unwrap().status, Status::Finished(Err(_))));
    assert_eq!(core.state.regions[&region].state, RegionState::Open);
}

#[test]
fn a_change_of_a_table_leaves_a_region_that_did_not_open() {
    let mut core = initialized();
    create(&mut core, "t", &["m"]);
    play(&mut core, START);
    let table = TableName::parse(b"t").unwrap();
    let failed = core.state.regions_of(&table)[0].clone();
    let region = core.state.regions.get_mut(&failed).unwrap();
    (region.state, region.server) = (RegionState::FailedOpen, None);
    let family = ColumnFamilyDescriptor::with_defaults(b"g");
    let id = core.submit(Operation::AddFamily { table, family }, Origin::default(), START).unwrap();
    let mut opened = Vec::new();
    for action in play(&mut core, START) {
        if let Action::OpenRegions { regions, .. } = action {
            opened.extend(regions.into_iter().map(|(region, _)| region.start_key));
        }
    }
    assert_eq!(opened, ["m"]);
    assert_eq!(core.procedures.get(id).unwrap().status, Status::Finished(Ok(())));
    assert_eq!(core.state.regions[&failed].state, RegionState::FailedOpen);
    // It is tried again as before.
    core.open_failed_regions(START);
    play(&mut core, START);
    assert_eq!(core.state.regions[&failed].state, RegionState::Open);
}
