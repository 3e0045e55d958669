//! `finback compact` on a copy of a root directory that HBase made, with files that HBase wrote, and on one of ours.

use finback_cache::MemoryBlockCache;
use finback_cell::block::CellIter;
use finback_cell::cell::CellParts;
use finback_cell::{
    Bytes, CellBlockBuilder, CellType, ColumnFamilyDescriptor, Mutation, MutationKind, RegionInfo, Scan,
    TableDescriptor, TableName,
};
use finback_fs::{FileSystem, LocalFileSystem, MemFileSystem};
use finback_hfile::testing::stored_blocks;
use finback_hfile::{FileId, HFileReader, ZstdForm};
use finback_layout::RootDir;
use finback_region::{
    Interrupt, PlainHost, Region, RegionConfig, RegionEnvironment, ScanLimits, ScanOutput, ScanStop,
};
use finback_wal::{Wal, WalKind, WalOptions};
use std::collections::HashSet;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

fn compact(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_finback")).arg("compact").args(arguments).output().unwrap()
}

/// What it says when it does what it is asked.
fn compacted(arguments: &[&str]) -> String {
    let output = compact(arguments);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && message.is_empty(), "{message}");
    String::from_utf8(output.stdout).unwrap()
}

/// What it says when it refuses, in one line.
fn refused(arguments: &[&str]) -> String {
    let output = compact(arguments);
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(output.stdout.is_empty() && message.lines().count() == 1, "{message}");
    message
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/hbase-2.5.11")
}

fn copy_all(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_all(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Row, qualifier, timestamp and value of a cell.
type Seen = (Vec<u8>, Vec<u8>, i64, Vec<u8>);

/// A table of one region in a root directory.
struct Place {
    directory: tempfile::TempDir,
    table: Arc<TableDescriptor>,
    info: RegionInfo,
}

impl Place {
    fn new(families: Vec<ColumnFamilyDescriptor>) -> Self {
        let name = TableName::parse(b"t").unwrap();
        let info = RegionInfo::new(name.clone(), Bytes::new(), Bytes::new(), 1);
        let table = Arc::new(TableDescriptor { families, ..TableDescriptor::new(name) });
        Self { directory: tempfile::tempdir().unwrap(), table, info }
    }

    fn root(&self) -> RootDir {
        let fs: Arc<dyn FileSystem> = Arc::new(LocalFileSystem);
        RootDir::new(fs, self.directory.path())
    }

    fn make_table(&self) {
        self.root().create_table_dir(&self.table, std::slice::from_ref(&self.info)).unwrap();
    }

    fn table_dir(&self) -> String {
        self.root().table_dir(&self.table.name).to_str().unwrap().to_owned()
    }

    fn family_dir(&self, family: &str) -> PathBuf {
        self.root().family_dir(&self.table.name, &self.info.encoded_name(), family.as_bytes())
    }

    fn files(&self, family: &str) -> usize {
        self.root()
            .list_store_files(&self.table.name, &self.info.encoded_name(), family.as_bytes())
            .unwrap()
            .len()
    }

    fn open(&self) -> Arc<Region> {
        let memory: Arc<dyn FileSystem> = Arc::new(MemFileSystem::new());
        let wal =
            Wal::open(memory, Path::new("/"), "h,1,1", WalKind::Regions, WalOptions::default()).unwrap();
        let environment = RegionEnvironment {
            root: self.root(),
            wal: Arc::new(wal),
            cache: Arc::new(MemoryBlockCache::new(1 << 20)),
            host: Arc::new(PlainHost),
            config: Arc::new(RegionConfig::default()),
        };
        Region::open(environment, self.info.clone(), Arc::clone(&self.table), &mut |_, _, _| {}).unwrap()
    }

    /// All that a reader sees.
    fn cells(&self) -> Vec<Seen> {
        let region = self.open();
        let scan = Scan { max_versions: u32::MAX, ..Scan::default() };
        let mut scanner = region.scanner(&scan, None).unwrap();
        let mut out = ScanOutput::default();
        loop {
            match scanner.next(&mut out, &ScanLimits::NONE) {
                Ok(ScanStop::Exhausted) => break,
                Ok(stop) => panic!("{stop:?}"),
                Err(Interrupt::NeedBlock(request)) => scanner.provide(request.read().unwrap()),
                Err(Interrupt::NeedFile(request)) => request.open(),
                Err(Interrupt::Failed(error)) => panic!("{error}"),
            }
        }
        let cells = CellIter::over_checked(&out.cells).map(|cell| {
            (cell.row().to_vec(), cell.qualifier().to_vec(), cell.timestamp(), cell.value().to_vec())
        });
        let cells = cells.collect();
        region.abandon();
        cells
    }
}

fn mutation(family: &str, row: &str, cell_type: CellType, timestamp: i64) -> Mutation {
    let mut block = CellBlockBuilder::default();
    block.push_parts(&CellParts {
        row: row.as_bytes(),
        family: family.as_bytes(),
        qualifier: b"q",
        timestamp,
        type_code: cell_type.code(),
        value: row.as_bytes(),
        tags: b"",
    });
    let kind = if cell_type == CellType::Put { MutationKind::Put } else { MutationKind::Delete };
    Mutation::new(kind, Bytes::copy_from_slice(row.as_bytes()), block.finish())
}

/// Five files in family a with a deleted row, two in family b.
fn ours() -> Place {
    let family = |name: &str| ColumnFamilyDescriptor::with_defaults(name.as_bytes()).with("VERSIONS", "3");
    let place = Place::new(vec![family("a"), family("b")]);
    place.make_table();
    let region = place.open();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let write =
        |mutations| runtime.block_on(region.batch(mutations)).into_iter().for_each(|done| done.unwrap());
    for n in 0..5 {
        let puts = (0..50).map(|row| mutation("a", &format!("row{row:03}"), CellType::Put, n + 1));
        write(puts.collect());
        if n < 2 {
            write(vec![mutation("b", "row", CellType::Put, n + 1)]);
        }
        if n == 3 {
            write(vec![mutation("a", "row007", CellType::DeleteColumn, 100)]);
        }
        region.flush(None).unwrap();
    }
    region.close().unwrap();
    place
}

#[test]
fn our_own_table_reads_the_same_afterwards() {
    let place = ours();
    let before = place.cells();
    assert_eq!((before.len(), place.files("a"), place.files("b")), (49 * 3 + 2, 5, 2));
    // By policy: two files are too few.
    let said = compacted(&[&place.table_dir()]);
    assert!(said.contains(" a: 5 files compacted") && said.contains(" b: nothing to compact"), "{said}");
    assert_eq!((place.files("a"), place.files("b")), (1, 2));
    assert_eq!(place.cells(), before);
    // All files, of one family of a region.
    let region_dir = place.family_dir("b").parent().unwrap().to_str().unwrap().to_owned();
    let said = compacted(&[&region_dir, "--major", "--family", "b"]);
    assert!(said.contains(" b: 2 files compacted, 2 cells read, 2 left") && !said.contains(" a: "), "{said}");
    assert_eq!((place.files("b"), place.cells()), (1, before));
}

#[test]
fn tables_and_files_that_hbase_made_read_the_same_afterwards() {
    let place = Place::new(vec![ColumnFamilyDescriptor::with_defaults(b"cf").with("VERSIONS", "1000000")]);
    copy_all(&fixtures().join("rootdir"), place.directory.path());
    // A table of HBase's without files: there is nothing to do.
    let table_dir = place.directory.path().join("data/ns1/t1");
    let said = compacted(&[table_dir.to_str().unwrap(), "--major"]);
    assert!(
        said.lines().count() >= 2 && said.lines().all(|line| line.ends_with("nothing to compact")),
        "{said}"
    );
    // Files of HBase's, in a table beside it.
    place.make_table();
    let files = ["major", "index-2level", "checksum-crc32", "comp-gz-fast_diff"];
    std::fs::create_dir_all(place.family_dir("cf")).unwrap();
    for (number, file) in files.iter().enumerate() {
        let golden = fixtures().join(format!("hfiles/{file}.hfile"));
        std::fs::copy(golden, place.family_dir("cf").join(format!("{number:032x}"))).unwrap();
    }
    let before = place.cells();
    assert!(before.len() > 4000, "{} cells", before.len());
    let said = compacted(&[&place.table_dir(), "--major"]);
    assert!(said.contains(" cf: 4 files compacted"), "{said}");
    assert_eq!(place.files("cf"), 1);
    assert_eq!(place.cells(), before);
    let archived = place.root().archived_family_dir(&place.table.name, &place.info.encoded_name(), b"cf");
    assert_eq!(std::fs::read_dir(archived).unwrap().count(), 4);
}

/// The forms of Zstandard that the blocks of the files of a family have, and how many files there are.
fn forms(place: &Place, family: &str) -> (HashSet<ZstdForm>, usize) {
    let (mut forms, mut files) = (HashSet::new(), 0);
    for entry in std::fs::read_dir(place.family_dir(family)).unwrap() {
        let path = entry.unwrap().path();
        let reader = HFileReader::open(LocalFileSystem.open(&path).unwrap(), &path, FileId::next()).unwrap();
        forms.extend(stored_blocks(&reader).map(|block| ZstdForm::of_stream(block.payload())));
        files += 1;
    }
    (forms, files)
}

#[test]
fn files_get_the_form_of_zstandard_that_the_setting_asks_for() {
    let family = ColumnFamilyDescriptor::with_defaults(b"cf").with("VERSIONS", "1000000");
    let place = Place::new(vec![family.with("COMPRESSION", "ZSTD")]);
    place.make_table();
    std::fs::create_dir_all(place.family_dir("cf")).unwrap();
    for (number, file) in ["comp-zstd-hadoopstream", "comp-zstd-blockstream"].iter().enumerate() {
        let golden = fixtures().join(format!("hfiles/{file}.hfile"));
        std::fs::copy(golden, place.family_dir("cf").join(format!("{number:032x}"))).unwrap();
    }
    assert_eq!(forms(&place, "cf"), (HashSet::from([ZstdForm::Frame, ZstdForm::Chunks]), 2));
    let before = place.cells();
    for (class, expected) in [
        ("org.apache.hadoop.hbase.io.compress.zstd.ZstdCodec", ZstdForm::Chunks),
        ("org.apache.hadoop.io.compress.ZStandardCodec", ZstdForm::Frame),
    ] {
        let setting = format!("hbase.io.compress.zstd.codec={class}");
        compacted(&[&place.table_dir(), "--major", "-D", &setting]);
        assert_eq!(forms(&place, "cf"), (HashSet::from([expected]), 1), "{class}");
        assert!(place.cells() == before, "{class}");
    }
}

/// Three files whose compaction takes a while, for each block of theirs is compressed anew.
fn ours_that_take_time() -> Place {
    const ROWS: usize = 40_000;
    let place = Place::new(vec![ColumnFamilyDescriptor::with_defaults(b"a").with("COMPRESSION", "GZ")]);
    place.make_table();
    let region = place.open();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    for file in 0..3 {
        let row = |n: usize| {
            format!("{:016x}-{:016x}-{file}", n * 7919, (n as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15))
        };
        let puts: Vec<_> = (0..ROWS).map(|n| mutation("a", &row(n), CellType::Put, 1)).collect();
        runtime.block_on(region.batch(puts)).into_iter().for_each(|done| done.unwrap());
        region.flush(None).unwrap();
    }
    region.close().unwrap();
    place
}

/// `finback compact` at a terminal, where Ctrl-C is pressed when the bar has been seen, or not. What the terminal got, and the exit code.
fn compacted_at_a_terminal(place: &Place, interrupts: bool) -> (String, Option<i32>) {
    let command = format!("exec '{}' compact '{}' --major", env!("CARGO_BIN_EXE_finback"), place.table_dir());
    let mut terminal = Command::new("script")
        .args(["--quiet", "--return", "--command", &command, "/dev/null"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("script, of Debian's bsdutils");
    // Kept open: the terminal is gone with it.
    let mut keys = terminal.stdin.take().unwrap();
    let mut screen = terminal.stdout.take().unwrap();
    let (mut seen, mut part, mut pressed) = (Vec::new(), [0; 4096], false);
    loop {
        let length = screen.read(&mut part).unwrap();
        if length == 0 {
            break;
        }
        seen.extend_from_slice(&part[..length]);
        if interrupts && !pressed && seen.contains(&b'%') {
            keys.write_all(b"\x03").unwrap();
            keys.flush().unwrap();
            pressed = true;
        }
    }
    (String::from_utf8(seen).unwrap(), terminal.wait().unwrap().code())
}

#[test]
fn a_bar_shows_how_far_it_is_and_ctrl_c_leaves_the_table_as_it_was() {
    let place = ours_that_take_time();
    let before = place.cells();
    let (screen, code) = compacted_at_a_terminal(&place, true);
    assert_eq!(code, Some(130), "{screen}");
    assert!(screen.contains(" a [") && screen.contains("\r\nfinback: interrupted; "), "{screen}");
    assert_eq!((place.files("a"), place.cells() == before), (3, true), "{screen}");

    let (screen, code) = compacted_at_a_terminal(&place, false);
    assert_eq!(code, Some(0), "{screen}");
    let shares: Vec<u32> =
        screen.split(" %").filter_map(|drawn| drawn.rsplit("] ").next()?.trim().parse().ok()).collect();
    assert!(!shares.is_empty() && shares.is_sorted(), "{screen}");
    let bar_is_gone = format!("\r\x1b[K{} a: 3 files compacted", place.info.encoded_name());
    assert!(screen.contains(&bar_is_gone), "{screen}");
    assert_eq!((place.files("a"), place.cells() == before), (1, true), "{screen}");
}

#[test]
fn what_a_server_has_open_is_left_alone() {
    let place = ours();
    let lock = place.root().lock().unwrap();
    let why = refused(&[&place.table_dir(), "--major"]);
    assert!(why.contains("cannot use") && why.contains("; stop the server, or have it compact"), "{why}");
    assert_eq!(place.files("a"), 5);
    drop(lock);
    compacted(&[&place.table_dir(), "--major"]);
    assert_eq!(place.files("a"), 1);
}

#[test]
fn files_that_daughters_need_stay_where_they_are_and_what_is_no_region_stops_nothing() {
    let place = ours();
    let (root, name) = (place.root(), place.table.name.clone());
    let split = Bytes::from("m");
    let daughters = [
        RegionInfo::new(name.clone(), Bytes::new(), split.clone(), 2),
        RegionInfo::new(name.clone(), split, Bytes::new(), 3),
    ];
    let families: Vec<_> = place.table.families.iter().map(|family| family.name.clone()).collect();
    for daughter in &daughters {
        root.create_offspring(daughter, std::slice::from_ref(&place.info), &families, &|_| None).unwrap();
    }
    let never_one = root.table_dir(&name).join("0".repeat(32));
    std::fs::create_dir(&never_one).unwrap();
    let files = place.files("a");
    assert!(files > 1);
    let parent = root.region_dir(&name, &place.info.encoded_name());
    assert!(compacted(&[parent.to_str().unwrap(), "--major"]).contains("need its files where they are"));
    assert_eq!(place.files("a"), files);
    assert!(compacted(&[&place.table_dir(), "--major"]).contains("never became a region"));
    for daughter in &daughters {
        let of_daughter = root.list_store_files(&name, &daughter.encoded_name(), b"a").unwrap();
        assert!(of_daughter.len() == 1 && of_daughter[0].reference.is_none(), "{of_daughter:?}");
    }
    // Their files are their own now.
    let said = compacted(&[&place.table_dir(), "--major"]);
    assert!(!said.contains("need its files") && place.files("a") == 1, "{said}");
}

#[test]
fn a_region_that_links_to_files_of_its_own_is_compacted() {
    let place = ours();
    let (table, region) = (&place.table.name, place.info.encoded_name());
    let archived = place.root().archived_family_dir(table, &region, b"a");
    std::fs::create_dir_all(&archived).unwrap();
    let before = place.cells();
    for entry in std::fs::read_dir(place.family_dir("a")).unwrap().map(Result::unwrap).take(2) {
        let name = entry.file_name().into_string().unwrap();
        std::fs::rename(entry.path(), archived.join(&name)).unwrap();
        std::fs::write(place.family_dir("a").join(format!("t={region}-{name}")), "").unwrap();
    }
    assert!(compacted(&[&place.table_dir(), "--major"]).contains(" a: 5 files compacted"));
    assert_eq!((place.files("a"), place.cells()), (1, before));
}

#[test]
fn a_load_that_a_log_may_end_is_left_to_the_server() {
    let place = ours();
    let region = place.info.encoded_name();
    let staged = place.root().family_bulk_load_dir(&place.table.name, &region, b"a").join("0".repeat(32));
    std::fs::create_dir_all(staged.parent().unwrap()).unwrap();
    std::fs::write(&staged, "a file").unwrap();
    let log = place.directory.path().join("WALs/h,1,1");
    std::fs::create_dir_all(&log).unwrap();
    let files = place.files("a");
    assert!(refused(&[&place.table_dir(), "--major"]).contains("start the server once"));
    assert!(staged.exists() && place.files("a") == files);
    std::fs::remove_dir(log).unwrap();
    compacted(&[&place.table_dir(), "--major"]);
    assert!(!staged.exists() && place.files("a") == 1);
}

#[test]
fn what_is_no_table_is_refused_and_damage_stops_it() {
    let place = ours();
    let root = place.directory.path().to_str().unwrap();
    assert!(refused(&["/no/such/table"]).contains("cannot find /no/such/table"));
    assert!(refused(&[root]).contains("no directory of a table or region"));
    assert!(refused(&[&place.table_dir(), "--family", "x"]).contains("table t has no family x"));
    let file = std::fs::read_dir(place.family_dir("a")).unwrap().next().unwrap().unwrap().path();
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[100] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    let message = refused(&[&place.table_dir(), "--major"]);
    assert!(message.contains(file.file_name().unwrap().to_str().unwrap()), "{message}");
    assert_eq!(place.files("a"), 5);
}
