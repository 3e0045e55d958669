//! The files that a flush or a compaction writes: one, or several that its cells are cut into.
//!
//! They are written beside the store (`.tmp`), synced, and opened; then all of them are renamed into the store, one after
//! the other. What makes this one step is said in [`Region::publish`].

use crate::compaction_policy::Cut;
use crate::cutter::Cutter;
use crate::error::RegionError;
use crate::mob::{MobFileRefs, reference_of};
use crate::region::Region;
use crate::store::Store;
use crate::store_file::{StoreFile, file_info};
use crate::timed_file::TimedFile;
use crate::whole_block::WholeBlock;
use finback_cell::Cell;
use finback_fs::{FileSystem, NextRead};
use finback_hfile::{
    BlockToJoin, HFileError, HFileReader, HFileWriter, OWN_BLOCK_BYTES, WriterOptions, file_info_keys,
};
use finback_layout::{MOB_CELLS_COUNT, MOB_FILE_REFS, new_store_file_name};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files of one output at most: each has a descriptor and a buffer.
pub(crate) const MOST_FILES: usize = 1000;
/// So many of them at most are written past the system's memory, for which each has a buffer.
const MOST_LARGE_BUFFERS: usize = 4;

/// What a file that is written takes besides its blocks: chunks of two Bloom filters, and the index.
const OUTPUT_BYTES: u64 = 384 << 10;
/// What one takes that is written past the system's memory.
const LARGE_BUFFER_BYTES: u64 = 5 << 18;

/// About how many bytes of memory so many files take while they are written: each a block that is being built, and compressed, for which
/// `block_bytes` are enough, and what is on its way to the device.
pub(crate) fn memory_of_outputs(outputs: u64, block_bytes: u64, next_read: NextRead) -> u64 {
    let large_buffers = match next_read {
        NextRead::Soon => 0,
        NextRead::Later => outputs.min(MOST_LARGE_BUFFERS as u64) * LARGE_BUFFER_BYTES,
    };
    block_bytes.saturating_add(OUTPUT_BYTES).saturating_mul(outputs).saturating_add(large_buffers)
}

/// Files that are being written.
pub(crate) struct OutputFiles<'a> {
    region: &'a Region,
    store: &'a Store,
    options: WriterOptions,
    cutter: Cutter,
    /// When the files are going to be read.
    next_read: NextRead,
    /// By piece; nothing where no cell has come to it.
    writers: Vec<Option<OutputFile>>,
    written_bytes: u64,
}

struct OutputFile {
    temporary: Temporary,
    served: PathBuf,
    writer: HFileWriter,
    /// The MOB files that it refers to, if the family has any.
    mob_refs: Option<MobFileRefs>,
}

/// A file beside the store, which goes when nobody wants it any more.
pub(crate) struct Temporary {
    fs: Arc<dyn FileSystem>,
    path: PathBuf,
    is_there: bool,
}

impl Temporary {
    pub(crate) fn new(fs: Arc<dyn FileSystem>, path: PathBuf) -> Self {
        Self { fs, path, is_there: true }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// It has another name, or is wanted.
    pub(crate) fn no_longer_there(mut self) {
        self.is_there = false;
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if self.is_there {
            // Room may be short. Opening the region sweeps what stays, and of MOB files, that nobody refers to them.
            let _ = self.fs.remove_file(&self.path);
        }
    }
}

/// A file that is complete, but has no place in the store yet.
pub(crate) struct FinishedOutput {
    temporary: Temporary,
    pub(crate) file: Arc<StoreFile>,
}

/// What the files of an output say about themselves, besides what is in them.
pub(crate) struct Inscription<'a> {
    /// Of the last file.
    pub(crate) max_sequence_id: u64,
    /// Of the others.
    pub(crate) max_sequence_id_of_others: u64,
    /// What the last file says.
    pub(crate) last: &'a [(&'a [u8], &'a [u8])],
    /// What the others say.
    pub(crate) others: &'a [(&'a [u8], &'a [u8])],
}

impl OutputFiles<'_> {
    /// The same, of cells of which some scanners see no more than up to this sequence id.
    #[must_use]
    pub(crate) fn seen_up_to(mut self, sequence_id: u64) -> Self {
        self.cutter.seen_up_to(sequence_id);
        self
    }

    /// Bytes of all files so far.
    pub(crate) fn written_bytes(&self) -> u64 {
        self.written_bytes
    }

    /// About how many bytes of memory the files take that are being written.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.writers.iter().flatten().map(|file| file.writer.memory_bytes()).sum()
    }

    /// Appends a cell, the `read`th that was read. `is_alone`: asked for a large one, whether the next one is known to have
    /// another key.
    pub(crate) fn append(
        &mut self,
        cell: &Cell<'_>,
        sequence_id: u64,
        read: u64,
        is_alone: impl FnOnce() -> bool,
    ) -> Result<(), RegionError> {
        let piece = self.cutter.piece_of(cell, sequence_id, read);
        self.write(piece, |writer| match cell.bytes().len() >= OWN_BLOCK_BYTES && is_alone() {
            true => writer.append_alone(cell, sequence_id),
            false => writer.append(cell, sequence_id),
        })?;
        if self.store.mob_threshold.is_some()
            && let Some(reference) = reference_of(cell)
            && let Some(OutputFile { mob_refs: Some(refs), .. }) = &mut self.writers[piece]
        {
            refs.add(&reference);
        }
        Ok(())
    }

    /// The piece that takes a block, which is next, as it is stored, if one does. If a small block stands in the way of that, the next
    /// one will be taken.
    pub(crate) fn piece_for(&mut self, block: &WholeBlock) -> Option<usize> {
        let fits = block.block.fits(&self.options);
        let piece = self.cutter.piece_of_all(block).filter(|_| fits)?;
        // A file begins when a cell comes to it.
        let Some(Some(OutputFile { writer, .. })) = self.writers.get_mut(piece) else { return Some(piece) };
        let takes = writer.takes(&block.block);
        if !takes {
            writer.make_way_behind(&block.block);
        }
        takes.then_some(piece)
    }

    /// Appends a block to the piece that takes it.
    pub(crate) fn append_block(&mut self, block: &WholeBlock, piece: usize) -> Result<(), RegionError> {
        self.write(piece, |writer| writer.append_block(&block.block))
    }

    /// Begins to join a file to the one file of an output that is not cut.
    pub(crate) fn begin_joined(&mut self, file: &HFileReader) -> Result<(), RegionError> {
        self.write(0, |writer| writer.begin_joined(file))
    }

    /// Appends the next block of the file that was begun to be joined.
    pub(crate) fn append_joined(&mut self, block: &BlockToJoin<'_>) -> Result<(), RegionError> {
        self.write(0, |writer| writer.append_joined(block))
    }

    /// Writes to a piece, and counts what has come into its file by that.
    #[inline]
    fn write(
        &mut self,
        piece: usize,
        write: impl FnOnce(&mut HFileWriter) -> Result<(), HFileError>,
    ) -> Result<(), RegionError> {
        let writer = self.writer(piece)?;
        let before = writer.written_bytes();
        write(writer)?;
        let grown = writer.written_bytes() - before;
        self.written_bytes += grown;
        Ok(())
    }

    /// The writer of a piece.
    fn writer(&mut self, piece: usize) -> Result<&mut HFileWriter, RegionError> {
        if self.writers.len() <= piece {
            if piece >= MOST_FILES {
                let reason = format!("more than {MOST_FILES} files of one compaction or flush");
                return Err(RegionError::Invalid(reason));
            }
            self.writers.resize_with(piece + 1, || None);
        }
        if self.writers[piece].is_none() {
            let has_buffers = self.writers.iter().flatten().count() < MOST_LARGE_BUFFERS;
            let read = if has_buffers { self.next_read } else { NextRead::Soon };
            let options = self.options.clone();
            self.writers[piece] = Some(OutputFile::create(self.region, self.store, options, read)?);
        }
        Ok(&mut self.writers[piece].as_mut().expect("was filled").writer)
    }

    /// Ends the files and opens them.
    pub(crate) fn finish(
        mut self,
        inscription: &Inscription<'_>,
    ) -> Result<Vec<FinishedOutput>, RegionError> {
        let has_any = self.writers.iter().any(Option::is_some);
        for piece in self.cutter.empty_pieces(has_any) {
            self.writer(piece)?;
        }
        let fs = self.region.environment.root.fs();
        let pieces = std::mem::take(&mut self.writers);
        let written: Vec<_> =
            pieces.into_iter().enumerate().filter_map(|(piece, file)| Some((piece, file?))).collect();
        let last = written.len().saturating_sub(1);
        let mut finished = Vec::with_capacity(written.len());
        for (number, (piece, file)) in written.into_iter().enumerate() {
            let OutputFile { temporary, served, mut writer, mob_refs } = file;
            if let Some(refs) = mob_refs {
                writer.append_file_info(MOB_CELLS_COUNT, &refs.references().to_be_bytes());
                writer.append_file_info(MOB_FILE_REFS, &refs.encode());
            }
            if self.cutter.is_history(piece) {
                writer.append_file_info(file_info_keys::HISTORICAL, &[0xff]);
            }
            if let Some((start, end)) = self.cutter.stripe(piece) {
                writer.append_file_info(file_info::STRIPE_START_KEY, &start);
                writer.append_file_info(file_info::STRIPE_END_KEY, &end);
            }
            let (entries, max_sequence_id) = if number == last {
                (inscription.last, inscription.max_sequence_id)
            } else {
                (inscription.others, inscription.max_sequence_id_of_others)
            };
            entries.iter().for_each(|(key, value)| writer.append_file_info(key, value));
            writer.finish(max_sequence_id)?;
            // Read back before it counts: a file that cannot be opened must not take the place of what it was made of.
            let file = StoreFile::open_as(&**fs, &temporary.path, &served, None)?;
            finished.push(FinishedOutput { temporary, file });
        }
        Ok(finished)
    }
}

impl OutputFile {
    fn create(
        region: &Region,
        store: &Store,
        options: WriterOptions,
        read: NextRead,
    ) -> Result<Self, RegionError> {
        let (root, fs) = (&region.environment.root, region.environment.root.fs());
        let (table, encoded_name, family) = (&region.info.table, &region.encoded_name, &store.family.name);
        let name = new_store_file_name()?;
        let temporary = root.family_temp_dir(table, encoded_name, family).join(&name);
        let served = root.family_dir(table, encoded_name, family).join(&name);
        let file = fs.create_large(&temporary, read).map_err(|error| RegionError::io(&temporary, &error))?;
        let temporary = Temporary::new(Arc::clone(fs), temporary);
        let writer = HFileWriter::new(Box::new(TimedFile(file)), &temporary.path, options)?;
        let mob_refs = store.mob_threshold.map(|_| MobFileRefs::default());
        Ok(Self { temporary, served, writer, mob_refs })
    }
}

impl Region {
    /// Begins an output, which gets files where cells come to it.
    pub(crate) fn begin_output<'a>(
        &'a self,
        store: &'a Store,
        options: WriterOptions,
        cut: Cut,
        next_read: NextRead,
    ) -> Result<OutputFiles<'a>, RegionError> {
        let root = &self.environment.root;
        let dir = root.family_temp_dir(&self.info.table, &self.encoded_name, &store.family.name);
        root.fs().create_dir_all(&dir).map_err(|error| RegionError::io(&dir, &error))?;
        let cutter = Cutter::new(cut, self.order);
        let writers = Vec::new();
        Ok(OutputFiles { region: self, store, options, cutter, next_read, writers, written_bytes: 0 })
    }

    /// Gives the files their places in the store.
    ///
    /// The last file is the one that counts: it alone names the inputs of a compaction, and has the sequence id up to
    /// which a flush holds all edits. Of a compaction that was cut short before it, the next opening finds files that
    /// say what they were made of, with all of that still there: it puts them away. Of a flush it finds files whose
    /// edits the log has as well. HBase, which would open such a directory as it is, sees some cells twice, and as one.
    ///
    /// Where the store has a list, `inputs` are exchanged for them there; files of which there is none leave the list to the
    /// caller.
    ///
    /// After a failure no file has its place; names of those of which that is not certain are given back.
    pub(crate) fn publish(
        &self,
        store: &Store,
        outputs: Vec<FinishedOutput>,
        inputs: &[Arc<StoreFile>],
    ) -> Result<Vec<Arc<StoreFile>>, (RegionError, Vec<String>)> {
        let fs = self.environment.root.fs();
        let files: Vec<Arc<StoreFile>> = outputs.iter().map(|output| Arc::clone(&output.file)).collect();
        for (number, FinishedOutput { temporary, file }) in outputs.into_iter().enumerate() {
            if let Err(error) = fs.rename(&temporary.path, file.path()) {
                let error = RegionError::io(file.path(), &error);
                return Err((error, self.take_back(&files[..=number], files.len())));
            }
            temporary.no_longer_there();
        }
        if !files.is_empty()
            && let Err(error) = self.track(store, inputs, &files)
        {
            // While the list may name them they must be there.
            let is_listed = self.settle_list(store).is_err();
            let uncertain = if is_listed {
                files.iter().map(|file| file.name()).collect()
            } else {
                self.take_back(&files, files.len())
            };
            return Err((error, uncertain));
        }
        Ok(files)
    }

    /// Takes files out of the store again, the last one first: while that may still be there, the others must. A rename
    /// can fail after the name was changed. `of`: how many there are in all.
    fn take_back(&self, files: &[Arc<StoreFile>], of: usize) -> Vec<String> {
        let fs = self.environment.root.fs();
        let is_gone = |file: &StoreFile| match fs.remove_file(file.path()) {
            Ok(()) => true,
            Err(error) => error.kind() == ErrorKind::NotFound,
        };
        let is_durable = |file: &StoreFile| file.path().parent().is_none_or(|dir| fs.sync_dir(dir).is_ok());
        let mut left = files.len();
        while left > 0
            && is_gone(&files[left - 1])
            && (left == 1 || left < of || is_durable(&files[left - 1]))
        {
            left -= 1;
        }
        files[..left].iter().map(|file| file.name()).collect()
    }
}
