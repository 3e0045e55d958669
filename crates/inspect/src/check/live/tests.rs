//! Answers as servers give them, and what is found in each.

use super::*;
use crate::check::finding::Severity;
use crate::check::repair::{Losses, Repair};
use finback_cell::{Bytes, RegionState};

const NOW_MS: u64 = 1_700_000_000_000;

fn server(name: &str) -> ServerName {
    ServerName { host: name.to_owned(), port: 16020, start_code: 1 }
}

fn table() -> TableName {
    TableName::parse(b"t").unwrap()
}

fn info(start: &'static str, end: &'static str) -> RegionInfo {
    RegionInfo::new(table(), Bytes::from_static(start.as_bytes()), Bytes::from_static(end.as_bytes()), NOW_MS)
}

fn open(info: RegionInfo, server: ServerName) -> ClusterRegion {
    let state = Some(RegionState::Open);
    ClusterRegion { info, state, server: Some(server), replicas: Vec::new(), daughters: Vec::new() }
}

/// Table `t` of regions `-m`, on `a`, and `m-`, on `b`; hbase:meta is on `a`.
fn sound() -> Cluster {
    let regions = vec![
        open(RegionInfo::meta(), server("a")),
        open(info("", "m"), server("a")),
        open(info("m", ""), server("b")),
    ];
    let has = |name: &str| {
        let there = regions.iter().filter(|region| region.server == Some(server(name)));
        ClusterServer { name: server(name), open: Ok(there.map(|region| region.info.clone()).collect()) }
    };
    Cluster {
        name: "cluster".to_owned(),
        servers: vec![has("a"), has("b")],
        tables: [(table(), TableState::Enabled)].into(),
        described: [table(), TableName::meta()].into(),
        now_ms: NOW_MS,
        regions,
        ..Cluster::default()
    }
}

impl Cluster {
    fn open_of(&mut self, name: &str) -> &mut Vec<RegionInfo> {
        let found = self.servers.iter_mut().find(|one| one.name == server(name)).unwrap();
        found.open.as_mut().unwrap()
    }
}

/// The kinds of what is found in the sound cluster after this change, with where.
fn found(change: impl FnOnce(&mut Cluster)) -> Vec<(&'static str, String)> {
    report(change).findings.iter().map(|one| (one.kind.name(), one.path.display().to_string())).collect()
}

fn report(change: impl FnOnce(&mut Cluster)) -> CheckReport {
    let mut cluster = sound();
    change(&mut cluster);
    check_cluster(&cluster)
}

fn first() -> String {
    path_of(&info("", "m"))
}

fn second() -> String {
    path_of(&info("m", ""))
}

#[test]
fn in_a_sound_cluster_nothing_is_found() {
    let report = report(|_| {});
    assert_eq!(report.findings, []);
    assert_eq!((report.tables, report.regions, report.servers), (1, 3, 2));
    assert!(report.is_sound());
}

#[test]
fn a_region_is_to_be_open_where_hbase_meta_says() {
    assert_eq!(found(|it| it.open_of("b").clear()), [("not-open", second())]);
    assert_eq!(found(|it| it.open_of("a").push(info("m", ""))), [("open-twice", second())]);
    let elsewhere = found(|it| {
        it.open_of("b").clear();
        it.open_of("a").push(info("m", ""));
    });
    assert_eq!(elsewhere, [("open-elsewhere", second())]);
    let nowhere = found(|it| it.regions[1].server = None);
    assert_eq!(nowhere, [("contradicting-state", first())]);
    assert_eq!(found(|it| it.open_of("a").clear())[0], ("not-open", path_of(&RegionInfo::meta())));
}

#[test]
fn a_region_that_is_open_nowhere_can_be_assigned() {
    for state in [RegionState::Closed, RegionState::Offline, RegionState::FailedOpen] {
        let report = report(|it| {
            it.open_of("b").clear();
            (it.regions[2].state, it.regions[2].server) = (Some(state), None);
        });
        assert_eq!(report.findings.len(), 1);
        assert_eq!(report.findings[0].kind, Kind::NotAssigned);
        assert_eq!(
            report.repairs(Losses::Refused).collect::<Vec<_>>(),
            [&Repair::Assign { region: info("m", "") }]
        );
    }
}

#[test]
fn what_may_be_split_at_the_moment_is_not_assigned() {
    let report = report(|it| {
        it.open_of("b").clear();
        (it.regions[2].state, it.regions[2].server) = (Some(RegionState::Closed), None);
        it.may_be_dividing = true;
    });
    assert_eq!(report.findings[0].kind, Kind::NotAssigned);
    assert_eq!(report.repairs(Losses::Refused).count(), 0);
}

#[test]
fn what_may_be_open_on_a_silent_server_is_not_assigned() {
    let report = report(|it| {
        it.servers[1].open = Err("no answer".to_owned());
        it.regions[2].state = Some(RegionState::Closed);
    });
    let kinds: Vec<_> = report.findings.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [Kind::UnansweringServer, Kind::NotAssigned]);
    assert_eq!(report.repairs(Losses::Refused).count(), 0);
    let silent = found(|it| it.servers[1].open = Err("no answer".to_owned()));
    assert_eq!(silent, [("unanswering-server", server("b").to_string())]);
}

#[test]
fn a_region_that_is_closed_in_hbase_meta_is_not_to_be_open() {
    let closed = found(|it| it.regions[2].state = Some(RegionState::Closed));
    assert_eq!(closed, [("contradicting-state", second())]);
    let opening = found(|it| it.regions[2].state = Some(RegionState::Opening));
    assert_eq!(opening, [("contradicting-state", second())]);
}

#[test]
fn a_region_that_hbase_meta_does_not_know_is_told() {
    let stray = info("x", "y");
    assert_eq!(found(|it| it.open_of("a").push(stray.clone())), [("unknown-region", path_of(&stray))]);
    let split = found(|it| {
        it.regions[2].info.split = true;
        it.regions[2].info.offline = true;
    });
    assert_eq!(split, [("unknown-region", second()), ("hole", "t".to_owned())]);
}

#[test]
fn servers_that_are_dead_have_no_regions() {
    let died = |it: &mut Cluster| {
        it.servers.pop();
    };
    assert_eq!(found(died), [("dead-server", server("b").to_string())]);
    assert!(report(died).findings[0].message.contains("knows nothing of that server"));
    let known = report(|it| {
        died(it);
        it.dead.insert(server("b"));
    });
    assert!(known.findings[0].message.contains("knows that it is dead"));
    assert!(known.findings[0].message.contains(&second()));
}

#[test]
fn transitions_are_told_with_their_time() {
    let since = |ms: u64| {
        report(|it| {
            it.open_of("b").clear();
            it.regions[2].state = Some(RegionState::Opening);
            let transition = ClusterTransition { state: "OPENING".to_owned(), since_ms: Some(NOW_MS - ms) };
            it.transitions.insert(info("m", "").encoded_name(), transition);
        })
    };
    let young = since(5000);
    assert_eq!(young.findings[0].kind, Kind::RegionInTransition);
    assert_eq!(young.findings[0].message, "in transition, OPENING since 2023-11-14T22:13:15Z (5 s)");
    assert!(young.is_sound());
    assert_eq!(since(61_000).findings[0].kind, Kind::StuckInTransition);
    assert_eq!(since(61_000).findings[0].kind.severity(), Severity::Problem);
}

#[test]
fn split_parents_do_not_stay_for_days() {
    // The name of a region does not tell where it ends: this is none of those of the table now.
    let parent = RegionInfo { split: true, offline: true, region_id: 1, ..info("", "") };
    let split = |age_ms: u64| {
        found(|it| {
            let daughter = |start, end| RegionInfo { region_id: NOW_MS - age_ms, ..info(start, end) };
            let daughters = vec![daughter("", "m"), daughter("m", "")];
            it.regions.push(ClusterRegion { daughters, server: None, ..open(parent.clone(), server("a")) });
        })
    };
    assert_eq!(split(3_600_000), []);
    assert_eq!(split(100_000_000), [("split-parent", path_of(&parent))]);
}

#[test]
fn tables_have_all_rows_once() {
    let without = found(|it| {
        it.regions.pop();
        it.open_of("b").clear();
    });
    assert_eq!(without, [("hole", "t".to_owned())]);
    let twice = found(|it| {
        it.regions.push(open(info("p", ""), server("b")));
        it.open_of("b").push(info("p", ""));
    });
    assert_eq!(twice, [("overlap", "t".to_owned())]);
    let none = found(|it| {
        it.regions.truncate(1);
        it.open_of("b").clear();
        it.open_of("a").truncate(1);
    });
    assert_eq!(none, [("no-regions", "t".to_owned())]);
}

#[test]
fn tables_are_known_to_hbase_meta_and_to_the_master() {
    assert_eq!(found(|it| it.tables.clear()), [("table-unknown", "t".to_owned())]);
    let undescribed = found(|it| {
        it.described.remove(&table());
    });
    assert_eq!(undescribed, [("descriptor-missing", "t".to_owned())]);
    let other = TableName::parse(b"n:other").unwrap();
    let only_described = found(|it| {
        it.described.insert(other.clone());
    });
    assert_eq!(only_described, [("table-unknown", "n:other".to_owned())]);
}

#[test]
fn a_disabled_table_has_no_open_regions() {
    let state = |state, is_closed| {
        found(|it| {
            it.tables.insert(table(), state);
            if is_closed {
                it.open_of("b").clear();
                it.open_of("a").truncate(1);
                it.regions[1..].iter_mut().for_each(|one| one.state = Some(RegionState::Closed));
            }
        })
    };
    assert_eq!(state(TableState::Disabled, true), []);
    assert_eq!(state(TableState::Disabled, false), [("disabled-table-open", "t".to_owned())]);
    assert_eq!(state(TableState::Disabling, true), [("table-in-transition", "t".to_owned())]);
    assert_eq!(state(TableState::Enabling, false), [("table-in-transition", "t".to_owned())]);
}

#[test]
fn replicas_are_where_hbase_meta_says() {
    let replicated = |is_open: bool, is_known: bool| {
        found(|it| {
            let replica = info("", "m").replica(1);
            if is_known {
                it.regions[1].replicas.push((1, Some(server("b"))));
            }
            if is_open {
                it.open_of("b").push(replica);
            }
        })
    };
    let replica = path_of(&info("", "m").replica(1));
    assert_eq!(replicated(true, true), []);
    assert_eq!(replicated(false, true), [("not-open", replica.clone())]);
    assert_eq!(replicated(true, false), [("unknown-region", replica)]);
}

#[test]
fn rows_that_say_nothing_are_told() {
    let told = found(|it| it.malformed.push("row x cannot be read".to_owned()));
    assert_eq!(told, [("meta-row", "hbase:meta".to_owned())]);
}

#[test]
fn what_was_true_for_a_moment_is_left_out() {
    let both = |it: &mut Cluster| {
        it.open_of("b").clear();
        it.malformed.push("row x cannot be read".to_owned());
    };
    let later = report(both).confirming(&report(|it| it.open_of("b").clear()));
    assert_eq!(later.findings.iter().map(|one| one.kind).collect::<Vec<_>>(), [Kind::NotOpen]);
    assert!(report(both).confirming(&report(|_| {})).is_sound());
}

#[test]
fn the_report_for_programs_names_the_repair() {
    let report = report(|it| {
        it.open_of("b").clear();
        it.regions[2].state = Some(RegionState::Closed);
    });
    let json: serde_json::Value = serde_json::from_str(&report.to_json()).unwrap();
    assert_eq!(
        (&json["root"], &json["servers"], &json["sound"]),
        (&"cluster".into(), &2.into(), &false.into())
    );
    let wanted = format!("have the master assign region {} of table t", info("m", "").encoded_name());
    assert_eq!(json["findings"][0]["repair"], wanted);
}
