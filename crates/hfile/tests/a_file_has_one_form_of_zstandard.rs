//! A file that ZSTD compresses has the form that is asked for in blocks of every kind, as HBase's files have one: an
//! HBase reads no other.

mod files;
mod golden;

use finback_cell::CellOrder;
use finback_fs::{FileSystem, MemFileSystem};
use finback_hfile::testing::stored_blocks;
use finback_hfile::{
    BlockType, BloomOptions, BloomType, Compression, DamagedFile, DataBlockEncoding, FamilySettings,
    RowBounds, WriterOptions, ZstdForm, verify,
};
use std::collections::HashSet;
use std::path::Path;

const FORMS: [ZstdForm; 2] = [ZstdForm::Frame, ZstdForm::Chunks];
const HEADER_BYTES: usize = 33;
/// Bytes of a payload that HBase's codec has in one chunk.
const CHUNK_BYTES: usize = 261_120;

/// With index blocks of all kinds, and both Bloom filters.
fn options(zstd_form: ZstdForm, encoding: DataBlockEncoding) -> WriterOptions {
    let bloom = BloomOptions {
        filter: Some(BloomType::Row),
        family_delete: true,
        chunk_size_bytes: 32,
        ..BloomOptions::default()
    };
    WriterOptions {
        block_size_bytes: 512,
        index_block_size_bytes: 256,
        min_index_entries: 2,
        include_tags: true,
        encoding,
        bloom,
        compression: Compression::Zstd,
        zstd_form,
        ..WriterOptions::default()
    }
}

/// The types of the blocks of a file, all of which must have this form.
fn types_in_form(file: &[u8], zstd_form: ZstdForm) -> HashSet<BlockType> {
    let mut types = HashSet::new();
    for block in stored_blocks(&files::open(file).unwrap()) {
        let (header, payload) = (block.header, block.payload());
        let has_form = match zstd_form {
            ZstdForm::Frame => is_bare(payload) || (payload.is_empty() && header.uncompressed_size == 0),
            ZstdForm::Chunks => is_framed(payload, header.uncompressed_size as usize),
        };
        assert!(has_form, "{:?} at {}, {zstd_form:?}", header.block_type, block.place.offset);
        types.insert(header.block_type);
    }
    types
}

fn is_bare(stream: &[u8]) -> bool {
    stream.starts_with(&[0x28, 0xb5, 0x2f, 0xfd])
}

/// Whether a payload is one segment, of chunks as large as HBase has them.
fn is_framed(payload: &[u8], uncompressed: usize) -> bool {
    let (segment, mut rest) = word(payload);
    let mut chunks = 0;
    while !rest.is_empty() {
        let (length, chunk) = word(rest);
        if !is_bare(chunk) {
            return false;
        }
        rest = &chunk[length..];
        chunks += 1;
    }
    segment == uncompressed && chunks == uncompressed.div_ceil(CHUNK_BYTES)
}

fn word(bytes: &[u8]) -> (usize, &[u8]) {
    let (word, rest) = bytes.split_first_chunk::<4>().unwrap();
    (u32::from_be_bytes(*word) as usize, rest)
}

fn assert_sound(file: &[u8]) {
    let (fs, path) = (MemFileSystem::default(), Path::new("/file"));
    fs.create_new(path).unwrap().append(file).unwrap();
    let found = verify(fs.open(path).unwrap(), path, RowBounds::default(), &mut |_| true);
    assert!(found.is_sound(), "{:?}", found.problems);
}

#[test]
fn in_blocks_of_every_kind_with_every_encoding() {
    let cells = golden::cells(&golden::meta("mixed-mvcc-tags-none"));
    for (zstd_form, encoding) in
        FORMS.into_iter().flat_map(|form| files::ENCODINGS.map(|encoding| (form, encoding)))
    {
        let file = files::write_with(&cells, options(zstd_form, encoding), 7, |writer| {
            writer.append_meta_block(b"about", b"something").unwrap();
        });
        // All but one: data blocks are encoded, or are not.
        assert_eq!(types_in_form(&file, zstd_form).len(), 9, "{zstd_form:?} {encoding:?}");
        assert_sound(&file);
        assert!(files::scan(&files::open(&file).unwrap()).unwrap() == cells, "{zstd_form:?} {encoding:?}");
    }
}

#[test]
fn in_blocks_of_several_chunks() {
    let cells = [files::put(b"a", b"q", 1, 40), files::put(b"b", b"q", 1, 3 * CHUNK_BYTES)];
    for zstd_form in FORMS {
        let file = files::write(&cells, options(zstd_form, DataBlockEncoding::None));
        types_in_form(&file, zstd_form);
        assert!(files::scan(&files::open(&file).unwrap()).unwrap() == cells, "{zstd_form:?}");
    }
}

#[test]
fn in_a_file_without_cells() {
    for zstd_form in FORMS {
        let file = files::write(&[], options(zstd_form, DataBlockEncoding::None));
        types_in_form(&file, zstd_form);
        assert!(files::scan(&files::open(&file).unwrap()).unwrap().is_empty());
    }
}

#[test]
fn in_files_of_hbase() {
    for (name, zstd_form) in
        [("comp-zstd-hadoopstream", ZstdForm::Frame), ("comp-zstd-blockstream", ZstdForm::Chunks)]
    {
        types_in_form(&std::fs::read(golden::path(name)).unwrap(), zstd_form);
    }
}

#[test]
fn in_what_is_left_of_a_damaged_file() {
    let cells = golden::cells(&golden::meta("mixed-mvcc-tags-none"));
    for zstd_form in FORMS {
        let mut file = files::write(&cells, options(zstd_form, DataBlockEncoding::None));
        // In the first data block.
        file[HEADER_BYTES + 20] ^= 1;
        let (fs, from, to) = (MemFileSystem::default(), Path::new("/damaged"), Path::new("/salvaged"));
        fs.create_new(from).unwrap().append(&file).unwrap();
        let damaged = DamagedFile::open(fs.open(from).unwrap(), from, CellOrder::User).unwrap();
        let family = FamilySettings { block_size_bytes: 512, bloom: None };
        let found = damaged.write_sound(fs.create_new(to).unwrap(), to, family, &mut |_| true).unwrap();
        assert!(found.blocks > 0 && !found.is_whole(), "{found:?}");
        let salvaged = fs.open(to).unwrap();
        let mut bytes = vec![0; salvaged.len().unwrap() as usize];
        salvaged.read_exact_at(0, &mut bytes).unwrap();
        types_in_form(&bytes, zstd_form);
    }
}
