use super::*;
use crate::compare::options::tests::options;

fn planned(line: &str) -> Vec<(u32, Product, Vec<String>)> {
    let sessions = plan(&options(line).unwrap());
    let titles = |session: &Session| session.steps.iter().map(Step::title).collect();
    sessions.iter().map(|session| (session.round, session.product, titles(session))).collect()
}

#[test]
fn the_servers_take_turns_and_the_first_of_one_round_is_the_last_of_the_next() {
    let order: Vec<_> = planned("--rounds 2 --only get,restart")
        .into_iter()
        .map(|(round, product, _)| (round, product))
        .collect();
    let (finback, hbase) = (Product::Finback, Product::HBase);
    assert_eq!(
        order,
        [
            (1, hbase),
            (1, finback),
            (1, hbase),
            (1, finback),
            (2, finback),
            (2, hbase),
            (2, finback),
            (2, hbase),
        ]
    );
}

#[test]
fn what_is_wanted_comes_with_what_it_needs() {
    let [(_, _, steps)] = &planned("--rounds 1 --servers finback --clients finback --only get")[..] else {
        panic!()
    };
    assert_eq!(
        steps,
        &[
            "start",
            "rehearsing",
            "sequential-write, finback pe",
            "warming the table of finback pe",
            "get, finback pe"
        ]
    );
    let [(_, _, steps)] = &planned("--rounds 1 --servers finback --clients finback --only put")[..] else {
        panic!()
    };
    assert_eq!(steps, &["start", "rehearsing", "sequential-write, finback pe", "put, finback pe"]);
    let [(_, _, steps)] = &planned("--rounds 1 --servers finback --only idle-memory")[..] else { panic!() };
    assert_eq!(steps, &["start", "idle-memory"]);
}

#[test]
fn all_workloads_run_with_all_clients_on_both_servers() {
    let sessions = planned("--rounds 1");
    for product in [Product::HBase, Product::Finback] {
        let (_, _, steps) = sessions.iter().find(|(_, of, _)| *of == product).unwrap();
        for (workload, client) in
            WORKLOADS.iter().flat_map(|workload| Client::ALL.map(|client| (workload, client)))
        {
            let is_there = steps.contains(&format!("{}, {}", workload.name, client.title()));
            assert_eq!(is_there, workload.is_for(client));
        }
        assert_eq!(steps.last().unwrap(), "memory-after");
    }
}

#[test]
fn the_same_guarantee_is_compared_for_writes_alone() {
    let sessions = planned("--rounds 1 --clients finback");
    let (_, _, steps) = sessions.iter().find(|(_, of, _)| *of == Product::HBaseHsync).unwrap();
    assert!(steps.iter().any(|step| step.starts_with("default-put,")));
    assert!(!steps.iter().any(|step| step.starts_with("get,") || step.starts_with("warming")));
}
