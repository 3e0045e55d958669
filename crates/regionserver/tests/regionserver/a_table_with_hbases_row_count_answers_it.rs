//! RowCountService of HBase's examples.

use crate::world::{FAMILY, World, put, region_info, row_name};
use finback_cell::{ColumnFamilyDescriptor, TableDescriptor};
use finback_proto::{Message, pb};

#[tokio::test]
async fn rows_and_cells_are_counted() {
    let world = World::new();
    let info = region_info("t", "", "");
    let coprocessor = "|org.apache.hadoop.hbase.coprocessor.example.RowCountEndpoint|1073741823|";
    let mut described = TableDescriptor::new(info.table.clone());
    described.families.push(ColumnFamilyDescriptor::with_defaults(FAMILY));
    described.attributes.push(("coprocessor$1".into(), coprocessor.into()));
    world.root.create_table_dir(&described, std::slice::from_ref(&info)).unwrap();
    let table = world.table("t").await;
    for row in 0..1500 {
        table.mutate(put(&row_name(row), &[("a", b"v"), ("b", b"v")])).await.unwrap();
    }
    let without = world.table("without").await;
    let ask = async |region: &pb::RegionSpecifier, method: &str| {
        let call = pb::CoprocessorServiceCall {
            service_name: "hbase.pb.RowCountService".into(),
            method_name: method.into(),
            ..Default::default()
        };
        let request = pb::CoprocessorServiceRequest { region: region.clone(), call };
        let (answer, _): (pb::CoprocessorServiceResponse, _) = world.ask("ExecService", &request).await?;
        let counted = pb::CountResponse::decode(answer.value.value.unwrap()).unwrap();
        Ok::<_, finback_rpc::RpcException>((answer.value.name, counted.count))
    };
    let class = "org.apache.hadoop.hbase.coprocessor.example.generated.ExampleProtos$CountResponse";
    assert_eq!(ask(&table.region, "getRowCount").await.unwrap(), (class.to_owned(), 1500));
    assert_eq!(ask(&table.region, "getKeyValueCount").await.unwrap().1, 3000);
    // As an action of several, as HBase's older client sends it.
    let service_call = |method: &str| pb::CoprocessorServiceCall {
        service_name: "hbase.pb.RowCountService".into(),
        method_name: method.into(),
        ..Default::default()
    };
    let action = |index, method: &str| pb::Action {
        index: Some(index),
        service_call: Some(Box::new(service_call(method))),
        ..Default::default()
    };
    let answers = table.multi(vec![action(0, "getRowCount"), action(1, "getMode")]).await;
    let value = answers[0].service_result.as_ref().unwrap().value.as_ref().unwrap();
    assert_eq!(value.name, class);
    assert_eq!(pb::CountResponse::decode(value.value.clone().unwrap()).unwrap().count, 1500);
    let failure = answers[1].exception.as_ref().unwrap();
    assert!(failure.name.ends_with("UnknownProtocolException"), "{}", failure.name);
    for (region, method) in [(&table.region, "getMode"), (&without.region, "getRowCount")] {
        assert_eq!(ask(region, method).await.unwrap_err().simple_class(), "UnknownProtocolException");
    }
}
