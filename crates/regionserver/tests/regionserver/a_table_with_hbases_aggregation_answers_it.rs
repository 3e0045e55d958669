//! HBase's AggregateService.

use crate::world::{FAMILY, Table, World, put, region_info, row_name};
use finback_cell::{ColumnFamilyDescriptor, TableDescriptor};
use finback_proto::{Message, pb};
use finback_rpc::RpcException;

async fn table(world: &World) -> Table<'_> {
    let info = region_info("t", "", "");
    let coprocessor = "|org.apache.hadoop.hbase.coprocessor.AggregateImplementation|1073741823|";
    let mut table = TableDescriptor::new(info.table.clone());
    table.families.push(ColumnFamilyDescriptor::with_defaults(FAMILY));
    table.attributes.push(("coprocessor$1".into(), coprocessor.into()));
    world.root.create_table_dir(&table, std::slice::from_ref(&info)).unwrap();
    world.table("t").await
}

async fn ask(table: &Table<'_>, method: &str, scan: pb::Scan) -> Result<pb::AggregateResponse, RpcException> {
    let interpreter = "org.apache.hadoop.hbase.client.coprocessor.LongColumnInterpreter";
    let request = pb::AggregateRequest {
        interpreter_class_name: interpreter.into(),
        scan,
        interpreter_specific_bytes: None,
    };
    let request = pb::CoprocessorServiceRequest {
        region: table.region.clone(),
        call: pb::CoprocessorServiceCall {
            service_name: "AggregateService".into(),
            method_name: method.into(),
            request: request.encode_to_vec().into(),
            ..Default::default()
        },
    };
    let answer: Result<(pb::CoprocessorServiceResponse, _), _> =
        table.world.ask("ExecService", &request).await;
    answer.map(|(answer, _)| pb::AggregateResponse::decode(answer.value.value.unwrap()).unwrap())
}

fn of_family() -> pb::Scan {
    pb::Scan {
        column: vec![pb::Column { family: FAMILY.into(), qualifier: Vec::new() }],
        max_versions: Some(1),
        ..Default::default()
    }
}

fn long(answer: &pb::AggregateResponse) -> i64 {
    pb::LongMsg::decode(answer.first_part[0].clone()).unwrap().long_msg
}

#[tokio::test]
async fn of_more_rows_than_are_taken_at_once_in_memory_and_in_files() {
    const ROWS: i64 = 2500;
    let world = World::new();
    let table = table(&world).await;
    for row in 0..ROWS {
        let value = row.to_be_bytes();
        table.mutate(put(&row_name(row as usize), &[("q", &value), ("other", b"no number")])).await.unwrap();
    }
    for _ in ["memory", "file"] {
        assert_eq!(long(&ask(&table, "GetMax", of_family()).await.unwrap()), ROWS - 1);
        assert_eq!(long(&ask(&table, "GetMin", of_family()).await.unwrap()), 0);
        assert_eq!(long(&ask(&table, "GetSum", of_family()).await.unwrap()), ROWS * (ROWS - 1) / 2);
        let count = ask(&table, "GetRowNum", pb::Scan { column: Vec::new(), ..of_family() }).await.unwrap();
        assert_eq!(count.first_part[0], ROWS.to_be_bytes()[..]);
        let some = pb::Scan {
            start_row: Some(row_name(10).into()),
            stop_row: Some(row_name(13).into()),
            ..of_family()
        };
        let mean = ask(&table, "GetAvg", some).await.unwrap();
        assert_eq!((long(&mean), mean.second_part.unwrap()[..] == 3i64.to_be_bytes()), (33, true));
        table.flush().await.unwrap();
    }
}

#[tokio::test]
async fn what_is_not_there_is_refused() {
    let world = World::new();
    let table = table(&world).await;
    let nothing = ask(&table, "GetMax", of_family()).await.unwrap();
    assert_eq!(nothing, pb::AggregateResponse::default());
    let refused = ask(&table, "GetMode", of_family()).await.unwrap_err();
    assert_eq!(refused.simple_class(), "UnknownProtocolException");
    let refused = ask(&table, "GetMax", pb::Scan { column: Vec::new(), ..of_family() }).await.unwrap_err();
    assert_eq!(refused.simple_class(), "DoNotRetryIOException");
    let without = world.table("without").await;
    let refused = ask(&without, "GetMax", of_family()).await.unwrap_err();
    assert_eq!(refused.simple_class(), "UnknownProtocolException");
}
