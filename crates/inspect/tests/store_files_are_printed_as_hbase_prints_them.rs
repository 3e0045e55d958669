//! The printer of store files on HBase's own files, beside what HBase 2.5.11's printer said of them
//! (`fixtures/hbase-2.5.11/printed/hfile`: the name of the file, then the options).

use finback_fs::{FileSystem, LocalFileSystem};
use finback_inspect::{HFilePrinter, HFilePrinterOptions, MobFiles};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/hbase-2.5.11")
}

fn options(letters: &str) -> HFilePrinterOptions {
    let has = |letter| letters.contains(letter);
    HFilePrinterOptions {
        verbose: has('v'),
        keys: has('e') || has('p'),
        values: has('p'),
        meta: has('m'),
        block_index: has('b'),
        block_headers: has('h'),
        statistics: has('s') || has('d'),
        ranges: has('d'),
        check_rows: has('k'),
        check_families: has('a'),
        ..HFilePrinterOptions::default()
    }
}

/// What is printed to standard output and to standard error, of a file that is called by its name alone.
fn printed(name: &str, options: HFilePrinterOptions) -> (String, String) {
    let file = LocalFileSystem.open(&fixtures().join("hfiles").join(name)).unwrap();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut printer = HFilePrinter::new(options, &mut out, &mut err);
    printer.print(file, Path::new(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    printer.finish().unwrap();
    (String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

/// Without the identities of Java's objects, and what is behind the exit code.
fn without_identities(text: &str) -> String {
    let mut rest = text.split("\nexit ").next().unwrap();
    let mut plain = String::new();
    while let Some((before, after)) =
        rest.split_once("Impl@").or_else(|| rest.split_once("MetaCellComparator@"))
    {
        plain.push_str(before);
        plain.push_str(if rest[before.len()..].starts_with("Impl") { "Impl" } else { "MetaCellComparator" });
        rest = after.trim_start_matches(|c: char| c.is_ascii_hexdigit());
    }
    plain + rest + "\n"
}

#[test]
fn every_line_is_the_same() {
    let directory = fixtures().join("printed/hfile");
    let mut compared = 0;
    for entry in std::fs::read_dir(&directory).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        let (file, letters) = name.rsplit_once('.').unwrap();
        let expected = without_identities(&std::fs::read_to_string(entry.path()).unwrap());
        let (found, warnings) = printed(&format!("{file}.hfile"), options(letters));
        for (number, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
            assert_eq!(found, expected, "{name}, line {}", number + 1);
        }
        assert_eq!(found.len(), expected.len(), "{name}");
        assert_eq!(warnings, "", "{name}");
        compared += 1;
    }
    assert!(compared > 150, "{compared}");
}

#[test]
fn one_row_is_found_and_no_other() {
    let row = |row: &str| {
        let options = HFilePrinterOptions { row: Some(row.into()), ..options("vp") };
        printed("index-3level.hfile", options).0
    };
    let found = row("k001428");
    assert!(found.starts_with("Scanning -> index-3level.hfile\nK: k001428/cf:q/"), "{found}");
    assert!(found.ends_with("Scanned kv count -> 1\n"), "{found}");
    for no_row in ["a", "k0014285", "zzz"] {
        assert_eq!(row(no_row), "Scanning -> index-3level.hfile\nScanned kv count -> 0\n");
    }
}

#[test]
fn cells_of_another_family_than_the_path_has_are_told() {
    let (out, err) = printed("empty.hfile", options("a"));
    assert_eq!((out.as_str(), err.as_str()), ("", ""));
    let (_, err) = printed("mob-refs.hfile", options("ka"));
    let expected = "WARNING, filename does not match kv family,\n\tfilename -> mob-refs.hfile\n\tkeyvalue -> \
                    mob000/cf:q/1700000000000/Put/vlen=109/seqid=50\n";
    assert!(err.starts_with(expected), "{err}");
    assert_eq!(err.matches("WARNING").count(), 20);
}

#[test]
fn files_of_large_values_that_are_missing_are_told() {
    let root = tempfile::tempdir().unwrap();
    let fs: Arc<dyn FileSystem> = Arc::new(LocalFileSystem);
    let check = || {
        let mob_files = Some(MobFiles::new(Arc::clone(&fs), root.path()));
        printed("mob-refs.hfile", HFilePrinterOptions { mob_files, ..HFilePrinterOptions::default() }).1
    };
    let name = "d41d8cd98f00b204e9800998ecf8427e202311140123456789abcdef0123456789abcdef_c3a4f2f1d0e94b5a8a7b6c5d4e3f2a1b";
    let expected = format!(
        "ERROR, the mob file [{name}] is missing referenced by cell mob000/cf:q/1700000000000/Put/vlen=109/seqid=50\n"
    );
    let missing = check();
    assert!(missing.starts_with(&expected), "{missing}");
    assert_eq!(missing.lines().count(), 20);
    // Where HBase keeps them.
    let region = "03213a759f289fd9f5cc1e065de53755";
    let directory = root.path().join("mobdir/data/default/fixtures").join(region).join("cf");
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(directory.join(name), b"").unwrap();
    assert_eq!(check(), "");
}

#[test]
fn a_damaged_file_ends_in_an_error_that_names_it() {
    let path = fixtures().join("hfiles/plain-none.hfile");
    let mut bytes = std::fs::read(path).unwrap();
    bytes[100] ^= 1;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("damaged");
    std::fs::write(&path, bytes).unwrap();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut printer = HFilePrinter::new(options("e"), &mut out, &mut err);
    let error = printer.print(LocalFileSystem.open(&path).unwrap(), &path).unwrap_err().to_string();
    assert!(error.contains("damaged: corrupt data block at 0"), "{error}");
}
