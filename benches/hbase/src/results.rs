//! What was measured, kept as JSON, so that the report can be made again.

use crate::error::{BenchError, Doing, Result};
use crate::load::Client;
use crate::server::Product;
use crate::statistics::Spread;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// A figure that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Figure {
    /// Server CPU per row, in microseconds.
    CpuMicros,
    /// Server CPU in all, in seconds.
    CpuSeconds,
    /// Rows a second.
    PerSecond,
    /// Wall time, in seconds.
    Seconds,
    /// Latencies of the client's operations, in microseconds.
    P50,
    P99,
    P999,
    Max,
    /// Bytes that the server wrote to disk, by bytes of cells that it accepted.
    WrittenPerByte,
    /// Resident memory, in MiB.
    ResidentMib,
    /// Resident memory at its highest so far, in MiB.
    PeakMib,
}

impl Figure {
    const ALL: [Self; 11] = [
        Self::CpuMicros,
        Self::CpuSeconds,
        Self::PerSecond,
        Self::Seconds,
        Self::P50,
        Self::P99,
        Self::P999,
        Self::Max,
        Self::WrittenPerByte,
        Self::ResidentMib,
        Self::PeakMib,
    ];

    /// The name in the JSON, with the unit last.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::CpuMicros => "cpu_us",
            Self::CpuSeconds => "cpu_s",
            Self::PerSecond => "per_second",
            Self::Seconds => "seconds",
            Self::P50 => "p50_us",
            Self::P99 => "p99_us",
            Self::P999 => "p99.9_us",
            Self::Max => "max_us",
            Self::WrittenPerByte => "written_per_byte",
            Self::ResidentMib => "resident_mib",
            Self::PeakMib => "peak_mib",
        }
    }

    /// Whether a server is better for having more of it.
    pub(crate) const fn more_is_better(self) -> bool {
        matches!(self, Self::PerSecond)
    }
}

/// Figures of one thing that was done to one server in one round.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Measurement {
    pub(crate) round: u32,
    pub(crate) product: Product,
    /// Who made the load; none if there was none.
    pub(crate) client: Option<Client>,
    /// What was done, by its name on the command line.
    pub(crate) what: String,
    pub(crate) figures: BTreeMap<Figure, f64>,
}

/// All measurements of a run, and under which conditions they were made.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Results {
    /// Name and value of what a reader must know, in the order in which it is told.
    pub(crate) conditions: Vec<(String, String)>,
    pub(crate) measurements: Vec<Measurement>,
}

impl Results {
    /// A figure over all rounds.
    pub(crate) fn spread(
        &self,
        product: Product,
        client: Option<Client>,
        what: &str,
        figure: Figure,
    ) -> Option<Spread> {
        let of = self.measurements.iter().filter(|measurement| {
            measurement.product == product && measurement.client == client && measurement.what == what
        });
        Spread::of(of.filter_map(|measurement| measurement.figures.get(&figure).copied()))
    }

    /// How many rounds there are.
    pub(crate) fn rounds(&self) -> u32 {
        self.measurements.iter().map(|measurement| measurement.round).max().unwrap_or(0)
    }

    /// Keeps them in a file, in the place of what was there.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let new = path.with_extension("json.new");
        let write = || {
            std::fs::write(&new, format!("{:#}\n", self.to_json()))?;
            std::fs::rename(&new, path)
        };
        write().doing(|| format!("write {}", path.display()))
    }

    /// What [`Self::write`] has kept.
    ///
    /// # Errors
    /// There is no such file, or it is of another making.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).doing(|| format!("read {}", path.display()))?;
        let json = serde_json::from_str(&text).ok();
        json.and_then(|json| Self::from_json(&json))
            .ok_or_else(|| BenchError::Missing(format!("{} has no results of this program", path.display())))
    }

    fn to_json(&self) -> Value {
        let conditions: Vec<Value> =
            self.conditions.iter().map(|(name, value)| json!([name, value])).collect();
        let measurements: Vec<Value> = self.measurements.iter().map(Measurement::to_json).collect();
        json!({ "conditions": conditions, "measurements": measurements })
    }

    fn from_json(json: &Value) -> Option<Self> {
        let condition = |pair: &Value| Some((pair[0].as_str()?.to_owned(), pair[1].as_str()?.to_owned()));
        Some(Self {
            conditions: json["conditions"].as_array()?.iter().map(condition).collect::<Option<_>>()?,
            measurements: json["measurements"]
                .as_array()?
                .iter()
                .map(Measurement::from_json)
                .collect::<Option<_>>()?,
        })
    }
}

impl Measurement {
    fn to_json(&self) -> Value {
        let figures: Map<String, Value> =
            self.figures.iter().map(|(figure, value)| (figure.name().to_owned(), json!(value))).collect();
        json!({
            "round": self.round, "server": self.product.name(), "client": self.client.map(Client::name),
            "what": self.what, "figures": figures,
        })
    }

    fn from_json(json: &Value) -> Option<Self> {
        let figure = |(name, value): (&String, &Value)| {
            let figure = Figure::ALL.into_iter().find(|figure| figure.name() == name)?;
            Some((figure, value.as_f64()?))
        };
        let client = match &json["client"] {
            Value::Null => None,
            name => Some(Client::named(name.as_str()?)?),
        };
        Some(Self {
            round: json["round"].as_u64()?.try_into().ok()?,
            product: Product::named(json["server"].as_str()?)?,
            client,
            what: json["what"].as_str()?.to_owned(),
            figures: json["figures"].as_object()?.iter().map(figure).collect::<Option<_>>()?,
        })
    }
}

#[cfg(test)]
mod tests;
