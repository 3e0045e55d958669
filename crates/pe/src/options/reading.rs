//! Options from their text.

use super::{MAX_COLUMNS, MAX_TAGS, MAX_VALUE_SIZE, Options, Rate, ValueSize};
use crate::distribution::Distribution;
use crate::error::{PeError, Result};
use finback_client::ReadType;
use std::str::FromStr;
use std::time::Duration;

/// Longest run: a year.
const MAX_SECONDS: f64 = 366.0 * 86400.0;

impl Options {
    /// Sets an option of [`OPTIONS`](super::OPTIONS); a flag has an empty value.
    ///
    /// # Errors
    /// There is no such option, or its value makes no sense.
    pub fn set(&mut self, name: &str, value: &str) -> Result<()> {
        let given = Given { name, value };
        match name {
            "nomapred" | "latency" => {}
            "traceRate" | "period" | "asyncPrefetch" => self.ignore(name),
            "rows" => self.rows = Some(given.number(0, u64::MAX)?),
            "size" => self.size_gb = Some(given.real(0.001, 1e6)?),
            "startRow" => self.start_row = given.number(0, u64::MAX)?,
            "sampleRate" => self.sample_rate = given.real(1e-9, 1.0)?,
            "cycles" => self.cycles = Some(given.number(1, u64::MAX)?),
            "measureAfter" => self.measure_after = given.number(0, u64::MAX)?,
            "latencyThreshold" => {
                let ms: u64 = given.number(0, 1 << 40)?;
                self.latency_threshold = (ms > 0).then(|| Duration::from_millis(ms));
            }
            "oneCon" => self.one_connection = given.truth()?,
            "connCount" => self.connections = Some(given.number(1, 1000)?),
            "workers" => self.workers = Some(given.number(1, 256)?),
            "seed" => self.seed = Some(given.number(0, u64::MAX)?),
            "rate" | "target" => {
                self.rate = Some(Rate { per_second: given.real(0.001, 1e9)?, poisson: false });
            }
            "arrivals" => self.poisson = given.one_of(&[("even", false), ("poisson", true)])?,
            "duration" => self.duration = Some(Duration::from_secs_f64(given.real(0.001, MAX_SECONDS)?)),
            "distribution" => self.distribution = Some(given.distribution()?),
            "commandPropertiesFile" => {
                return Err(PeError::usage(
                    "--commandPropertiesFile is for commands written in Java, which cannot run here",
                ));
            }
            _ => return self.set_of_rows(&given),
        }
        Ok(())
    }

    /// What rows look like.
    fn set_of_rows(&mut self, given: &Given<'_>) -> Result<()> {
        match given.name {
            "valueSize" => self.value_size = given.number(1, MAX_VALUE_SIZE)?,
            "valueRandom" => self.set_value_sizes(ValueSize::Uniform)?,
            "valueZipf" => self.set_value_sizes(ValueSize::Zipf)?,
            "columns" => self.columns = given.number(1, MAX_COLUMNS)?,
            "families" => self.families = given.number(1, MAX_COLUMNS)?,
            "usetags" => self.use_tags = given.truth()?,
            "numoftags" => self.tags = given.number(0, MAX_TAGS)?,
            "addColumns" => self.add_columns = given.truth()?,
            _ => return self.set_of_writes(given),
        }
        Ok(())
    }

    fn set_value_sizes(&mut self, sizes: ValueSize) -> Result<()> {
        if ![ValueSize::Fixed, sizes].contains(&self.value_sizes) {
            return Err(PeError::usage("either --valueZipf or --valueRandom, but not both"));
        }
        self.value_sizes = sizes;
        Ok(())
    }

    fn set_of_writes(&mut self, given: &Given<'_>) -> Result<()> {
        match given.name {
            "flushCommits" => self.flush = given.truth()?,
            "writeToWAL" => self.write_to_wal = given.truth()?,
            "autoFlush" => self.auto_flush = given.truth()?,
            "multiPut" => self.multi_put = given.number(0, 1_000_000)?,
            "bufferSize" => self.buffer_size = given.number(1, 1 << 30)?,
            _ => return self.set_of_reads(given),
        }
        Ok(())
    }

    fn set_of_reads(&mut self, given: &Given<'_>) -> Result<()> {
        match given.name {
            "filterAll" => self.filter_all = true,
            "multiGet" => self.multi_get = given.number(0, 1_000_000)?,
            "randomSleep" => self.random_sleep = Duration::from_millis(given.number(0, 1 << 32)?),
            "caching" => self.caching = given.number(1, i32::MAX as u32)?,
            "cacheBlocks" => self.cache_blocks = given.truth()?,
            "scanReadType" => {
                self.read_type = given.one_of(&[
                    ("default", ReadType::Default),
                    ("stream", ReadType::Stream),
                    ("pread", ReadType::Pread),
                ])?;
            }
            _ => return self.set_of_table(given),
        }
        Ok(())
    }

    fn set_of_table(&mut self, given: &Given<'_>) -> Result<()> {
        match given.name {
            "table" => self.table = Some(given.value.to_owned()),
            "presplit" => self.presplit = given.number(0, 100_000)?,
            "replicas" => self.replicas = given.number(1, 1000)?,
            "splitPolicy" => self.split_policy = Some(given.value.to_owned()),
            "compress" => self.compression = given.value.to_owned(),
            "encryption" => self.encryption = Some(given.value.to_owned()),
            "bloomFilter" => self.bloom_filter = given.value.to_owned(),
            "blockSize" => self.block_size = given.number(1, 1 << 30)?,
            "blockEncoding" => self.block_encoding = given.value.to_owned(),
            "inmemory" => self.in_memory = given.truth()?,
            "inmemoryCompaction" => self.in_memory_compaction = given.value.to_owned(),
            "recreate" => self.recreate = true,
            "property" => self.properties.take(given.value)?,
            "properties" => self.properties.take_file(given.value)?,
            other => return Err(PeError::usage(format!("there is no option --{other}"))),
        }
        Ok(())
    }

    fn ignore(&mut self, name: &str) {
        let known = super::OPTIONS.iter().find(|option| option.name == name);
        self.ignored.extend(known.map(|option| option.name));
    }
}

/// An option as it was given.
struct Given<'a> {
    name: &'a str,
    value: &'a str,
}

impl Given<'_> {
    fn bad(&self, wanted: impl std::fmt::Display) -> PeError {
        PeError::usage(format!("--{}={:?} is not {wanted}", self.name, self.value))
    }

    fn number<T: FromStr + PartialOrd + std::fmt::Display>(&self, least: T, most: T) -> Result<T> {
        let number = self.value.trim().parse().ok();
        number
            .filter(|number| (&least..=&most).contains(&number))
            .ok_or_else(|| self.bad(format!("a whole number from {least} to {most}")))
    }

    fn real(&self, least: f64, most: f64) -> Result<f64> {
        let number: Option<f64> = self.value.trim().parse().ok();
        number
            .filter(|number| (least..=most).contains(number))
            .ok_or_else(|| self.bad(format!("a number from {least} to {most}")))
    }

    fn truth(&self) -> Result<bool> {
        self.one_of(&[("true", true), ("false", false)])
    }

    fn one_of<T: Copy>(&self, known: &[(&str, T)]) -> Result<T> {
        let found = known.iter().find(|(name, _)| name.eq_ignore_ascii_case(self.value.trim()));
        found.map(|(_, value)| *value).ok_or_else(|| {
            let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
            self.bad(format!("one of {}", names.join(", ")))
        })
    }

    fn distribution(&self) -> Result<Distribution> {
        Distribution::named(self.value.trim())
            .ok_or_else(|| self.bad(format!("one of {}", Distribution::NAMES.join(", "))))
    }
}
