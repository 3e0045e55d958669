use super::*;
use crate::channel::ChannelExt;
use finback_proto::pb;
use std::sync::atomic::AtomicBool;

/// Answers by method: `GetClusterId` at once, the others as their names say.
struct Registry {
    finished: Arc<AtomicBool>,
}

impl Service for Registry {
    fn name(&self) -> &'static str {
        "ClientMetaService"
    }

    fn call(&self, call: Call) -> Outcome {
        match call.method.as_str() {
            "GetClusterId" => {
                Outcome::message(&pb::GetClusterIdResponse { cluster_id: Some("id".to_owned()) })
            }
            "Panic" => panic!("no"),
            "PanicLater" => Outcome::pending(async { panic!("not now") }),
            "Slow" => {
                let finished = Arc::clone(&self.finished);
                Outcome::pending(async move {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    finished.store(true, Ordering::SeqCst);
                    Ok(Reply::default())
                })
            }
            other => Outcome::exception(exceptions::unsupported_operation(other)),
        }
    }
}

fn registry() -> (Loopback, Arc<AtomicBool>) {
    let finished = Arc::new(AtomicBool::new(false));
    (Loopback::new(Arc::new(Registry { finished: Arc::clone(&finished) })), finished)
}

async fn call(channel: &dyn Channel, method: &'static str) -> Result<String, RpcException> {
    let (response, cells): (pb::GetClusterIdResponse, Bytes) =
        channel.call(method, &pb::GetClusterIdRequest {}, Bytes::new()).await?;
    assert!(cells.is_empty());
    Ok(response.cluster_id.unwrap_or_default())
}

#[tokio::test]
async fn a_call_is_answered() {
    assert_eq!(call(&registry().0, "GetClusterId").await.unwrap(), "id");
}

#[tokio::test]
async fn exceptions_and_panics_come_back() {
    let (channel, _) = registry();
    assert_eq!(call(&channel, "Nope").await, Err(exceptions::unsupported_operation("Nope")));
    assert_eq!(call(&channel, "Panic").await, Err(exceptions::io("internal error: no")));
    assert_eq!(call(&channel, "PanicLater").await, Err(exceptions::io("internal error: not now")));
}

#[tokio::test]
async fn a_call_whose_caller_stops_waiting_runs_to_its_end() {
    let (channel, finished) = registry();
    let answer: Result<(pb::GetClusterIdResponse, Bytes), _> = channel
        .call_within(Duration::from_millis(5), "Slow", &pb::GetClusterIdRequest {}, Bytes::new())
        .await;
    assert_eq!(answer.unwrap_err().simple_class(), "CallTimeoutException");
    while !finished.load(Ordering::SeqCst) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
