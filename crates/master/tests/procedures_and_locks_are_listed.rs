//! Who has locked what, who waits for it, how procedures stand, and what can be aborted: as HBase tells it.

mod cluster;

use std::time::Duration;

use cluster::{Cluster, create_request, family_schema, pb_name, refusal, table, table_name};
use finback_fs::CrashMode;
use finback_proto::{Message, convert, pb};
use pb::{LockType, LockedResourceType, ProcedureState};

async fn procedures(cluster: &Cluster) -> Vec<pb::Procedure> {
    let list: pb::GetProceduresResponse =
        cluster.call("GetProcedures", &pb::GetProceduresRequest {}).await.unwrap();
    list.procedure
}

async fn locks(cluster: &Cluster) -> Vec<pb::LockedResource> {
    let list: pb::GetLocksResponse = cluster.call("GetLocks", &pb::GetLocksRequest {}).await.unwrap();
    list.lock
}

fn simple_class(procedure: &pb::Procedure) -> &str {
    procedure.class_name.rsplit('.').next().unwrap()
}

/// `kind name: EXCLUSIVE by owner | SHARED count <- those that wait`, for each lock.
async fn shown(cluster: &Cluster) -> Vec<String> {
    let show = |lock: pb::LockedResource| {
        let how = match (lock.lock_type(), &lock.exclusive_lock_owner_procedure) {
            (LockType::Exclusive, Some(owner)) => {
                assert_eq!((lock.shared_lock_count(), owner.locked()), (0, true));
                format!("EXCLUSIVE by {}", simple_class(owner))
            }
            (LockType::Shared, None) => format!("SHARED {}", lock.shared_lock_count()),
            other => panic!("{other:?}"),
        };
        let waiting: Vec<_> = lock.waiting_procedures.iter().map(simple_class).collect();
        let name = lock.resource_name().to_owned();
        let name =
            if lock.resource_type() == LockedResourceType::Region { String::new() } else { name + " " };
        format!("{} {name}{how} <- {}", lock.resource_type().as_str_name(), waiting.join(" "))
    };
    locks(cluster).await.into_iter().map(show).collect()
}

/// Lets everything that can go on do so.
async fn settle() {
    tokio::time::sleep(Duration::from_millis(100)).await;
}

async fn add(cluster: &Cluster, name: &str) -> Result<pb::AddColumnResponse, finback_rpc::RpcException> {
    let request = pb::AddColumnRequest {
        table_name: pb_name("t"),
        column_families: family_schema(name),
        ..Default::default()
    };
    cluster.call("AddColumn", &request).await
}

async fn split(cluster: &Cluster, region: usize, row: &'static str) -> Option<u64> {
    let names = cluster.root().list_regions(&table_name("t")).unwrap();
    let mut infos: Vec<_> =
        names.iter().map(|name| cluster.root().read_region_info(&table_name("t"), name).unwrap()).collect();
    infos.sort_by(|a, b| a.start_key.cmp(&b.start_key));
    let request = pb::SplitTableRegionRequest {
        region_info: (&infos[region]).into(),
        split_row: Some(row.into()),
        ..Default::default()
    };
    let answer: pb::SplitTableRegionResponse = cluster.call("SplitRegion", &request).await.unwrap();
    answer.proc_id
}

#[tokio::test(start_paused = true)]
async fn changes_of_a_table_wait_for_each_other_and_not_for_those_of_another() {
    let cluster = Cluster::start().await;
    cluster.create("t", &["f"], &[]).await.unwrap();
    cluster.server.silent.lock().unwrap().insert("t".into());
    let first = add(&cluster, "a").await.unwrap().proc_id;
    let second = add(&cluster, "b");
    let look = async {
        settle().await;
        let expected = [
            "NAMESPACE default SHARED 1 <- ",
            "TABLE t EXCLUSIVE by ModifyTableProcedure <- ModifyTableProcedure",
        ];
        assert_eq!(shown(&cluster).await, expected);
        let listed = procedures(&cluster).await;
        let [.., running, waiting] = &listed[..] else { panic!("{listed:?}") };
        assert_eq!(Some(running.proc_id), first);
        assert_eq!((running.state(), running.locked()), (ProcedureState::Waiting, true), "for a region");
        assert_eq!((waiting.state(), waiting.locked()), (ProcedureState::Runnable, false), "for a lock");
        let waiting_too = locks(&cluster).await.remove(1).waiting_procedures.remove(0);
        assert_eq!(waiting_too.proc_id, waiting.proc_id);
        cluster.create("u", &["f"], &["m"]).await.unwrap();
        cluster.server.silent.lock().unwrap().clear();
        for name in cluster.root().list_regions(&table_name("t")).unwrap() {
            let info = cluster.root().read_region_info(&table_name("t"), &name).unwrap();
            let code = pb::region_state_transition::TransitionCode::Closed;
            cluster.server.report_transition(code, &info).await.unwrap();
        }
    };
    let (second, ()) = tokio::join!(second, look);
    cluster.wait(first).await.unwrap();
    cluster.wait(second.unwrap().proc_id).await.unwrap();
    assert_eq!(cluster.descriptor("t").await.unwrap().families.len(), 3);
    assert_eq!(shown(&cluster).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn regions_of_a_table_are_changed_at_the_same_time_and_the_table_after_them() {
    let cluster = Cluster::start().await;
    cluster.create("t", &["f"], &["m"]).await.unwrap();
    cluster.server.silent.lock().unwrap().insert("t".into());
    let first = split(&cluster, 0, "c").await;
    split(&cluster, 1, "p").await;
    let disable = pb::DisableTableRequest { table_name: pb_name("t"), ..Default::default() };
    let disabled = cluster.call::<_, pb::DisableTableResponse>("DisableTable", &disable);
    let look = async {
        settle().await;
        let mut expected =
            vec!["NAMESPACE default SHARED 2 <- ", "TABLE t SHARED 2 <- DisableTableProcedure"];
        expected.extend(["REGION EXCLUSIVE by SplitTableRegionProcedure <- "; 6]);
        assert_eq!(shown(&cluster).await, expected, "parents and daughters");
        let own = locks(&cluster).await.into_iter().filter(|lock| {
            let owner = lock.exclusive_lock_owner_procedure.as_ref();
            owner.is_some_and(|owner| Some(owner.proc_id) == first)
        });
        assert_eq!(own.count(), 3);
        // What came before the disabling and can be undone still.
        for procedure in procedures(&cluster).await {
            let may = simple_class(&procedure) == "SplitTableRegionProcedure";
            let abort = pb::AbortProcedureRequest {
                proc_id: procedure.proc_id,
                may_interrupt_if_running: Some(!may),
            };
            let answer: pb::AbortProcedureResponse = cluster.call("AbortProcedure", &abort).await.unwrap();
            let waits = simple_class(&procedure) == "DisableTableProcedure";
            assert_eq!(answer.is_procedure_aborted, waits, "it must not be interrupted, or is over");
        }
    };
    let (disabled, ()) = tokio::join!(disabled, look);
    assert_eq!(refusal(disabled), ("ProcedureAbortedException".into(), "abort requested".into()));
}

#[tokio::test(start_paused = true)]
async fn a_split_that_is_aborted_leaves_the_parent() {
    let cluster = Cluster::start().await;
    cluster.create("t", &["f"], &[]).await.unwrap();
    cluster.server.silent.lock().unwrap().insert("t".into());
    let id = split(&cluster, 0, "m").await;
    settle().await;
    let abort = pb::AbortProcedureRequest { proc_id: id.unwrap(), may_interrupt_if_running: Some(true) };
    let answer: pb::AbortProcedureResponse = cluster.call("AbortProcedure", &abort).await.unwrap();
    assert!(answer.is_procedure_aborted);
    cluster.server.silent.lock().unwrap().clear();
    let name = cluster.root().list_regions(&table_name("t")).unwrap().remove(0);
    let info = cluster.root().read_region_info(&table_name("t"), &name).unwrap();
    let code = pb::region_state_transition::TransitionCode::Closed;
    cluster.server.report_transition(code, &info).await.unwrap();
    let (class, message) = cluster.wait(id).await.unwrap_err();
    assert!(class.ends_with(".ProcedureAbortedException"), "{class}");
    assert_eq!(message, "abort requested");
    assert_eq!(cluster.root().list_regions(&table_name("t")).unwrap(), [name]);
    assert_eq!(cluster.server.online.lock().unwrap().len(), 3, "with hbase:meta and hbase:namespace");
    let unknown = pb::AbortProcedureRequest { proc_id: 4711, may_interrupt_if_running: Some(true) };
    let answer: pb::AbortProcedureResponse = cluster.call("AbortProcedure", &unknown).await.unwrap();
    assert!(!answer.is_procedure_aborted);
}

#[tokio::test(start_paused = true)]
async fn a_namespace_stays_while_a_table_of_it_is_changed() {
    let cluster = Cluster::start().await;
    let namespace_descriptor = convert::namespace_descriptor("ns", &[]);
    let request = pb::CreateNamespaceRequest { namespace_descriptor, ..Default::default() };
    let response: pb::CreateNamespaceResponse = cluster.call("CreateNamespace", &request).await.unwrap();
    cluster.wait(response.proc_id).await.unwrap();
    cluster.server.silent.lock().unwrap().insert("ns:t".into());
    let create = create_request(table("ns:t", &["f"]), &[]);
    let created: pb::CreateTableResponse = cluster.call("CreateTable", &create).await.unwrap();
    let delete = pb::DeleteNamespaceRequest { namespace_name: "ns".into(), ..Default::default() };
    let deleted = cluster.call::<_, pb::DeleteNamespaceResponse>("DeleteNamespace", &delete);
    let look = async {
        settle().await;
        let expected = [
            "NAMESPACE ns SHARED 1 <- DeleteNamespaceProcedure",
            "TABLE ns:t EXCLUSIVE by CreateTableProcedure <- ",
        ];
        assert_eq!(shown(&cluster).await, expected);
        cluster.server.silent.lock().unwrap().clear();
        for name in cluster.root().list_regions(&table_name("ns:t")).unwrap() {
            let info = cluster.root().read_region_info(&table_name("ns:t"), &name).unwrap();
            let code = pb::region_state_transition::TransitionCode::Opened;
            cluster.server.report_transition(code, &info).await.unwrap();
        }
    };
    let (deleted, ()) = tokio::join!(deleted, look);
    assert!(refusal(deleted).1.contains("Only empty namespaces can be removed"));
    cluster.wait(created.proc_id).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn results_and_nonces_are_known_after_a_restart_and_forgotten_in_time() {
    let cluster = Cluster::start().await;
    let request = pb::CreateTableRequest {
        nonce_group: Some(7),
        nonce: Some(8),
        ..create_request(table("t", &["f"]), &["m"])
    };
    let first: pb::CreateTableResponse = cluster.call("CreateTable", &request).await.unwrap();
    cluster.wait(first.proc_id).await.unwrap();
    cluster.server.refuse_to_open.lock().unwrap().insert("u".into(), 1000);
    let failing: pb::CreateTableResponse =
        cluster.call("CreateTable", &create_request(table("u", &["f"]), &[])).await.unwrap();
    let failure = cluster.wait(failing.proc_id).await.unwrap_err();

    let next = cluster.crash_and_restart(CrashMode::Strict).await;
    let again: pb::CreateTableResponse = next.call("CreateTable", &request).await.unwrap();
    assert_eq!(again.proc_id, first.proc_id);
    next.wait(first.proc_id).await.unwrap();
    assert_eq!(next.wait(failing.proc_id).await.unwrap_err(), failure);
    let listed = procedures(&next).await;
    let of = |id: Option<u64>| listed.iter().find(|procedure| Some(procedure.proc_id) == id).unwrap();
    assert_eq!(of(first.proc_id).state(), ProcedureState::Success);
    assert_eq!((of(first.proc_id).nonce_group(), of(first.proc_id).nonce()), (7, 8));
    assert_eq!(of(failing.proc_id).state(), ProcedureState::Rolledback);
    let data = &of(first.proc_id).state_message[1];
    assert_eq!(data.type_url, "type.googleapis.com/hbase.pb.CreateTableStateData");
    assert_eq!(pb::CreateTableStateData::decode(data.value.clone()).unwrap().region_info.len(), 2);

    // Their clients have them: five minutes are enough.
    next.clock.fetch_add(6 * 60_000, std::sync::atomic::Ordering::SeqCst);
    next.create("v", &["f"], &[]).await.unwrap();
    let next = next.crash_and_restart(CrashMode::Strict).await;
    let ask = pb::GetProcedureResultRequest { proc_id: first.proc_id.unwrap() };
    let result: pb::GetProcedureResultResponse = next.call("getProcedureResult", &ask).await.unwrap();
    assert_eq!(result.state(), pb::get_procedure_result_response::State::NotFound);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_written_down_is_refused_and_may_be_asked_for_again() {
    let cluster = Cluster::start().await;
    let request = pb::CreateTableRequest {
        nonce_group: Some(7),
        nonce: Some(8),
        ..create_request(table("t", &["f"]), &["m"])
    };
    let before = procedures(&cluster).await.len();
    for refused in 1..=2 {
        cluster.faults.fail_operation(cluster.faults.operations());
        let answer = cluster.call::<_, pb::CreateTableResponse>("CreateTable", &request).await;
        let (class, message) = refusal(answer);
        assert_eq!(class, "IOException");
        assert!(message.starts_with("storing procedures: "), "{message}");
        settle().await;
        assert_eq!(cluster.state("t").await, None);
        let listed = procedures(&cluster).await;
        assert_eq!(listed.len(), before + refused);
        assert_eq!(listed.last().unwrap().state(), ProcedureState::Rolledback);
    }
    let created: pb::CreateTableResponse = cluster.call("CreateTable", &request).await.unwrap();
    cluster.wait(created.proc_id).await.unwrap();
    let next = cluster.crash_and_restart(CrashMode::Strict).await;
    assert_eq!(next.state("t").await, Some(pb::table_state::State::Enabled));
    let again: pb::CreateTableResponse = next.call("CreateTable", &request).await.unwrap();
    assert_eq!(again.proc_id, created.proc_id);
}

#[tokio::test(start_paused = true)]
async fn procedures_that_nobody_registered_are_refused_in_hbases_words() {
    let cluster = Cluster::start().await;
    let procedure = pb::ProcedureDescription {
        signature: "fake-signature".into(),
        instance: Some("fake-instance".into()),
        ..Default::default()
    };
    let message = "The procedure is not registered: fake-signature".to_owned();
    let request = pb::ExecProcedureRequest { procedure: procedure.clone() };
    let exec = cluster.call::<_, pb::ExecProcedureResponse>("ExecProcedure", &request).await;
    assert_eq!(refusal(exec), ("DoNotRetryIOException".into(), message.clone()));
    let exec = cluster.call::<_, pb::ExecProcedureResponse>("ExecProcedureWithRet", &request).await;
    assert_eq!(refusal(exec), ("IOException".into(), message.clone()));
    let request = pb::IsProcedureDoneRequest { procedure: Some(procedure) };
    let done = cluster.call::<_, pb::IsProcedureDoneResponse>("IsProcedureDone", &request).await;
    assert_eq!(refusal(done), ("IOException".into(), message));

    let procedure = pb::ProcedureDescription {
        signature: "flush-table-proc".into(),
        instance: Some("t".into()),
        ..Default::default()
    };
    let request = pb::IsProcedureDoneRequest { procedure: Some(procedure) };
    let done: pb::IsProcedureDoneResponse = cluster.call("IsProcedureDone", &request).await.unwrap();
    assert_eq!(done.done, Some(false), "nobody has begun it");
}
