//! `finback hfile` as people call it.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/hbase-2.5.11")
}

/// Run where the golden files are.
fn hfile(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_finback"));
    command.arg("hfile").args(arguments).current_dir(fixtures().join("hfiles")).output().unwrap()
}

fn said(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_file_is_printed_as_hbase_prints_it_in_every_spelling_of_the_options() {
    let printed = std::fs::read_to_string(fixtures().join("printed/hfile/mob-refs.vpk")).unwrap();
    let expected = printed.strip_suffix("exit 0\n").unwrap();
    let name = "mob-refs.hfile";
    for arguments in [
        &["-vpk", "-f", name][..],
        &["-v", "-p", "-k", name],
        &["-printkv", "-verbose", "-checkrow", "-file", name],
        &["--printkv", "--verbose", "--checkrow", "--file=mob-refs.hfile"],
    ] {
        let output = hfile(arguments);
        assert_eq!(said(&output), (expected.to_owned(), String::new()), "{arguments:?}");
        assert!(output.status.success());
    }
}

#[test]
fn files_may_be_named_as_hadoop_names_them() {
    let path = fixtures().canonicalize().unwrap().join("hfiles/empty.hfile");
    let out = said(&hfile(&["-v", "-f", &format!("file://{}", path.display())])).0;
    assert_eq!(out, format!("Scanning -> file:{}\nScanned kv count -> 0\n", path.display()));
    let refused = hfile(&["-v", "-f", "hdfs://a:9000/hbase/f"]);
    assert!(refused.status.code() == Some(1) && said(&refused).1.contains("only files of this machine"));
}

#[test]
fn a_region_is_found_by_its_name_and_by_its_directory() {
    let root = fixtures().join("split-and-merged");
    let region = "data/ns1/t1/f7638a2682b13d19ae8314e04fbc5f33";
    let by_directory = said(&hfile(&["-v", "-r", root.join(region).to_str().unwrap()])).0;
    assert!(by_directory.starts_with("region dir -> "), "{by_directory}");
    assert!(by_directory.contains("Number of region files found -> 6\n"), "{by_directory}");
    let name = "ns1:t1,anything,1.f7638a2682b13d19ae8314e04fbc5f33.";
    let by_name = said(&hfile(&["-v", "-r", name, "--data", root.to_str().unwrap()])).0;
    assert_eq!(by_name, by_directory);
    let refused = hfile(&["-r", "no region"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(said(&refused).1.contains("is no directory, and no name of a region"), "{refused:?}");
}

#[test]
fn what_is_wrong_has_an_exit_code_and_says_what_to_do() {
    for (arguments, code, message) in [
        (&["-m", "none.hfile"][..], 1, "cannot read none.hfile: No such file"),
        (&["-m", "../wals/plain.wal"], 1, "; it is a log, which finback wal reads"),
        (&["-m", "../semantics.jsonl"], 1, "; it does not begin as a store file does"),
        (&["-p", "."], 1, ". is a directory; finback hfile --verify takes those"),
        (&["-a", "mob-refs.hfile"], 1, "WARNING, filename does not match kv family"),
        (&["-m"], 2, "needs a FILE, or --region REGION; see finback hfile --help"),
        (&["-w"], 2, "--seekToRow needs a value: --seekToRow ROW"),
        (&["-w", "", "mob-refs.hfile"], 2, "--seekToRow needs a row that is not empty"),
        (&["--verfy", "."], 2, "did you mean --verify?"),
    ] {
        let output = hfile(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        assert!(said(&output).1.contains(message), "{arguments:?}: {:?}", said(&output));
    }
}

#[test]
fn a_directory_is_verified_and_damage_is_named() {
    let sound = hfile(&["--verify", "."]);
    assert!(sound.status.success(), "{sound:?}");
    let (out, err) = said(&sound);
    assert!(out.starts_with("57 files, ") && out.ends_with(": all sound\n") && err.is_empty(), "{out}{err}");

    let directory = tempfile::tempdir().unwrap();
    let damaged = directory.path().join("damaged");
    let mut bytes = std::fs::read(fixtures().join("hfiles/plain-none.hfile")).unwrap();
    bytes[5000] ^= 1;
    std::fs::write(&damaged, bytes).unwrap();
    let output = hfile(&["--verify", "-v", "mob-refs.hfile", damaged.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let (out, err) = said(&output);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 3, "{out}{err}");
    assert_eq!(lines[0], "sound mob-refs.hfile: 3 blocks, 20 cells");
    assert!(lines[1].starts_with(&format!("damaged {}: corrupt data block at 4227", damaged.display())));
    assert!(lines[2].starts_with("2 files, ") && lines[2].ends_with(": 1 file damaged"), "{out}");
    assert!(!out.contains('\x1b'), "no colours into a pipe");
}

#[test]
fn a_directory_without_store_files_is_not_called_sound() {
    let directory = tempfile::tempdir().unwrap();
    let output = hfile(&["--verify", directory.path().to_str().unwrap()]);
    assert!(said(&output).0.ends_with(": no store file is there\n"), "{output:?}");
}

#[test]
fn whoever_has_seen_enough_may_close_the_pipe() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = Command::new(env!("CARGO_BIN_EXE_finback"));
    let file = fixtures().join("hfiles/index-4level-gz.hfile");
    let output = command.args(["hfile", "-p"]).arg(file).stdout(writer).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

#[test]
fn ctrl_c_ends_a_verification_with_what_it_has_found() {
    /// More than can be done before the signal comes.
    const FILES: usize = 20_000;
    let mut command = Command::new(env!("CARGO_BIN_EXE_finback"));
    command.args(["hfile", "--verify", "-v"]).args(vec!["plain-none.hfile"; FILES]);
    let mut child = command.current_dir(fixtures().join("hfiles")).stdout(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    assert_eq!(line, "sound plain-none.hfile: 18 blocks, 900 cells\n");
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(rest.ends_with(": interrupted before the end\n"), "{}", rest.lines().last().unwrap());
    assert!(rest.lines().count() < FILES);
}
