//! Switches that administrators turn and a restart does not forget.
//!
//! ```text
//! finback.switches:  balancer=true
//!                    normalizer=true
//!                    split=false
//!                    merge=true
//!                    snapshot_cleanup=true
//! ```
//!
//! Lines of other names are ignored: a later version may write more.

use std::path::PathBuf;

use finback_fs::write_file_durably;

use crate::{LayoutError, Result, RootDir, error::At, small_file};

/// Of a file that is longer nothing is read.
const MAX_BYTES: u64 = 64 << 10;

/// The switches that HBase keeps, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptSwitches {
    /// Whether regions are balanced.
    pub balancer: bool,
    /// Whether regions are normalized.
    pub normalizer: bool,
    /// Whether regions may be split.
    pub split: bool,
    /// Whether regions may be merged.
    pub merge: bool,
    /// Whether snapshots go that have outlived their time.
    pub snapshot_cleanup: bool,
}

impl Default for KeptSwitches {
    /// All on.
    fn default() -> Self {
        Self { balancer: true, normalizer: true, split: true, merge: true, snapshot_cleanup: true }
    }
}

impl KeptSwitches {
    /// All off.
    pub const OFF: Self =
        Self { balancer: false, normalizer: false, split: false, merge: false, snapshot_cleanup: false };

    fn named(&mut self) -> [(&'static str, &mut bool); 5] {
        [
            ("balancer", &mut self.balancer),
            ("normalizer", &mut self.normalizer),
            ("split", &mut self.split),
            ("merge", &mut self.merge),
            ("snapshot_cleanup", &mut self.snapshot_cleanup),
        ]
    }

    fn encode(mut self) -> String {
        self.named().map(|(name, on)| format!("{name}={on}\n")).concat()
    }

    /// One without a line is on, as before it was turned for the first time.
    fn decode(text: &str) -> std::result::Result<Self, String> {
        let (mut switches, mut lines) = (Self::default(), 0);
        for (name, on) in switches.named() {
            let value = text.lines().rev().find_map(|line| {
                let (key, value) = line.split_once('=')?;
                (key.trim() == name).then(|| value.trim())
            });
            *on = match value {
                Some("true") => true,
                Some("false") => false,
                Some(other) => return Err(format!("{name} is {other:?}, and neither true nor false")),
                None => continue,
            };
            lines += 1;
        }
        if lines == 0 {
            return Err("there is no line of a switch".to_owned());
        }
        Ok(switches)
    }
}

impl RootDir {
    /// `finback.switches`.
    pub fn switches_file(&self) -> PathBuf {
        self.path().join("finback.switches")
    }

    /// The switches as they were last written; all are on before that.
    ///
    /// # Errors
    /// [`LayoutError::Corrupt`] if one cannot be read, or the storage's. Nobody knows then what is switched off.
    pub fn read_switches(&self) -> Result<KeptSwitches> {
        let path = self.switches_file();
        let bytes = match small_file::read_at_most(&**self.fs(), &path, MAX_BYTES) {
            Err(error) if error.is_not_found() => return Ok(KeptSwitches::default()),
            other => other?,
        };
        let text = std::str::from_utf8(&bytes).map_err(|error| format!("no text: {error}"));
        text.and_then(KeptSwitches::decode).map_err(|reason| LayoutError::Corrupt { path, reason })
    }

    /// Writes all switches. After a failure there are the old ones or these; not two callers at once.
    ///
    /// # Errors
    /// The storage's.
    pub fn write_switches(&self, switches: KeptSwitches) -> Result<()> {
        let path = self.switches_file();
        write_file_durably(&**self.fs(), &path, switches.encode().as_bytes()).at(&path)
    }
}

#[cfg(test)]
mod tests;
