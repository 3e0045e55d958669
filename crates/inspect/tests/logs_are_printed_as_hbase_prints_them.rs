//! The printer of logs on HBase's own logs, beside what HBase 2.5.11's printer said of them
//! (`fixtures/hbase-2.5.11/printed/wal`).

use finback_fs::LocalFileSystem;
use finback_inspect::{
    InspectError, LogState, LogWatcher, LogsVerification, Torn, WalForm, WalPrinter, WalPrinterOptions,
    verify_logs,
};
use jiff::tz::TimeZone;
use std::path::{Path, PathBuf};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/hbase-2.5.11")
}

const CLOSED: &str = "cluster-closed/localhost%2C42809%2C1795253463477.1795253467537";
const META: &str = "cluster-closed/localhost%2C42809%2C1795253463477.meta.1795253467813.meta";
const LIVE: &str = "cluster-live/localhost%2C42809%2C1795253463477.1795253467537";
const RECOVERED: &str = "recovered.edits/0000000000000001299";

fn options() -> WalPrinterOptions {
    WalPrinterOptions { time_zone: Some(TimeZone::UTC), ..WalPrinterOptions::default() }
}

fn printed_to(files: &[PathBuf], options: WalPrinterOptions) -> (String, Result<Option<Torn>, InspectError>) {
    let mut out = Vec::new();
    let mut printer = WalPrinter::new(options, &mut out).unwrap();
    let mut end = Ok(None);
    for file in files {
        end = printer.print(&LocalFileSystem, file);
    }
    if end.is_ok() {
        printer.finish().unwrap();
    }
    (String::from_utf8(out).unwrap(), end)
}

fn printed(files: &[&str], options: WalPrinterOptions) -> String {
    let files: Vec<PathBuf> = files.iter().map(|file| fixtures().join("wals").join(file)).collect();
    let (text, end) = printed_to(&files, options);
    assert_eq!(end.unwrap(), None);
    text
}

#[test]
fn every_line_is_the_same() {
    let (json, only_rows, values) = (WalForm::HBaseJson, true, true);
    let text = |text: &str| Some(text.to_owned());
    for (name, files, options) in [
        ("dict-p", &["dict.wal"][..], WalPrinterOptions { values, ..options() }),
        ("recovered-jp", &[RECOVERED], WalPrinterOptions { form: json, values, ..options() }),
        ("dict-notags-k", &["dict-notags.wal"], WalPrinterOptions { only_rows, ..options() }),
        (
            "dict-value-gz-jk",
            &["dict-value-gz.wal"],
            WalPrinterOptions { form: json, only_rows, ..options() },
        ),
        ("closed-j", &[CLOSED], WalPrinterOptions { form: json, ..options() }),
        ("meta-p", &[META], WalPrinterOptions { values, ..options() }),
        ("meta-j", &[META], WalPrinterOptions { form: json, ..options() }),
        ("live-k", &[LIVE], WalPrinterOptions { only_rows, ..options() }),
        ("two-jk", &[RECOVERED, META], WalPrinterOptions { form: json, only_rows, ..options() }),
        ("row", &["plain.wal"], WalPrinterOptions { row: text("row21"), values, ..options() }),
        (
            "prefix",
            &["dict.wal"],
            WalPrinterOptions { row_prefix: text("row2"), sequence: Some(1001), ..options() },
        ),
        ("goto", &["plain.wal"], WalPrinterOptions { position: 465, only_rows, ..options() }),
        ("goto-dict", &["dict.wal"], WalPrinterOptions { position: 425, only_rows, ..options() }),
        (
            "tables",
            &[CLOSED],
            WalPrinterOptions {
                tables: vec!["hbase:namespace".to_owned(), "ns1:t1".to_owned()],
                only_rows,
                ..options()
            },
        ),
        ("region", &[META, CLOSED], WalPrinterOptions { region: text("1588230740"), ..options() }),
    ] {
        let expected = std::fs::read_to_string(fixtures().join("printed/wal").join(name)).unwrap();
        let expected = expected.strip_suffix("exit 0\n").unwrap();
        let found = printed(files, options);
        for (number, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
            assert_eq!(found, expected, "{name}, line {}", number + 1);
        }
        assert_eq!(found.len(), expected.len(), "{name}");
    }
}

#[test]
fn programs_get_one_object_a_line() {
    let all = printed(&[RECOVERED], WalPrinterOptions { form: WalForm::JsonLines, ..options() });
    assert!(all.lines().count() > 10);
    for line in all.lines() {
        assert!(line.starts_with("{\"sequence\":") && line.ends_with("]}"), "{line}");
    }
    let options = WalPrinterOptions {
        form: WalForm::JsonLines,
        values: true,
        sequence: Some(1001),
        row: Some("row6".to_owned()),
        ..options()
    };
    let line = printed(&["plain.wal"], options);
    let expected = "{\"sequence\":1001,\"table\":\"t1\",\"region\":\"00112233445566778899aabbccddeeff\",\
                    \"write_time_ms\":1700000000003,\"offset\":465,\"end\":800,\"cells\":[{\"row\":\"row6\",\
                    \"family\":\"f\",\"qualifier\":\"qual-357\",\"timestamp\":1690000042028,\"type\":\"Put\",\
                    \"value_length\":23,\"tags\":[\"66:tag5\",\"65:tag8\"],\"value\":\"value 882 xxxxxxxxxxxxx\"}]}\n";
    assert_eq!(line, expected);
}

/// A log without its end, or with a byte that is wrong.
fn spoilt(directory: &Path, name: &str, spoil: impl FnOnce(&mut Vec<u8>)) -> PathBuf {
    let mut bytes = std::fs::read(fixtures().join("wals").join(name)).unwrap();
    spoil(&mut bytes);
    let path = directory.join(name.rsplit('/').next().unwrap());
    std::fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn a_torn_end_and_damage_are_told_apart() {
    let directory = tempfile::tempdir().unwrap();
    let torn = spoilt(directory.path(), LIVE, |bytes| bytes.truncate(bytes.len() - 10));
    let (text, end) = printed_to(&[torn], options());
    let tail = end.unwrap().expect("a torn end");
    assert!(text.ends_with(&format!("position: {}\n", tail.offset)), "{}", tail.offset);
    let whole = printed(&[LIVE], options());
    assert!(whole.starts_with(&text) && whole.len() > text.len());
    // A closed log has a trailer: what cannot be read before it was written, and has gone bad.
    let damaged = spoilt(directory.path(), "plain.wal", |bytes| bytes[465] = 5);
    let (text, end) = printed_to(&[damaged], options());
    let message = end.unwrap_err().to_string();
    assert!(message.contains("plain.wal: corrupt at offset 465"), "{message}");
    assert!(text.ends_with("position: 465\n"));
    // What is behind it can be reached.
    let path = directory.path().join("plain.wal");
    let (behind, end) =
        printed_to(&[path], WalPrinterOptions { position: 800, only_rows: true, ..options() });
    assert!(end.unwrap().is_none() && behind.lines().count() > 100);
    // A compressed log has no entry there.
    let path = fixtures().join("wals/dict.wal");
    let error = printed_to(&[path], WalPrinterOptions { position: 100, ..options() }).1.unwrap_err();
    assert!(error.to_string().contains("no entry begins at offset 100"), "{error}");
}

#[derive(Default)]
struct Told {
    lines: Vec<String>,
    patience: Option<u32>,
}

impl LogWatcher for Told {
    fn progress(&mut self, done: u64, total: u64) -> bool {
        assert!(done <= total);
        let left = self.patience.get_or_insert(u32::MAX);
        *left -= 1;
        *left > 0
    }

    fn log(&mut self, path: &Path, entries: u64, state: &LogState) -> Result<(), InspectError> {
        let name = path.file_name().unwrap().to_str().unwrap();
        self.lines.push(match state {
            LogState::Whole => format!("{name}: whole, {entries}"),
            LogState::Torn(tail) => format!("{name}: torn at {}", tail.offset),
            LogState::Damaged(error) => format!("{name}: {error}"),
        });
        Ok(())
    }
}

fn verified(path: &Path, told: &mut Told) -> LogsVerification {
    verify_logs(&LocalFileSystem, &[path.to_owned()], told).unwrap()
}

#[test]
fn directories_of_logs_are_verified() {
    let mut told = Told::default();
    let sums = verified(&fixtures(), &mut told);
    assert!(sums.files > 10 && sums.torn + sums.damaged == 0 && sums.entries > 1000, "{:#?}", told.lines);
    let directory = tempfile::tempdir().unwrap();
    spoilt(directory.path(), LIVE, |bytes| bytes.truncate(bytes.len() - 10));
    spoilt(directory.path(), "plain.wal", |bytes| bytes[465] = 5);
    spoilt(directory.path(), "dict.wal", |_| {});
    std::fs::write(directory.path().join("readme"), "no log").unwrap();
    let mut told = Told::default();
    let sums = verified(directory.path(), &mut told);
    assert_eq!((sums.files, sums.torn, sums.damaged), (3, 1, 1), "{:#?}", told.lines);
    assert!(told.lines[0].starts_with("dict.wal: whole"), "{:#?}", told.lines);
    let mut told = Told { patience: Some(1), ..Told::default() };
    assert!(verified(directory.path(), &mut told).was_interrupted && told.lines.is_empty());
}
