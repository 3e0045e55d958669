//! The binary as people call it.

use std::process::{Command, Output};

fn finback(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_finback")).args(arguments).output().unwrap()
}

/// Exit code 2, nothing on standard output, and exactly one line on standard error.
fn refused(arguments: &[&str]) -> String {
    let output = finback(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    assert!(output.stdout.is_empty());
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(message.lines().count(), 1, "{message}");
    message
}

#[test]
fn mistakes_are_told_in_one_line() {
    assert!(refused(&["sevrer"]).contains("there is no command \"sevrer\", did you mean server?"));
    assert!(refused(&["server", "--port", "1"]).contains("there is no option \"--port\""));
    assert!(refused(&["server", "-D", "hbase.master.port=x"]).contains("must be a port from 0 to 65535"));
    assert!(refused(&["server", "--config", "/no/such/file"]).contains("cannot read the configuration"));
    let codec = refused(&["server", "-D", "hbase.io.compress.zstd.codec=zstd"]);
    assert!(codec.contains("must be org.apache.hadoop.io.compress.ZStandardCodec, "), "{codec}");
    let unknown = refused(&["server", "-D", "hbase.master.prot=1"]);
    assert!(
        unknown.contains("there is no setting \"hbase.master.prot\" (-D); did you mean hbase.master.port?")
    );
    assert!(
        refused(&["shell", "-D", "hbase.zookeeper.qourum=x"])
            .contains("did you mean hbase.zookeeper.quorum?")
    );
}

/// Statements would wait for it for minutes.
#[test]
fn a_shell_without_a_cluster_says_which_setting_names_it() {
    let output = finback(&["shell", "-D", "hbase.zookeeper.quorum=127.0.0.1:1", "-e", "exit"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && told.starts_with("finback: warning: "), "{told}");
    assert!(told.contains("no ZooKeeper of hbase.zookeeper.quorum answers (127.0.0.1:1: "), "{told}");
}

#[test]
fn a_broken_file_is_refused_with_its_line() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("hbase-site.xml");
    std::fs::write(&file, "<configuration>\n<property>\n</configuration>\n").unwrap();
    let message = refused(&["server", "--config", file.to_str().unwrap()]);
    assert!(message.contains("hbase-site.xml:3: expected <name>"), "{message}");
}

#[test]
fn what_is_wrong_in_a_finback_toml_is_told_with_its_line() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("finback.toml");
    std::fs::write(&file, "[rpc]\nhandlers = \"many\"\n").unwrap();
    let message = refused(&["server", "--config", file.to_str().unwrap()]);
    assert!(message.contains("finback.toml:2): must be a whole number above 0"), "{message}");
}

#[test]
fn help_and_version_go_to_standard_output() {
    let help = finback(&["server", "--help"]);
    assert!(help.status.success() && help.stderr.is_empty());
    let help = String::from_utf8(help.stdout).unwrap();
    assert!(help.contains("listen.zookeeper-port = 2181"));
    assert!(finback(&["--help"]).stdout.starts_with(b"Finback"));
    assert_eq!(finback(&["version"]).stdout, format!("finback {}\n", env!("CARGO_PKG_VERSION")).into_bytes());
}

#[test]
fn every_command_explains_itself() {
    let overview = String::from_utf8(finback(&["help"]).stdout).unwrap();
    let commands = overview.split("commands:\n").nth(1).unwrap().lines().take_while(|line| !line.is_empty());
    let names: Vec<&str> = commands.filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).collect();
    assert!(names.contains(&"server") && names.contains(&"compact"), "{names:?}");
    for name in names.into_iter().filter(|name| !name.is_empty()) {
        let help = finback(&[name, "--help"]);
        assert!(help.status.success() && help.stderr.is_empty(), "{name}");
        assert!(help.stdout.starts_with(format!("finback {name}: ").as_bytes()), "{name}");
        assert_eq!(help.stdout, finback(&["help", name]).stdout);
        assert!(finback(&["man", name]).stdout.starts_with(b".TH FINBACK\\-"), "{name}");
    }
}

#[test]
fn man_pages_are_written_and_a_closed_pipe_is_no_failure() {
    let directory = tempfile::tempdir().unwrap();
    assert!(finback(&["man", "--output", directory.path().to_str().unwrap()]).status.success());
    assert!(
        directory.path().join("finback.1").is_file() && directory.path().join("finback-server.1").is_file()
    );
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let binary = env!("CARGO_BIN_EXE_finback");
    let output = Command::new(binary).args(["server", "--help"]).stdout(writer).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
}
