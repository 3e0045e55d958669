//! The kinds of values that settings have, and how they are written.

use super::quantity::{ByteCount, bytes, bytes_with_unit, is_off};
use super::setting::TomlForm;
use finback_compression::Compression;
use finback_region::{InMemoryCompaction, java_float};
use std::path::PathBuf;

/// A kind of value: how it is read, and how it is described to people.
pub trait Kind {
    /// What the program works with.
    type Value;
    /// The unit, for the table in the documentation.
    const UNIT: &'static str;
    /// Completes the sentence "must be …".
    const EXPECTED: &'static str;

    /// What it is in TOML.
    const FORM: TomlForm;

    /// How a value that makes sense is written by default.
    fn canonical(text: &str) -> String {
        text.to_owned()
    }

    /// Reads a value; `None` when it is not of this kind.
    fn parse(text: &str) -> Option<Self::Value>;
}

/// A TCP port; 0 lets the system choose.
pub struct Port;

impl Kind for Port {
    type Value = u16;
    const UNIT: &'static str = "port";
    const EXPECTED: &'static str = "a port from 0 to 65535";
    const FORM: TomlForm = TomlForm::Integer;

    fn parse(text: &str) -> Option<u16> {
        text.parse().ok()
    }
}

/// The port of a page for people and collectors.
pub struct InfoPort;

impl Kind for InfoPort {
    type Value = Option<u16>;
    const UNIT: &'static str = "port";
    const EXPECTED: &'static str = "a port from 0 to 65535, or off";
    const FORM: TomlForm = TomlForm::TextOrInteger;

    fn canonical(text: &str) -> String {
        if is_off(text) { "off" } else { text }.to_owned()
    }

    fn parse(text: &str) -> Option<Option<u16>> {
        if is_off(text) { Some(None) } else { text.parse().ok().map(Some) }
    }
}

/// An address to listen on.
pub struct Host;

impl Kind for Host {
    type Value = String;
    const UNIT: &'static str = "address";
    const EXPECTED: &'static str = "an IP address or a host name";
    const FORM: TomlForm = TomlForm::Text;

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
    const FORM: TomlForm = TomlForm::Text;

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
    const FORM: TomlForm = TomlForm::Text;

    fn parse(text: &str) -> Option<PathBuf> {
        let path = match text.strip_prefix("file:") {
            Some(uri) => uri.strip_prefix("//").unwrap_or(uri),
            None if text.contains("://") => return None,
            None => text,
        };
        (!path.is_empty() && !path.contains('\0')).then(|| path.into())
    }
}

/// Any text.
pub struct Text;

impl Kind for Text {
    type Value = String;
    const UNIT: &'static str = "text";
    const EXPECTED: &'static str = "a text";
    const FORM: TomlForm = TomlForm::Text;

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
    const FORM: TomlForm = TomlForm::Text;

    fn parse(text: &str) -> Option<String> {
        let names = text.strip_prefix('/')?;
        let named = names.split('/').all(|name| !matches!(name, "" | "." | "..") && !name.contains('\0'));
        named.then(|| text.to_owned())
    }
}

/// A number of things.
pub struct Count;

impl Kind for Count {
    type Value = u32;
    const UNIT: &'static str = "count";
    const EXPECTED: &'static str = "a whole number above 0";
    const FORM: TomlForm = TomlForm::Integer;

    fn parse(text: &str) -> Option<u32> {
        text.parse().ok().filter(|count| *count > 0)
    }
}

/// A number of things, which may be none.
pub struct CountOrNone;

impl Kind for CountOrNone {
    type Value = u32;
    const UNIT: &'static str = "count";
    const EXPECTED: &'static str = "a whole number";
    const FORM: TomlForm = TomlForm::Integer;

    fn parse(text: &str) -> Option<u32> {
        text.parse().ok()
    }
}

/// A number of things, at least one; empty when the server finds it out by itself.
pub struct OptionalCount;

impl Kind for OptionalCount {
    type Value = Option<u32>;
    const UNIT: &'static str = "count";
    const EXPECTED: &'static str = "a whole number above 0, or empty";
    const FORM: TomlForm = TomlForm::Integer;

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
    const FORM: TomlForm = TomlForm::Boolean;

    fn canonical(text: &str) -> String {
        text.to_ascii_lowercase()
    }

    fn parse(text: &str) -> Option<bool> {
        text.to_ascii_lowercase().parse().ok()
    }
}

/// A compression codec, or none.
pub struct OptionalCodec;

impl Kind for OptionalCodec {
    type Value = Option<Compression>;
    const UNIT: &'static str = "codec";
    const EXPECTED: &'static str = "gz, snappy, lz4, zstd or none";
    const FORM: TomlForm = TomlForm::Text;

    fn canonical(text: &str) -> String {
        text.to_ascii_lowercase()
    }

    fn parse(text: &str) -> Option<Option<Compression>> {
        let codec = Compression::from_name(text)?;
        Some(Some(codec).filter(|codec| *codec != Compression::None))
    }
}

/// A share of something.
pub(super) struct Fraction;

impl Kind for Fraction {
    type Value = f64;
    const UNIT: &'static str = "fraction";
    const EXPECTED: &'static str = "a fraction above 0 and up to 1";
    const FORM: TomlForm = TomlForm::Float;

    fn parse(text: &str) -> Option<f64> {
        java_float(text).filter(|fraction| *fraction > 0.0 && *fraction <= 1.0)
    }
}

/// What is done to memstores in memory.
pub struct MemStorePolicy;

impl Kind for MemStorePolicy {
    type Value = InMemoryCompaction;
    const UNIT: &'static str = "policy";
    const EXPECTED: &'static str = "NONE, BASIC, EAGER or ADAPTIVE";
    const FORM: TomlForm = TomlForm::Text;

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
    const FORM: TomlForm = TomlForm::TextOrFloat;

    fn canonical(text: &str) -> String {
        bytes(text).map_or_else(|| text.to_owned(), bytes_with_unit)
    }

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
