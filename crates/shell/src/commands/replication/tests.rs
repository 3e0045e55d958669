use super::*;
use finback_client::{ClientConfig, Connection};
use std::time::Duration;

/// As in HBase's shell: what would change a peer asks for it first, which cannot be done here.
#[tokio::test]
async fn nil_changes_nothing_of_a_peer_and_an_empty_list_does() {
    let nobody = ClientConfig::zookeeper("127.0.0.1:1")
        .pause(Duration::from_millis(1))
        .operation_timeout(Duration::from_millis(50));
    let mut shell = Shell::new(Connection::open_lazily(nobody).unwrap(), Box::new(std::io::sink()), || 0);
    let given = |value| Arguments::new(vec![Value::text("1"), value]);
    for change in [Change::Set, Change::Append, Change::Remove] {
        for part in [Part::Included, Part::Excluded] {
            let nil = namespaces(&mut shell, given(Value::Nil), change, part).await;
            assert_eq!(nil.unwrap(), Value::Nil);
        }
    }
    let empty = namespaces(&mut shell, given(Value::Array(Vec::new())), Change::Set, Part::Included);
    let asked = tokio::time::timeout(Duration::from_millis(500), empty).await;
    assert!(!matches!(asked, Ok(Ok(_))));
}
