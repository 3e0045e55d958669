//! How what is written under HBase's names becomes a setting of Finback.

/// HBase's names for a setting, and what their values mean.
pub(super) struct FromHBase {
    pub(super) names: &'static [&'static str],
    pub(super) translate: Translate,
}

/// A value that makes no sense: of which of the names, and what would make sense.
pub(super) type Senseless = (usize, &'static str);

/// Makes one value of those that are given, by the order of their names. `None`: it stays the default.
pub(super) type Together = fn(&[Option<&str>]) -> Result<Option<String>, Senseless>;

/// From values to a value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Translate {
    /// Each of the names has the value itself.
    Same,
    /// Each of the names has something that the value is made of.
    Each(fn(&str) -> Result<String, &'static str>),
    /// The names make up the value together.
    Together(Together),
}

/// Names for the same.
pub(super) const fn same(names: &'static [&'static str]) -> FromHBase {
    FromHBase { names, translate: Translate::Same }
}

/// No name of HBase.
pub(super) const NONE: FromHBase = same(&[]);

/// HBase has it in MiB.
pub(super) const fn mebibytes(names: &'static [&'static str]) -> FromHBase {
    FromHBase {
        names,
        translate: Translate::Each(|text| match text.parse::<u32>() {
            Ok(mebibytes) if mebibytes > 0 => Ok(format!("{mebibytes}m")),
            _ => Err("a whole number of MiB above 0"),
        }),
    }
}

/// HBase has it in seconds.
pub(super) const fn seconds(names: &'static [&'static str]) -> FromHBase {
    FromHBase {
        names,
        translate: Translate::Each(|text| match text.parse::<u32>() {
            Ok(0) => Ok("0".to_owned()),
            Ok(seconds) => Ok(format!("{seconds}s")),
            Err(_) => Err("a whole number of seconds, or 0"),
        }),
    }
}

const FLAG: &str = "true or false";

fn flag(at: usize, text: Option<&str>) -> Result<Option<bool>, Senseless> {
    text.map(|text| text.to_ascii_lowercase().parse().map_err(|_| (at, FLAG))).transpose()
}

/// How large a log grows: the size of a block, and how much of it is used.
pub(super) const ROLL_SIZE: FromHBase = FromHBase {
    names: &["hbase.regionserver.hlog.blocksize", "hbase.regionserver.logroll.multiplier"],
    translate: Translate::Together(|values| {
        /// HBase's defaults: twice a block of HDFS, and half of that.
        const BLOCK_BYTES: u64 = 256 << 20;
        const SHARE: f64 = 0.5;
        let block = match values[0] {
            Some(text) => super::quantity::bytes(text).ok_or((0, "a number of bytes above 0"))?,
            None => BLOCK_BYTES,
        };
        let share: f64 = values[1].map_or(Ok(SHARE), str::parse).map_err(|_| (1, "a fraction"))?;
        if !(share > 0.0 && share <= 1.0) {
            return Err((1, "a fraction above 0 and up to 1"));
        }
        Ok(Some((((block as f64) * share) as u64).max(1).to_string()))
    }),
};

/// Whether, and by which codec, values in logs are compressed.
pub(super) const VALUE_COMPRESSION: FromHBase = FromHBase {
    names: &[
        "hbase.regionserver.wal.value.enablecompression",
        "hbase.regionserver.wal.value.compression.type",
    ],
    translate: Translate::Together(|values| {
        let is_on = flag(0, values[0])?.unwrap_or(false);
        let codec = values[1].unwrap_or("gz");
        Ok(Some(if is_on { codec } else { "none" }.to_owned()))
    }),
};

/// Whether, and how many, slow calls are kept.
pub(super) const SLOW_CALLS: FromHBase = FromHBase {
    names: &["hbase.regionserver.slowlog.buffer.enabled", "hbase.regionserver.slowlog.ringbuffer.size"],
    translate: Translate::Together(|values| match flag(0, values[0])? {
        Some(false) => Ok(Some("0".to_owned())),
        _ => Ok(values[1].map(str::to_owned)),
    }),
};

/// HBase's throughput controllers, with or without their package: whether there is a limit.
fn is_limited(at: usize, class: &str, expected: &'static str) -> Result<bool, Senseless> {
    match class.rsplit('.').next().unwrap_or_default() {
        "NoLimitThroughputController" | "NoLimitCompactionThroughputController" => Ok(false),
        "PressureAwareCompactionThroughputController" if expected.starts_with("PressureAwareC") => Ok(true),
        "PressureAwareFlushThroughputController" if expected.starts_with("PressureAwareF") => Ok(true),
        _ => Err((at, expected)),
    }
}

/// What compactions may write: a controller, and its bound.
pub(super) const COMPACTION_THROUGHPUT: FromHBase = FromHBase {
    names: &["hbase.regionserver.throughput.controller", "hbase.hstore.compaction.throughput.lower.bound"],
    translate: Translate::Together(|values| {
        let expected = "PressureAwareCompactionThroughputController or NoLimitThroughputController";
        match values[0].map(|class| is_limited(0, class, expected)).transpose()? {
            Some(false) => Ok(Some("unlimited".to_owned())),
            _ => Ok(values[1].map(str::to_owned)),
        }
    }),
};

/// What flushes may write: a controller, and its bound. Without a controller that has a limit, there is none.
pub(super) const FLUSH_THROUGHPUT: FromHBase = FromHBase {
    names: &["hbase.regionserver.flush.throughput.controller", "hbase.hstore.flush.throughput.lower.bound"],
    translate: Translate::Together(|values| {
        let expected = "PressureAwareFlushThroughputController or NoLimitThroughputController";
        Ok(match values[0].map(|class| is_limited(0, class, expected)).transpose()? {
            Some(true) => Some(values[1].unwrap_or("100m").to_owned()),
            Some(false) => Some("unlimited".to_owned()),
            None => None,
        })
    }),
};

#[cfg(test)]
mod tests;
