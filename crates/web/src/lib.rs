//! The HTTP server of the info ports.
//!
//! It reads, and takes the forms of the pages that have some, unless a page of another site is behind them. Who calls it by a
//! name that is not its own gets only what is for anybody. Everything is bounded: connections, the head of a request, the time
//! of a connection, what answers take that are on their way, and how many are made at a time, which happens on threads that may block, so that those who ask
//! for numbers take nothing from those who ask for rows, and those who wait for others nothing from those who do not.

mod body;
mod form;
mod metrics_pages;
mod places;
mod request;
mod sender;
mod server;
mod watched_stream;

pub use metrics_pages::MetricsPages;
pub use request::Request;
pub use server::{Answer, Pages, WebServer};
