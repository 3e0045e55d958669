//! An HFile of anyone's bytes, as they are and with checksums that fit: refused, or it can be read from end to end and
//! searched.

#![no_main]

use std::path::Path;
use std::sync::Arc;

use finback_cell::key::Key;
use finback_fs::{FileSystem, MemFileSystem};
use finback_hfile::{
    BloomProbe, FileId, HFileError, HFileReader, HFileScanner, RowBounds, ScanInterrupt, read_through, verify,
};
use libfuzzer_sys::fuzz_target;

/// Bytes of a block's header, which ends with: checksum type u8, bytes per checksum u32, size on disk without checksums
/// u32.
const HEADER_SIZE: usize = 33;
/// Keys of found cells that are sought again.
const SOUGHT: usize = 4;

const MAGICS: [&[u8; 8]; 10] = [
    b"DATABLK*",
    b"DATABLKE",
    b"IDXLEAF2",
    b"IDXINTE2",
    b"IDXROOT2",
    b"METABLKc",
    b"FILEINF2",
    b"BLMFBLK2",
    b"BLMFMET2",
    b"DFBLMET2",
];

fuzz_target!(|data: &[u8]| {
    read_all(data);
    let mut mended = data.to_vec();
    mend_checksums(&mut mended);
    if mended != data {
        read_all(&mended);
    }
});

/// Gives every block that is whole checksums of type NULL, so that what is inside gets looked at.
fn mend_checksums(file: &mut [u8]) {
    for at in 0..file.len().saturating_sub(HEADER_SIZE) {
        let block = &mut file[at..];
        // Bytes that no magic begins with are most.
        if !b"DIMFB".contains(&block[0]) || !MAGICS.iter().any(|magic| block.starts_with(*magic)) {
            continue;
        }
        let size = |at: usize| u32::from_be_bytes(block[at..at + 4].try_into().unwrap()) as usize;
        let (end, data_end) = (size(8).saturating_add(HEADER_SIZE), size(29));
        if let Some(checksums) = block.get_mut(data_end..end).filter(|_| data_end >= HEADER_SIZE) {
            checksums.fill(0);
            block[24] = 0;
        }
    }
}

fn read_all(data: &[u8]) {
    let (fs, path) = (MemFileSystem::new(), Path::new("/file"));
    fs.create_new(path).and_then(|mut file| file.append(data)).expect("memory takes it");
    let file = fs.open(path).expect("it is there");
    // Ends, whatever the index says: no block is looked at twice.
    let found = verify(Arc::clone(&file), path, RowBounds::default(), &mut |_| true);
    assert!(found.blocks <= data.len() as u64 / HEADER_SIZE as u64);
    let Ok(reader) = HFileReader::open(file, path, FileId::next()) else { return };
    let Ok(keys) = scan(&reader) else { return };
    for key in keys.iter().map(Vec::as_slice).chain(reader.first_key()).chain(reader.last_key()) {
        if seek(&reader, key).and_then(|()| ask_filters(&reader, key)).is_err() {
            return;
        }
    }
    let _ = reader.mid_key();
    let _ = reader.time_range();
    let _ = reader.max_sequence_id();
    for name in reader.meta_block_names() {
        let _ = reader.meta_block(name);
    }
}

/// Reads all cells; gives back the keys of the first ones. Ends: there are no two ways to one cell.
fn scan(reader: &Arc<HFileReader>) -> Result<Vec<Vec<u8>>, HFileError> {
    let mut scanner = HFileScanner::new(Arc::clone(reader), None, false);
    let mut keys = Vec::new();
    read_through(&mut scanner, |scanner| scanner.seek(&Key::first_on_row(&[])))?;
    while let Some((cell, _)) = scanner.peek() {
        assert!(cell.row().len() + cell.value().len() + cell.tags().len() <= cell.bytes().len());
        if keys.len() < SOUGHT {
            keys.push(cell.key().to_vec());
        }
        read_through(&mut scanner, HFileScanner::advance)?;
    }
    Ok(keys)
}

/// A probe asks for no more than the chunks of its two keys.
fn ask_filters(reader: &Arc<HFileReader>, key: &[u8]) -> Result<(), HFileError> {
    let key = Key::from_checked(key);
    let probes = [
        BloomProbe::row(Arc::clone(reader), None, key.row),
        BloomProbe::column(Arc::clone(reader), None, key.row, key.qualifier),
        BloomProbe::row_prefix(Arc::clone(reader), None, key.row),
        BloomProbe::family_delete(Arc::clone(reader), None, key.row),
    ];
    for mut probe in probes {
        let mut asked = 0;
        loop {
            match probe.may_contain() {
                Ok(_) => break,
                Err(ScanInterrupt::NeedBlock(request)) => probe.provide(request.read()?),
                Err(ScanInterrupt::Failed(error)) => return Err(error),
            }
            asked += 1;
            assert!(asked <= 2, "a probe asked for a third chunk");
        }
    }
    Ok(())
}

fn seek(reader: &Arc<HFileReader>, key: &[u8]) -> Result<(), HFileError> {
    let key = Key::from_checked(key);
    let mut scanner = HFileScanner::new(Arc::clone(reader), None, false);
    read_through(&mut scanner, |scanner| scanner.seek(&key))?;
    read_through(&mut scanner, HFileScanner::advance)?;
    read_through(&mut scanner, |scanner| scanner.reseek(&key))?;
    read_through(&mut scanner, |scanner| scanner.previous_row(Some(key.row)))?;
    read_through(&mut scanner, |scanner| scanner.previous_row(None))?;
    Ok(())
}
