//! Writes of hbase:namespace that fail.

use super::*;

/// A namespace is made, and the write of it fails so often; whether it is there in the end, and whether its maker is told so.
fn made(failures: usize, exception: &RpcException) -> (bool, bool) {
    let mut core = initialized();
    let creation = Operation::CreateNamespace { name: "n".to_owned(), configuration: Vec::new() };
    let id = core.submit(creation, Origin::default(), START).unwrap();
    let mut left = failures;
    play_where(&mut core, START, |action| {
        let fails = matches!(action, Action::WriteNamespace { .. }) && left > 0;
        left -= usize::from(fails);
        fails.then(|| exception.clone())
    });
    let is_done = core.procedures.get(id).unwrap().status == Status::Finished(Ok(()));
    (core.state.namespaces.contains_key("n"), is_done)
}

#[test]
fn it_may_have_been_applied_and_is_repeated() {
    assert_eq!(made(30, &exceptions::io("the answer is lost")), (true, true));
}

#[test]
fn what_is_refused_for_good_is_not() {
    assert_eq!(made(1, &exceptions::do_not_retry("a row that is too long")), (false, false));
}

#[test]
fn nothing_waits_for_a_table_of_namespaces_that_is_disabled() {
    let mut core = initialized();
    let mut submit = |operation| core.submit(operation, Origin::default(), START).unwrap();
    let creation = || Operation::CreateNamespace { name: "n".to_owned(), configuration: Vec::new() };
    submit(Operation::DisableTable(TableName::namespace_table()));
    let too_early = submit(creation());
    submit(Operation::EnableTable(TableName::namespace_table()));
    let in_time = submit(creation());
    play(&mut core, START);
    let Some(Err(refused)) = core.admission(too_early) else { panic!("it was let in") };
    assert_eq!(refused.simple_class(), "TableNotEnabledException");
    assert_eq!(core.procedures.get(in_time).unwrap().status, Status::Finished(Ok(())));
}
