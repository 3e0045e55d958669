use super::*;
use crate::background_options::BackgroundOptions;

#[tokio::test]
async fn a_region_that_is_given_up_aborts_the_server() {
    let stop: Arc<StopRequest> = Arc::default();
    let scheduler = Arc::new(Scheduler::new(BackgroundOptions::default()));
    let host = ServerHost::new(scheduler, Arc::clone(&stop), 1 << 20, 1 << 20);
    host.region_given_up("the first");
    host.region_given_up("the second");
    let reason = stop.asked().await.unwrap_err();
    assert!(reason.contains("the first"), "{reason}");
}

#[tokio::test]
async fn who_is_asked_to_stop_does_not_abort() {
    let stop = StopRequest::default();
    stop.ask();
    assert_eq!(stop.asked().await, Ok(()));
}
