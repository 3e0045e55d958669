//! Values in files of their own (MOB): a family with IS_MOB keeps those longer than MOB_THRESHOLD in MOB files, where no
//! compaction but one that somebody asked for writes them again. Its store files have references to them.
//!
//! A reference has the key, sequence id and tags of its cell, and two tags more: that it is one, and the table of the MOB file. Its
//! value is `i32 length of the real one | name of the MOB file`.
//!
//! * A flush or compaction writes large values to a MOB file ([`writer`]), which has its place in the table's MOB directory before any
//!   store file refers to it: a crash in between leaves a file that nobody refers to, and that is swept later.
//! * A compaction that somebody asked for writes all values anew, any other keeps references ([`pass`]).
//! * A read finds references by their keys, filters see them as in HBase, and what goes into the result is the cell of the MOB file
//!   ([`reads`]). It looks for the file among those that are open, in the MOB directory, and in the archive ([`files`]).
//! * Each store file names the MOB files that it refers to ([`refs`]).

mod files;
mod pass;
mod reads;
mod reference;
mod refs;
mod writer;

pub(crate) use files::MobPlaces;
pub use files::{FileRequest, MobFiles};
pub(crate) use pass::{Kind as MobPassKind, MobPass};
pub(crate) use reads::MobReads;
pub(crate) use reference::reference_of;
pub(crate) use refs::MobFileRefs;
use std::str::FromStr;
pub(crate) use writer::MobWritten;
pub use writer::mob_file_date;

/// What becomes of MOB files in a compaction that somebody asked for; the names are HBase's. Tables may have their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MobConfig {
    /// `hbase.unsafe.mob.discard.miss`: a cell whose MOB file is nowhere is left out; else the compaction fails.
    pub discards_missing: bool,
    /// `hbase.mob.compaction.type`.
    pub compactions: MobCompactions,
    /// `hbase.mob.compactions.max.file.size`, for optimized compactions.
    pub max_file_bytes: u64,
}

/// Which values such a compaction writes anew.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MobCompactions {
    /// All.
    #[default]
    Full,
    /// Those of small files: larger ones stay, and none is written that grows much beyond that size.
    Optimized,
}

impl Default for MobConfig {
    fn default() -> Self {
        Self { discards_missing: false, compactions: MobCompactions::Full, max_file_bytes: 1 << 30 }
    }
}

impl MobConfig {
    /// Files of so many bytes or more stay.
    fn leaves_alone_from_bytes(self) -> Option<u64> {
        (self.compactions == MobCompactions::Optimized).then_some(self.max_file_bytes)
    }
}

impl FromStr for MobCompactions {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text.to_ascii_lowercase().as_str() {
            "full" => Ok(Self::Full),
            "optimized" => Ok(Self::Optimized),
            _ => Err(()),
        }
    }
}
