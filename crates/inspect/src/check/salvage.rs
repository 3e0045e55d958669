//! Damaged store files and logs: what is left of them goes into a new file, which takes their place.

use super::RepairWatcher;
use super::put_aside::Aside;
use crate::error::InspectError;
use finback_cell::{CellOrder, ColumnFamilyDescriptor, StringBinary, TableName};
use finback_fs::NextRead;
use finback_hfile::{
    BloomType, DamagedFile, FamilySettings, HFileError, HFileWriter, Loss, RowBounds, Salvaged,
    WriterOptions, verify,
};
use finback_layout::RootDir;
use finback_wal::{LogLoss, SalvagedLog, WalError, copy_sound_entries, find_sound_entries};
use std::path::{Path, PathBuf};

/// So many lost stretches are named in a plan.
const NAMED_LOSSES: usize = 3;

/// What is left of a damaged file.
#[derive(Debug, Clone, PartialEq)]
pub struct Salvage {
    /// The file.
    pub path: PathBuf,
    /// What is left.
    pub left: Left,
}

/// What is left of a damaged file.
#[derive(Debug, Clone, PartialEq)]
pub enum Left {
    /// Cells of a store file.
    Cells(Salvaged),
    /// No block of a store file.
    NoCells,
    /// Entries of a log.
    Entries(SalvagedLog),
}

impl Salvage {
    /// What is left of a store file; none if it is one that is not read, damaged or not, or if `watch`, which is told how
    /// many bytes are done, wants no more.
    ///
    /// # Errors
    /// The storage's.
    pub(super) fn of_store_file(
        root: &RootDir,
        path: &Path,
        watch: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Option<Self>, InspectError> {
        let of = |left| Ok(Some(Self { path: path.to_owned(), left }));
        match damaged_file(root, path).and_then(|file| file.cells(&mut |_, _| Ok(()), watch)) {
            Ok(left) if left.was_interrupted => Ok(None),
            Ok(left) if left.cells > 0 => of(Left::Cells(left)),
            Ok(_) | Err(HFileError::Corrupt { .. }) => of(Left::NoCells),
            Err(HFileError::Unsupported { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// What is left of a log; none if it is one that is not read, damaged or not.
    ///
    /// # Errors
    /// The storage's.
    pub(super) fn of_log(root: &RootDir, path: &Path) -> Result<Option<Self>, InspectError> {
        match find_sound_entries(&**root.fs(), path) {
            Ok(left) => Ok(Some(Self { path: path.to_owned(), left: Left::Entries(left) })),
            Err(WalError::Unsupported { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether anything of it is lost.
    pub fn loses_data(&self) -> bool {
        match &self.left {
            Left::Cells(left) => !left.is_whole(),
            Left::NoCells => true,
            Left::Entries(left) => !left.losses.is_empty(),
        }
    }

    /// What is done, and what is lost, in one line.
    pub(super) fn describe(&self, root: &Path) -> String {
        let path = self.path.strip_prefix(root).unwrap_or(&self.path).display();
        let kept = format!("keep {path} in {}, and put a file with ", super::put_aside::ASIDE);
        match &self.left {
            Left::Cells(left) if left.is_whole() => {
                format!("{kept}all its {} cells in its place; no cell is lost", left.cells)
            }
            Left::Cells(left) => {
                let (blocks, cells) = (left.blocks, left.cells);
                let lost = losses_of_cells(left);
                format!("{kept}the {cells} cells of {blocks} sound blocks in its place. LOST: {lost}")
            }
            Left::NoCells => format!("{kept}no cells in its place. LOST: all of it, for no block verifies"),
            Left::Entries(left) => {
                let (entries, lost) = (left.entries, losses_of_entries(left));
                format!("{kept}the {entries} entries that can be read in its place. LOST: {lost}")
            }
        }
    }

    /// Writes what is left, and lets it take the place of the damaged file, which is kept aside.
    pub(super) fn apply(
        &self,
        root: &RootDir,
        aside: &Aside<'_>,
        watcher: &mut dyn RepairWatcher,
    ) -> Result<(), InspectError> {
        aside.replace(&self.path, |to| match &self.left {
            Left::Cells(left) => self.write_cells(root, to, left, watcher),
            Left::NoCells => self.write_empty(root, to),
            Left::Entries(left) => {
                let written = copy_sound_entries(&**root.fs(), &self.path, to)?;
                self.is_as_planned(&written, left)
            }
        })
    }

    fn write_cells(
        &self,
        root: &RootDir,
        to: &Path,
        left: &Salvaged,
        watcher: &mut dyn RepairWatcher,
    ) -> Result<(), InspectError> {
        let family = family_of(root, &self.path);
        let settings = FamilySettings {
            block_size_bytes: family.block_size_bytes(),
            bloom: match family.attribute("BLOOMFILTER").unwrap_or("ROW") {
                "ROW" => Some(BloomType::Row),
                "ROWCOL" => Some(BloomType::RowColumn),
                _ => None,
            },
        };
        let length = root.fs().metadata(&self.path).map_err(InspectError::io(&self.path))?.len;
        // It is read twice: the damaged file, and then the new one.
        let mut watch = |before: u64, done: u64| {
            watcher.progress(&self.path, (before + done).min(2 * length), 2 * length)
        };
        let file = root.fs().create_large(to, NextRead::Later).map_err(InspectError::io(to))?;
        let damaged = damaged_file(root, &self.path)?;
        let written = damaged.write_sound(file, to, settings, &mut |done| watch(0, done))?;
        if written.was_interrupted {
            return Err(InspectError::Interrupted);
        }
        self.is_as_planned(&written, left)?;
        let file = root.fs().open(to).map_err(InspectError::io(to))?;
        let mut found = verify(file, to, RowBounds::default(), &mut |done| watch(length, done));
        match found.problems.is_empty() {
            _ if found.was_interrupted => Err(InspectError::Interrupted),
            true => Ok(()),
            false => Err(found.problems.swap_remove(0).into()),
        }
    }

    fn write_empty(&self, root: &RootDir, to: &Path) -> Result<(), InspectError> {
        let file = root.fs().create_large(to, NextRead::Later).map_err(InspectError::io(to))?;
        let options = WriterOptions { order: order_of(&self.path), ..WriterOptions::default() };
        HFileWriter::new(file, to, options)?.finish(0)?;
        Ok(())
    }

    /// Nothing is lost that the plan did not say.
    fn is_as_planned<T: PartialEq>(&self, written: &T, planned: &T) -> Result<(), InspectError> {
        match written == planned {
            true => Ok(()),
            false => Err(InspectError::Changed { path: self.path.clone() }),
        }
    }
}

fn damaged_file(root: &RootDir, path: &Path) -> Result<DamagedFile, HFileError> {
    let file = root.fs().open(path).map_err(|source| HFileError::Io {
        path: path.to_owned(),
        what: "open",
        offset: 0,
        source,
    })?;
    DamagedFile::open(file, path, order_of(path))
}

/// Namespace, table and family of a path `…/data/NAMESPACE/TABLE/REGION/FAMILY/FILE`.
fn table_and_family(path: &Path) -> Option<(TableName, String)> {
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let mut ancestors = path.ancestors().skip(1).map(name);
    let mut next = || ancestors.next().flatten();
    let (family, _region, table, namespace) = (next()?, next()?, next()?, next()?);
    Some((TableName::new(namespace.as_bytes(), table.as_bytes()).ok()?, family))
}

fn order_of(path: &Path) -> CellOrder {
    match table_and_family(path) {
        Some((table, _)) if table.is_meta() => CellOrder::Meta,
        _ => CellOrder::User,
    }
}

/// The family of a store file, as the descriptor of its table has it; with HBase's defaults if there is none.
fn family_of(root: &RootDir, path: &Path) -> ColumnFamilyDescriptor {
    let known = || {
        let (table, family) = table_and_family(path)?;
        let descriptor = root.read_table_descriptor(&table).ok()?;
        descriptor.families.into_iter().find(|known| known.name == family.as_bytes())
    };
    known().unwrap_or_else(|| ColumnFamilyDescriptor::with_defaults(b"f"))
}

fn losses_of_cells(left: &Salvaged) -> String {
    let mut lost: Vec<String> = left.losses.iter().take(NAMED_LOSSES).map(loss_of_cells).collect();
    let more = left.losses.len().saturating_sub(NAMED_LOSSES) as u64 + left.untold_losses;
    if more > 0 {
        lost.push(format!("{more} more such stretches ({} bytes in all)", left.lost_bytes));
    }
    if let Some(cells) = left.lost_cells.filter(|cells| *cells > 0) {
        lost.push(format!("by the count of the trailer {cells} cells"));
    }
    if left.lacks_file_info {
        lost.push("what the file said of itself, such as its highest sequence id".to_owned());
    }
    if left.lost_meta_blocks > 0 {
        lost.push(format!("{} meta blocks", left.lost_meta_blocks));
    }
    lost.join("; ")
}

fn loss_of_cells(Loss { offset, bytes, after, before }: &Loss) -> String {
    let row = |row: &Vec<u8>| format!("{}", StringBinary(row));
    let rows = match (after, before) {
        (None, None) => "any rows".to_owned(),
        (None, Some(before)) => format!("rows up to {}", row(before)),
        (Some(after), None) => format!("rows from {} on", row(after)),
        (Some(after), Some(before)) => format!("rows from {} to {}", row(after), row(before)),
    };
    match bytes {
        0 => format!("{rows}, if the file had any there: nothing says where it ended"),
        _ => format!("{bytes} bytes at {offset}, cells of {rows}"),
    }
}

fn losses_of_entries(left: &SalvagedLog) -> String {
    let loss = |LogLoss { offset, bytes, .. }: &LogLoss| format!("{bytes} bytes at {offset}");
    let mut lost: Vec<String> = left.losses.iter().take(NAMED_LOSSES).map(loss).collect();
    let more = left.losses.len().saturating_sub(NAMED_LOSSES) as u64 + left.untold_losses;
    if more > 0 {
        lost.push(format!("{more} more such stretches ({} bytes in all)", left.lost_bytes));
    }
    format!("{}, and the writes of their entries, unless store files have them", lost.join("; "))
}
