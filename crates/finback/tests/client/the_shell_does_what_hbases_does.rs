use crate::cluster::Cluster;
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

/// The server that is asked, with these settings if it is one of our own.
fn asked(settings: &[&str]) -> (Runtime, Cluster) {
    let runtime = Runtime::new().unwrap();
    let cluster = runtime.block_on(Cluster::start_with(settings));
    (runtime, cluster)
}

/// Runs the binary's shell, with these options and this standard input.
fn shell(zookeeper: &str, options: &[&str], input: &str) -> Output {
    let mut shell = Command::new(env!("CARGO_BIN_EXE_finback"))
        .args(["shell", "-D", &format!("hbase.zookeeper.quorum={zookeeper}")])
        .args(options)
        .env("TZ", "UTC")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    shell.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    shell.wait_with_output().unwrap()
}

/// Standard output, without the lines that say how long something took.
fn said(output: &Output) -> String {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with("Took "));
    lines.map(|line| format!("{line}\n")).collect()
}

const SCRIPT: &str = r#"
# rows
create 'flowers', {NAME => 'f', VERSIONS => 3},
  SPLITS => ['m']
put 'flowers', 'rose', 'f:colour', 'red', 1700000000123
put 'flowers', 'rose', 'f:colour', 'pink', 1700000001000
put 'flowers', "\x00key", 'f:colour', "\xff", 1700000000000
incr 'flowers', 'rose', 'f:petals', 5
append 'flowers', 'rose', 'f:colour', '!'; get_counter 'flowers', 'rose', 'f:petals'
delete 'flowers', 'rose', 'f:colour'
get 'flowers', 'rose', {COLUMN => 'f:colour', VERSIONS => 3}
get 'flowers', 'rose', 'f:petals:toLong', 'f:colour'
scan 'flowers', {FILTER => "ValueFilter(=, 'binary:red')", VERSIONS => 3}
scan 'flowers', {COLUMNS => 'f:colour', REVERSED => true, LIMIT => 1}
scan 'flowers', {ROWPREFIXFILTER => "\x00"}
count 'flowers', INTERVAL => 1
get_splits 'flowers'
list
exists 'weeds'
t = get_table 'flowers'
t.deleteall 'rose'
t.count
"#;

#[test]
fn rows_are_written_and_shown() {
    let (_runtime, cluster) = asked(&[]);
    let zookeeper = &cluster.quorum;
    let output = shell(zookeeper, &["-n"], SCRIPT);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = said(&output);
    let (petals, said): (Vec<&str>, Vec<&str>) = said.lines().partition(|line| line.starts_with(" f:petals"));
    assert!(petals.len() == 1 && petals[0].ends_with(", value=5"), "{petals:?}");
    let wanted = r#"Created table flowers
=> Hbase::Table - flowers
COUNTER VALUE = 5
CURRENT VALUE = pink!
COUNTER VALUE = 5
COLUMN  CELL
 f:colour timestamp=2023-11-14T22:13:21, value=pink
 f:colour timestamp=2023-11-14T22:13:20.123, value=red
1 row(s)
COLUMN  CELL
 f:colour timestamp=2023-11-14T22:13:21, value=pink
1 row(s)
ROW  COLUMN+CELL
 rose column=f:colour, timestamp=2023-11-14T22:13:20.123, value=red
1 row(s)
ROW  COLUMN+CELL
 rose column=f:colour, timestamp=2023-11-14T22:13:21, value=pink
1 row(s)
ROW  COLUMN+CELL
 \x00key column=f:colour, timestamp=2023-11-14T22:13:20, value=\xFF
1 row(s)
Current count: 1, row: \x00key
Current count: 2, row: rose
2 row(s)
=> 2
Total number of splits = 2
m
=> ["m"]
TABLE
flowers
1 row(s)
=> ["flowers"]
Table weeds does not exist
=> false
=> Hbase::Table - flowers
1 row(s)
=> 1"#;
    assert_eq!(said.join("\n"), wanted);
}

#[test]
fn tables_are_changed_and_failures_told() {
    let (_runtime, cluster) = asked(&[]);
    let zookeeper = &cluster.quorum;
    let run = |text: &str| shell(zookeeper, &["-e", text], "");
    let told = |text: &str| {
        let output = run(text);
        assert_eq!(output.status.code(), Some(1), "{text}");
        String::from_utf8(output.stderr).unwrap()
    };
    let changes = "create 't', 'f'; alter 't', {NAME => 'g', VERSIONS => 2, TTL => '1 DAY'}, MAX_FILESIZE => '1 GB'; \
                   describe 't'; alter 't', 'delete' => 'f'; disable 't'; is_enabled 't'";
    let output = said(&run(changes));
    for wanted in [
        "1/1 regions updated.\nDone.\n",
        "Table t is ENABLED\nt, {TABLE_ATTRIBUTES => {MAX_FILESIZE => '1073741824 B (1GB)'",
        "{NAME => 'g', INDEX_BLOCK_ENCODING => 'NONE', VERSIONS => '2'",
        "TTL => '86400 SECONDS (1 DAY)'",
        "2 row(s)\nQuota is disabled\n",
        "false\n=> false\n",
    ] {
        assert!(output.contains(wanted), "{wanted}: {output}");
    }
    assert!(told("scan 't'").contains("Table t is disabled!"));
    assert!(told("put 'no', 'r', 'f:q', 'v'").contains("Unknown table no!"));
    assert!(told("enable 't'; drop 't'").contains("Table t is enabled. Disable it first."));
    assert!(told("get 't'").contains("wrong number of arguments (given 1, expected 2+)"));
    assert!(told("list.each do |t|").contains("not Ruby"));
    // What the server has not got, it refuses itself.
    for (statement, refusal) in [
        ("add_peer '1', CLUSTER_KEY => '127.0.0.1:1:/hbase'", "AddReplicationPeer"),
        ("list_rsgroups", "ExecMasterService"),
        ("grant 'bob', 'RW'", "DISABLED: Security features are not available"),
        ("add_labels 'secret'", "DISABLED: Visibility labels feature is not available"),
        // Of what is not there, nothing is done, and that is told.
        ("flush 'no'", "Unknown table no!"),
        ("compact 'no'", "Unknown table no!"),
        ("split 'no'", "Unknown table no!"),
        ("compaction_state 'no'", "Unknown table no!"),
        ("clear_block_cache 'no'", "Unknown table no!"),
        ("wal_roll 'no,1,2'", "there is no server no,1,2; list_liveservers lists them"),
        ("transit_peer_sync_replication_state '1', 'ACTIVE'", "is not there: "),
    ] {
        let told = told(statement);
        assert!(told.contains(refusal), "{statement}: {told}");
    }
    // An HBase without quotas says so; a Finback has not got them.
    let quota = told("set_quota TYPE => THROTTLE, USER => 'u', LIMIT => '10req/sec'");
    assert!(quota.contains("SetQuota at ") || quota.contains("Quota Support disabled"), "{quota}");
    assert!(told("sacn 't'").contains("undefined local variable or method 'sacn'"));

    // Without quotas there are none to list.
    assert!(said(&run("list_quotas")).ends_with("OWNER  QUOTAS\n0 row(s)\n"));

    // At a terminal, and on standard input without -n, the next statement follows.
    let goes_on = shell(zookeeper, &[], "drop 'no'\nexists 't'\nexit 7\nlist\n");
    let output = said(&goes_on);
    assert!(output.contains("ERROR: Table no does not exist.\n\nFor usage try 'help \"drop\"'"), "{output}");
    assert!(output.contains("Table t does exist") && !output.contains("TABLE"), "{output}");
    assert_eq!(goes_on.status.code(), Some(7));
    // The server tells its regions with its next report.
    let mut general = String::new();
    for _ in 0..100 {
        general = said(&run(
            "status; status 'simple'; status 'detailed'; version; whoami; help 'scan'; list_namespace",
        ));
        if general.contains("\"hbase:meta,,1\"") {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    for wanted in [
        " 0 backup masters, 1 servers, 0 dead, ",
        "Aggregate load: ",
        "\"hbase:meta,,1\"",
        "hbase> scan 't1'",
        "NAMESPACE\ndefault\nhbase\n2 row(s)",
    ] {
        assert!(general.contains(wanted), "{wanted}: {general}");
    }
}

/// Runs a script of commands unchanged, and looks for what its lines `#=> text` want, in their order.
fn run_script(zookeeper: &str, name: &str) {
    let directory = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/scripts"));
    let script = std::fs::read_to_string(directory.join(name)).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_finback"))
        .args(["shell", "-n", "-D", &format!("hbase.zookeeper.quorum={zookeeper}"), name])
        .current_dir(directory)
        .env("TZ", "UTC")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = said(&output);
    assert!(output.status.success(), "{name}: {}\n{said}", String::from_utf8_lossy(&output.stderr));
    let mut rest = said.as_str();
    for wanted in script.lines().filter_map(|line| line.strip_prefix("#=> ")) {
        let at = rest.find(wanted).unwrap_or_else(|| panic!("{name}: {wanted:?} is not in {rest}"));
        rest = &rest[at + wanted.len()..];
    }
}

#[test]
fn scripts_of_rows_filters_and_versions_run_unchanged() {
    let (_runtime, cluster) = asked(&[]);
    let zookeeper = &cluster.quorum;
    for script in ["quick_start.txt", "exercises.txt", "filters.txt", "versions.txt"] {
        run_script(zookeeper, script);
    }
    // The HBase of these tests has no web page.
    if cluster.is_our_own() {
        run_script(zookeeper, "tasks.txt");
    }
}

#[test]
fn scripts_of_tables_namespaces_and_snapshots_run_unchanged() {
    let (_runtime, cluster) = asked(&[]);
    let zookeeper = &cluster.quorum;
    for script in ["tables.txt", "namespaces_and_snapshots.txt"] {
        run_script(zookeeper, script);
    }
}

#[test]
fn scripts_of_schemas_and_administration_run_unchanged() {
    // With the split policy that servers have if nobody says otherwise.
    const POLICY: &str = "org.apache.hadoop.hbase.regionserver.SteppingSplitPolicy";
    let (_runtime, cluster) = asked(&[&format!("hbase.regionserver.region.split.policy={POLICY}")]);
    let zookeeper = &cluster.quorum;
    for script in ["administration.txt", "schemas.txt"] {
        run_script(zookeeper, script);
    }
    // Regions are merged by their encoded names.
    let listed = said(&shell(zookeeper, &["-e", "list_regions 't6', {}, ['REGION_NAME']"], ""));
    let mut names: Vec<&str> =
        listed.split(|c: char| !c.is_ascii_hexdigit()).filter(|word| word.len() == 32).collect();
    // Those that their server has not reported yet are named before the table, in the same order.
    let regions = names.len() - 5;
    names.drain(..regions);
    assert_eq!(names.len(), 5, "{listed}");
    let merge = format!(
        "merge_region '{}', '{}'\nmerge_region ['{}', '{}'], true\n",
        names[0], names[1], names[2], names[3]
    );
    let output = shell(zookeeper, &["-n"], &merge);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let splits = said(&shell(zookeeper, &["-e", "get_splits 't6'"], ""));
    assert_eq!(splits, "Total number of splits = 3\n20\n40\n=> [\"20\", \"40\"]\n");
}

#[test]
fn scripts_end_with_what_fails_and_what_needs_ruby() {
    let (_runtime, cluster) = asked(&[]);
    let zookeeper = &cluster.quorum;
    let ended = |options: &[&str], input: &str| {
        let output = shell(zookeeper, options, input);
        (output.status.code(), said(&output), String::from_utf8(output.stderr).unwrap())
    };
    let (code, output, _) = ended(&["-n"], "exists 'test'\n");
    assert_eq!((code, output.as_str()), (Some(0), "Table test does not exist\n=> false\n"));
    let (code, output, error) = ended(&["-n"], "describe 'test'\nlist\n");
    assert_eq!((code, output.as_str()), (Some(1), ""));
    assert!(error.contains("Table test does not exist."), "{error}");
    assert_eq!(ended(&["-n"], "exit 3\nlist\n").0, Some(3));

    // The place is that in the script.
    let script = "list\n\n# all of them\ntables = list('t.*')\ntables.each do |t|\n  drop t\nend\n";
    let (code, _, error) = ended(&["-n"], script);
    assert_eq!(code, Some(1));
    assert!(
        error.contains("line 5, column 16: this shell is not Ruby: it has no blocks. Write the"),
        "{error}"
    );
    let (_, _, error) = ended(&["-n"], "list\n list.size\n");
    assert!(
        error.contains("line 2, column 2: this shell is not Ruby: it has no methods of values."),
        "{error}"
    );
    let (_, _, error) = ended(&["-n"], "list\ncreate 't' 5\n");
    assert!(error.contains("syntax error at line 2, column 12"), "{error}");

    // Not even a shell that goes on after failures runs what may be the body of a loop.
    let (code, output, error) = ended(&[], "list 'x'\nif exists 'test'\n  create 'test', 'f'\nend\n");
    assert_eq!((code, output.contains("Created")), (Some(1), false), "{output}");
    assert!(
        output.contains("0 row(s)") && error.contains("line 2, column 1: this shell is not Ruby"),
        "{error}"
    );

    // A line that can be no more than itself is told, and passed over.
    let (code, output, _) = ended(&[], "puts 'done'\nexists 'test'\n");
    assert_eq!(code, Some(0));
    assert!(output.contains("ERROR: line 1, column 1: this shell is not Ruby"), "{output}");
    assert!(output.ends_with("Table test does not exist\n=> false\n"), "{output}");

    // What a server says is told as it is for `debug`.
    assert!(ended(&["-n"], "scan 'no'").2.contains("Unknown table no!"));
    let (_, output, error) = ended(&["-n"], "debug\nscan 'no'\n");
    assert!(output.starts_with("Debug mode is ON\n") && error.contains("TableNotFoundException"), "{error}");
    assert!(ended(&["-n", "-d"], "scan 'no'").2.contains("TableNotFoundException"));
    // Text that was copied from print.
    let (_, _, error) = ended(&["-n"], "list \u{2018}t\u{2019}\n");
    assert!(error.contains("\u{2018} is a quote of print: write ' or \" around text"), "{error}");
    // A table explains a command.
    let (_, output, _) = ended(&["-n"], "create 't', 'f'\nt = get_table 't'\nt.help 'scan'\n");
    assert!(output.contains("hbase> scan 't1', {RAW => true, VERSIONS => 10}"), "{output}");
}

#[test]
fn ctrl_c_ends_a_shell_that_waits_for_the_next_statement_of_a_script() {
    let (_runtime, cluster) = asked(&[]);
    let mut shell = Command::new(env!("CARGO_BIN_EXE_finback"))
        .args(["shell", "-D", &format!("hbase.zookeeper.quorum={}", cluster.quorum)])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut script = shell.stdin.take().unwrap();
    script.write_all(b"version\n").unwrap();
    // It is read to the end: who says something to nobody ends by that.
    let mut said = BufReader::new(shell.stdout.take().unwrap());
    assert!((&mut said).lines().any(|line| line.unwrap().starts_with("Took ")));
    let since = Instant::now();
    let ended = loop {
        // The first one may come before the statement has ended.
        kill_process(Pid::from_child(&shell), Signal::INT).unwrap();
        if let Some(ended) = shell.try_wait().unwrap() {
            break ended;
        }
        if since.elapsed() > Duration::from_secs(30) {
            shell.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(ended.code(), Some(130));
}
