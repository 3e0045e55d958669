//! Requests that make sense as bytes and not to the server.

use crate::client::{Client, FAMILY, get_request, put_request, table_name};
use crate::running_server::Place;
use finback_cell::{RegionInfo, TableName};
use finback_proto::{convert, pb};
use finback_rpc::RpcException;

fn refused<T: std::fmt::Debug>(answer: Result<T, RpcException>, class: &str, permanent: bool) -> String {
    let exception = answer.expect_err(class);
    assert_eq!((exception.simple_class(), exception.do_not_retry), (class, permanent), "{exception}");
    exception.message
}

#[tokio::test]
async fn cells_families_rows_regions_and_tables() {
    let place = Place::new();
    let server = place.start_with(&["hbase.server.keyvalue.maxsize=1k"]);
    let client = Client::of(&server).await;
    let table = client.create_table("t").await;
    type Mutated = Result<(pb::MutateResponse, bytes::Bytes), RpcException>;

    let message = refused(table.put("r", &[7; 2000]).await, "DoNotRetryIOException", true);
    assert!(message.contains("exceeds limit of 1024 bytes"), "{message}");

    let unknown = put_request(table.region.clone(), "r", b"nope", b"v");
    let answer: Mutated = client.ask("Mutate", &unknown).await;
    let message = refused(answer, "NoSuchColumnFamilyException", true);
    assert!(message.contains("Column family nope does not exist"), "{message}");

    let nowhere = RegionInfo::new(TableName::parse(b"t").unwrap(), "".into(), "".into(), 1);
    let nowhere = convert::specifier_by_name(&nowhere);
    let answer: Mutated = client.ask("Mutate", &put_request(nowhere.clone(), "r", FAMILY, b"v")).await;
    refused(answer, "NotServingRegionException", false);
    let answer: Result<(pb::GetResponse, _), _> = client.ask("Get", &get_request(nowhere, "r")).await;
    refused(answer, "NotServingRegionException", false);

    assert!(table.put("", b"v").await.is_err_and(|exception| exception.do_not_retry));

    let request = pb::DisableTableRequest { table_name: table_name("nope"), ..Default::default() };
    let answer: Result<pb::DisableTableResponse, _> = client.ask_master("DisableTable", &request).await;
    assert_eq!(refused(answer, "TableNotFoundException", true), "nope");
    let request = pb::DeleteTableRequest { table_name: table_name("t"), ..Default::default() };
    let answer: Result<pb::DeleteTableResponse, _> = client.ask_master("DeleteTable", &request).await;
    refused(answer, "TableNotDisabledException", true);

    // Nothing of it was written, and what makes sense goes on.
    assert!(table.rows().await.is_empty());
    table.put("r", &[7; 900]).await.unwrap();
    assert_eq!(table.rows().await, ["r"]);
}
