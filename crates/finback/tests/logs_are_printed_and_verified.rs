//! `finback wal` as people call it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const LIVE: &str = "cluster-live/localhost%2C42809%2C1795253463477.1795253467537";

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/hbase-2.5.11")
}

/// Run where the golden logs are, in the time zone in which HBase printed them.
fn wal(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_finback"));
    let command = command.arg("wal").args(arguments).env("TZ", "UTC");
    command.current_dir(fixtures().join("wals")).output().unwrap()
}

fn said(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_log_is_printed_as_hbase_prints_it_in_every_spelling_of_the_options() {
    let golden = |name: &str| {
        let printed = std::fs::read_to_string(fixtures().join("printed/wal").join(name)).unwrap();
        printed.strip_suffix("exit 0\n").unwrap().to_owned()
    };
    for (name, arguments) in [
        ("dict-p", &["-p", "dict.wal"][..]),
        ("row", &["-printvals", "-row", "row21", "plain.wal"]),
        ("prefix", &["--rowPrefix=row2", "--sequence=1001", "dict.wal"]),
        ("goto-dict", &["-kg425", "dict.wal"]),
        ("recovered-jp", &["-jp", "recovered.edits/0000000000000001299"]),
    ] {
        let output = wal(arguments);
        assert_eq!(said(&output), (golden(name), String::new()), "{arguments:?}");
        assert!(output.status.success());
    }
}

#[test]
fn what_makes_no_sense_is_answered() {
    for (arguments, code, message) in [
        (&["no.wal"][..], 1, "cannot read no.wal: No such file"),
        (&["."], 1, ". is a directory; finback wal --verify takes those"),
        (&["../hfiles/empty.hfile"], 1, "expected the magic PWAL"),
        (&["-s", "x", "plain.wal"], 2, "--sequence cannot be \"x\": it takes a sequence id"),
        (&["-w", "a", "-f", "b", "plain.wal"], 2, "--row and --rowPrefix do not go together"),
        (&["-j", "--jsonl", "plain.wal"], 2, "--json and --jsonl do not go together"),
        (&["../hfiles/plain-none.hfile"], 1, "; it is a store file, which finback hfile reads"),
        (&["../semantics.jsonl"], 1, "; it does not begin as a log does"),
        (&[], 2, "finback wal needs FILE"),
    ] {
        let output = wal(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        assert!(said(&output).1.contains(message), "{arguments:?}: {:?}", said(&output));
    }
}

#[test]
fn logs_are_verified_and_torn_ends_are_told_from_damage() {
    let output = wal(&["--verify", "."]);
    let (out, err) = said(&output);
    assert!(output.status.success() && err.is_empty(), "{out}{err}");
    assert!(out.starts_with("10 logs, ") && out.ends_with(": all sound\n"), "{out}");

    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().to_str().unwrap();
    assert!(said(&wal(&["--verify", place])).0.ends_with(": no log is there\n"));
    let mut bytes = std::fs::read(fixtures().join("wals").join(LIVE)).unwrap();
    bytes.truncate(bytes.len() - 10);
    std::fs::write(directory.path().join("torn"), bytes).unwrap();
    let output = wal(&["--verify", place, "plain.wal"]);
    assert_eq!(output.status.code(), Some(3));
    let (out, _) = said(&output);
    assert!(out.starts_with(&format!("torn {place}/torn: 259 bytes at offset 54424: ")), "{out}");
    assert!(out.ends_with(": 1 log with a torn end\n"), "{out}");
    // Printed, it is no failure: HBase's printer says nothing of it.
    let printed = wal(&["-k", &format!("{place}/torn")]);
    assert!(
        printed.status.success() && said(&printed).1.contains("the end is torn, 259 bytes at offset 54424")
    );

    let mut bytes = std::fs::read(fixtures().join("wals/plain.wal")).unwrap();
    bytes[465] = 5;
    std::fs::write(directory.path().join("damaged"), bytes).unwrap();
    let output = wal(&["--verify", "-v", place, "plain.wal"]);
    assert_eq!(output.status.code(), Some(1));
    let (out, _) = said(&output);
    assert!(out.contains(&format!("damaged {place}/damaged: corrupt at offset 465")), "{out}");
    assert!(out.contains("sound plain.wal: 400 entries\n"), "{out}");
    assert!(out.ends_with(": 1 log damaged, 1 log with a torn end\n"), "{out}");
    let printed = wal(&[&format!("{place}/damaged")]);
    assert_eq!(printed.status.code(), Some(1));
    assert!(said(&printed).0.ends_with("position: 465\n"));
}
