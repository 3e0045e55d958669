//! Files and logs with bytes that are wrong: printers and checks end, with an error or without, and never panic.

use finback_cell::CellOrder;
use finback_fs::{FileSystem, MemFileSystem};
use finback_hfile::{DamagedFile, FamilySettings, RowBounds, verify};
use finback_inspect::{HFilePrinter, HFilePrinterOptions, WalForm, WalPrinter, WalPrinterOptions};
use finback_wal::{copy_sound_entries, find_sound_entries};
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> Vec<u8> {
    let fixtures: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/hbase-2.5.11");
    std::fs::read(fixtures.join(name)).unwrap()
}

/// The same bytes for the same number, and any.
fn spoilt(bytes: &[u8], number: usize, from: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let mut state = number as u64 + 1;
    for _ in 0..=number % 3 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let at = from + (state >> 33) as usize % (bytes.len() - from);
        bytes[at] = (state >> 20) as u8;
    }
    if number.is_multiple_of(5) {
        bytes.truncate((state >> 33) as usize % bytes.len());
    }
    bytes
}

fn in_memory(bytes: &[u8]) -> MemFileSystem {
    let fs = MemFileSystem::default();
    fs.create_new(Path::new("/file")).unwrap().append(bytes).unwrap();
    fs
}

fn all() -> HFilePrinterOptions {
    HFilePrinterOptions {
        verbose: true,
        keys: true,
        values: true,
        meta: true,
        block_index: true,
        block_headers: true,
        statistics: true,
        ranges: true,
        check_rows: true,
        check_families: true,
        ..HFilePrinterOptions::default()
    }
}

#[test]
fn store_files() {
    // Without checksums, so that what is inside gets looked at; and one with several levels of index.
    for name in ["checksum-null", "index-4level-gz", "mixed-mvcc-ctags-fast_diff"] {
        let bytes = fixture(&format!("hfiles/{name}.hfile"));
        let (mut printed, mut refused) = (0, 0);
        for number in 0..30 {
            // Half of them in what is read first.
            let from = if number % 2 == 0 { bytes.len().saturating_sub(6000) } else { 0 };
            let fs = in_memory(&spoilt(&bytes, number, from));
            let (mut out, mut err) = (Vec::new(), Vec::new());
            let mut printer = HFilePrinter::new(all(), &mut out, &mut err);
            match printer.print(fs.open(Path::new("/file")).unwrap(), Path::new("/file")) {
                Ok(()) => printed += 1,
                Err(error) => {
                    assert!(error.to_string().contains("/file"), "{error}");
                    refused += 1;
                }
            }
        }
        assert!(printed + refused == 30 && refused > 3, "{name}: {printed} printed, {refused} refused");
    }
}

#[test]
fn logs() {
    for name in ["wals/plain.wal", "wals/dict.wal", "wals/recovered.edits/0000000000000001299"] {
        let bytes = fixture(name);
        let mut ended = 0;
        for number in 0..30 {
            let fs = in_memory(&spoilt(&bytes, number, 0));
            for form in [WalForm::Text, WalForm::HBaseJson, WalForm::JsonLines] {
                let mut out = Vec::new();
                let options = WalPrinterOptions {
                    form,
                    values: true,
                    position: if number % 4 == 3 { 465 } else { 0 },
                    ..WalPrinterOptions::default()
                };
                let mut printer = WalPrinter::new(options, &mut out).unwrap();
                if let Err(error) = printer.print(&fs, Path::new("/file")) {
                    assert!(error.to_string().contains("/file"), "{error}");
                }
                ended += 1;
            }
        }
        assert_eq!(ended, 90);
    }
}

/// What is left of them is found, or there is nothing; whatever it is, it can be written.
#[test]
fn what_is_left() {
    let (path, new) = (Path::new("/file"), Path::new("/new"));
    for name in ["checksum-null", "index-4level-gz", "mixed-mvcc-ctags-fast_diff"] {
        let bytes = fixture(&format!("hfiles/{name}.hfile"));
        let mut left = 0;
        for number in 0..30 {
            let fs = in_memory(&spoilt(&bytes, number, 0));
            let Ok(damaged) = DamagedFile::open(fs.open(path).unwrap(), path, CellOrder::User) else {
                continue;
            };
            let family = FamilySettings { block_size_bytes: 65536, bloom: None };
            let written =
                damaged.write_sound(fs.create_new(new).unwrap(), new, family, &mut |_| true).unwrap();
            let found = verify(fs.open(new).unwrap(), new, RowBounds::default(), &mut |_| true);
            assert!(found.is_sound() && found.cells == written.cells, "{name} {number}: {found:?}");
            left += 1;
        }
        assert!(left > 10, "{name}: {left}");
    }
    for name in ["wals/plain.wal", "wals/dict.wal", "wals/recovered.edits/0000000000000001299"] {
        let bytes = fixture(name);
        for number in 0..30 {
            let fs = in_memory(&spoilt(&bytes, number, 0));
            match copy_sound_entries(&fs, path, new) {
                Ok(found) => assert_eq!(find_sound_entries(&fs, new).unwrap().entries, found.entries),
                Err(error) => assert!(error.to_string().contains("/file"), "{error}"),
            }
        }
    }
}
