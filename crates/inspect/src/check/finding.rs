//! What a check finds.

use super::repair::Repair;
use std::path::PathBuf;

/// How bad something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; nothing is lost, and servers live with it.
    Note,
    /// Something is wrong.
    Problem,
}

/// What kind of thing was found. The names are those of the JSON report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum FindingKind {
    NoRootDirectory,
    Unreadable,
    DamagedFile,
    DamagedLog,
    TornLog,
    MetaUnreadable,
    MetaRow,
    Hole,
    Overlap,
    NoRegions,
    TableDirectoryMissing,
    DescriptorMissing,
    OrphanTable,
    OrphanRegion,
    RegionDirectoryMissing,
    RegionInfoMissing,
    RegionInfoWrong,
    RegionInTransition,
    UnknownFamily,
    Stray,
    EmptyStoreFile,
    LingeringReference,
    DanglingLink,
    MissingMobFile,
    StoreFileList,
    UnlistedFile,
    RecoveredEdits,
    Leftover,
    SnapshotIncomplete,
    UnansweringServer,
    DeadServer,
    NotOpen,
    NotAssigned,
    OpenElsewhere,
    OpenTwice,
    UnknownRegion,
    ContradictingState,
    StuckInTransition,
    SplitParent,
    TableUnknown,
    TableInTransition,
    DisabledTableOpen,
}

impl FindingKind {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoRootDirectory => "no-root-directory",
            Self::Unreadable => "unreadable",
            Self::DamagedFile => "damaged-file",
            Self::DamagedLog => "damaged-log",
            Self::TornLog => "torn-log",
            Self::MetaUnreadable => "meta-unreadable",
            Self::MetaRow => "meta-row",
            Self::Hole => "hole",
            Self::Overlap => "overlap",
            Self::NoRegions => "no-regions",
            Self::TableDirectoryMissing => "table-directory-missing",
            Self::DescriptorMissing => "descriptor-missing",
            Self::OrphanTable => "orphan-table",
            Self::OrphanRegion => "orphan-region",
            Self::RegionDirectoryMissing => "region-directory-missing",
            Self::RegionInfoMissing => "region-info-missing",
            Self::RegionInfoWrong => "region-info-wrong",
            Self::RegionInTransition => "region-in-transition",
            Self::UnknownFamily => "unknown-family",
            Self::Stray => "stray",
            Self::EmptyStoreFile => "empty-store-file",
            Self::LingeringReference => "lingering-reference",
            Self::DanglingLink => "dangling-link",
            Self::MissingMobFile => "missing-mob-file",
            Self::StoreFileList => "store-file-list",
            Self::UnlistedFile => "unlisted-file",
            Self::RecoveredEdits => "recovered-edits",
            Self::Leftover => "leftover",
            Self::SnapshotIncomplete => "snapshot-incomplete",
            Self::UnansweringServer => "unanswering-server",
            Self::DeadServer => "dead-server",
            Self::NotOpen => "not-open",
            Self::NotAssigned => "not-assigned",
            Self::OpenElsewhere => "open-elsewhere",
            Self::OpenTwice => "open-twice",
            Self::UnknownRegion => "unknown-region",
            Self::ContradictingState => "contradicting-state",
            Self::StuckInTransition => "stuck-in-transition",
            Self::SplitParent => "split-parent",
            Self::TableUnknown => "table-unknown",
            Self::TableInTransition => "table-in-transition",
            Self::DisabledTableOpen => "disabled-table-open",
        }
    }

    /// How bad it is.
    pub fn severity(self) -> Severity {
        match self {
            Self::TornLog
            | Self::RegionInTransition
            | Self::TableInTransition
            | Self::SplitParent
            | Self::Stray
            | Self::EmptyStoreFile
            | Self::UnlistedFile
            | Self::RecoveredEdits
            | Self::Leftover => Severity::Note,
            _ => Severity::Problem,
        }
    }
}

/// Something that a check found.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// What kind of thing.
    pub kind: FindingKind,
    /// Where: a file, a directory, or the directory of the table that it is about. Of a cluster that runs: a table, a
    /// region as `table/encoded name`, or a server.
    pub path: PathBuf,
    /// What is the matter, and what to do about what cannot be repaired.
    pub message: String,
    /// What can be done about it here.
    pub repair: Option<Repair>,
}

impl Finding {
    pub(super) fn new(kind: FindingKind, path: impl Into<PathBuf>, message: impl Into<String>) -> Self {
        Self { kind, path: path.into(), message: message.into(), repair: None }
    }

    /// With what repairs it.
    pub(super) fn repaired_by(self, repair: Repair) -> Self {
        Self { repair: Some(repair), ..self }
    }

    /// One that goes away when its path is moved aside.
    pub(super) fn aside(self) -> Self {
        let path = self.path.clone();
        self.repaired_by(Repair::MoveAside { path })
    }
}
