//! What a client is told that did not get a row in time: HBase's exceptions and message.

use crate::world::{LONG, Table, World, action, increment, put};
use finback_proto::pb;
use finback_rpc::RpcException;
use std::time::Duration;

const TIMEOUT: &str = "org.apache.hadoop.hbase.exceptions.TimeoutIOException";
const IO: &str = "java.io.IOException";
const ROW: &str = "a\\row";

/// Class and message of the exceptions of one operation.
type Failures = Vec<(String, String)>;

/// Operations on the row, by a client with so much patience.
struct Operations<'a> {
    table: &'a Table<'a>,
    patience: Duration,
}

impl Operations<'_> {
    async fn mutate(&self, mutation: pb::MutationProto, condition: Option<pb::Condition>) -> Failures {
        let region = self.table.region.clone();
        let request = pb::MutateRequest { region, mutation, condition, ..Default::default() };
        let asked =
            self.table.world.ask_within::<_, pb::MutateResponse>(Some(self.patience), "Mutate", &request);
        vec![of(&asked.await.expect_err("the row is locked"))]
    }

    async fn multi(&self, actions: Vec<pb::Action>, atomic: Option<bool>) -> Failures {
        self.multi_within(Some(self.patience), actions, atomic).await
    }

    /// One that has the row until it is on disk: it is too large to be read by others before.
    async fn hold(&self) -> Failures {
        let actions = vec![action(increment(ROW, 1, None)), action(put(ROW, &[("large", &[0; 20 << 10])]))];
        self.multi_within(None, actions, Some(true)).await
    }

    async fn multi_within(
        &self,
        patience: Option<Duration>,
        actions: Vec<pb::Action>,
        atomic: Option<bool>,
    ) -> Failures {
        let region_action = pb::RegionAction {
            region: self.table.region.clone(),
            action: actions,
            atomic,
            ..Default::default()
        };
        let request = pb::MultiRequest { region_action: vec![region_action], ..Default::default() };
        let (response, _): (pb::MultiResponse, _) =
            self.table.world.ask_within(patience, "Multi", &request).await.unwrap();
        let result = response.region_action_result.into_iter().next().unwrap();
        let of_actions = result.result_or_exception.into_iter().filter_map(|action| action.exception);
        result.exception.into_iter().chain(of_actions).map(|pair| of_pair(&pair)).collect()
    }

    /// Those that lock the row for themselves.
    async fn exclusive(&self) -> Failures {
        let exists = pb::Condition {
            row: ROW.into(),
            family: Some("f".into()),
            qualifier: Some("q".into()),
            compare_type: Some(pb::CompareType::Equal.into()),
            ..Default::default()
        };
        let mut failures = self.mutate(increment(ROW, 1, None), None).await;
        failures.extend(self.mutate(put(ROW, &[("q", b"late")]), Some(exists)).await);
        failures.extend(self.multi(vec![action(put(ROW, &[("q", b"late")]))], Some(true)).await);
        failures.extend(self.multi(vec![action(increment(ROW, 1, None))], None).await);
        assert_eq!(failures.len(), 4, "{failures:?}");
        failures
    }

    /// Those that share it with their like.
    async fn shared(&self) -> Failures {
        let mut failures = self.mutate(put(ROW, &[("q", b"late")]), None).await;
        let two = vec![action(put(ROW, &[("q", b"late")])), action(put(ROW, &[("r", b"late")]))];
        failures.extend(self.multi(two, None).await);
        assert_eq!(failures.len(), 3, "one of each action: {failures:?}");
        failures
    }
}

fn of(exception: &RpcException) -> (String, String) {
    assert!(!exception.do_not_retry, "{exception}");
    (exception.class.to_string(), exception.message.clone())
}

fn of_pair(pair: &pb::NameBytesPair) -> (String, String) {
    let message = String::from_utf8(pair.value.clone().unwrap_or_default().to_vec()).unwrap();
    (pair.name.clone(), message)
}

/// The exceptions that operations get while somebody has the row.
async fn refused(lock_wait: Duration, patience: Duration, exclusive: bool) -> (Failures, String) {
    let world = World::with(|options| options.region.row_lock_wait = lock_wait);
    let table = world.table("t").await;
    world.faults.pause();
    let operations = Operations { table: &table, patience };
    let (holder, failures) = tokio::join!(operations.hold(), async {
        while world.faults.waiting() == 0 {
            tokio::task::yield_now().await;
        }
        let failures = if exclusive { operations.exclusive().await } else { operations.shared().await };
        world.faults.resume();
        failures
    });
    assert_eq!(holder, [], "it was done");
    let stored = table.get(ROW).await.unwrap();
    let columns: Vec<_> = stored.iter().map(|(qualifier, _)| &qualifier[..]).collect();
    assert_eq!(columns, ["large", "q"]);
    assert_eq!(stored[1].1, 1i64.to_be_bytes(), "none of the others is done later");
    (failures, table.info.encoded_name())
}

fn assert_all((failures, region): &(Failures, String), class: &str) {
    let wanted = format!("Timed out waiting for lock for row: a\\x5Crow in region {region}");
    for (found, message) in failures {
        assert_eq!(found, class, "{failures:?}");
        assert!(message.contains(&wanted), "{failures:?}");
    }
}

#[tokio::test]
async fn whoever_has_no_time_left_gets_a_timeout() {
    let short = Duration::from_millis(20);
    assert_all(&refused(LONG, short, true).await, TIMEOUT);
    assert_all(&refused(LONG, short, false).await, TIMEOUT);
}

#[tokio::test]
async fn after_the_configured_time_what_reads_first_fails_and_plain_writes_go_on_waiting() {
    let short = Duration::from_millis(20);
    assert_all(&refused(short, LONG, true).await, IO);
    assert_all(&refused(Duration::ZERO, Duration::from_millis(60), false).await, TIMEOUT);
}
