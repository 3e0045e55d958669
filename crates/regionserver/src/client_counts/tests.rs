use super::*;
use std::net::{Ipv4Addr, SocketAddr};

fn connection(user: &str, host: u8) -> ConnectionInfo {
    let remote = SocketAddr::new(Ipv4Addr::new(10, 0, 0, host).into(), 4711);
    ConnectionInfo::new("ClientService", user.to_owned(), None, (2, 5), remote, true)
}

/// User, address, reads, writes, filtered.
fn lines(counts: &ClientCounts) -> Vec<String> {
    let loads = counts.loads();
    let of = |load: &pb::UserLoad| -> Vec<String> {
        let line = |metrics: &pb::ClientMetrics| {
            format!(
                "{} {} {} {} {}",
                load.user_name,
                metrics.host_name,
                metrics.read_requests_count(),
                metrics.write_requests_count(),
                metrics.filtered_requests_count()
            )
        };
        load.client_metrics.iter().map(line).collect()
    };
    loads.iter().flat_map(of).collect()
}

#[test]
fn users_are_told_apart_and_their_machines() {
    let counts = Arc::new(ClientCounts::default());
    let (ann, anns_other, bob) = (connection("ann", 1), connection("ann", 2), connection("bob", 1));
    let again = connection("ann", 1);
    counts.add(&ann, 3, 0);
    counts.add(&ann, 1, 2);
    counts.add(&again, 0, 5);
    counts.add_filtered(&anns_other, 7);
    counts.add(&bob, 1, 0);
    assert_eq!(lines(&counts), ["ann 10.0.0.1 4 7 0", "ann 10.0.0.2 0 0 7", "bob 10.0.0.1 1 0 0"]);
    assert_eq!(counts.loads().len(), 2);
}

#[test]
fn what_was_counted_stays_when_a_connection_ends_and_the_server_itself_is_not_counted() {
    let counts = Arc::new(ClientCounts::default());
    let ann = connection("ann", 1);
    counts.add(&ann, 3, 0);
    drop(ann);
    counts.add(&connection("ann", 1), 0, 4);
    counts.add(&ConnectionInfo::in_process("ClientService"), 9, 9);
    assert_eq!(lines(&counts), ["ann 10.0.0.1 3 4 0"]);
}

#[test]
fn clients_that_come_and_go_take_bounded_memory() {
    let counts = Arc::new(ClientCounts::default());
    let busy = connection("busy", 1);
    counts.add(&busy, 1000, 0);
    drop(busy);
    for number in 0..3 * MOST_CLIENTS {
        counts.add(&connection(&format!("{number}"), 1), 1, 0);
    }
    counts.add(&connection(&"x".repeat(1 << 20), 1), 2000, 0);
    let loads = counts.loads();
    assert_eq!(loads.len(), MOST_CLIENTS);
    assert!(loads.iter().any(|load| load.user_name == "busy"));
    assert!(loads.iter().all(|load| load.user_name.len() <= LONGEST_NAME));
    assert!(counts.connections.lock().capacity() < 64);
}
