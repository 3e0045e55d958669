use super::*;
use crate::{core::Decision, operation::Operation};
use finback_cell::{ColumnFamilyDescriptor, RegionInfo, TableDescriptor, TableName};
use finback_proto::Message;
use std::sync::Arc;

fn table() -> TableName {
    TableName::parse(b"ns:t").unwrap()
}

fn states(message: &pb::Procedure) -> Vec<u32> {
    let first = &message.state_message[0];
    assert_eq!(first.type_url, "type.googleapis.com/hbase.pb.StateMachineProcedureData");
    pb::StateMachineProcedureData::decode(first.value.clone()).unwrap().state
}

#[test]
fn a_creation_shows_its_states_schema_and_regions() {
    let mut descriptor = TableDescriptor::new(table());
    descriptor.families.push(ColumnFamilyDescriptor::with_defaults(b"f"));
    let operation = Operation::CreateTable { table: descriptor.clone(), split_keys: Vec::new() };
    let mut creation = Procedure::new(operation, 5);
    creation.owner = Some("root".into());
    let message = procedure(7, &creation);
    assert_eq!(message.class_name, "org.apache.hadoop.hbase.master.procedure.CreateTableProcedure");
    assert_eq!(
        (message.proc_id, message.submitted_time, message.state()),
        (7, 5, pb::ProcedureState::Runnable)
    );
    assert_eq!((states(&message), message.locked), (vec![1], None));

    let region = RegionInfo::new(table(), "".into(), "".into(), 9);
    creation.decision = Some(Decision {
        new_regions: vec![region.clone()],
        new_descriptor: Some(Arc::new(descriptor)),
        ..Default::default()
    });
    creation.status = Status::Running;
    let message = procedure(7, &creation);
    assert_eq!((states(&message), message.locked), (vec![1, 2], Some(true)));
    let [_, data] = &message.state_message[..] else { panic!("{message:?}") };
    assert_eq!(data.type_url, "type.googleapis.com/hbase.pb.CreateTableStateData");
    let data = pb::CreateTableStateData::decode(data.value.clone()).unwrap();
    assert_eq!(data.user_info.effective_user, "root");
    assert_eq!(data.region_info, [pb::RegionInfo::from(&region)]);
    assert_eq!(TableName::try_from(&data.table_schema.table_name.unwrap()).unwrap(), table());

    creation.status = Status::Finished(Ok(()));
    assert_eq!(procedure(7, &creation).state(), pb::ProcedureState::Success);
}

#[test]
fn regions_are_shown_as_hbase_shows_them() {
    let region = RegionInfo::new(table(), "".into(), "".into(), 9);
    let operation = Operation::AssignRegion { table: table(), region: region.encoded_name() };
    let mut assign = Procedure::new(operation, 5);
    assign.decision = Some(Decision { old_regions: vec![region], ..Default::default() });
    let message = procedure(7, &assign);
    assert_eq!(message.class_name, "org.apache.hadoop.hbase.master.assignment.TransitRegionStateProcedure");
    let kinds: Vec<_> =
        message.state_message.iter().map(|any| any.type_url.rsplit('.').next().unwrap()).collect();
    assert_eq!(kinds, ["StateMachineProcedureData", "RegionInfo", "RegionStateTransitionStateData"]);
}
