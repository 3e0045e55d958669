//! Reads that any replica of a region may answer.

use crate::error::Result;
use crate::location::RegionLocation;
use crate::locator::attempt;
use crate::shared::{RegionAnswer, RegionCall, Shared};
use bytes::Bytes;
use finback_proto::Message;
use finback_proto::footprint::Measured;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

type Asking<'a, A> = Pin<Box<dyn Future<Output = Result<RegionAnswer<A>>> + Send + 'a>>;

impl Shared {
    /// Calls the region that has a row; if its primary has not answered after `patience`, its other replicas as well.
    pub(crate) async fn call_any_replica<Q: Message, A: Measured>(
        &self,
        call: RegionCall<'_>,
        patience: Duration,
        request: impl Fn(&RegionLocation) -> (Q, Bytes) + Sync,
    ) -> Result<RegionAnswer<A>> {
        let mut primary: Asking<'_, A> = Box::pin(self.call_region(call, &request));
        tokio::select! {
            biased;
            answer = &mut primary => return answer,
            () = tokio::time::sleep(patience) => {}
        }
        let located = self.locator.locate(call.known, call.row, call.side).await;
        let mut asking = vec![primary];
        for replica in located.iter().flat_map(|location| location.replicas()) {
            let request = &request;
            asking.push(Box::pin(async move {
                let (message, cells) = request(replica);
                let answer = self.call_at(replica, call.method, call.rpc_timeout, &message, cells).await;
                let (answer, cells) = answer.map_err(|exception| {
                    crate::Error::Refused(Box::new(attempt(call.method, replica, exception)))
                })?;
                Ok((answer, cells, replica.clone()))
            }));
        }
        first_success(asking).await
    }
}

/// The first success; if there is none, the error of the first, which is the primary.
async fn first_success<A>(asking: Vec<Asking<'_, A>>) -> Result<RegionAnswer<A>> {
    let mut asking: Vec<_> = asking.into_iter().enumerate().collect();
    let mut of_primary = None;
    poll_fn(|context| {
        let mut place = 0;
        while let Some((number, one)) = asking.get_mut(place) {
            match one.as_mut().poll(context) {
                Poll::Ready(Ok(answer)) => return Poll::Ready(Ok(answer)),
                Poll::Ready(Err(error)) => {
                    if *number == 0 {
                        of_primary = Some(error);
                    }
                    drop(asking.remove(place));
                }
                Poll::Pending => place += 1,
            }
        }
        match (asking.is_empty(), of_primary.take()) {
            (true, Some(error)) => Poll::Ready(Err(error)),
            (_, error) => {
                of_primary = error;
                Poll::Pending
            }
        }
    })
    .await
}
