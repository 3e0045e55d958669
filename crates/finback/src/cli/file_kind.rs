//! What a file is, as its first bytes have it: for who has given a command the wrong one.

use super::stop::Stop;
use std::io::Read;
use std::path::Path;

/// The kinds that there are commands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    StoreFile,
    Log,
}

impl FileKind {
    /// With what a file of this kind begins.
    fn magic(self) -> &'static [u8] {
        match self {
            Self::StoreFile => b"DATABLK",
            Self::Log => b"PWAL",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::StoreFile => "a store file",
            Self::Log => "a log",
        }
    }

    fn command(self) -> &'static str {
        match self {
            Self::StoreFile => "hfile",
            Self::Log => "wal",
        }
    }

    fn other(self) -> Self {
        match self {
            Self::StoreFile => Self::Log,
            Self::Log => Self::StoreFile,
        }
    }

    /// Says besides, of a file that could not be read as one of this kind, if it is none.
    pub(super) fn explain(self, path: &Path, stop: Stop) -> Stop {
        let Stop::Failed(problem) = stop else { return stop };
        let mut first = Vec::new();
        let read = std::fs::File::open(path).and_then(|file| file.take(8).read_to_end(&mut first));
        let other = self.other();
        Stop::Failed(match read {
            Err(_) => problem,
            Ok(_) if first.starts_with(self.magic()) => problem,
            Ok(_) if first.starts_with(other.magic()) => {
                format!("{problem}; it is {}, which finback {} reads", other.name(), other.command())
            }
            Ok(_) => format!("{problem}; it does not begin as {} does", self.name()),
        })
    }
}
