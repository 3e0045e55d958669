//! Spans of RPC calls, with HBase's names for them and for their attributes.
//!
//! [`TracedService`] tells of the calls of any service; who knows more of a call than that tells it by a [`CallTrace`].
//!
//! Knows nothing of regions, of masters, or of how spans are sent.

mod call_trace;
mod traced_service;

pub use call_trace::{CallHead, CallTrace, End};
pub use traced_service::TracedService;
