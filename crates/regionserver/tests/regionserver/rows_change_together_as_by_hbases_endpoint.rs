//! `MutateRows`, where HBase's endpoint for it goes by other rules than its other atomic writes.

use crate::world::{Answer, Table, World, increment, large_filter, put};
use finback_cell::Bytes;
use finback_proto::{Message, convert, pb};

/// Later than any clock.
const LATER: u64 = 4_000_000_000_000;

/// Whether the rows were changed.
async fn mutate_rows(table: &Table<'_>, request: &pb::MutateRowsRequest) -> Answer<bool> {
    let call = pb::CoprocessorServiceCall {
        row: "a".into(),
        service_name: "hbase.pb.MultiRowMutationService".into(),
        method_name: "MutateRows".into(),
        request: request.encode_to_vec().into(),
    };
    let request = pb::CoprocessorServiceRequest { region: table.region.clone(), call };
    let (response, _): (pb::CoprocessorServiceResponse, _) = table.world.ask("ExecService", &request).await?;
    Ok(pb::MutateRowsResponse::decode(response.value.value.unwrap()).unwrap().processed())
}

/// A condition on the column `q` of a row.
fn condition(row: &str, operator: pb::CompareType, comparator: (&str, Vec<u8>)) -> pb::Condition {
    pb::Condition {
        row: Bytes::copy_from_slice(row.as_bytes()),
        family: Some("f".into()),
        qualifier: Some("q".into()),
        compare_type: Some(operator.into()),
        comparator: Some(pb::Comparator {
            name: format!("org.apache.hadoop.hbase.filter.{}", comparator.0),
            serialized_comparator: Some(comparator.1.into()),
        }),
        ..Default::default()
    }
}

fn comparable(value: &str) -> pb::ByteArrayComparable {
    pb::ByteArrayComparable { value: Some(Bytes::copy_from_slice(value.as_bytes())) }
}

fn binary(value: &str) -> (&'static str, Vec<u8>) {
    ("BinaryComparator", pb::BinaryComparator { comparable: comparable(value) }.encode_to_vec())
}

#[tokio::test]
async fn a_put_has_its_own_time_whatever_a_condition_on_another_row_saw() {
    let world = World::new();
    let table = world.table("t").await;
    table.mutate(pb::MutationProto { timestamp: Some(LATER), ..put("a", &[("q", b"1")]) }).await.unwrap();
    let request = pb::MutateRowsRequest {
        mutation_request: vec![put("b", &[("q", b"2")])],
        condition: vec![condition("a", pb::CompareType::Equal, binary("1"))],
        ..Default::default()
    };
    assert!(mutate_rows(&table, &request).await.unwrap());
    let get = pb::Get { row: "b".into(), ..Default::default() };
    let get = pb::GetRequest { region: table.region.clone(), get };
    let (response, mut block): (pb::GetResponse, _) = world.ask("Get", &get).await.unwrap();
    let cells = convert::decode_result(&response.result.unwrap(), &mut block).unwrap();
    let time = cells.iter().next().unwrap().timestamp();
    assert!(time < LATER as i64, "{time}");
}

#[tokio::test]
async fn the_nonce_of_the_request_counts_and_those_of_its_mutations_do_not() {
    let world = World::new();
    let table = world.table("t").await;
    let with = |nonce, own| pb::MutateRowsRequest {
        mutation_request: vec![increment("n", 1, own), put("b", &[("q", b"2")])],
        nonce_group: Some(5),
        nonce,
        ..Default::default()
    };
    let sum = async || table.get("n").await.unwrap()[0].1.clone();
    for _ in 0..2 {
        assert!(mutate_rows(&table, &with(Some(7), Some(9))).await.unwrap());
        assert_eq!(sum().await, 1i64.to_be_bytes());
    }
    for expected in 2..4i64 {
        assert!(mutate_rows(&table, &with(None, Some(9))).await.unwrap());
        assert_eq!(sum().await, expected.to_be_bytes());
    }
    let world = world.crash();
    let table = world.table("t").await;
    assert!(mutate_rows(&table, &with(Some(7), None)).await.unwrap());
    assert_eq!(table.get("n").await.unwrap()[0].1, 3i64.to_be_bytes());
}

#[tokio::test]
async fn puts_alone_are_carried_out_again_whatever_their_nonce() {
    let world = World::new();
    let table = world.table("t").await;
    for value in [b"1", b"2"] {
        let request = pb::MutateRowsRequest {
            mutation_request: vec![put("a", &[("q", value)])],
            nonce: Some(7),
            ..Default::default()
        };
        assert!(mutate_rows(&table, &request).await.unwrap());
        assert_eq!(table.get("a").await.unwrap()[0].1, value);
    }
}

#[tokio::test]
async fn conditions_ask_their_comparators() {
    use pb::CompareType::{Equal, Greater, Less, NoOp, NotEqual};
    let world = World::new();
    let table = world.table("t").await;
    table.put("a", b"value").await.unwrap();
    table.put("empty", b"").await.unwrap();
    let prefix = || {
        let prefix = pb::BinaryPrefixComparator { comparable: comparable("val") };
        ("BinaryPrefixComparator", prefix.encode_to_vec())
    };
    let substring = |substr: &str| {
        let substring = pb::SubstringComparator { substr: substr.to_owned() };
        ("SubstringComparator", substring.encode_to_vec())
    };
    let null = || ("NullComparator", pb::NullComparator {}.encode_to_vec());
    let expected = [
        (condition("a", Equal, binary("value")), true),
        // The given value stands on the left.
        (condition("a", Less, binary("us")), true),
        (condition("a", Greater, binary("us")), false),
        (condition("a", Equal, prefix()), true),
        (condition("a", NotEqual, prefix()), false),
        (condition("a", Equal, substring("ALU")), true),
        (condition("a", NotEqual, substring("other")), true),
        (condition("none", NotEqual, binary("value")), false),
        // Nothing given: the operator does not matter.
        (condition("none", Equal, binary("")), true),
        (condition("none", NotEqual, binary("")), true),
        (condition("none", NotEqual, null()), true),
        (condition("empty", Equal, binary("")), true),
        (condition("empty", NotEqual, binary("")), true),
        (condition("a", Equal, binary("")), false),
        (condition("a", NotEqual, binary("")), false),
        (condition("a", NotEqual, null()), false),
    ];
    for (condition, expected) in expected {
        let request = pb::MutateRowsRequest {
            mutation_request: vec![put("b", &[("q", b"2")])],
            condition: vec![condition],
            ..Default::default()
        };
        let was_changed = mutate_rows(&table, &request).await.unwrap();
        assert_eq!(was_changed, expected, "{:?}", request.condition);
    }
    let request = pb::MutateRowsRequest {
        mutation_request: vec![put("b", &[("q", b"3")])],
        condition: vec![condition("a", NoOp, binary("value"))],
        ..Default::default()
    };
    let refused = mutate_rows(&table, &request).await.unwrap_err();
    assert_eq!(refused.message, "Unknown Compare op NO_OP");
}

#[tokio::test]
async fn what_all_conditions_compile_is_bounded_together() {
    let world = World::new();
    let table = world.table("t").await;
    table.put("a", b"1").await.unwrap();
    // As much as in the filter: more than half a MiB, of 32.
    let regex = pb::RegexStringComparator {
        pattern: "(a{1000}){20}$".into(),
        charset: "UTF-8".into(),
        ..Default::default()
    };
    let regex = ("RegexStringComparator", regex.encode_to_vec());
    let by_comparator = condition("a", pb::CompareType::NotEqual, regex);
    let by_filter = pb::Condition { row: "a".into(), filter: Some(large_filter()), ..Default::default() };
    for condition in [by_comparator, by_filter] {
        let with = |count| pb::MutateRowsRequest {
            mutation_request: vec![put("b", &[("q", b"2")])],
            condition: vec![condition.clone(); count],
            ..Default::default()
        };
        assert!(mutate_rows(&table, &with(2)).await.unwrap());
        let refused = mutate_rows(&table, &with(80)).await.unwrap_err();
        assert_eq!(refused.simple_class(), "DoNotRetryIOException");
        assert!(refused.message.contains("bytes when they are compiled"), "{refused}");
    }
}

#[tokio::test]
async fn only_the_first_row_may_be_looked_for_in_another_region() {
    let world = World::new();
    let table = world.region("t", "", "m").await;
    for (rows, class) in [(["x", "a"], "WrongRegionException"), (["a", "x"], "DoNotRetryIOException")] {
        let request = pb::MutateRowsRequest {
            mutation_request: rows.iter().map(|row| put(row, &[("q", b"1")])).collect(),
            ..Default::default()
        };
        let refused = mutate_rows(&table, &request).await.unwrap_err();
        assert_eq!(refused.simple_class(), class);
        assert!(refused.message.contains("Requested row out of range 'x'"), "{refused}");
        assert!(table.get("a").await.unwrap().is_empty());
    }
}
