//! Round trips of arbitrary cells under arbitrary options.

mod files;

use std::path::Path;

use files::{Stored, put};
use finback_cell::cell::CellParts;
use finback_cell::tag::write_tag;
use finback_cell::{Cell, CellOrder, CellType};
use finback_fs::{FileSystem, MemFileSystem};
use finback_hfile::{
    BloomOptions, BloomProbe, BloomType, ChecksumType, Compression, DataBlockEncoding, HFileError,
    HFileWriter, HashType, WriterOptions, ZstdForm,
};
use proptest::prelude::*;

prop_compose! {
    fn any_cell(tags: bool, mvcc: bool)(
        row in prop::collection::vec(any::<u8>(), 1..6),
        qualifier in prop::collection::vec(any::<u8>(), 0..4),
        timestamp in prop_oneof![0i64..5, any::<i64>()],
        type_code in prop::sample::select(vec![4u8, 8, 10, 12, 14]),
        value in prop_oneof![
            9 => prop::collection::vec(any::<u8>(), 0..60),
            1 => prop::collection::vec(any::<u8>(), 3000..9000),
        ],
        tag in prop::option::of((any::<u8>(), prop::collection::vec(any::<u8>(), 0..20))),
        sequence_id in prop_oneof![0u64..300, 0..i64::MAX as u64],
    ) -> Stored {
        let mut area = Vec::new();
        if let Some((tag_type, value)) = tag.filter(|_| tags) {
            write_tag(&mut area, tag_type, &value);
        }
        let parts = CellParts {
            row: &row, family: b"f", qualifier: &qualifier, timestamp, type_code, value: &value, tags: &area,
        };
        Stored::new(&parts, if mvcc { sequence_id } else { 0 })
    }
}

fn any_bloom() -> impl Strategy<Value = BloomOptions> {
    let hashes = prop::sample::select(vec![HashType::Murmur, HashType::Jenkins, HashType::Murmur3]);
    let sizes = (6usize..300, 0u32..8, 0.001f32..0.2);
    (files::any_filter(), any::<bool>(), hashes, sizes).prop_map(
        |(filter, family_delete, hash_type, sizes)| {
            let (chunk_size_bytes, max_fold, error_rate) = sizes;
            BloomOptions { filter, family_delete, chunk_size_bytes, error_rate, max_fold, hash_type }
        },
    )
}

fn cells_and_options() -> impl Strategy<Value = (Vec<Stored>, WriterOptions)> {
    let codecs =
        [Compression::None, Compression::Gz, Compression::Snappy, Compression::Lz4, Compression::Zstd];
    let codec = prop::sample::select(codecs.to_vec());
    let form = prop::sample::select(vec![ZstdForm::Frame, ZstdForm::Chunks]);
    (any::<[bool; 4]>(), codec, form, files::any_encoding(), any_bloom()).prop_flat_map(
        |([tags, mvcc, meta, compress_tags], compression, zstd_form, encoding, bloom)| {
            let cells = prop::collection::vec(any_cell(tags, mvcc), 0..120);
            let checksums =
                prop::sample::select(vec![ChecksumType::Null, ChecksumType::Crc32, ChecksumType::Crc32c]);
            let sizes = (1u32..2000, 1usize..2000, 2usize..20, 33usize..1000);
            (cells, checksums, sizes).prop_map(move |(mut cells, checksum_type, sizes)| {
                let (block_size_bytes, index_block_size_bytes, min_index_entries, bytes_per_checksum) = sizes;
                let order = if meta { CellOrder::Meta } else { CellOrder::User };
                files::sort(&mut cells, order);
                let options = WriterOptions {
                    order,
                    block_size_bytes,
                    index_block_size_bytes,
                    min_index_entries,
                    include_tags: tags,
                    include_mvcc: mvcc,
                    encoding,
                    bloom: bloom.clone(),
                    compress_tags,
                    compression,
                    zstd_form,
                    checksum_type,
                    bytes_per_checksum,
                    create_time_ms: 77,
                    major_compaction: meta,
                    says_if_plain: mvcc,
                };
                (cells, options)
            })
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn arbitrary_cells((cells, options) in cells_and_options()) {
        let bytes = files::write_with(&cells, options.clone(), 4711, |writer| {
            writer.append_meta_block(b"two", b"content of two").unwrap();
            writer.append_meta_block(b"one", b"").unwrap();
        });
        let reader = files::open(&bytes).unwrap();
        prop_assert_eq!(files::scan(&reader).unwrap(), cells.clone());
        prop_assert_eq!(reader.entry_count(), cells.len() as u64);
        prop_assert_eq!(reader.order(), options.order);
        for stored in &cells {
            files::assert_may_be_there(&reader, &stored.cell());
        }
        let has_filter = options.bloom.filter.filter(|_| options.order == CellOrder::User && !cells.is_empty());
        prop_assert_eq!(reader.bloom_type(), has_filter);
        prop_assert_eq!(reader.encoding(), options.encoding);
        prop_assert_eq!(reader.trailer().compression, options.compression);
        prop_assert_eq!(reader.max_sequence_id(), Some(4711));
        let flat = |stored: Option<&Stored>| stored.map(|stored| stored.key().to_vec());
        prop_assert_eq!(reader.first_key().map(<[u8]>::to_vec), flat(cells.first()));
        prop_assert_eq!(reader.last_key().map(<[u8]>::to_vec), flat(cells.last()));
        // Markers that hide all that is older count from the beginning of time.
        let hides_all_older = |stored: &Stored| {
            [CellType::DeleteColumn.code(), CellType::DeleteFamily.code()].contains(&stored.key().type_code)
        };
        let beginning = cells.iter().any(hides_all_older).then_some(0);
        let timestamps = || cells.iter().map(|stored| stored.key().timestamp).chain(beginning);
        let range = (timestamps().min().unwrap_or(i64::MAX), timestamps().max().unwrap_or(-1));
        let (min, max) = reader.time_range().unwrap();
        prop_assert!(min == range.0 && (max == range.1 || max == -1 && range.1 < 0), "{min} {max} {range:?}");
        prop_assert_eq!(reader.meta_block_names().collect::<Vec<_>>(), [&b"one"[..], b"two"]);
        let two = reader.meta_block(b"two").unwrap().unwrap();
        prop_assert_eq!(two.payload(), b"content of two");
        prop_assert!(reader.meta_block(b"three").unwrap().is_none());
        if let Some(mid_key) = reader.mid_key().unwrap() {
            let first = reader.first_key().unwrap();
            prop_assert!(reader.order().compare_flat_keys(first, &mid_key).is_le());
            prop_assert!(reader.order().compare_flat_keys(&mid_key, reader.last_key().unwrap()).is_le());
        }
    }
}

fn writer(options: WriterOptions) -> Result<HFileWriter, HFileError> {
    let (fs, path) = (MemFileSystem::default(), Path::new("/file"));
    HFileWriter::new(fs.create_new(path).unwrap(), path, options)
}

#[test]
fn a_large_cell_and_the_longest_row_qualifier_and_tags() {
    let row = vec![b'r'; finback_cell::MAX_ROW_LENGTH];
    let qualifier = vec![b'q'; 100_000];
    let value: Vec<u8> = (0..20_000_000u32).map(|number| number as u8).collect();
    let mut tags = Vec::new();
    write_tag(&mut tags, 9, &vec![0; finback_cell::MAX_TAGS_LENGTH - 3]);
    let parts = CellParts {
        row: &row,
        family: &[b'f'; 127],
        qualifier: &qualifier,
        timestamp: i64::MIN,
        type_code: 4,
        value: &value,
        tags: &tags,
    };
    // Encoded cells are of one family.
    let put = |row: &[u8], timestamp| {
        let (qualifier, value, tags) = (&b"q"[..], &b""[..], &b""[..]);
        Stored::new(&CellParts { row, qualifier, timestamp, value, tags, ..parts }, 0)
    };
    let cells = vec![put(b"a", 1), Stored::new(&parts, i64::MAX as u64), put(b"z", 1)];
    for encoding in files::ENCODINGS {
        let options = WriterOptions { include_tags: true, encoding, ..WriterOptions::default() };
        let reader = files::open(&files::write(&cells, options)).unwrap();
        assert!(files::scan(&reader).unwrap() == cells, "{encoding:?}");
    }
}

#[test]
fn cells_out_of_order_are_refused_and_the_writer_goes_on() {
    let mut writer = writer(WriterOptions::default()).unwrap();
    let (first, second) = (put(b"a", b"", 1, 0), put(b"b", b"", 1, 0));
    writer.append(&second.cell(), 5).unwrap();
    assert!(matches!(writer.append(&first.cell(), 5), Err(HFileError::OutOfOrder { .. })));
    assert!(matches!(writer.append(&second.cell(), 6), Err(HFileError::OutOfOrder { .. })), "older id first");
    writer.append(&second.cell(), 5).unwrap();
    writer.append(&second.cell(), 4).unwrap();
    assert_eq!(writer.finish(9).unwrap().entries, 3);
}

#[test]
fn what_a_file_would_lose_is_refused() {
    let parts = CellParts {
        row: b"r",
        family: b"f",
        qualifier: b"",
        timestamp: 1,
        type_code: 4,
        value: b"",
        tags: &[0, 1, 9],
    };
    let bytes = parts.to_vec();
    let tagged = Cell::parse(&bytes).unwrap();
    let plain = put(b"r", b"", 1, 0);
    let mut without = writer(WriterOptions { include_mvcc: false, ..WriterOptions::default() }).unwrap();
    assert!(matches!(without.append(&tagged, 0), Err(HFileError::Unwritable { .. })));
    assert!(matches!(without.append(&plain.cell(), 1), Err(HFileError::Unwritable { .. })));
    without.append(&plain.cell(), 0).unwrap();
    let mut with = writer(WriterOptions::default()).unwrap();
    assert!(matches!(with.append(&plain.cell(), u64::MAX), Err(HFileError::Unwritable { .. })));
}

#[test]
fn an_encoding_takes_only_cells_that_it_can_give_back() {
    let with = |encoding| {
        writer(WriterOptions { encoding, include_tags: true, ..WriterOptions::default() }).unwrap()
    };
    let parts = CellParts {
        row: b"r",
        family: b"f",
        qualifier: b"",
        timestamp: 1,
        type_code: 4,
        value: b"",
        tags: &[],
    };
    let of_another_family = CellParts { family: b"g", ..parts };
    let malformed_tags = CellParts { row: b"s", tags: &[0, 5, 1], ..parts };
    for encoding in files::ENCODINGS {
        let mut writer = with(encoding);
        writer.append(&Stored::new(&parts, 0).cell(), 0).unwrap();
        let takes_all = [DataBlockEncoding::None, DataBlockEncoding::RowIndexV1].contains(&encoding);
        for refused in [&of_another_family, &malformed_tags] {
            let appended = writer.append(&Stored::new(refused, 0).cell(), 0);
            assert_eq!(appended.is_ok(), takes_all, "{encoding:?}: {appended:?}");
            assert!(takes_all || matches!(appended, Err(HFileError::Unencodable { .. })));
        }
    }
}

fn with_bloom(change: impl FnOnce(&mut BloomOptions)) -> WriterOptions {
    let mut bloom = BloomOptions {
        filter: Some(BloomType::Row),
        chunk_size_bytes: 8,
        max_fold: 0,
        ..BloomOptions::default()
    };
    change(&mut bloom);
    WriterOptions { bloom, ..WriterOptions::default() }
}

/// Of 20,000 rows that are not there, about one in a hundred may seem to be.
#[test]
fn filters_are_wrong_as_rarely_as_they_are_asked_to() {
    let row = |number: u32| format!("r{number:06}").into_bytes();
    let cells: Vec<_> = (0..20_000).map(|number| files::put(&row(number), b"q", 1, 0)).collect();
    for hash_type in [HashType::Murmur, HashType::Jenkins, HashType::Murmur3] {
        let filter = Some(BloomType::Row);
        let bloom = BloomOptions { filter, hash_type, chunk_size_bytes: 4 << 10, ..BloomOptions::default() };
        let reader =
            files::open(&files::write(&cells, WriterOptions { bloom, ..WriterOptions::default() })).unwrap();
        let seems_there = |number: &u32| {
            let absent = [&row(*number)[..], b"-"].concat();
            files::ask(BloomProbe::row(reader.clone(), None, &absent))
        };
        let wrong = (0..20_000).filter(seems_there).count();
        assert!((20..400).contains(&wrong), "{hash_type:?}: {wrong}");
    }
}

#[test]
fn options_that_cannot_be_met_are_refused() {
    for options in [
        WriterOptions { bytes_per_checksum: 0, ..WriterOptions::default() },
        WriterOptions { bytes_per_checksum: 32, ..WriterOptions::default() },
        WriterOptions { min_index_entries: 0, ..WriterOptions::default() },
        with_bloom(|bloom| bloom.error_rate = 0.0),
        with_bloom(|bloom| bloom.error_rate = 1.0),
        with_bloom(|bloom| bloom.error_rate = f32::NAN),
        with_bloom(|bloom| bloom.error_rate = 1e-38),
        with_bloom(|bloom| bloom.chunk_size_bytes = 0),
        with_bloom(|bloom| bloom.chunk_size_bytes = usize::MAX),
        with_bloom(|bloom| bloom.max_fold = 64),
        with_bloom(|bloom| bloom.filter = Some(BloomType::RowPrefix(0))),
        with_bloom(|bloom| bloom.filter = Some(BloomType::RowPrefix(u32::MAX))),
    ] {
        assert!(matches!(writer(options), Err(HFileError::Unwritable { .. })));
    }
}
