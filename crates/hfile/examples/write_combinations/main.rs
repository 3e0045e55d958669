//! Writes one HFile for each combination of encoding, compression, Bloom filter, tags, checksum and way of writing, and what is
//! in them, for another implementation to read: `cargo run -p finback-hfile --example write_combinations -- DIRECTORY [NTH]`.
//!
//! With NTH only every NTH combination: with 19 (127 files of 2340) every pair of values of two attributes is among them.
//!
//! `files.tsv` has a line for each file: path, encoding, compression, Bloom filter, checksum, and the file with its cells.
//! Such a file has a line for each cell: the KeyValue, tags included, in hexadecimal digits, and the sequence id.

mod cells;
mod ways;

use std::error::Error;
use std::fmt::Write;
use std::path::Path;

use finback_compression::Compression;
use finback_fs::{FileSystem, LocalFileSystem, NextRead};
use finback_hfile::{BloomOptions, BloomType, ChecksumType, DataBlockEncoding, HFileWriter, WriterOptions};

use cells::{ROWS, Stored};
use ways::Way;

const ENCODINGS: [DataBlockEncoding; 5] = [
    DataBlockEncoding::None,
    DataBlockEncoding::Prefix,
    DataBlockEncoding::Diff,
    DataBlockEncoding::FastDiff,
    DataBlockEncoding::RowIndexV1,
];
const CODECS: [Compression; 5] =
    [Compression::None, Compression::Gz, Compression::Snappy, Compression::Lz4, Compression::Zstd];
const BLOOMS: [(&str, Option<BloomType>); 4] = [
    ("NONE", None),
    ("ROW", Some(BloomType::Row)),
    ("ROWCOL", Some(BloomType::RowColumn)),
    ("ROWPREFIX_FIXED_LENGTH", Some(BloomType::RowPrefix(6))),
];
const CHECKSUMS: [(&str, ChecksumType); 3] =
    [("NULL", ChecksumType::Null), ("CRC32", ChecksumType::Crc32), ("CRC32C", ChecksumType::Crc32c)];

/// Of so few files every fifth is written at least.
const FEW: usize = 2;

/// What files of all encodings, and so on, have in common.
struct Kind {
    way: Way,
    /// Name of the file with the cells.
    cells: &'static str,
    has_tags: bool,
    compress_tags: bool,
    has_ids: bool,
    /// All files of a store are in it.
    is_major: bool,
}

const ONE_BY_ONE: Kind = Kind {
    way: Way::OneByOne,
    cells: "plain",
    has_tags: false,
    compress_tags: false,
    has_ids: true,
    is_major: false,
};

const KINDS: [Kind; 9] = [
    ONE_BY_ONE,
    Kind { cells: "tagged", has_tags: true, ..ONE_BY_ONE },
    Kind { cells: "packed", has_tags: true, compress_tags: true, ..ONE_BY_ONE },
    Kind { cells: "columns", is_major: true, ..ONE_BY_ONE },
    Kind { way: Way::Copied, cells: "packed", has_tags: true, compress_tags: true, ..ONE_BY_ONE },
    Kind { way: Way::Copied, cells: "forgotten", has_ids: false, is_major: true, ..ONE_BY_ONE },
    Kind { way: Way::Joined, cells: "columns", ..ONE_BY_ONE },
    Kind { way: Way::Joined, cells: "forgotten", has_ids: false, is_major: true, ..ONE_BY_ONE },
    Kind { way: Way::Alone, cells: "large", has_tags: true, ..ONE_BY_ONE },
];

impl Kind {
    fn cells(&self) -> Result<Vec<Stored>, Box<dyn Error>> {
        Ok(match self.cells {
            "columns" => cells::columns(),
            "forgotten" => cells::forgotten(cells::columns()),
            "large" => cells::with_large()?,
            _ => cells::mixed(self.has_tags)?,
        })
    }

    /// Encodings and codecs; large cells are alone only where there is neither.
    fn forms(&self) -> Vec<(DataBlockEncoding, Compression)> {
        if self.way == Way::Alone {
            return vec![(DataBlockEncoding::None, Compression::None)];
        }
        ENCODINGS.iter().flat_map(|&encoding| CODECS.map(|codec| (encoding, codec))).collect()
    }

    /// Whether a compaction writes blocks anew instead: with more effort than they were compressed with.
    fn compresses_anew(&self, encoding: DataBlockEncoding, compression: Compression) -> bool {
        matches!(self.way, Way::Copied | Way::Joined)
            && self.is_major
            && !matches!(encoding, DataBlockEncoding::None | DataBlockEncoding::RowIndexV1)
            && compression == Compression::Snappy
    }

    fn options(&self) -> WriterOptions {
        WriterOptions {
            compress_tags: self.compress_tags,
            include_tags: self.has_tags,
            include_mvcc: self.has_ids,
            major_compaction: self.is_major,
            block_size_bytes: 1 << 10,
            index_block_size_bytes: 256,
            min_index_entries: 3,
            bytes_per_checksum: 512,
            ..WriterOptions::default()
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::args().nth(1).ok_or("usage: write_combinations DIRECTORY [NTH]")?;
    let directory = Path::new(&directory);
    let nth: usize = std::env::args().nth(2).map_or(Ok(1), |nth| nth.parse())?;
    let mut numbers = 0..;
    let mut list = String::new();
    for kind in &KINDS {
        let cells = kind.cells()?;
        std::fs::write(directory.join(kind.cells).with_extension("cells"), described(&cells)?)?;
        let nth = if kind.way == Way::Alone { nth.min(FEW) } else { nth };
        for (encoding, compression) in kind.forms() {
            for (bloom_name, filter) in BLOOMS {
                for (checksum_name, checksum_type) in CHECKSUMS {
                    let number: usize = numbers.next().ok_or("no more numbers")?;
                    if !number.is_multiple_of(nth) || kind.compresses_anew(encoding, compression) {
                        continue;
                    }
                    let bloom = BloomOptions {
                        filter,
                        family_delete: true,
                        chunk_size_bytes: 256,
                        ..BloomOptions::default()
                    };
                    let options =
                        WriterOptions { encoding, compression, checksum_type, bloom, ..kind.options() };
                    let path = directory.join(format!("{number:032x}"));
                    write(&path, kind.way, options, &cells)?;
                    let (encoding, codec) = (encoding.name(), compression.name());
                    let (path, cells) = (path.display(), kind.cells);
                    writeln!(
                        list,
                        "{path}\t{encoding}\t{codec}\t{bloom_name}\t{checksum_name}\t{cells}.cells"
                    )?;
                }
            }
        }
    }
    std::fs::write(directory.join("files.tsv"), &list)?;
    println!("{} files", list.lines().count());
    Ok(())
}

fn described(cells: &[Stored]) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    for (bytes, sequence_id) in cells {
        bytes.iter().try_for_each(|byte| write!(out, "{byte:02x}"))?;
        writeln!(out, "\t{sequence_id}")?;
    }
    Ok(out)
}

fn write(path: &Path, way: Way, options: WriterOptions, cells: &[Stored]) -> Result<(), Box<dyn Error>> {
    let file = LocalFileSystem.create_large(path, NextRead::Later)?;
    let mut writer = HFileWriter::new(file, path, options.clone())?;
    way.append(&mut writer, &options, cells).map_err(|error| format!("{}: {error}", path.display()))?;
    writer.finish(u64::from(ROWS) + 10)?;
    Ok(())
}
