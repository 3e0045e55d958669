//! What a region server knows of a call beyond what any span has.

use super::description::Shape;
use crate::server::RegionServer;
use finback_otel::{Attribute, Tracer};

/// HBase's names where it has any.
pub(super) fn attributes(shape: &Shape, is_slow: bool) -> impl Iterator<Item = (&'static str, Attribute)> {
    let text = |text: &str| Attribute::Text(text.to_owned());
    let some = |text: &str| (!text.is_empty()).then(|| Attribute::Text(text.to_owned()));
    let number = |number: i32| Attribute::Count(u64::try_from(number).unwrap_or(0));
    let (namespace, table) = match shape.table() {
        Some(table) => match table.split_once(':') {
            Some((namespace, _)) => (Some(text(namespace)), Some(text(table))),
            None => (Some(Attribute::Name("default")), Some(text(table))),
        },
        None => (None, None),
    };
    let attributes = [
        ("db.hbase.namespace", namespace),
        ("db.hbase.table", table),
        (
            "db.hbase.regions",
            (!shape.region.is_empty()).then(|| Attribute::Texts(vec![shape.region.clone()])),
        ),
        ("finback.slow", is_slow.then_some(Attribute::Flag(true))),
        ("finback.families", some(&shape.families)),
        ("finback.filter", some(&shape.filter)),
        ("finback.rows", shape.rows.map(|rows| Attribute::Count(rows.into()))),
        ("finback.scanner", shape.scanner.map(|scanner| Attribute::Text(scanner.to_string()))),
        ("finback.regions", shape.regions.map(|count| Attribute::Count(count as u64))),
        ("finback.gets", shape.gets.map(number)),
        ("finback.mutations", shape.mutations.map(number)),
        ("finback.endpoint", some(&shape.service)),
    ];
    attributes.into_iter().filter_map(|(key, value)| Some((key, value?)))
}

impl RegionServer {
    /// Who takes spans of calls, if anybody does.
    pub(super) fn tracer(&self) -> Option<&Tracer> {
        self.slow_calls.tracer.as_deref()
    }
}
