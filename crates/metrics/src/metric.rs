//! A metric: what it is called in HBase and in Prometheus, what it means, and where it comes from. All of them are in
//! [`metrics`](crate::metrics).

use crate::bean::Bean;
use crate::snapshot::{
    IpcFigures, MasterFigures, ProcessFigures, RegionFigures, ServerFigures, Snapshot, TableFigures,
};
use crate::value::Value;

/// How a metric behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It only grows, from the start of the server.
    Counter,
    /// It goes up and down.
    Gauge,
    /// Durations. In HBase's JSON their number, extremes, mean and percentiles, in milliseconds.
    Histogram,
    /// Sizes, or numbers of something. In HBase's JSON the same parts.
    Sizes,
    /// Words, a tag in HBase's JSON.
    Tag,
}

/// Where a metric's value is, and with that of what there is one.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// One of a region server.
    Server(for<'a> fn(&'a ServerFigures) -> Value<'a>),
    /// One of each region, and of each table, whose value is that of the sum over its regions.
    Region(for<'a> fn(&'a RegionFigures) -> Value<'a>),
    /// One of each table.
    Table(for<'a> fn(&'a TableFigures) -> Value<'a>),
    /// One of the RPC server of each of both.
    Ipc(for<'a> fn(&'a IpcFigures) -> Value<'a>),
    /// One of the master.
    Master(for<'a> fn(&'a MasterFigures) -> Value<'a>),
    /// One of the process.
    Process(for<'a> fn(&'a ProcessFigures) -> Value<'a>),
}

/// A metric.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// The bean that it is part of; of a region's, the one of regions.
    pub bean: Bean,
    /// Its names there; of a [`Kind::Histogram`] what they begin with. None: HBase has none like it.
    pub hbase: &'static [&'static str],
    /// Whether the bean of tables has it too.
    pub of_tables: bool,
    /// Its name in Prometheus; empty if it has none.
    pub prometheus: &'static str,
    /// A label of it there, and its value: metrics of the same name differ in it.
    pub label: Option<(&'static str, &'static str)>,
    /// How it behaves.
    pub kind: Kind,
    /// What it counts.
    pub unit: &'static str,
    /// By which the value is divided for Prometheus, which has base units.
    pub divisor: u32,
    /// What it means.
    pub help: &'static str,
    /// Where its value is.
    pub source: Source,
}

pub(crate) const fn metric(
    bean: Bean,
    hbase: &'static [&'static str],
    prometheus: &'static str,
    kind: Kind,
    unit: &'static str,
    help: &'static str,
    source: Source,
) -> Metric {
    Metric { bean, hbase, of_tables: false, prometheus, label: None, kind, unit, divisor: 1, help, source }
}

impl Metric {
    /// Its value, if there is one of it; of those of both RPC servers that of the region server's.
    pub(crate) fn value<'a>(&self, snapshot: &'a Snapshot) -> Option<Value<'a>> {
        let value = match self.source {
            Source::Server(of) => of(snapshot.server.as_ref()?),
            Source::Ipc(of) => of(&snapshot.server.as_ref()?.ipc),
            Source::Master(of) => of(snapshot.master.as_ref()?),
            Source::Process(of) => of(&snapshot.process),
            Source::Region(_) | Source::Table(_) => return None,
        };
        (value != Value::Absent).then_some(value)
    }

    pub(crate) const fn labelled(mut self, name: &'static str, value: &'static str) -> Self {
        self.label = Some((name, value));
        self
    }

    pub(crate) const fn also_of_tables(mut self) -> Self {
        self.of_tables = true;
        self
    }

    /// Of tables alone.
    pub(crate) const fn only_of_tables(mut self) -> Self {
        self.bean = Bean::Tables;
        self.of_tables = true;
        self
    }

    /// Of tables alone, in the bean of how long what they are asked for takes.
    pub(crate) const fn of_table_latencies(mut self) -> Self {
        self.bean = Bean::TableLatencies;
        self
    }

    /// It is in milliseconds, of which Prometheus has seconds.
    pub(crate) const fn milliseconds(mut self) -> Self {
        self.divisor = 1000;
        self
    }
}
