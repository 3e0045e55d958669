use crate::fake_cluster::{FakeCluster, region};
use finback_client::ServiceMethod;
use finback_proto::{Message, pb};
use finback_rpc::{Call, Outcome, exceptions};
use std::sync::Arc;

/// Answers the row by which a region was called.
fn row_of(call: &Call) -> Outcome {
    let row = call.decode::<pb::CoprocessorServiceRequest>().unwrap().call.row;
    let answer = pb::AggregateResponse { first_part: vec![row], second_part: None };
    let value = pb::NameBytesPair { value: Some(answer.encode_to_vec().into()), ..Default::default() };
    Outcome::message(&pb::CoprocessorServiceResponse { value, ..Default::default() })
}

#[tokio::test]
async fn both_daughters_of_a_region_that_is_split_meanwhile_are_called() {
    let cluster = FakeCluster::start(1).await;
    let table = cluster.table().await;
    let (state, server) = (Arc::clone(&cluster.state), cluster.name(0));
    cluster.next(move |_| {
        let daughters = [region("", "m"), region("m", "")];
        state.lock().unwrap().regions = daughters.map(|region| (region, server.clone(), 1)).into();
        Outcome::exception(exceptions::not_serving_region("split"))
    });
    cluster.next(row_of);
    cluster.next(row_of);
    let count = ServiceMethod { service: "AggregateService", method: "GetRowNum" };
    let answers: Vec<pb::AggregateResponse> =
        table.call_service_of_all(count, &pb::AggregateRequest::default()).await.unwrap();
    let rows: Vec<_> = answers.iter().map(|answer| &answer.first_part[0][..]).collect();
    assert_eq!(rows, [&b""[..], b"m"]);
}
