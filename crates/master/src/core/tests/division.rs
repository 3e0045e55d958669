//! Splits, merges and truncations of regions.

use super::*;
use crate::operation::Held;

fn split(core: &mut Core, table: &str, row: &'static str) -> u64 {
    let table = TableName::parse(table.as_bytes()).unwrap();
    let inside = |encoded: &String| core.state.regions[encoded].info.contains_row(row.as_bytes());
    let region = core.state.assignable_regions_of(&table).into_iter().find(inside).unwrap();
    core.submit(Operation::SplitRegion { table, region, split_row: row.into() }, Origin::default(), START)
        .unwrap()
}

fn ranges(core: &Core, table: &str) -> Vec<(String, String, RegionState)> {
    let table = TableName::parse(table.as_bytes()).unwrap();
    let range = |encoded: String| {
        let region = &core.state.regions[&encoded];
        let text = |key: &Bytes| String::from_utf8(key.to_vec()).unwrap();
        (text(&region.info.start_key), text(&region.info.end_key), region.state)
    };
    core.state.regions_of(&table).into_iter().map(range).collect()
}

fn range(start: &str, end: &str, state: RegionState) -> (String, String, RegionState) {
    (start.to_owned(), end.to_owned(), state)
}

#[test]
fn a_region_is_split_and_put_away_when_nobody_refers_to_it() {
    let mut core = initialized();
    create(&mut core, "t", &["m"]);
    play(&mut core, START);
    let id = split(&mut core, "t", "f");
    let done = play(&mut core, START);
    assert_eq!(core.procedures.get(id).unwrap().status, Status::Finished(Ok(())));
    // Closing, closed; then the daughters are there at once, opening, open.
    let order = ["meta", "close", "meta", "create", "meta", "meta", "open", "meta"];
    assert_eq!(kinds(&done), order, "hbase:meta is told of daughters that are on disk");
    let open = RegionState::Open;
    let after = [
        range("", "m", RegionState::Split),
        range("", "f", open),
        range("f", "m", open),
        range("m", "", open),
    ];
    assert_eq!(ranges(&core, "t"), after);

    let kinships = crate::kinship::kinships(&core.state);
    let [kinship] = &kinships[..] else { panic!("{kinships:?}") };
    let (table, region) = (kinship.table.clone(), kinship.region.clone());
    core.submit(Operation::CollectRegion { table, region, is_split: true }, Origin::default(), START)
        .unwrap();
    assert_eq!(kinds(&play(&mut core, START)), ["archive", "meta"]);
    assert_eq!(ranges(&core, "t"), after[1..]);
}

#[test]
fn hbase_meta_tells_by_flags_that_a_region_was_split_and_leaves_it_closed() {
    let mut core = initialized();
    create(&mut core, "t", &[]);
    play(&mut core, START);
    let table = TableName::parse(b"t").unwrap();
    let parent = core.state.regions[&core.state.regions_of(&table)[0]].info.name();
    split(&mut core, "t", "f");
    let done = play(&mut core, START);
    let written = done.iter().flat_map(|action| match action {
        Action::WriteMeta { mutations, .. } => &mutations[..],
        _ => &[],
    });
    let of_parent = written.filter(|mutation| mutation.row.as_ref() == Some(&parent));
    let cells = of_parent.flat_map(|mutation| &mutation.column_value[0].qualifier_value);
    let states = cells.filter(|cell| cell.qualifier.as_deref() == Some(&b"state"[..]));
    let states: Vec<Bytes> = states.filter_map(|cell| cell.value.clone()).collect();
    assert_eq!(states, ["CLOSING", "CLOSED"]);
}

#[test]
fn a_split_that_cannot_be_written_down_is_undone() {
    let mut core = initialized();
    create(&mut core, "t", &[]);
    play(&mut core, START);
    let id = split(&mut core, "t", "f");
    let create = loop {
        let actions = core.take_actions();
        assert!(!actions.is_empty(), "nothing was created");
        let mut create = None;
        for (id, action) in actions {
            if kinds(std::slice::from_ref(&action)) == ["create"] {
                create = Some(id);
                continue;
            }
            core.completed(id, Ok(Output::Done), START);
            report(&mut core, &action, START);
        }
        if let Some(create) = create {
            break create;
        }
    };
    core.completed(create, Err(exceptions::io("disk full")), START);
    assert_eq!(kinds(&play(&mut core, START)), ["archive", "meta", "open", "meta"]);
    assert_eq!(ranges(&core, "t"), [range("", "", RegionState::Open)]);
    let Status::Finished(Err(error)) = &core.procedures.get(id).unwrap().status else { panic!("it failed") };
    assert_eq!(error.message, "disk full");
}

/// A table with a region for each of these keys and one before them, of which the first two were merged; and these.
fn with_the_first_two_merged(splits: &[&'static str]) -> (Core, TableName, Vec<String>) {
    let mut core = initialized();
    create(&mut core, "t", splits);
    play(&mut core, START);
    let table = TableName::parse(b"t").unwrap();
    let parents = core.state.assignable_regions_of(&table)[..2].to_vec();
    let merge = Operation::MergeRegions { table: table.clone(), regions: parents.clone() };
    core.submit(merge, Origin::default(), START).unwrap();
    play(&mut core, START);
    (core, table, parents)
}

#[test]
fn neighbours_are_merged_and_their_directories_stay_as_long_as_they_are_referred_to() {
    let (mut core, table, parents) = with_the_first_two_merged(&["f", "m"]);
    assert_eq!(ranges(&core, "t"), [range("", "m", RegionState::Open), range("m", "", RegionState::Open)]);
    let merged = core.state.assignable_regions_of(&table)[0].clone();
    assert_eq!(core.state.regions[&merged].merged_from, parents);
    core.submit(
        Operation::CollectRegion { table, region: merged.clone(), is_split: false },
        Origin::default(),
        START,
    )
    .unwrap();
    let done = play(&mut core, START);
    let [Action::Storage(StorageWork::ArchiveRegions { regions, .. }), Action::WriteMeta { .. }] = &done[..]
    else {
        panic!("{done:?}")
    };
    assert_eq!(*regions, parents);
    assert!(core.state.regions[&merged].merged_from.is_empty());
    assert!(crate::kinship::kinships(&core.state).is_empty());
}

#[test]
fn a_merged_region_that_is_split_before_its_parents_are_put_away_keeps_its_files() {
    let (mut core, table, parents) = with_the_first_two_merged(&["f", "m"]);
    let [kinship] = &crate::kinship::kinships(&core.state)[..] else { panic!("one") };
    let (merged, is_split) = (kinship.region.clone(), kinship.is_split);
    // Nobody refers to the parents of the merge any more; the split comes first.
    let split = split(&mut core, "t", "c");
    let collect = Operation::CollectRegion { table: table.clone(), region: merged.clone(), is_split };
    let collect = core.submit(collect, Origin::default(), START);
    let done = play(&mut core, START);
    assert_eq!(core.procedures.get(split).unwrap().status, Status::Finished(Ok(())));
    assert!(!kinds(&done).contains(&"archive"));
    let end = &core.procedures.get(collect.unwrap()).unwrap().status;
    assert!(matches!(end, Status::Finished(Err(_))), "{end:?}");
    assert!(!put_away(&mut core).contains(&parents));
    // When nobody refers to it, nobody refers to them either.
    core.submit(Operation::CollectRegion { table, region: merged, is_split: true }, Origin::default(), START)
        .unwrap();
    assert!(put_away(&mut core).contains(&parents));
}

#[test]
fn a_parent_that_hbase_split_is_put_away_with_what_it_was_merged_from() {
    let (mut core, table, parents) = with_the_first_two_merged(&["f", "m"]);
    let merged = core.state.assignable_regions_of(&table)[0].clone();
    split(&mut core, "t", "c");
    play(&mut core, START);
    // HBase's hbase:meta says it by flags alone.
    core.state.regions.get_mut(&merged).unwrap().state = RegionState::Closed;
    let [kinship] = &crate::kinship::kinships(&core.state)[..] else { panic!("one") };
    assert_eq!((&kinship.region, kinship.is_split), (&merged, true));
    let collect = Operation::CollectRegion { table, region: merged.clone(), is_split: true };
    core.submit(collect, Origin::default(), START).unwrap();
    let archived = put_away(&mut core);
    assert!(archived.contains(&vec![merged.clone()]) && archived.contains(&parents), "{archived:?}");
    assert!(!core.state.regions.contains_key(&merged));
}

#[test]
fn a_locked_table_does_not_keep_others_from_being_put_away() {
    let mut core = initialized();
    for table in ["locked", "t"] {
        create(&mut core, table, &[]);
        play(&mut core, START);
        split(&mut core, table, "f");
        play(&mut core, START);
    }
    let look = |core: &mut Core| {
        let over = crate::kinship::kinships(&core.state);
        core.collect(over, START)
    };
    let held = Held::Table(TableName::parse(b"locked").unwrap());
    let lock = Operation::HoldLock { held, exclusive: true, description: String::new() };
    let lock = core.submit(lock, Origin::default(), START).unwrap();
    let waits = play_until_it_waits(&mut core, START);
    assert_eq!(look(&mut core), 1);
    assert_eq!(look(&mut core), 0, "it is at work on that one");
    play(&mut core, START);
    assert_eq!(["locked", "t"].map(|table| ranges(&core, table).len()), [3, 2]);
    core.lock_heartbeat(lock, false, START);
    core.completed(waits.unwrap(), Ok(Output::Done), START);
    play(&mut core, START);
    assert_eq!(look(&mut core), 1);
    play(&mut core, START);
    assert_eq!(ranges(&core, "locked").len(), 2);
}

#[test]
fn what_a_truncated_region_was_merged_from_is_put_away() {
    let (mut core, table, parents) = with_the_first_two_merged(&["m"]);
    let region = core.state.assignable_regions_of(&table)[0].clone();
    core.submit(Operation::TruncateRegion { table, region }, Origin::default(), START).unwrap();
    assert!(put_away(&mut core).contains(&parents));
}

#[test]
fn a_merged_region_ends_where_the_last_of_its_parents_ends() {
    for (splits, end) in [(&["f", "m", "p"][..], "p"), (&["f", "m"][..], "")] {
        let mut core = initialized();
        create(&mut core, "t", splits);
        play(&mut core, START);
        let table = TableName::parse(b"t").unwrap();
        let regions = core.state.assignable_regions_of(&table);
        let merge = |core: &mut Core, regions: Vec<String>| {
            let operation = Operation::MergeRegions { table: table.clone(), regions };
            core.submit(operation, Origin::default(), START).unwrap();
            play(core, START);
        };
        // Over the second one, which it contains then.
        merge(&mut core, vec![regions[0].clone(), regions[2].clone()]);
        let overlapping = core.state.assignable_regions_of(&table);
        merge(&mut core, overlapping[..2].to_vec());
        assert_eq!(ranges(&core, "t")[0], range("", end, RegionState::Open));
    }
}

#[test]
fn a_table_without_a_descriptor_is_not_divided() {
    let mut core = initialized();
    create(&mut core, "t", &["f"]);
    play(&mut core, START);
    let table = TableName::parse(b"t").unwrap();
    core.state.tables.get_mut(&table).unwrap().descriptor = None;
    let regions = core.state.assignable_regions_of(&table);
    let merge = Operation::MergeRegions { table: table.clone(), regions };
    let merge = core.submit(merge, Origin::default(), START).unwrap();
    let split = split(&mut core, "t", "c");
    assert!(!kinds(&play(&mut core, START)).contains(&"close"));
    for id in [merge, split] {
        let Status::Finished(Err(error)) = &core.procedures.get(id).unwrap().status else {
            panic!("it failed")
        };
        assert_eq!(error.message, "t has no descriptor");
    }
}

#[test]
fn the_catalogs_region_is_not_truncated() {
    let mut core = initialized();
    let (table, region) = (TableName::meta(), finback_cell::RegionInfo::meta().encoded_name());
    let refused = core.submit(Operation::TruncateRegion { table, region }, Origin::default(), START);
    assert_eq!(refused.unwrap_err().message, "Can't modify catalog tables");
}

/// Which regions go to the archive by and by.
fn put_away(core: &mut Core) -> Vec<Vec<String>> {
    let mut done = play(core, START);
    core.finish_undone(START);
    done.extend(play(core, START));
    let archived = done.into_iter().filter_map(|action| match action {
        Action::Storage(StorageWork::ArchiveRegions { regions, .. }) => Some(regions),
        _ => None,
    });
    archived.collect()
}

#[test]
fn a_split_that_makes_no_sense_is_refused_in_hbases_words() {
    let mut core = initialized();
    create(&mut core, "t", &["m"]);
    play(&mut core, START);
    let table = TableName::parse(b"t").unwrap();
    let region = core.state.assignable_regions_of(&table)[1].clone();
    let mut refused = |split_row: &'static str| {
        let (table, region) = (table.clone(), region.clone());
        let operation = Operation::SplitRegion { table, region, split_row: split_row.into() };
        core.submit(operation, Origin::default(), START).unwrap_err().message
    };
    assert_eq!(refused("m"), "Split row is equal to startkey: m");
    assert!(refused("a").starts_with("Split row is not inside region key range splitKey:a region: t,m,"));
    let long = "x".repeat(32_750).leak();
    assert!(refused(long).starts_with("A region of t cannot begin with a key of 32750 bytes"));
}

#[test]
fn a_table_is_split_between_prefixes_where_it_says_so() {
    let mut core = initialized();
    create(&mut core, "t", &[]);
    play(&mut core, START);
    let table = TableName::parse(b"t").unwrap();
    assert_eq!(core.border(&table, "user17".into()), "user17");
    let descriptor = &mut core.state.tables.get_mut(&table).unwrap().descriptor;
    let mut restricted = TableDescriptor::clone(descriptor.as_ref().unwrap());
    let key = |name: &str| format!("hbase.regionserver.region.split_restriction.{name}");
    finback_cell::schema::set_entry(&mut restricted.attributes, &key("type"), "KeyPrefix");
    finback_cell::schema::set_entry(&mut restricted.attributes, &key("prefix_length"), "4");
    *descriptor = Some(restricted.into());
    assert_eq!(core.border(&table, "user17".into()), "user");
}

#[test]
fn a_split_that_the_table_forbids_is_let_in_and_fails() {
    let mut core = initialized();
    create(&mut core, "t", &[]);
    play(&mut core, START);
    let table = TableName::parse(b"t").unwrap();
    let descriptor = &mut core.state.tables.get_mut(&table).unwrap().descriptor;
    let mut forbids = TableDescriptor::clone(descriptor.as_ref().unwrap());
    finback_cell::schema::set_entry(&mut forbids.attributes, "SPLIT_ENABLED", "false");
    *descriptor = Some(forbids.into());
    let id = split(&mut core, "t", "f");
    play(&mut core, START);
    assert_eq!(core.admission(id), Some(Ok(())));
    let Status::Finished(Err(error)) = &core.procedures.get(id).unwrap().status else {
        panic!("not finished")
    };
    assert!(error.message.ends_with("failed as region split is disabled for the table"), "{}", error.message);
    assert_eq!(ranges(&core, "t"), [range("", "", RegionState::Open)]);
}

#[test]
fn a_server_is_told_whether_it_opens_again_what_it_closes() {
    let told = |actions: &[Action]| -> Vec<bool> {
        let closes = actions.iter().filter_map(|action| match action {
            Action::CloseRegions { opened_here, .. } => Some(*opened_here),
            _ => None,
        });
        closes.collect()
    };
    let table = TableName::parse(b"t").unwrap();
    let disable = || Operation::DisableTable(table.clone());
    let mut core = initialized();
    create(&mut core, "t", &["m"]);
    play(&mut core, START);
    split(&mut core, "t", "f");
    assert_eq!(told(&play(&mut core, START)), [true]);
    core.submit(disable(), Origin::default(), START).unwrap();
    assert!(told(&play(&mut core, START)).iter().all(|opened_here| !opened_here));
    core.submit(Operation::EnableTable(table.clone()), Origin::default(), START).unwrap();
    play(&mut core, START);
    // Another one may open them.
    core.server_started(server(2, 5), START, START).unwrap();
    play(&mut core, START);
    split(&mut core, "t", "p");
    assert_eq!(told(&play(&mut core, START)), [false]);
}
