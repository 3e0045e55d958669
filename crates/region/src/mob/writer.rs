//! Writes the large values of a flush or a compaction to MOB files.

use super::MOB_CELLS_COUNT;
use super::files::MobPlaces;
use super::reference::{reference_tags, write_reference};
use crate::error::RegionError;
use crate::output_files::Temporary;
use crate::region::Region;
use crate::store::Store;
use crate::timed_file::TimedFile;
use finback_cell::Cell;
use finback_fs::NextRead;
use finback_hfile::{BloomOptions, HFileWriter, WriterOptions};
use finback_layout::new_mob_file_name;
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
    published: Vec<Published>,
    /// Bytes of them.
    published_bytes: u64,
    /// The reference that was made last.
    reference: Vec<u8>,
}

struct NewFile {
    name: String,
    temporary: Temporary,
    writer: HFileWriter,
    cells: u64,
}

/// A MOB file that has its place. It goes again, unless a store file refers to it.
struct Published(Temporary);

/// MOB files that have their places, and that nobody refers to yet: they go again if that is the end of it.
#[must_use]
pub(crate) struct PublishedMobFiles(Vec<Published>);

impl PublishedMobFiles {
    /// From now on some store file may refer to them.
    pub(crate) fn keep(self) {
        self.0.into_iter().for_each(|Published(file)| file.no_longer_there());
    }
}

impl<'a> MobWriter<'a> {
    /// Begins; `newest_ms` is the newest timestamp of what is written, and the files get the options of the store's.
    pub(crate) fn new(
        region: &'a Region,
        store: &'a Store,
        (compression, now): (&str, i64),
        newest_ms: i64,
        max_sequence_id: u64,
        most_bytes: Option<u64>,
    ) -> Self {
        let options = WriterOptions {
            include_tags: true,
            include_mvcc: true,
            bloom: BloomOptions { filter: None, family_delete: true, ..BloomOptions::default() },
            says_if_plain: false,
            ..store.writer_options(compression, now)
        };
        let offset_ms = region.environment.host.utc_offset_ms(newest_ms);
        Self {
            region,
            places: &store.mob_places,
            options,
            date: mob_file_date(newest_ms.saturating_add(offset_ms)),
            max_sequence_id,
            most_bytes: most_bytes.unwrap_or(u64::MAX),
            reference_tags: reference_tags(&region.info.table),
            file: None,
            published: Vec::new(),
            published_bytes: 0,
            reference: Vec::new(),
        }
    }

    /// Writes a cell; gives the reference to it, or nothing if there can be none: then its value has to stay with it.
    pub(crate) fn write(
        &mut self,
        cell: &Cell<'_>,
        sequence_id: u64,
    ) -> Result<Option<Cell<'_>>, RegionError> {
        if self.file.as_ref().is_some_and(|file| file.writer.written_bytes() >= self.most_bytes) {
            self.publish()?;
        }
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(NewFile::create(self.region, self.places, &self.date, &self.options)?),
        };
        if !write_reference(&mut self.reference, cell, &self.reference_tags, &file.name) {
            return Ok(None);
        }
        file.writer.append(cell, sequence_id)?;
        file.cells += 1;
        Ok(Some(Cell::from_checked(&self.reference)))
    }

    /// Whether any cell was written.
    pub(crate) fn has_written(&self) -> bool {
        self.file.as_ref().is_some_and(|file| file.cells > 0) || !self.published.is_empty()
    }

    /// Bytes of all files so far.
    pub(crate) fn written_bytes(&self) -> u64 {
        self.published_bytes + self.file.as_ref().map_or(0, |file| file.writer.written_bytes())
    }

    /// About how many bytes of memory it takes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.file.as_ref().map_or(0, |file| file.writer.memory_bytes()) + self.reference.capacity()
    }

    /// Gives the file its place.
    fn publish(&mut self) -> Result<(), RegionError> {
        let Some(NewFile { name, temporary, mut writer, cells }) = self.file.take() else { return Ok(()) };
        if cells == 0 {
            return Ok(());
        }
        writer.append_file_info(MOB_CELLS_COUNT, &cells.to_be_bytes());
        self.published_bytes += writer.finish(self.max_sequence_id)?.size_bytes;
        let (root, table) = (&self.region.environment.root, &self.region.info.table);
        let dir = root.mob_family_dir(table, &self.places.family);
        root.fs().create_dir_all(&dir).map_err(|error| RegionError::io(&dir, &error))?;
        let path = dir.join(name);
        root.fs().rename(temporary.path(), &path).map_err(|error| RegionError::io(&path, &error))?;
        temporary.no_longer_there();
        self.published.push(Published(Temporary::new(Arc::clone(root.fs()), path)));
        Ok(())
    }

    /// Ends the files, which have their places then.
    pub(crate) fn finish(mut self) -> Result<PublishedMobFiles, RegionError> {
        self.publish()?;
        Ok(PublishedMobFiles(self.published))
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
/// Years have four digits: for others the first or last day of these stands.
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
