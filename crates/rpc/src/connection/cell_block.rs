//! The cell block of a request in our layout: what it is made into is counted before memory is taken for it.
//!
//! Compressed, a block takes a thousandth of what it has inside, and in some codecs small cells a fraction.

use super::Connection;
use crate::codec::{CodecError, Room};
use crate::exception::RpcException;
use crate::exceptions;
use crate::in_flight::{InFlight, Share};
use bytes::Bytes;
use finback_proto::footprint;
use std::sync::Arc;

/// What has been taken for a block.
struct Taken<'a> {
    in_flight: &'a Arc<InFlight>,
    /// Where it is counted, from when it is worth it.
    share: &'a mut Option<Arc<Share>>,
    /// Up to so many bytes are counted with what was sent.
    uncounted: usize,
    bytes: usize,
    counted: usize,
}

impl Taken<'_> {
    /// Takes more, if there is room.
    fn take(&mut self, more: usize) -> bool {
        let bytes = self.bytes.saturating_add(more);
        if bytes > self.uncounted {
            let share = self.share.get_or_insert_with(|| Arc::new(self.in_flight.share()));
            if !share.try_grow(bytes - self.counted) {
                return false;
            }
            self.counted = bytes;
        }
        self.bytes = bytes;
        true
    }

    /// Gives back what is not kept of it.
    fn keep(self, bytes: usize) {
        let kept = if bytes > self.uncounted { bytes } else { 0 };
        if let Some(share) = self.share
            && self.counted > kept
        {
            share.shrink(self.counted - kept);
        }
    }
}

impl Connection {
    /// The block in our layout. What that has more than was sent is counted in `share`.
    pub(super) fn cells(&self, sent: Bytes, share: &mut Option<Arc<Share>>) -> Result<Bytes, RpcException> {
        let uncounted = sent.len() + footprint::UNMEASURED_BYTES;
        let in_flight = &self.shared.in_flight;
        let mut taken = Taken { in_flight, share, uncounted, bytes: 0, counted: 0 };
        let limit = self.shared.limits.max_request_bytes;
        let room = &mut Room { limit, take: &mut |more| taken.take(more) };
        match self.session.cells.decode(sent, room) {
            Ok(cells) => {
                taken.keep(cells.len());
                Ok(cells)
            }
            Err(CodecError::NoRoom) => Err(in_flight.refusal()),
            Err(error) => Err(exceptions::do_not_retry(format!("the request has {error}"))),
        }
    }
}
