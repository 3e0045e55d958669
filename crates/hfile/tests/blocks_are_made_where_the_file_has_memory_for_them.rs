//! A file that lends the memory of its end has its blocks made there, and is byte for byte what it is without.

mod files;
mod golden;

use std::io::{self, IoSlice};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use finback_fs::{FileSystem, MemFileSystem, WritableFile};
use finback_hfile::{Compression, HFileWriter, WriterOptions};

/// What it still holds when it lends, as if it were for the device.
const HELD: &[u8] = b"of blocks before";

/// Has room for no more than it was asked for.
#[derive(Debug)]
struct Lender {
    file: Box<dyn WritableFile>,
    is_lent: bool,
    taken_back: Arc<AtomicUsize>,
}

impl WritableFile for Lender {
    fn append_vectored(&mut self, slices: &mut [IoSlice<'_>]) -> io::Result<()> {
        assert!(!self.is_lent);
        self.file.append_vectored(slices)
    }

    fn sync_data(&mut self) -> io::Result<()> {
        assert!(!self.is_lent);
        self.file.sync_data()
    }

    fn len(&self) -> u64 {
        self.file.len()
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        self.file.truncate(len)
    }

    fn lend_end(&mut self, room: usize) -> Option<Vec<u8>> {
        assert!(!std::mem::replace(&mut self.is_lent, true));
        let mut end = Vec::with_capacity(HELD.len() + room);
        end.extend_from_slice(HELD);
        Some(end)
    }

    fn append_lent(&mut self, end: Vec<u8>) -> io::Result<()> {
        assert!(std::mem::replace(&mut self.is_lent, false));
        self.taken_back.fetch_add(1, Ordering::Relaxed);
        self.file.append(end.strip_prefix(HELD).expect("what was held stays as it is"))
    }
}

fn written_by_a_lender(cells: &[files::Stored], options: WriterOptions) -> (Vec<u8>, usize) {
    let (fs, path, taken_back) = (MemFileSystem::default(), Path::new("/file"), Arc::default());
    let file = fs.create_new(path).unwrap();
    let lender = Lender { file, is_lent: false, taken_back: Arc::clone(&taken_back) };
    let mut writer = HFileWriter::new(Box::new(lender), path, options).unwrap();
    for stored in cells {
        writer.append(&stored.cell(), stored.sequence_id).unwrap();
    }
    writer.finish(7).unwrap();
    let file = fs.open(path).unwrap();
    let mut bytes = vec![0; file.len().unwrap() as usize];
    file.read_exact_at(0, &mut bytes).unwrap();
    (bytes, taken_back.load(Ordering::Relaxed))
}

#[test]
fn and_the_file_is_the_same() {
    let mixed = golden::cells(&golden::meta("mixed-mvcc-tags-none"));
    // Small ones, of which the offsets take as much as they do, and large ones.
    let small = (0..3_000).map(|number| files::put(format!("{number:04}").as_bytes(), b"", 1, 0));
    let large = (0..4).map(|number| files::put(format!("~{number}").as_bytes(), b"q", 1, number * 200_000));
    let small_and_large: Vec<_> = small.chain(large).collect();
    let codecs =
        [Compression::None, Compression::Gz, Compression::Snappy, Compression::Lz4, Compression::Zstd];
    for (compression, encoding) in
        codecs.into_iter().flat_map(|codec| files::ENCODINGS.map(|encoding| (codec, encoding)))
    {
        for (block_size_bytes, bytes_per_checksum) in [(2 << 10, 100), (64 << 10, 16 << 10)] {
            let options = WriterOptions {
                block_size_bytes,
                bytes_per_checksum,
                encoding,
                compression,
                include_tags: true,
                ..WriterOptions::default()
            };
            for cells in [&mixed, &small_and_large] {
                let (lent, taken_back) = written_by_a_lender(cells, options.clone());
                let expected = files::write(cells, options.clone());
                assert!(
                    lent == expected,
                    "{compression:?} {encoding:?}: {} of {}",
                    lent.len(),
                    expected.len()
                );
                assert!(taken_back > 3, "{taken_back}");
            }
        }
    }
}
