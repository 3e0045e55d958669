//! YCSB's properties: `name=value` on the command line, or lines of a file.

use crate::error::{PeError, Result};
use std::collections::BTreeMap;
use std::str::FromStr;

/// Longest file of properties.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Properties that mean something here.
pub(crate) const KNOWN: &[&str] = &[
    "recordcount",
    "operationcount",
    "insertstart",
    "insertcount",
    "fieldcount",
    "fieldlength",
    "minfieldlength",
    "fieldlengthdistribution",
    "fieldnameprefix",
    "readallfields",
    "writeallfields",
    "readproportion",
    "updateproportion",
    "insertproportion",
    "scanproportion",
    "readmodifywriteproportion",
    "requestdistribution",
    "hotspotdatafraction",
    "hotspotopnfraction",
    "exponential.percentile",
    "exponential.frac",
    "minscanlength",
    "maxscanlength",
    "scanlengthdistribution",
    "insertorder",
    "zeropadding",
    "dataintegrity",
    "threadcount",
    "target",
    "maxexecutiontime",
    "table",
    "columnfamily",
    "durability",
    "clientbuffering",
    "writebuffersize",
];

/// Properties of YCSB that change nothing here: what they choose is fixed, or told in another way.
const NO_EFFECT: &[&str] = &[
    "workload",
    "db",
    "exporter",
    "exportfile",
    "status",
    "status.interval",
    "measurementtype",
    "measurement.interval",
    "measurement.raw.output_file",
    "measurement.histogram.verbose",
    "measurement.trackjvm",
    "hdrhistogram.percentiles",
    "hdrhistogram.fileoutput",
    "hdrhistogram.output.path",
    "histogram.buckets",
    "timeseries.granularity",
    "reportlatencyforeacherror",
    "latencytrackederrors",
    "dotransactions",
    "label",
    "debug",
    "principal",
    "keytab",
    "hbase.usepagefilter",
    "core_workload_insertion_retry_limit",
    "core_workload_insertion_retry_interval",
];

/// Properties that were given; those of the command line stand before those of files.
#[derive(Debug, Clone, Default)]
pub(crate) struct Properties {
    given: BTreeMap<String, String>,
    of_files: BTreeMap<String, String>,
}

impl Properties {
    pub(crate) fn is_empty(&self) -> bool {
        self.given.is_empty() && self.of_files.is_empty()
    }

    /// Takes `name=value`.
    pub(crate) fn take(&mut self, text: &str) -> Result<()> {
        let (name, value) =
            text.split_once('=').ok_or_else(|| PeError::usage(format!("-p {text:?} is not NAME=VALUE")))?;
        self.given.insert(known(name.trim())?, value.trim().to_owned());
        Ok(())
    }

    /// Takes the lines of a file.
    pub(crate) fn take_file(&mut self, path: &str) -> Result<()> {
        use std::io::Read;
        let mut text = String::new();
        std::fs::File::open(path)
            .and_then(|file| file.take(MAX_FILE_BYTES).read_to_string(&mut text))
            .map_err(PeError::io(format!("cannot read {path}")))?;
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with(['#', '!']) {
                continue;
            }
            let told = |reason: String| PeError::usage(format!("{path}, line {}: {reason}", number + 1));
            let (name, value) =
                line.split_once(['=', ':']).ok_or_else(|| told(format!("{line:?} is not NAME=VALUE")))?;
            let name = known(name.trim()).map_err(|error| told(error.to_string()))?;
            self.of_files.insert(name, value.trim().to_owned());
        }
        Ok(())
    }

    /// The text of a property.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        debug_assert!(KNOWN.contains(&name), "{name}");
        self.given.get(name).or_else(|| self.of_files.get(name)).map(String::as_str)
    }

    /// A property that is a number.
    pub(crate) fn number<T: FromStr>(&self, name: &str) -> Result<Option<T>> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let number =
            text.parse().map_err(|_| PeError::usage(format!("-p {name}={text}: that is no number")))?;
        Ok(Some(number))
    }

    /// A property that is true or false.
    pub(crate) fn truth(&self, name: &str, default: bool) -> Result<bool> {
        match self.text(name) {
            None => Ok(default),
            Some("true") => Ok(true),
            Some("false") => Ok(false),
            Some(other) => Err(PeError::usage(format!("-p {name}={other}: true or false"))),
        }
    }

    /// Those of a workload below those that were given.
    pub(crate) fn over(mut self, preset: &[(&str, &str)]) -> Self {
        for (name, value) in preset {
            self.of_files.entry((*name).to_owned()).or_insert_with(|| (*value).to_owned());
        }
        self
    }

    /// Checks what can be checked without the command.
    pub(crate) fn check(&self) -> Result<()> {
        self.number::<u32>("threadcount").map(|_| ())
    }
}

fn known(name: &str) -> Result<String> {
    if KNOWN.contains(&name) || NO_EFFECT.contains(&name) {
        return Ok(name.to_owned());
    }
    Err(PeError::usage(format!(
        "{name:?} is no property of YCSB's core workloads; the page on finback pe lists those that are known"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn the_command_line_stands_before_files_and_both_before_the_workload() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "# a comment\n\nrecordcount=5\n fieldcount : 3 \ntable=t").unwrap();
        let mut properties = Properties::default();
        properties.take("recordcount=7").unwrap();
        properties.take_file(file.path().to_str().unwrap()).unwrap();
        let properties = properties.over(&[("table", "other"), ("maxscanlength", "100")]);
        assert_eq!(properties.text("recordcount"), Some("7"));
        assert_eq!(properties.number::<u32>("fieldcount").unwrap(), Some(3));
        assert_eq!(properties.text("table"), Some("t"));
        assert_eq!(properties.text("maxscanlength"), Some("100"));
        assert_eq!(properties.text("insertorder"), None);
    }

    #[test]
    fn what_is_unknown_or_no_value_is_told() {
        let mut properties = Properties::default();
        assert!(properties.take("recordcounts=7").unwrap_err().to_string().contains("no property"));
        assert!(properties.take("recordcount").unwrap_err().to_string().contains("NAME=VALUE"));
        properties.take("recordcount=lots").unwrap();
        assert!(properties.number::<u64>("recordcount").unwrap_err().to_string().contains("no number"));
        properties.take("dataintegrity=maybe").unwrap();
        assert!(properties.truth("dataintegrity", false).is_err());
        assert!(properties.take_file("/nowhere/at/all").unwrap_err().to_string().contains("/nowhere/at/all"));
        // Of YCSB, and told in another way here.
        properties.take("measurementtype=hdrhistogram").unwrap();
    }
}
