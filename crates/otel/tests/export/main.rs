//! What collectors get, those that behave and those that do not.

mod collector;
mod metrics_are_sent_now_and_then;
mod spans_reach_the_collector;
