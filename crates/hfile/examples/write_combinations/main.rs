//! Writes one HFile for each combination of encoding, compression, Bloom filter, tags, checksum and way of writing, and what is
//! in them, for another implementation to read: `cargo run -p finback-hfile --example write_combinations -- DIRECTORY [NTH]`.
//!
//! With NTH only every NTH combination: with 19 (194 files of 3273) every pair of values of two attributes is among them, but
//! for kinds of few files, as those with blocks of several chunks of a codec: of these every second is written at least.
//! Behind NTH may stand the Java class that is to read ZSTD: then only such files are written, in its form.
//!
//! `files.tsv` has a line for each file: path, encoding, compression, Bloom filter, checksum, the file with its cells, how many
//! levels the index has at least, and a number of bytes that the first block has more of, before compression.
//! A file with cells has a line for each: the KeyValue, tags included, in hexadecimal digits, and the sequence id.

mod cells;
mod ways;

use std::error::Error;
use std::fmt::Write;
use std::path::Path;

use finback_compression::{Compression, ZstdForm};
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

/// Of a kind of at most so many files every second is written at least.
const FEW: usize = 20;
const NTH_OF_FEW: usize = 2;

/// Bytes of a payload that the codec compresses as one chunk: those of finback-compression.
const SNAPPY_CHUNK: u32 = 218_422;
const LZ4_CHUNK: u32 = 261_100;

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
    block_size_bytes: u32,
    /// The first block has more bytes than so many, before compression.
    first_block_above: u32,
    /// Of the index, at least.
    levels: u32,
    encodings: &'static [DataBlockEncoding],
    codecs: &'static [Compression],
    blooms: &'static [(&'static str, Option<BloomType>)],
    checksums: &'static [(&'static str, ChecksumType)],
}

const ONE_BY_ONE: Kind = Kind {
    way: Way::OneByOne,
    cells: "plain",
    has_tags: false,
    compress_tags: false,
    has_ids: true,
    is_major: false,
    block_size_bytes: 1 << 10,
    first_block_above: 0,
    levels: 3,
    encodings: &ENCODINGS,
    codecs: &CODECS,
    blooms: &BLOOMS,
    checksums: &CHECKSUMS,
};

/// As most major compactions write: nobody can tell the cells apart by their sequence ids any more.
const FORGOTTEN: Kind = Kind { cells: "forgotten", has_ids: false, is_major: true, ..ONE_BY_ONE };

/// Blocks of several chunks of a codec, too few for more than a root of the index.
const LONG_BLOCKS: Kind = Kind {
    cells: "long",
    block_size_bytes: 700 << 10,
    first_block_above: 2 * LZ4_CHUNK,
    levels: 1,
    encodings: &[DataBlockEncoding::None, DataBlockEncoding::FastDiff, DataBlockEncoding::RowIndexV1],
    blooms: &[("ROW", Some(BloomType::Row))],
    checksums: &[("CRC32C", ChecksumType::Crc32c)],
    ..ONE_BY_ONE
};

const KINDS: [Kind; 15] = [
    ONE_BY_ONE,
    Kind { cells: "tagged", has_tags: true, ..ONE_BY_ONE },
    Kind { cells: "packed", has_tags: true, compress_tags: true, ..ONE_BY_ONE },
    Kind { cells: "columns", is_major: true, ..ONE_BY_ONE },
    Kind { way: Way::Copied, cells: "packed", has_tags: true, compress_tags: true, ..ONE_BY_ONE },
    Kind { way: Way::Copied, ..FORGOTTEN },
    Kind { way: Way::Joined, cells: "columns", ..ONE_BY_ONE },
    Kind { way: Way::Joined, ..FORGOTTEN },
    FORGOTTEN,
    Kind { cells: "forgotten-tagged", has_tags: true, ..FORGOTTEN },
    Kind { cells: "forgotten-tagged", has_tags: true, compress_tags: true, ..FORGOTTEN },
    // Large cells are alone only where there is neither encoding nor codec.
    Kind {
        way: Way::Alone,
        cells: "large",
        has_tags: true,
        encodings: &[DataBlockEncoding::None],
        codecs: &[Compression::None],
        ..ONE_BY_ONE
    },
    LONG_BLOCKS,
    Kind {
        cells: "one-large",
        has_ids: false,
        is_major: true,
        block_size_bytes: 64 << 10,
        first_block_above: 1 << 20,
        ..LONG_BLOCKS
    },
    // Small cells, which a major compaction compresses with more effort.
    Kind {
        cells: "digits",
        has_ids: false,
        is_major: true,
        first_block_above: SNAPPY_CHUNK,
        encodings: &[DataBlockEncoding::Prefix, DataBlockEncoding::Diff, DataBlockEncoding::FastDiff],
        codecs: &[Compression::Snappy],
        ..LONG_BLOCKS
    },
];

impl Kind {
    fn cells(&self) -> Result<Vec<Stored>, Box<dyn Error>> {
        let cells = match self.cells {
            "columns" | "forgotten" => cells::columns(),
            "digits" => cells::digits(),
            "large" => cells::with_large()?,
            "long" => cells::long(),
            "one-large" => cells::one_large(),
            _ => cells::mixed(self.has_tags)?,
        };
        Ok(if self.has_ids { cells } else { cells::forgotten(cells) })
    }

    /// Encodings and codecs.
    fn forms(&self) -> Vec<(DataBlockEncoding, Compression)> {
        let mut forms = Vec::new();
        for &encoding in self.encodings {
            forms.extend(self.codecs.iter().map(|&codec| (encoding, codec)));
        }
        forms
    }

    /// Every how many of its files are written where every `nth` of all is asked for.
    fn nth(&self, nth: usize) -> usize {
        let files = self.forms().len() * self.blooms.len() * self.checksums.len();
        if files <= FEW { nth.min(NTH_OF_FEW) } else { nth }
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
            block_size_bytes: self.block_size_bytes,
            index_block_size_bytes: 256,
            min_index_entries: 3,
            bytes_per_checksum: 512,
            ..WriterOptions::default()
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let usage = "usage: write_combinations DIRECTORY [NTH [CLASS]]";
    let directory = std::env::args().nth(1).ok_or(usage)?;
    let directory = Path::new(&directory);
    let nth: usize = std::env::args().nth(2).map_or(Ok(1), |nth| nth.parse())?;
    let class = std::env::args().nth(3);
    let zstd_form = class.map(|class| ZstdForm::of_class(&class).ok_or(usage)).transpose()?;
    let mut numbers = 0..;
    let mut list = String::new();
    for kind in &KINDS {
        let cells = kind.cells()?;
        std::fs::write(directory.join(kind.cells).with_extension("cells"), described(&cells)?)?;
        let nth = kind.nth(nth);
        for (encoding, compression) in kind.forms() {
            for &(bloom_name, filter) in kind.blooms {
                for &(checksum_name, checksum_type) in kind.checksums {
                    let number: usize = numbers.next().ok_or("no more numbers")?;
                    if !number.is_multiple_of(nth) || kind.compresses_anew(encoding, compression) {
                        continue;
                    }
                    if zstd_form.is_some() && compression != Compression::Zstd {
                        continue;
                    }
                    let bloom = BloomOptions {
                        filter,
                        family_delete: true,
                        chunk_size_bytes: 256,
                        ..BloomOptions::default()
                    };
                    let options = WriterOptions {
                        encoding,
                        compression,
                        zstd_form: zstd_form.unwrap_or_default(),
                        checksum_type,
                        bloom,
                        ..kind.options()
                    };
                    let path = directory.join(format!("{number:032x}"));
                    write(&path, kind.way, options, &cells)?;
                    let (encoding, codec) = (encoding.name(), compression.name());
                    let (path, cells) = (path.display(), kind.cells);
                    let (levels, above) = (kind.levels, kind.first_block_above);
                    write!(list, "{path}\t{encoding}\t{codec}\t{bloom_name}\t{checksum_name}\t")?;
                    writeln!(list, "{cells}.cells\t{levels}\t{above}")?;
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
