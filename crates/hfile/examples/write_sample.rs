//! Writes HFiles of several kinds into a directory, for another implementation to read:
//! `cargo run -p finback-hfile --example write_sample -- DIRECTORY`.

use std::error::Error;
use std::path::Path;

use finback_cell::cell::CellParts;
use finback_cell::tag::{TTL_TAG, write_tag};
use finback_cell::{Cell, CellOrder};
use finback_fs::{FileSystem, LocalFileSystem, NextRead};
use finback_hfile::{ChecksumType, HFileWriter, WriterOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::args().nth(1).ok_or("usage: write_sample DIRECTORY")?;
    let small = WriterOptions { block_size_bytes: 1 << 10, ..WriterOptions::default() };
    let tagged = WriterOptions { include_tags: true, ..small.clone() };
    let plain = WriterOptions { include_mvcc: false, major_compaction: true, ..WriterOptions::default() };
    let deep = WriterOptions { index_block_size_bytes: 400, min_index_entries: 4, ..small.clone() };
    let crc32 = WriterOptions {
        checksum_type: ChecksumType::Crc32,
        bytes_per_checksum: 512,
        ..WriterOptions::default()
    };
    let meta = WriterOptions { order: CellOrder::Meta, ..small.clone() };
    for (number, (options, rows)) in [
        (small, 2000),
        (tagged, 2000),
        (plain, 2000),
        (deep, 5000),
        (crc32, 2000),
        (meta, 300),
        (WriterOptions::default(), 0),
    ]
    .into_iter()
    .enumerate()
    {
        let path = Path::new(&directory).join(format!("{number:032x}"));
        write(&path, options, rows)?;
        println!("{}", path.display());
    }
    Ok(())
}

fn write(path: &Path, options: WriterOptions, rows: u32) -> Result<(), Box<dyn Error>> {
    let (tags, mvcc, order) = (options.include_tags, options.include_mvcc, options.order);
    let mut writer = HFileWriter::new(LocalFileSystem.create_large(path, NextRead::Later)?, path, options)?;
    let mut tag = Vec::new();
    write_tag(&mut tag, TTL_TAG, &86_400_000i64.to_be_bytes());
    for number in 0..rows {
        let row = match order {
            CellOrder::User => format!("row{number:08}"),
            CellOrder::Meta => format!("table,{number:08},1700000000000.0123456789abcdef0123456789abcdef."),
        };
        for (qualifier, type_code) in [(&b""[..], 14), (b"a", 4), (b"b", 12), (b"b", 4), (b"c\x00\xff", 4)] {
            let is_tagged = tags && number % 3 == 0 && type_code == 4;
            let parts = CellParts {
                row: row.as_bytes(),
                family: b"cf",
                qualifier,
                timestamp: 1_700_000_000_000 - i64::from(number),
                type_code,
                value: if type_code == 4 { row.as_bytes() } else { b"" },
                tags: if is_tagged { &tag } else { b"" },
            };
            let bytes = parts.to_vec();
            writer.append(&Cell::parse(&bytes)?, if mvcc { u64::from(number) + 1 } else { 0 })?;
        }
    }
    writer.finish(u64::from(rows) + 1)?;
    Ok(())
}
