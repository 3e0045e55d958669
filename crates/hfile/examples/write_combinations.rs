//! Writes one HFile for each combination of encoding, compression, Bloom filter, tags and checksum, and what is in them, for
//! another implementation to read: `cargo run -p finback-hfile --example write_combinations -- DIRECTORY [NTH]`.
//!
//! With NTH only every NTH combination: with 19 (64 files of 1200) every pair of values of two attributes is among them.
//!
//! `files.tsv` has a line for each file: path, encoding, compression, Bloom filter, checksum, and the file with its cells.
//! Such a file has a line for each cell: the KeyValue, tags included, in hexadecimal digits, and the sequence id.

use std::error::Error;
use std::fmt::Write;
use std::path::Path;

use finback_cell::cell::CellParts;
use finback_cell::tag::{TTL_TAG, write_tag};
use finback_cell::{Cell, CellOrder};
use finback_compression::Compression;
use finback_fs::{FileSystem, LocalFileSystem, NextRead};
use finback_hfile::{BloomOptions, BloomType, ChecksumType, DataBlockEncoding, HFileWriter, WriterOptions};

const ROWS: u32 = 120;
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

/// A KeyValue and its sequence id.
type Stored = (Vec<u8>, u64);

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::args().nth(1).ok_or("usage: write_combinations DIRECTORY [NTH]")?;
    let directory = Path::new(&directory);
    let nth: usize = std::env::args().nth(2).map_or(Ok(1), |nth| nth.parse())?;
    let mut numbers = 0..;
    let mut list = String::new();
    let kinds = [
        ("plain", false, false, cells(false)?),
        ("tagged", true, false, cells(true)?),
        ("packed", true, true, cells(true)?),
        // As a major compaction writes them.
        ("columns", false, false, columns()),
    ];
    for (kind, has_tags, compress_tags, cells) in kinds {
        std::fs::write(directory.join(kind).with_extension("cells"), described(&cells)?)?;
        let combinations = ENCODINGS.iter().flat_map(|&encoding| CODECS.map(|codec| (encoding, codec)));
        for (encoding, compression) in combinations {
            for (bloom_name, filter) in BLOOMS {
                for (checksum_name, checksum_type) in CHECKSUMS {
                    let number: usize = numbers.next().ok_or("no more numbers")?;
                    if !number.is_multiple_of(nth) {
                        continue;
                    }
                    let options = WriterOptions {
                        encoding,
                        compression,
                        checksum_type,
                        compress_tags,
                        include_tags: has_tags,
                        major_compaction: kind == "columns",
                        bloom: BloomOptions {
                            filter,
                            family_delete: true,
                            chunk_size_bytes: 256,
                            ..BloomOptions::default()
                        },
                        block_size_bytes: 1 << 10,
                        index_block_size_bytes: 256,
                        min_index_entries: 3,
                        bytes_per_checksum: 512,
                        ..WriterOptions::default()
                    };
                    let path = directory.join(format!("{number:032x}"));
                    write(&path, options, &cells)?;
                    let (encoding, codec) = (encoding.name(), compression.name());
                    let path = path.display();
                    writeln!(
                        list,
                        "{path}\t{encoding}\t{codec}\t{bloom_name}\t{checksum_name}\t{kind}.cells"
                    )?;
                }
            }
        }
    }
    std::fs::write(directory.join("files.tsv"), &list)?;
    println!("{} files", list.lines().count());
    Ok(())
}

/// Rows of 40 columns of a byte each.
fn columns() -> Vec<Stored> {
    let cell = |number: u32| {
        let (row, qualifier) = (format!("row{:03}", number / 40), format!("column{:02}", number % 40));
        let parts = CellParts {
            row: row.as_bytes(),
            family: b"cf",
            qualifier: qualifier.as_bytes(),
            timestamp: 1_700_000_000_000 + i64::from(number / 40),
            type_code: 4,
            value: &[(number.wrapping_mul(0x9e37_79b1) >> 31) as u8],
            tags: &[],
        };
        (parts.to_vec(), u64::from(number / 40))
    };
    (0..40 * ROWS).map(cell).collect()
}

/// Puts and markers of all kinds, in most rows a column without a name, versions, values of many sizes; every other row has tags.
fn cells(has_tags: bool) -> Result<Vec<Stored>, Box<dyn Error>> {
    let mut cells = Vec::new();
    for number in 0..ROWS {
        let row = format!("row{:03}-{}", number, "x".repeat(number as usize % 40));
        let columns: [(&[u8], i64, u8); 8] = [
            (b"", 50, 14),
            (b"", 40, 10),
            (b"", 30, 4),
            (b"a", 60, 12),
            (b"a", 60, 4),
            (b"a", 20, 4),
            (b"b\x00\xff", 70, 8),
            (b"b\x00\xff", 10, 4),
        ];
        for (at, (qualifier, timestamp, type_code)) in columns.into_iter().enumerate() {
            let is_marker = type_code != 4;
            if (is_marker && number % 3 == 0) || (qualifier.is_empty() && number % 4 == 3) {
                continue;
            }
            let mut tags = Vec::new();
            if has_tags && number % 2 == 0 {
                write_tag(&mut tags, TTL_TAG, &(86_400_000 + i64::from(number % 5)).to_be_bytes());
                write_tag(&mut tags, 70, row.as_bytes());
            }
            let value = vec![b'a' + (number % 26) as u8; (number as usize * 7 + at) % 150];
            let parts = CellParts {
                row: row.as_bytes(),
                family: b"cf",
                qualifier,
                timestamp: 1_700_000_000_000 + timestamp,
                type_code,
                value: if type_code == 4 { &value } else { b"" },
                tags: &tags,
            };
            cells.push((parts.to_vec(), u64::from(number) + at as u64));
        }
    }
    let parse = |stored: &Stored| Cell::parse(&stored.0).map(|cell| cell.key().to_vec());
    for pair in cells.windows(2) {
        let (before, after) = (Cell::parse(&pair[0].0)?, Cell::parse(&pair[1].0)?);
        let order = CellOrder::User.compare_with_sequence(&before, pair[0].1, &after, pair[1].1);
        assert!(order.is_lt(), "{:?} before {:?}", parse(&pair[0]), parse(&pair[1]));
    }
    Ok(cells)
}

fn described(cells: &[Stored]) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    for (bytes, sequence_id) in cells {
        bytes.iter().try_for_each(|byte| write!(out, "{byte:02x}"))?;
        writeln!(out, "\t{sequence_id}")?;
    }
    Ok(out)
}

fn write(path: &Path, options: WriterOptions, cells: &[Stored]) -> Result<(), Box<dyn Error>> {
    let mut writer = HFileWriter::new(LocalFileSystem.create_large(path, NextRead::Later)?, path, options)?;
    for (bytes, sequence_id) in cells {
        writer.append(&Cell::parse(bytes)?, *sequence_id)?;
    }
    writer.finish(u64::from(ROWS) + 10)?;
    Ok(())
}
