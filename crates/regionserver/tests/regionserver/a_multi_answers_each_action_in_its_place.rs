//! Multi: actions of many kinds, on regions that are here and others that are not.

use crate::a_scan_reply_ends_at_the_first_limit::no_value;
use crate::world::{FAMILY, Table, World, action, failure_of, increment, put, region_info, text};
use finback_cell::cell::CellParts;
use finback_cell::{Bytes, CellBlock, CellBlockBuilder, CellType, LATEST_TIMESTAMP};
use finback_proto::{Message, convert, pb};
use pb::mutation_proto::MutationType;

fn get(row: &str) -> pb::Action {
    let get = pb::Get { row: Bytes::copy_from_slice(row.as_bytes()), ..Default::default() };
    pb::Action { get: Some(Box::new(get)), ..Default::default() }
}

fn on(region: &pb::RegionSpecifier, actions: Vec<pb::Action>) -> pb::RegionAction {
    let indexed = actions.into_iter().zip(0..);
    let action = indexed.map(|(action, index)| pb::Action { index: Some(index), ..action }).collect();
    pb::RegionAction { region: region.clone(), action, ..Default::default() }
}

async fn multi(world: &World, region_action: Vec<pb::RegionAction>) -> (pb::MultiResponse, Bytes) {
    let request = pb::MultiRequest { region_action, ..Default::default() };
    world.ask("Multi", &request).await.unwrap()
}

fn values(result: &pb::ResultOrException, block: &mut Bytes) -> Vec<String> {
    let cells = convert::decode_result(result.result.as_ref().unwrap(), block).unwrap();
    cells.iter().map(|cell| text(cell.value())).collect()
}

#[tokio::test]
async fn puts_and_deletes_wait_for_the_next_increment_or_the_end_and_gets_do_not_see_those_that_wait() {
    let world = World::new();
    let table = world.table("t").await;
    let mut unknown_family = put("a", &[("q", b"1")]);
    unknown_family.column_value[0].family = "nope".into();
    let delete = pb::MutationProto {
        row: Some("a".into()),
        mutate_type: Some(MutationType::Delete.into()),
        ..Default::default()
    };
    let actions = vec![
        action(put("a", &[("q", b"1")])),
        get("a"),
        action(unknown_family),
        action(put("b", &[("q", b"2")])),
        action(increment("n", 5, None)),
        get("b"),
        action(delete),
        get("a"),
        pb::Action::default(),
    ];
    let (response, mut block) = multi(&world, vec![on(&table.region, actions)]).await;
    let results = &response.region_action_result[0].result_or_exception;
    assert_eq!(
        results.iter().map(pb::ResultOrException::index).collect::<Vec<_>>(),
        (0..9).collect::<Vec<_>>()
    );
    let failed: Vec<u32> =
        results.iter().filter(|r| r.exception.is_some()).map(pb::ResultOrException::index).collect();
    assert_eq!(failed, [2, 8]);
    assert_eq!(failure_of(&results[2].exception), "NoSuchColumnFamilyException");
    assert_eq!(failure_of(&results[8].exception), "DoNotRetryIOException");
    assert!(values(&results[1], &mut block).is_empty());
    let sum = convert::decode_result(results[4].result.as_ref().unwrap(), &mut block).unwrap();
    assert_eq!(sum.iter().next().unwrap().value(), 5i64.to_be_bytes());
    assert_eq!(values(&results[5], &mut block), ["2"]);
    assert_eq!(values(&results[7], &mut block), ["1"]);
    assert!(block.is_empty());
}

#[tokio::test]
async fn a_get_of_what_is_uncommitted_does_not_see_the_puts_that_wait_either() {
    let world = World::new();
    let table = world.table("t").await;
    let mut uncommitted = get("a");
    uncommitted.get.as_mut().unwrap().attribute =
        vec![pb::NameBytesPair { name: "_isolationlevel_".into(), value: Some(vec![1].into()) }];
    let actions = vec![action(put("a", &[("q", b"1")])), uncommitted.clone()];
    let (response, mut block) = multi(&world, vec![on(&table.region, actions)]).await;
    assert!(values(&response.region_action_result[0].result_or_exception[1], &mut block).is_empty());
    let (response, mut block) = multi(&world, vec![on(&table.region, vec![uncommitted])]).await;
    assert_eq!(values(&response.region_action_result[0].result_or_exception[0], &mut block), ["1"]);
}

/// A put whose cells stand in the block of the request.
fn put_in_block(row: &str, count: i32) -> pb::Action {
    action(pb::MutationProto {
        row: Some(Bytes::copy_from_slice(row.as_bytes())),
        mutate_type: Some(MutationType::Put.into()),
        associated_cell_count: Some(count),
        ..Default::default()
    })
}

fn cells_of(puts: &[(&str, i32)]) -> CellBlock {
    let mut block = CellBlockBuilder::default();
    for (row, count) in puts {
        for column in 0..*count {
            block.push_parts(&CellParts {
                row: row.as_bytes(),
                family: b"f",
                qualifier: format!("q{column}").as_bytes(),
                timestamp: LATEST_TIMESTAMP,
                type_code: CellType::Put.code(),
                value: row.as_bytes(),
                tags: b"",
            });
        }
    }
    block.finish()
}

#[tokio::test]
async fn cells_find_their_mutations_also_behind_regions_that_are_not_here() {
    let world = World::new();
    let (first, last) = (world.region("t", "", "m").await, world.region("t", "m", "").await);
    let elsewhere = convert::specifier_by_name(&region_info("elsewhere", "", ""));
    // The second put of the first region is not in its range.
    let puts = [("a", 2), ("x", 1), ("b", 3), ("c", 4), ("n", 1), ("o", 2)];
    let [a, x, b, c, n, o] = puts.map(|(row, count)| put_in_block(row, count));
    let request = pb::MultiRequest {
        region_action: vec![
            on(&first.region, vec![a, x, b]),
            on(&elsewhere, vec![c]),
            on(&last.region, vec![n, o]),
        ],
        ..Default::default()
    };
    let cells = cells_of(&puts);
    let (response, _): (pb::MultiResponse, _) =
        world.ask_with_cells("Multi", &request, cells.bytes().clone()).await.unwrap();
    let [one, two, three] = &response.region_action_result[..] else { panic!("{response:?}") };
    assert_eq!(failure_of(&one.result_or_exception[1].exception), "FailedSanityCheckException");
    assert!(one.result_or_exception[0].exception.is_none() && one.result_or_exception[2].exception.is_none());
    assert_eq!(failure_of(&two.exception), "NotServingRegionException");
    assert!(three.result_or_exception.iter().all(|result| result.exception.is_none()));
    for (table, row, count) in [(&first, "a", 2), (&first, "b", 3), (&last, "n", 1), (&last, "o", 2)] {
        let cells = table.get(row).await.unwrap();
        assert_eq!(cells.len(), count, "{row}");
        assert!(cells.iter().all(|(_, value)| value == row.as_bytes()), "{row}");
    }
}

#[tokio::test]
async fn an_action_whose_cells_are_not_there_fails_and_so_do_those_behind_it_that_count_some() {
    let world = World::new();
    let (first, last) = (world.region("t", "", "m").await, world.region("t", "m", "").await);
    let actions = vec![
        get("a"),
        put_in_block("a", 2),
        put_in_block("b", 5),
        put_in_block("c", 1),
        action(put("d", &[("q", b"inside")])),
    ];
    let elsewhere = convert::specifier_by_name(&region_info("elsewhere", "", ""));
    let region_action = vec![
        on(&first.region, actions),
        on(&elsewhere, vec![put_in_block("x", 1)]),
        on(&last.region, vec![put_in_block("n", 1), action(put("o", &[("q", b"inside")]))]),
    ];
    let request = pb::MultiRequest { region_action, ..Default::default() };
    let cells = cells_of(&[("a", 2), ("b", 2)]);
    let (response, _): (pb::MultiResponse, _) =
        world.ask_with_cells("Multi", &request, cells.bytes().clone()).await.unwrap();
    let [one, two, three] = &response.region_action_result[..] else { panic!("{response:?}") };
    let has_failed = |result: &pb::RegionActionResult| -> Vec<bool> {
        result.result_or_exception.iter().map(|result| result.exception.is_some()).collect()
    };
    assert_eq!(has_failed(one), [false, false, true, true, false]);
    assert_eq!(failure_of(&two.exception), "NotServingRegionException");
    assert_eq!(has_failed(three), [true, false]);
    let exception = &one.result_or_exception[2].exception;
    assert_eq!(failure_of(exception), "DoNotRetryIOException");
    let message = String::from_utf8_lossy(exception.as_ref().unwrap().value.as_deref().unwrap()).into_owned();
    assert!(message.contains("Cell count of 5 but at index 2 no cell returned"), "{message}");
    for (table, row, count) in [(&first, "a", 2), (&first, "b", 0), (&first, "c", 0), (&first, "d", 1)] {
        assert_eq!(table.get(row).await.unwrap().len(), count, "{row}");
    }
    assert_eq!(last.get("o").await.unwrap().len(), 1);
}

#[tokio::test]
async fn an_increment_or_append_of_a_row_of_another_region_is_to_be_sent_there() {
    let world = World::new();
    let table = world.region("t", "", "m").await;
    let append =
        pb::MutationProto { mutate_type: Some(MutationType::Append.into()), ..put("x", &[("q", b"1")]) };
    let actions = vec![action(increment("x", 1, None)), action(append), action(put("x", &[("q", b"1")]))];
    let (response, _) = multi(&world, vec![on(&table.region, actions)]).await;
    let results = &response.region_action_result[0].result_or_exception;
    let failures: Vec<_> = results.iter().map(|result| failure_of(&result.exception)).collect();
    assert_eq!(failures, ["WrongRegionException", "WrongRegionException", "FailedSanityCheckException"]);
}

fn atomic(table: &Table<'_>, actions: Vec<pb::Action>, condition: Option<pb::Condition>) -> pb::RegionAction {
    pb::RegionAction { atomic: Some(true), condition, ..on(&table.region, actions) }
}

/// That the column `q` of a row has a value.
fn has(row: &str, value: &str) -> pb::Condition {
    use finback_proto::Message;
    let comparable = pb::ByteArrayComparable { value: Some(Bytes::copy_from_slice(value.as_bytes())) };
    let comparator = pb::BinaryComparator { comparable };
    pb::Condition {
        row: Bytes::copy_from_slice(row.as_bytes()),
        family: Some("f".into()),
        qualifier: Some("q".into()),
        compare_type: Some(pb::CompareType::Equal.into()),
        comparator: Some(pb::Comparator {
            name: "org.apache.hadoop.hbase.filter.BinaryComparator".into(),
            serialized_comparator: Some(comparator.encode_to_vec().into()),
        }),
        ..Default::default()
    }
}

#[tokio::test]
async fn an_atomic_group_is_applied_as_a_whole_or_not_at_all() {
    let world = World::new();
    let table = world.table("t").await;
    table.put("a", b"1").await.unwrap();
    let two =
        |value: &'static [u8]| vec![action(put("a", &[("q", value)])), action(put("a", &[("other", value)]))];
    let (response, _) = multi(&world, vec![atomic(&table, two(b"2"), Some(has("a", "wrong")))]).await;
    assert_eq!(response.region_action_result[0].processed, Some(false));
    assert_eq!(table.get("a").await.unwrap(), [("q".to_owned(), b"1".to_vec())]);

    let (response, _) = multi(&world, vec![atomic(&table, two(b"2"), Some(has("a", "1")))]).await;
    assert_eq!((response.processed, response.region_action_result[0].processed), (Some(true), Some(true)));
    let both = [("other".to_owned(), b"2".to_vec()), ("q".to_owned(), b"2".to_vec())];
    assert_eq!(table.get("a").await.unwrap(), both);

    // A get, a condition on another row, or on one of two: nothing of it is done.
    let mut mixed = two(b"3");
    mixed.push(get("a"));
    let rows = vec![action(put("a", &[("q", b"3")])), action(put("b", &[("q", b"3")]))];
    for group in [
        atomic(&table, mixed, None),
        atomic(&table, rows.clone(), Some(has("a", "2"))),
        atomic(&table, two(b"3"), Some(has("b", "1"))),
    ] {
        let (response, _) = multi(&world, vec![group]).await;
        assert_eq!(failure_of(&response.region_action_result[0].exception), "DoNotRetryIOException");
    }
    assert_eq!(table.get("a").await.unwrap(), both);

    // Without a condition the rows may be several; one that cannot be written keeps the others from it.
    let mut with_unknown = rows.clone();
    with_unknown[1].mutation.as_mut().unwrap().column_value[0].family = "nope".into();
    let (response, _) = multi(&world, vec![atomic(&table, with_unknown, None)]).await;
    assert_eq!(failure_of(&response.region_action_result[0].exception), "NoSuchColumnFamilyException");
    assert_eq!(table.get("a").await.unwrap(), both);
    let (response, _) = multi(&world, vec![atomic(&table, rows, None)]).await;
    assert_eq!(response.region_action_result[0].processed, Some(true));
    assert_eq!(table.get("a").await.unwrap()[1].1, b"3");
    assert_eq!(table.get("b").await.unwrap()[0].1, b"3");
}

#[tokio::test]
async fn rows_of_one_region_change_together_by_its_endpoint() {
    use finback_proto::Message;
    let world = World::new();
    let table = world.region("t", "", "m").await;
    let mutate = |rows: &[&str], value: &'static [u8], condition: Vec<pb::Condition>| {
        let mutation_request = rows.iter().map(|row| put(row, &[("q", value)])).collect();
        let request = pb::MutateRowsRequest { mutation_request, condition, ..Default::default() };
        pb::CoprocessorServiceRequest {
            region: table.region.clone(),
            call: pb::CoprocessorServiceCall {
                row: "a".into(),
                service_name: "hbase.pb.MultiRowMutationService".into(),
                method_name: "MutateRows".into(),
                request: request.encode_to_vec().into(),
            },
        }
    };
    type Executed = Result<(pb::CoprocessorServiceResponse, Bytes), finback_rpc::RpcException>;
    let processed = |answer: Executed| {
        let value = answer.unwrap().0.value.value.unwrap();
        pb::MutateRowsResponse::decode(value).unwrap().processed()
    };
    assert!(processed(world.ask("ExecService", &mutate(&["a", "b"], b"1", vec![])).await));
    // The last row is not this region's.
    let answer: Executed = world.ask("ExecService", &mutate(&["a", "b", "x"], b"2", vec![])).await;
    assert!(answer.is_err());
    assert!(!processed(world.ask("ExecService", &mutate(&["a", "b"], b"3", vec![has("a", "9")])).await));
    for row in ["a", "b"] {
        assert_eq!(table.get(row).await.unwrap()[0].1, b"1");
    }
    assert!(processed(world.ask("ExecService", &mutate(&["a", "b"], b"4", vec![has("b", "1")])).await));
    assert_eq!(table.get("a").await.unwrap()[0].1, b"4");

    let mut other = mutate(&["a"], b"5", vec![]);
    other.call.service_name = "AggregateService".into();
    let answer: Executed = world.ask("ExecService", &other).await;
    assert_eq!(answer.unwrap_err().simple_class(), "UnknownProtocolException");
}

#[tokio::test]
async fn the_load_of_regions_is_told_where_that_is_wanted() {
    let silent = World::new();
    let table = silent.table("t").await;
    let (response, _) = multi(&silent, vec![on(&table.region, vec![action(put("a", &[("q", b"1")]))])]).await;
    assert_eq!(response.region_statistics, None);

    let world = World::with(|options| {
        options.region.tells_load = true;
        options.region.flush_size_bytes = 1 << 20;
        options.memstore_limit_bytes = 4 << 20;
    });
    let table = world.region("t", "", "m").await;
    let other = world.region("t", "m", "").await;
    let elsewhere = pb::RegionSpecifier {
        value: "t,x,1.0123456789abcdef0123456789abcdef.".into(),
        ..table.region.clone()
    };
    let large = vec![b'v'; 400 << 10];
    let atomic = pb::RegionAction {
        atomic: Some(true),
        ..on(&table.region, vec![action(put("b", &[("q", &large)]))])
    };
    let parts = vec![
        on(&table.region, vec![action(put("a", &[("q", b"1")]))]),
        atomic,
        on(&elsewhere, vec![get("x")]),
        on(&other.region, vec![get("n")]),
    ];
    let (response, _) = multi(&world, parts).await;
    let told = response.region_statistics.unwrap();
    assert_eq!(told.region, [table.region.clone(), other.region.clone()]);
    let loads: Vec<_> = told.stat.iter().map(pb::RegionLoadStats::mem_store_load).collect();
    // 400 KiB of 1 MiB, and of the memory for all.
    assert!((39..=42).contains(&loads[0]) && loads[1] == 0, "{loads:?}");
    assert!((9..=11).contains(&told.stat[1].heap_occupancy()), "{told:?}");
    assert_eq!(told.stat[0].compaction_pressure, Some(0));
}

#[tokio::test]
async fn a_long_row_that_its_filter_drops_at_the_end_is_not_there() {
    const COLUMNS: usize = 3000;
    let world = World::new();
    let table = world.table("t").await;
    let names: Vec<String> = (0..COLUMNS).map(|column| format!("q{column:05}")).collect();
    let columns: Vec<(&str, &[u8])> = names.iter().map(|name| (&name[..], &b"v"[..])).collect();
    table.mutate(put("r", &columns)).await.unwrap();
    let of_the_last_column = pb::SingleColumnValueFilter {
        column_family: Some(FAMILY.into()),
        column_qualifier: Some(names[COLUMNS - 1].clone().into()),
        compare_op: pb::CompareType::Equal.into(),
        comparator: no_value(),
        filter_if_missing: Some(true),
        latest_version_only: Some(true),
    };
    let filter = pb::Filter {
        name: "org.apache.hadoop.hbase.filter.SingleColumnValueFilter".into(),
        serialized_filter: Some(of_the_last_column.encode_to_vec().into()),
    };
    let get = pb::Get { row: "r".into(), filter: Some(Box::new(filter)), ..Default::default() };
    let request = pb::GetRequest { region: table.region.clone(), get };
    let (response, _): (pb::GetResponse, _) = world.ask("Get", &request).await.unwrap();
    assert_eq!(response.result.unwrap_or_default().associated_cell_count(), 0);
}
