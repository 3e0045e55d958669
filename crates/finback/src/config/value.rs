//! The kinds of values that settings have, and how they are written.

use finback_compression::Compression;
use finback_region::InMemoryCompaction;
use std::path::PathBuf;
use std::time::Duration;

/// A kind of value: how it is read, and how it is described to people.
pub trait Kind {
    /// What the program works with.
    type Value;
    /// The unit, for the table in the documentation.
    const UNIT: &'static str;
    /// Completes the sentence "must be …".
    const EXPECTED: &'static str;

    /// Reads a value; `None` when it is not of this kind.
    fn parse(text: &str) -> Option<Self::Value>;
}

/// A TCP port; 0 lets the system choose.
pub struct Port;

impl Kind for Port {
    type Value = u16;
    const UNIT: &'static str = "port";
    const EXPECTED: &'static str = "a port from 0 to 65535";

    fn parse(text: &str) -> Option<u16> {
        text.parse().ok()
    }
}

/// The port of a page for people and collectors.
pub struct InfoPort;

impl Kind for InfoPort {
    type Value = Option<u16>;
    const UNIT: &'static str = "port";
    const EXPECTED: &'static str = "a port from 0 to 65535, or -1";

    fn parse(text: &str) -> Option<Option<u16>> {
        if text == "-1" { Some(None) } else { text.parse().ok().map(Some) }
    }
}

/// An address to listen on.
pub struct Host;

impl Kind for Host {
    type Value = String;
    const UNIT: &'static str = "address";
    const EXPECTED: &'static str = "an IP address or a host name";

    fn parse(text: &str) -> Option<String> {
        // 253 characters are the longest name that DNS has.
        let plausible = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':');
        (!text.is_empty() && text.len() <= 253 && text.chars().all(plausible)).then(|| text.to_owned())
    }
}

/// A host name that may be left empty.
pub struct OptionalHost;

impl Kind for OptionalHost {
    type Value = Option<String>;
    const UNIT: &'static str = "host";
    const EXPECTED: &'static str = "an IP address, a host name, or empty";

    fn parse(text: &str) -> Option<Option<String>> {
        if text.is_empty() { Some(None) } else { Host::parse(text).map(Some) }
    }
}

/// A directory of the local file system, plain or as a `file:` URI.
pub struct LocalDirectory;

impl Kind for LocalDirectory {
    type Value = PathBuf;
    const UNIT: &'static str = "path";
    const EXPECTED: &'static str = "a directory of the local file system (a path, or file:///path)";

    fn parse(text: &str) -> Option<PathBuf> {
        let path = match text.strip_prefix("file:") {
            Some(uri) => uri.strip_prefix("//").unwrap_or(uri),
            None if text.contains("://") => return None,
            None => text,
        };
        (!path.is_empty() && !path.contains('\0')).then(|| path.into())
    }
}

/// A number beyond which something is too much.
pub struct Limit;

impl Kind for Limit {
    type Value = Option<u64>;
    const UNIT: &'static str = "count";
    const EXPECTED: &'static str = "a whole number, or -1";

    fn parse(text: &str) -> Option<Option<u64>> {
        if text == "-1" { Some(None) } else { text.parse().ok().map(Some) }
    }
}

/// Any text.
pub struct Text;

impl Kind for Text {
    type Value = String;
    const UNIT: &'static str = "text";
    const EXPECTED: &'static str = "a text";

    fn parse(text: &str) -> Option<String> {
        Some(text.to_owned())
    }
}

/// The path of a ZooKeeper node.
pub struct Znode;

impl Kind for Znode {
    type Value = String;
    const UNIT: &'static str = "znode";
    const EXPECTED: &'static str = "a path like /hbase";

    fn parse(text: &str) -> Option<String> {
        let names = text.strip_prefix('/')?;
        let named = names.split('/').all(|name| !matches!(name, "" | "." | "..") && !name.contains('\0'));
        named.then(|| text.to_owned())
    }
}

/// A number of bytes, with an optional binary suffix as in Hadoop's configuration.
pub struct ByteCount;

impl Kind for ByteCount {
    type Value = u64;
    const UNIT: &'static str = "bytes";
    const EXPECTED: &'static str = "a number of bytes above 0, such as 134217728 or 128m";

    fn parse(text: &str) -> Option<u64> {
        let (digits, shift) = match text.bytes().last()?.to_ascii_lowercase() {
            b'k' => (&text[..text.len() - 1], 10),
            b'm' => (&text[..text.len() - 1], 20),
            b'g' => (&text[..text.len() - 1], 30),
            b't' => (&text[..text.len() - 1], 40),
            _ => (text, 0),
        };
        digits.parse::<u64>().ok()?.checked_mul(1 << shift).filter(|bytes| *bytes > 0)
    }
}

/// A number of bytes that may be left out.
pub struct OptionalByteCount;

impl Kind for OptionalByteCount {
    type Value = Option<u64>;
    const UNIT: &'static str = "bytes";
    const EXPECTED: &'static str = "a number of bytes above 0, such as 134217728 or 128m, or empty";

    fn parse(text: &str) -> Option<Option<u64>> {
        if text.is_empty() { Some(None) } else { ByteCount::parse(text).map(Some) }
    }
}

/// A time span, or never.
pub struct Period;

impl Kind for Period {
    type Value = i64;
    const UNIT: &'static str = "ms";
    const EXPECTED: &'static str = "a time in milliseconds, such as 60000, or 60s, 10m, 1h, 7d";

    fn parse(text: &str) -> Option<i64> {
        if text == "0" {
            return Some(0);
        }
        i64::try_from(Milliseconds::parse(text)?.as_millis()).ok()
    }
}

/// A time span that may be left out.
pub struct OptionalPeriod;

impl Kind for OptionalPeriod {
    type Value = Option<i64>;
    const UNIT: &'static str = "ms";
    const EXPECTED: &'static str = "a time in milliseconds, such as 60000, or 60s, 10m, 1h, 7d, or empty";

    fn parse(text: &str) -> Option<Option<i64>> {
        if text.is_empty() { Some(None) } else { Period::parse(text).map(Some) }
    }
}

/// A time span; in milliseconds, or with a suffix as in Hadoop's configuration.
pub struct Milliseconds;

impl Kind for Milliseconds {
    type Value = Duration;
    const UNIT: &'static str = "ms";
    const EXPECTED: &'static str = "a time above 0 in milliseconds, such as 60000, or 60s, 10m, 1h, 7d";

    fn parse(text: &str) -> Option<Duration> {
        let units = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];
        let suffixed = units.iter().find_map(|(suffix, ms)| Some((text.strip_suffix(suffix)?, *ms)));
        let (digits, factor) = suffixed.unwrap_or((text, 1));
        let ms = digits.parse::<u64>().ok()?.checked_mul(factor)?;
        (ms > 0).then(|| Duration::from_millis(ms))
    }
}

/// A time span that may be none; in milliseconds, or with a suffix as in Hadoop's configuration.
pub struct OptionalMilliseconds;

impl Kind for OptionalMilliseconds {
    type Value = Option<Duration>;
    const UNIT: &'static str = "ms";
    const EXPECTED: &'static str = "0, or a time in milliseconds, such as 60000, or 60s, 10m, 1h, 7d";

    fn parse(text: &str) -> Option<Option<Duration>> {
        if text == "0" { Some(None) } else { Milliseconds::parse(text).map(Some) }
    }
}

/// A time in seconds, without a unit; 0 is for ever.
pub struct Seconds;

impl Kind for Seconds {
    type Value = Duration;
    const UNIT: &'static str = "s";
    const EXPECTED: &'static str = "a time in seconds, such as 86400, or 0";

    fn parse(text: &str) -> Option<Duration> {
        text.parse::<u32>().ok().map(|seconds| Duration::from_secs(seconds.into()))
    }
}

/// A number of things.
pub struct Count;

impl Kind for Count {
    type Value = u32;
    const UNIT: &'static str = "count";
    const EXPECTED: &'static str = "a whole number above 0";

    fn parse(text: &str) -> Option<u32> {
        text.parse().ok().filter(|count| *count > 0)
    }
}

/// A number of things, at least one; empty when the server finds it out by itself.
pub struct OptionalCount;

impl Kind for OptionalCount {
    type Value = Option<u32>;
    const UNIT: &'static str = "count";
    const EXPECTED: &'static str = "a whole number above 0, or empty";

    fn parse(text: &str) -> Option<Option<u32>> {
        if text.is_empty() { Some(None) } else { Count::parse(text).map(Some) }
    }
}

/// Yes or no.
pub struct Flag;

impl Kind for Flag {
    type Value = bool;
    const UNIT: &'static str = "flag";
    const EXPECTED: &'static str = "true or false";

    fn parse(text: &str) -> Option<bool> {
        text.to_ascii_lowercase().parse().ok()
    }
}

/// A compression codec.
pub struct Codec;

impl Kind for Codec {
    type Value = Compression;
    const UNIT: &'static str = "codec";
    const EXPECTED: &'static str = "gz, snappy, lz4, zstd or none";

    fn parse(text: &str) -> Option<Compression> {
        Compression::from_name(text)
    }
}

/// HBase's throughput controllers: whether there is a limit. With or without their package.
fn throttle(text: &str, pressure_aware: &str) -> Option<bool> {
    match text.rsplit('.').next()? {
        "NoLimitThroughputController" | "NoLimitCompactionThroughputController" => Some(false),
        name => (name == pressure_aware).then_some(true),
    }
}

/// The throughput controller of compactions.
pub struct CompactionThrottle;

impl Kind for CompactionThrottle {
    type Value = bool;
    const UNIT: &'static str = "class";
    const EXPECTED: &'static str =
        "PressureAwareCompactionThroughputController or NoLimitThroughputController";

    fn parse(text: &str) -> Option<bool> {
        throttle(text, "PressureAwareCompactionThroughputController")
    }
}

/// The throughput controller of flushes.
pub struct FlushThrottle;

impl Kind for FlushThrottle {
    type Value = bool;
    const UNIT: &'static str = "class";
    const EXPECTED: &'static str = "PressureAwareFlushThroughputController or NoLimitThroughputController";

    fn parse(text: &str) -> Option<bool> {
        throttle(text, "PressureAwareFlushThroughputController")
    }
}

/// A share of something.
pub struct Fraction;

impl Kind for Fraction {
    type Value = f64;
    const UNIT: &'static str = "fraction";
    const EXPECTED: &'static str = "a fraction above 0 and up to 1";

    fn parse(text: &str) -> Option<f64> {
        text.parse().ok().filter(|fraction| *fraction > 0.0 && *fraction <= 1.0)
    }
}

/// What is done to memstores in memory.
pub struct MemStorePolicy;

impl Kind for MemStorePolicy {
    type Value = InMemoryCompaction;
    const UNIT: &'static str = "policy";
    const EXPECTED: &'static str = "NONE, BASIC, EAGER or ADAPTIVE";

    fn parse(text: &str) -> Option<InMemoryCompaction> {
        InMemoryCompaction::from_name(text)
    }
}

/// How much memory something may take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MemorySize {
    /// So many bytes.
    Bytes(u64),
    /// A share of the memory that the process may use.
    Fraction(f64),
}

impl MemorySize {
    /// In bytes, of a process that may use `available_bytes` in all.
    pub fn bytes(self, available_bytes: u64) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Fraction(fraction) => (available_bytes as f64 * fraction) as u64,
        }
    }
}

/// Either a number of bytes or a fraction of the memory; HBase has only the latter, of its heap.
pub struct Memory;

impl Kind for Memory {
    type Value = MemorySize;
    const UNIT: &'static str = "bytes or fraction of memory";
    const EXPECTED: &'static str =
        "a number of bytes above 0, such as 512m, or a fraction of the memory up to 0.8";

    fn parse(text: &str) -> Option<MemorySize> {
        if text.contains('.') {
            Fraction::parse(text).filter(|fraction| *fraction <= 0.8).map(MemorySize::Fraction)
        } else {
            ByteCount::parse(text).map(MemorySize::Bytes)
        }
    }
}

#[cfg(test)]
mod tests;
