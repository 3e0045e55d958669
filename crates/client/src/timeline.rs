//! Reads that any replica of a region may answer.

use crate::error::{Attempt, Result};
use crate::location::RegionLocation;
use crate::locator::attempt;
use crate::shared::{RegionAnswer, RegionCall, Shared};
use bytes::Bytes;
use finback_proto::Message;
use finback_proto::footprint::Measured;
use finback_rpc::exceptions;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

type Asking<'a, A> = Pin<Box<dyn Future<Output = Result<RegionAnswer<A>>> + Send + 'a>>;

impl Shared {
    /// Calls one replica of the region that has a row, or, if it is not said which, the first that answers, as
    /// [`call_any_replica`](Self::call_any_replica) does.
    pub(crate) async fn call_replica<Q: Message, A: Measured>(
        &self,
        call: RegionCall<'_>,
        replica: Option<u32>,
        patience: Duration,
        request: impl Fn(&RegionLocation) -> (Q, Bytes) + Sync,
    ) -> Result<RegionAnswer<A>> {
        match replica {
            None => self.call_any_replica(call, patience, request).await,
            Some(0) => self.call_region(call, request).await,
            Some(id) => self.call_other_replica(call, id, request).await,
        }
    }

    /// Calls a replica that is not the primary, as long as the operation may take.
    async fn call_other_replica<Q: Message, A: Measured>(
        &self,
        call: RegionCall<'_>,
        id: u32,
        request: impl Fn(&RegionLocation) -> (Q, Bytes) + Sync,
    ) -> Result<RegionAnswer<A>> {
        let mut retrying = self.retrying(call.method, call.operation_timeout);
        loop {
            let timeout = retrying.call_timeout(call.rpc_timeout);
            let failed = match retrying.within(self.try_replica(call, id, timeout, &request)).await? {
                Ok(answer) => return Ok(answer),
                Err(failed) => failed,
            };
            retrying.failed(failed).await?;
        }
    }

    async fn try_replica<Q: Message, A: Measured>(
        &self,
        call: RegionCall<'_>,
        id: u32,
        timeout: Duration,
        request: &impl Fn(&RegionLocation) -> (Q, Bytes),
    ) -> Result<RegionAnswer<A>, Attempt> {
        let primary = self.locator.locate(call.known, call.row, call.side).await?;
        let is_it = |replica: &&Arc<RegionLocation>| replica.region().replica_id == id;
        let Some(replica) = primary.replicas().iter().find(is_it).cloned() else {
            let problem = format!("the region has no replica {id} that is open");
            return Err(attempt(call.method, &primary, exceptions::do_not_retry(problem)));
        };
        let (message, cells) = request(&replica);
        match self.call_at(&replica, call.method, timeout, &message, cells).await {
            Ok((answer, cells)) => Ok((answer, cells, replica)),
            Err(exception) => {
                self.locator.replica_failed(call.known, &primary, &exception);
                Err(attempt(call.method, &replica, exception))
            }
        }
    }

    /// Calls the region that has a row; if its primary has not answered after `patience`, its other replicas as well.
    async fn call_any_replica<Q: Message, A: Measured>(
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
        // The primary's call may be looking for the region itself, and this waits for it then.
        let located = tokio::select! {
            biased;
            answer = &mut primary => return answer,
            located = self.locator.locate(call.known, call.row, call.side) => located,
        };
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
