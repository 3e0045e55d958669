//! The ways in which compactions write files besides cell by cell: by blocks of other files, and large cells alone.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use finback_cell::Cell;
use finback_cell::key::Key;
use finback_fs::{FileSystem, MemFileSystem};
use finback_hfile::{
    ChecksumType, FileId, HFileReader, HFileScanner, HFileWriter, OWN_BLOCK_BYTES, ScanInterrupt,
    WriterOptions,
};

use crate::cells::Stored;

/// How cells come into a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    OneByOne,
    /// Of three files, most blocks as they are stored.
    Copied,
    /// All blocks of three files, and their Bloom filters.
    Joined,
    /// Large ones in blocks of their own.
    Alone,
}

impl Way {
    pub(crate) fn append(
        self,
        writer: &mut HFileWriter,
        options: &WriterOptions,
        cells: &[Stored],
    ) -> Result<(), Box<dyn Error>> {
        match self {
            Self::OneByOne => append_all(writer, cells),
            Self::Alone => append_large_alone(writer, cells),
            Self::Copied => {
                let mut copied = 0;
                for part in parts(cells)? {
                    copied += copy(writer, &file_of(part, options)?, options)?;
                }
                if copied < 20 { Err(format!("{copied} blocks were copied").into()) } else { Ok(()) }
            }
            Self::Joined => {
                for part in parts(cells)? {
                    join(writer, &*file_of(part, options)?)?;
                }
                Ok(())
            }
        }
    }
}

fn append_all(writer: &mut HFileWriter, cells: &[Stored]) -> Result<(), Box<dyn Error>> {
    for (bytes, sequence_id) in cells {
        writer.append(&Cell::parse(bytes)?, *sequence_id)?;
    }
    Ok(())
}

fn append_large_alone(writer: &mut HFileWriter, cells: &[Stored]) -> Result<(), Box<dyn Error>> {
    for (bytes, sequence_id) in cells {
        let cell = Cell::parse(bytes)?;
        // No key is there twice.
        match bytes.len() >= OWN_BLOCK_BYTES {
            true => writer.append_alone(&cell, *sequence_id)?,
            false => writer.append(&cell, *sequence_id)?,
        }
    }
    Ok(())
}

/// Cut between rows: two large parts, and a small one of two rows between them.
fn parts(cells: &[Stored]) -> Result<[&[Stored]; 3], Box<dyn Error>> {
    let rows = cells.iter().map(|(bytes, _)| Cell::parse(bytes).map(|cell| cell.row().to_vec()));
    let rows = rows.collect::<Result<Vec<_>, _>>()?;
    let starts: Vec<usize> = (1..rows.len()).filter(|&at| rows[at] != rows[at - 1]).collect();
    let (first, second) = (starts[starts.len() / 2], starts[starts.len() / 2 + 2]);
    Ok([&cells[..first], &cells[first..second], &cells[second..]])
}

/// A file as a flush writes it, with other checksums.
fn file_of(cells: &[Stored], options: &WriterOptions) -> Result<Arc<HFileReader>, Box<dyn Error>> {
    let checksum_type = match options.checksum_type {
        ChecksumType::Crc32 => ChecksumType::Crc32c,
        ChecksumType::Null | ChecksumType::Crc32c => ChecksumType::Crc32,
    };
    let options = WriterOptions {
        checksum_type,
        bytes_per_checksum: 200,
        major_compaction: false,
        says_if_plain: true,
        ..options.clone()
    };
    let (fs, path) = (MemFileSystem::default(), Path::new("/part"));
    let mut writer = HFileWriter::new(fs.create_new(path)?, path, options)?;
    append_all(&mut writer, cells)?;
    writer.finish(1)?;
    Ok(HFileReader::open(fs.open(path)?, path, FileId::next())?)
}

/// Appends a file's blocks as they are stored, but for each fifth of those that may be; gives how many.
fn copy(
    writer: &mut HFileWriter,
    file: &Arc<HFileReader>,
    options: &WriterOptions,
) -> Result<usize, Box<dyn Error>> {
    let mut scanner = HFileScanner::new(Arc::clone(file), None, false).copying_to(options);
    read_to_copy(&mut scanner, |scanner| scanner.seek(&Key::first_on_row(&[])))?;
    let (mut seen, mut copied) = (0, 0);
    while scanner.peek().is_some() {
        if let Some(block) = scanner.take_copyable().filter(|block| block.fits(options)) {
            seen += 1;
            if !writer.takes(&block) {
                writer.make_way_behind(&block);
            } else if seen % 5 != 0 {
                writer.append_block(&block)?;
                copied += 1;
                scanner.go_to_last_of_block();
                read_to_copy(&mut scanner, HFileScanner::advance)?;
                continue;
            }
        }
        if let Some((cell, sequence_id)) = scanner.peek() {
            writer.append(&cell, sequence_id)?;
        }
        read_to_copy(&mut scanner, HFileScanner::advance)?;
    }
    Ok(copied)
}

fn read_to_copy(
    scanner: &mut HFileScanner,
    mut operation: impl FnMut(&mut HFileScanner) -> Result<(), ScanInterrupt>,
) -> Result<(), Box<dyn Error>> {
    loop {
        match operation(scanner) {
            Ok(()) => return Ok(()),
            Err(ScanInterrupt::NeedBlock(request)) => {
                let (block, stored) = request.read_to_copy()?;
                scanner.provide(block);
                stored.into_iter().for_each(|stored| scanner.provide_stored(stored));
            }
            Err(ScanInterrupt::Failed(error)) => return Err(error.into()),
        }
    }
}

fn join(writer: &mut HFileWriter, file: &HFileReader) -> Result<(), Box<dyn Error>> {
    writer.begin_joined(file)?;
    let mut blocks = file.blocks_to_join(None);
    while let Some(block) = blocks.read_next()? {
        writer.append_joined(&block)?;
    }
    Ok(())
}
