#![allow(dead_code)] // each test uses a part
//! A root directory with a table, made by hand: its hbase:meta is one file and one log.

use finback_cell::cell::CellParts;
use finback_cell::{
    Bytes, Cell, CellBlockBuilder, CellOrder, CellType, ColumnFamilyDescriptor, RegionInfo, TableDescriptor,
    TableName,
};
use finback_fs::{FileSystem, LocalFileSystem};
use finback_hfile::testing::write_rows;
use finback_hfile::{HFileWriter, WriterOptions};
use finback_inspect::{
    CheckOptions, CheckReport, CheckWatcher, Finding, InspectError, Losses, Repair, RepairWatcher,
    check_directory, repair_directory,
};
use finback_layout::RootDir;
use finback_proto::{pb, pbuf};
use finback_wal::{KeyFields, WalFileWriter};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Name of the one store file of each region.
pub(crate) const FILE: &str = "0123456789abcdef0123456789abcdef";
const SERVER: &str = "h,1,1";

/// A row, a qualifier, a value; none where the column is deleted.
pub(crate) type Edit = (Vec<u8>, &'static str, Option<Vec<u8>>);

pub(crate) struct Root {
    pub(crate) directory: tempfile::TempDir,
    pub(crate) table: TableDescriptor,
    pub(crate) regions: Vec<RegionInfo>,
}

impl Root {
    /// A table of three regions, `-b`, `b-m` and `m-`; each has a file with a row of its own.
    pub(crate) fn new() -> Self {
        Self::with_family(ColumnFamilyDescriptor::with_defaults(b"f"))
    }

    pub(crate) fn with_family(family: ColumnFamilyDescriptor) -> Self {
        let name = TableName::parse(b"t").unwrap();
        let key = |text: &'static str| Bytes::from_static(text.as_bytes());
        let regions = [("", "b"), ("b", "m"), ("m", "")]
            .map(|(start, end)| RegionInfo::new(name.clone(), key(start), key(end), 1_700_000_000_000));
        let table = TableDescriptor { families: vec![family], ..TableDescriptor::new(name) };
        let root = Self { directory: tempfile::tempdir().unwrap(), table, regions: regions.to_vec() };
        let dir = root.dir();
        let families = ["info", "table"].map(|name| ColumnFamilyDescriptor::with_defaults(name.as_bytes()));
        let meta = TableDescriptor { families: families.to_vec(), ..TableDescriptor::new(TableName::meta()) };
        dir.initialize_with_meta(&meta).unwrap();
        dir.create_table_dir(&root.table, &root.regions).unwrap();
        for (number, region) in root.regions.iter().enumerate() {
            let row = [b'a', b'c', b'n'][number];
            root.write_file(region, u32::from_be_bytes([row, 0, 0, 0]));
        }
        let state = (b"t".to_vec(), "table:state", Some(vec![8, 0]));
        let mut edits = vec![state];
        edits.extend(root.regions.iter().flat_map(|region| region_edits(region, "OPEN")));
        root.write_meta(edits);
        root
    }

    pub(crate) fn dir(&self) -> RootDir {
        let fs: Arc<dyn FileSystem> = Arc::new(LocalFileSystem);
        RootDir::new(fs, self.directory.path())
    }

    pub(crate) fn region_dir(&self, number: usize) -> PathBuf {
        self.dir().region_dir(&self.table.name, &self.regions[number].encoded_name())
    }

    pub(crate) fn family_dir(&self, number: usize) -> PathBuf {
        self.region_dir(number).join("f")
    }

    fn write_file(&self, region: &RegionInfo, row: u32) {
        let directory = self.dir().family_dir(&self.table.name, &region.encoded_name(), b"f");
        write_rows(&LocalFileSystem, &directory.join(FILE), WriterOptions::default(), [row], b"value");
    }

    /// Writes a store file of each family of hbase:meta.
    fn write_meta(&self, edits: Vec<Edit>) {
        let dir = self.dir();
        for family in ["info", "table"] {
            let mut cells: Vec<Vec<u8>> = edits
                .iter()
                .filter(|(_, column, _)| column.starts_with(family))
                .map(|(row, column, value)| cell(row, column, value.as_deref(), 10))
                .collect();
            cells.sort_by(|a, b| CellOrder::Meta.compare(&Cell::parse(a).unwrap(), &Cell::parse(b).unwrap()));
            let directory = dir.family_dir(&TableName::meta(), "1588230740", family.as_bytes());
            std::fs::create_dir_all(&directory).unwrap();
            let path = directory.join(FILE);
            let options = WriterOptions { order: CellOrder::Meta, ..WriterOptions::default() };
            let mut writer =
                HFileWriter::new(LocalFileSystem.create_new(&path).unwrap(), &path, options).unwrap();
            cells.iter().for_each(|cell| writer.append(&Cell::parse(cell).unwrap(), 1).unwrap());
            writer.finish(10).unwrap();
        }
    }

    /// Writes edits of hbase:meta to a log: what came after the files.
    pub(crate) fn log_meta(&self, edits: Vec<Edit>) {
        let directory = self.directory.path().join("WALs").join(SERVER);
        std::fs::create_dir_all(&directory).unwrap();
        let path = directory.join("h%2C1%2C1.meta.5.meta");
        let mut writer = WalFileWriter::create(&LocalFileSystem, &path, None).unwrap();
        for (sequence_id, (row, column, value)) in (11..).zip(&edits) {
            let mut cells = CellBlockBuilder::default();
            let bytes = cell(row, column, value.as_deref(), 20);
            cells.push(&Cell::parse(&bytes).unwrap());
            let key = KeyFields {
                region: b"1588230740",
                table: b"hbase:meta",
                sequence_id,
                write_time_ms: 1,
                cell_count: 1,
                nonce_group: 0,
                nonce: 0,
            };
            writer.gather(&key, cells.finish().bytes()).unwrap();
        }
        writer.write().unwrap();
        writer.close().unwrap();
    }

    pub(crate) fn check(&self) -> CheckReport {
        self.check_by(true)
    }

    pub(crate) fn check_by(&self, verifies_files: bool) -> CheckReport {
        check_directory(&self.dir(), CheckOptions { verifies_files }, &mut Silent).unwrap()
    }

    /// The kinds of what is found, with the last part of its path.
    pub(crate) fn found(&self) -> Vec<String> {
        found_in(&self.check())
    }

    /// Repairs all that can be repaired without loss.
    pub(crate) fn repair(&self) -> usize {
        self.repair_with(Losses::Refused)
    }

    pub(crate) fn repair_with(&self, losses: Losses) -> usize {
        let mut repaired = Counted(0);
        repair_directory(&self.dir(), &self.check(), "run", losses, &mut repaired).unwrap();
        repaired.0
    }

    /// What was moved aside.
    pub(crate) fn aside(&self, path: &std::path::Path) -> PathBuf {
        let below = path.strip_prefix(self.directory.path()).unwrap();
        self.directory.path().join(".hbck/run").join(below)
    }
}

pub(crate) fn found_in(report: &CheckReport) -> Vec<String> {
    let name = |finding: &Finding| finding.path.file_name().unwrap().to_string_lossy().into_owned();
    report.findings.iter().map(|finding| format!("{} {}", finding.kind.name(), name(finding))).collect()
}

/// What hbase:meta has of a region.
pub(crate) fn region_edits(region: &RegionInfo, state: &str) -> Vec<Edit> {
    let name = region.name().to_vec();
    let info = pbuf::encode(&pb::RegionInfo::from(region));
    vec![(name.clone(), "info:regioninfo", Some(info)), (name, "info:state", Some(state.as_bytes().to_vec()))]
}

/// The deletion of a region's columns.
pub(crate) fn region_gone(region: &RegionInfo) -> Vec<Edit> {
    region_edits(region, "OPEN").into_iter().map(|(row, column, _)| (row, column, None)).collect()
}

fn cell(row: &[u8], column: &str, value: Option<&[u8]>, timestamp: i64) -> Vec<u8> {
    let (family, qualifier) = column.split_once(':').unwrap();
    let cell_type = if value.is_some() { CellType::Put } else { CellType::DeleteColumn };
    CellParts {
        row,
        family: family.as_bytes(),
        qualifier: qualifier.as_bytes(),
        timestamp,
        type_code: cell_type.code(),
        value: value.unwrap_or_default(),
        tags: &[],
    }
    .to_vec()
}

/// Counts repairs.
pub(crate) struct Counted(pub(crate) usize);

impl RepairWatcher for Counted {
    fn progress(&mut self, _: &Path, done: u64, total: u64) -> bool {
        assert!(done <= total);
        true
    }

    fn repaired(&mut self, _: &Repair) -> Result<(), InspectError> {
        self.0 += 1;
        Ok(())
    }
}

pub(crate) struct Silent;

impl CheckWatcher for Silent {
    fn progress(&mut self, _: &str, done: u64, total: u64) -> bool {
        assert!(done <= total);
        true
    }

    fn finding(&mut self, finding: &Finding) -> Result<(), InspectError> {
        assert!(!finding.message.is_empty());
        Ok(())
    }
}
