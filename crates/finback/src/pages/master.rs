//! What the pages ask the master.

use super::ServerPages;
use finback_pages::model::Refused;
use finback_proto::Message;
use finback_rpc::{Channel, ChannelExt};
use std::time::Instant;
use tokio::runtime::Handle;

impl ServerPages {
    /// Calls the master, from a thread that may block, and waits for its answer `until` then.
    pub(super) fn ask_master<Req, Resp>(
        &self,
        until: Instant,
        method: &'static str,
        request: &Req,
    ) -> Result<Resp, Refused>
    where
        Req: Message,
        Resp: Message + Default,
    {
        ask(&self.sources.runtime, &*self.sources.master, until, method, request)
    }
}

fn ask<Req, Resp>(
    runtime: &Handle,
    master: &dyn Channel,
    until: Instant,
    method: &'static str,
    request: &Req,
) -> Result<Resp, Refused>
where
    Req: Message,
    Resp: Message + Default,
{
    let slow = || Refused::Unavailable("the master did not answer in the time that a page waits".to_owned());
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(slow());
    }
    // It is asked to keep to the time, which one that hangs does not.
    let answer = async {
        tokio::time::timeout(left, master.call_within(left, method, request, Default::default())).await
    };
    match runtime.block_on(answer) {
        Ok(Ok((response, _))) => Ok(response),
        Ok(Err(_)) if Instant::now() >= until => Err(slow()),
        Ok(Err(error)) => Err(Refused::Unavailable(format!("the master does not tell: {}", error.message))),
        Err(_) => Err(slow()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use finback_proto::pb;
    use finback_rpc::{RawReplyFuture, Request};
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    /// Never answers; counts who asks.
    #[derive(Default)]
    struct Silent(AtomicU32);

    impl Channel for Silent {
        fn call_encoded(&self, _request: Request) -> RawReplyFuture<'_> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Box::pin(std::future::pending())
        }
    }

    #[test]
    fn a_page_waits_once_for_a_master_that_is_silent() {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let master = Silent::default();
        let until = Instant::now() + Duration::from_millis(50);
        for _ in 0..4 {
            let request = pb::GetClusterStatusRequest::default();
            let answer: Result<pb::GetClusterStatusResponse, _> =
                ask(runtime.handle(), &master, until, "GetClusterStatus", &request);
            assert!(answer.is_err_and(|refused| refused.why().contains("did not answer in the time")));
        }
        assert_eq!(master.0.load(Ordering::Relaxed), 1);
    }
}
