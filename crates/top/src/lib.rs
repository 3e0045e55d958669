//! What a cluster does now, as HBase's `hbtop` shows it: by namespace, table, region, server, user and client; on a screen, or
//! printed. It asks the master, through `finback-client`, and so works against Apache HBase and against Finback.
//!
//! | part | what it knows |
//! |---|---|
//! | [`Field`], [`Value`], [`Mode`] | HBase's fields, and which mode has which |
//! | `readings`, `rates`, `grouping` | answers of the master, made into records |
//! | [`Filter`] | which records are shown |
//! | [`TopModel`] | what is shown: mode, columns, order, filters, records, history |
//! | `layout`, `batch`, `screen` | how it is shown |
//! | `watch` | when the master is asked, and what is done about keys, signals and time |
//!
//! Whatever a server sends or somebody types, nothing panics. Memory grows with the last answer, and has limits beyond that.
//! It does not know about command lines or configuration: those are the binary's.

mod batch;
mod error;
mod events;
mod field;
mod filter;
mod grouping;
mod history;
mod layout;
mod mode;
mod model;
mod rates;
mod readings;
mod record;
mod region_id;
mod screen;
mod summary;
mod terminal;
mod value;
mod watch;
mod watchdog;

pub use error::{Result, TopError};
pub use field::{Field, FieldType};
pub use filter::{Filter, FilterError};
pub use mode::{Mode, ModeField};
pub use model::{Sorting, TopModel, View};
pub use record::Record;
pub use screen::Theme;
pub use screen::keys::{FIELD_KEYS, KEYS, MOUSE};
pub use summary::Summary;
pub use value::Value;
pub use watch::{Ending, Options, run_batch, run_screen};
