//! Writes the large values of a flush or a compaction to MOB files.

use super::files::MobPlaces;
use super::reference::{reference_tags, write_reference};
use crate::error::RegionError;
use crate::output_files::Temporary;
use crate::region::Region;
use crate::store::Store;
use crate::timed_file::TimedFile;
use finback_cell::Cell;
use finback_fs::NextRead;
use finback_hfile::{BloomOptions, DataBlockEncoding, HFileWriter, OWN_BLOCK_BYTES, WriterOptions};
use finback_layout::{MOB_CELLS_COUNT, new_mob_file_name};
use jiff::Timestamp;
use std::path::PathBuf;
use std::sync::Arc;

/// MOB files that are being written: one, unless they are to have a limited size.
pub(crate) struct MobWriter<'a> {
    region: &'a Region,
    places: &'a Arc<MobPlaces>,
    options: WriterOptions,
    /// The day of the newest cell, as in the names of MOB files.
    date: String,
    /// Up to which sequence id the files have what they are made of.
    max_sequence_id: u64,
    /// A file of so many bytes is followed by another one.
    most_bytes: u64,
    reference_tags: Vec<u8>,
    file: Option<NewFile>,
    /// Files that are complete, by name.
    ended: Vec<(String, Temporary)>,
    /// Bytes of them.
    ended_bytes: u64,
    /// The reference that was made last.
    reference: Vec<u8>,
}

/// What is written to MOB files.
pub(crate) struct MobWritten<'a> {
    /// The attribute of the family that says how it is compressed.
    pub(crate) compression: &'a str,
    pub(crate) encoding: DataBlockEncoding,
    /// Milliseconds since the epoch.
    pub(crate) now: i64,
    /// The newest timestamp of its cells.
    pub(crate) newest_ms: i64,
    /// The highest sequence id.
    pub(crate) max_sequence_id: u64,
}

struct NewFile {
    name: String,
    temporary: Temporary,
    writer: HFileWriter,
    cells: u64,
}

/// MOB files that have their places, and that nobody refers to yet: they go again if that is the end of it.
#[must_use]
pub(crate) struct PublishedMobFiles(Vec<Temporary>);

impl PublishedMobFiles {
    /// From now on some store file may refer to them.
    pub(crate) fn keep(self) {
        self.0.into_iter().for_each(Temporary::no_longer_there);
    }
}

impl<'a> MobWriter<'a> {
    /// Begins; a file of `most_bytes` is followed by another one.
    pub(crate) fn new(
        region: &'a Region,
        store: &'a Store,
        written: &MobWritten<'_>,
        most_bytes: Option<u64>,
    ) -> Self {
        let options = WriterOptions {
            include_tags: true,
            include_mvcc: true,
            bloom: BloomOptions { filter: None, family_delete: true, ..BloomOptions::default() },
            says_if_plain: false,
            encoding: written.encoding,
            ..store.writer_options(written.compression, written.now)
        };
        let offset_ms = region.environment.host.utc_offset_ms(written.newest_ms);
        Self {
            region,
            places: &store.mob_places,
            options,
            date: mob_file_date(written.newest_ms.saturating_add(offset_ms)),
            max_sequence_id: written.max_sequence_id,
            most_bytes: most_bytes.unwrap_or(u64::MAX),
            reference_tags: reference_tags(&region.info.table),
            file: None,
            ended: Vec::new(),
            ended_bytes: 0,
            reference: Vec::new(),
        }
    }

    /// Writes a cell; gives the reference to it, or nothing if there can be none: then its value has to stay with it. `is_alone`: asked
    /// for a large one, whether the next one is known to have another key.
    pub(crate) fn write(
        &mut self,
        cell: &Cell<'_>,
        sequence_id: u64,
        is_alone: impl FnOnce() -> bool,
    ) -> Result<Option<Cell<'_>>, RegionError> {
        if self.file.as_ref().is_some_and(|file| file.writer.written_bytes() >= self.most_bytes) {
            self.end_file()?;
        }
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(NewFile::create(self.region, self.places, &self.date, &self.options)?),
        };
        if !write_reference(&mut self.reference, cell, &self.reference_tags, &file.name) {
            return Ok(None);
        }
        match cell.bytes().len() >= OWN_BLOCK_BYTES && is_alone() {
            true => file.writer.append_alone(cell, sequence_id)?,
            false => file.writer.append(cell, sequence_id)?,
        }
        file.cells += 1;
        Ok(Some(Cell::from_checked(&self.reference)))
    }

    /// Whether any cell was written.
    pub(crate) fn has_written(&self) -> bool {
        self.file.as_ref().is_some_and(|file| file.cells > 0) || !self.ended.is_empty()
    }

    /// Bytes of all files so far.
    pub(crate) fn written_bytes(&self) -> u64 {
        self.ended_bytes + self.file.as_ref().map_or(0, |file| file.writer.written_bytes())
    }

    /// About how many bytes of memory it takes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.file.as_ref().map_or(0, |file| file.writer.memory_bytes()) + self.reference.capacity()
    }

    fn end_file(&mut self) -> Result<(), RegionError> {
        let Some(NewFile { name, temporary, mut writer, cells }) = self.file.take() else { return Ok(()) };
        if cells == 0 {
            return Ok(());
        }
        writer.append_file_info(MOB_CELLS_COUNT, &cells.to_be_bytes());
        self.ended_bytes += writer.finish(self.max_sequence_id)?.size_bytes;
        self.ended.push((name, temporary));
        Ok(())
    }

    /// Ends the files and gives them their places, all together: not long before a store file refers to them. Who looks for files that
    /// nobody needs goes by that.
    pub(crate) fn finish(mut self) -> Result<PublishedMobFiles, RegionError> {
        self.end_file()?;
        let (root, table) = (&self.region.environment.root, &self.region.info.table);
        let dir = root.mob_family_dir(table, &self.places.family);
        let mut published = PublishedMobFiles(Vec::with_capacity(self.ended.len()));
        for (name, temporary) in self.ended {
            root.fs().create_dir_all(&dir).map_err(|error| RegionError::io(&dir, &error))?;
            let path = dir.join(name);
            root.fs().rename(temporary.path(), &path).map_err(|error| RegionError::io(&path, &error))?;
            temporary.no_longer_there();
            published.0.push(Temporary::new(Arc::clone(root.fs()), path));
        }
        Ok(published)
    }
}

impl NewFile {
    fn create(
        region: &Region,
        places: &MobPlaces,
        date: &str,
        options: &WriterOptions,
    ) -> Result<Self, RegionError> {
        let fs = places.root.fs();
        let name = new_mob_file_name(&region.info.start_key, date, &region.encoded_name)?;
        let dir = places.root.mob_temp_dir();
        fs.create_dir_all(&dir).map_err(|error| RegionError::io(&dir, &error))?;
        let path: PathBuf = dir.join(&name);
        let file = fs.create_large(&path, NextRead::Later).map_err(|error| RegionError::io(&path, &error))?;
        let temporary = Temporary::new(Arc::clone(fs), path);
        let writer = HFileWriter::new(Box::new(TimedFile(file)), temporary.path(), options.clone())?;
        Ok(Self { name, temporary, writer, cells: 0 })
    }
}

/// The day of a moment, in milliseconds since the epoch, as the names of MOB files have it: `yyyyMMdd`, so that earlier ones are less.
/// Years have four digits: for earlier and later ones the first of these, and the first day of the last, stand.
pub fn mob_file_date(ms: i64) -> String {
    const FIRST_MS: i64 = -62_135_596_800_000; // 0001-01-01
    const LAST_MS: i64 = 253_370_764_800_000; // 9999-01-01
    let day = Timestamp::from_millisecond(ms.clamp(FIRST_MS, LAST_MS)).unwrap_or(Timestamp::UNIX_EPOCH);
    day.strftime("%Y%m%d").to_string()
}

#[cfg(test)]
mod tests {
    use super::mob_file_date;

    #[test]
    fn dates_have_eight_digits() {
        assert_eq!(mob_file_date(0), "19700101");
        assert_eq!(mob_file_date(-1), "19691231");
        assert_eq!(mob_file_date(1_700_000_000_000), "20231114");
        assert_eq!(mob_file_date(i64::MIN), "00010101");
        assert_eq!(mob_file_date(i64::MAX), "99990101");
    }
}
