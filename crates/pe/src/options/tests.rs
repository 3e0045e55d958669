use super::*;
use crate::command::{COMMANDS, PeCommand};
use std::collections::HashSet;

fn options(command: &str, clients: u32, given: &[(&str, &str)]) -> Result<Options> {
    let mut options = Options::new(PeCommand::find(command).unwrap());
    options.set_clients(clients)?;
    given.iter().try_for_each(|(name, value)| options.set(name, value))?;
    options.check()?;
    Ok(options)
}

fn extent(command: &str, clients: u32, given: &[(&str, &str)]) -> (u64, u64) {
    let extent = options(command, clients, given).unwrap().extent();
    (extent.of_client, extent.total)
}

/// What HBase's TestPerformanceEvaluation expects of the same options.
#[test]
fn rows_and_sizes_go_together_as_in_hbase() {
    assert_eq!(extent("randomWrite", 1, &[]), (1_048_576, 1_048_576));
    assert_eq!(extent("randomWrite", 10, &[("rows", "10")]), (10, 100));
    assert_eq!(extent("randomRead", 10, &[("size", "10")]), (1_048_576, 10_485_760));
    assert_eq!(extent("randomRead", 1, &[("size", "10"), ("rows", "100")]), (100, 10_485_760));
    assert_eq!(extent("sequentialRead", 1, &[("size", "10"), ("rows", "100")]), (10_485_760, 10_485_760));
    assert_eq!(extent("randomRead", 1, &[("size", "2"), ("valueRandom", "")]), (4_194_304, 4_194_304));
}

#[test]
fn every_option_of_the_table_is_known_and_no_other() {
    let mut names = HashSet::new();
    for option in OPTIONS {
        assert!(names.insert(option.name), "{}", option.name);
        assert!(option.meaning.ends_with('.'), "{}", option.name);
        let text = match (option.value, option.name) {
            (None, _) => "",
            (_, "property") => "recordcount=3",
            (_, "properties") => "/dev/null",
            (_, "arrivals") => "poisson",
            (_, "distribution") => "zipfian",
            (_, "scanReadType") => "pread",
            (Some("BOOL"), _) => "true",
            (Some(_), _) => "1",
        };
        let set = Options::default().set(option.name, text);
        match option.name {
            "commandPropertiesFile" => assert!(set.unwrap_err().to_string().contains("Java")),
            name => set.unwrap_or_else(|error| panic!("{name}: {error}")),
        }
    }
    assert!(Options::default().set("rowz", "1").is_err());
}

#[test]
fn values_that_make_no_sense_are_told() {
    for (name, value, told) in [
        ("rows", "many", "--rows=\"many\" is not a whole number from 0 to 18446744073709551615"),
        ("sampleRate", "1.5", "--sampleRate=\"1.5\" is not a number from 0.000000001 to 1"),
        ("sampleRate", "NaN", "--sampleRate=\"NaN\" is not a number from 0.000000001 to 1"),
        ("autoFlush", "maybe", "--autoFlush=\"maybe\" is not one of true, false"),
        ("scanReadType", "fast", "--scanReadType=\"fast\" is not one of default, stream, pread"),
    ] {
        assert_eq!(Options::default().set(name, value).unwrap_err().to_string(), told);
    }
}

#[test]
fn options_that_do_not_go_together_are_told() {
    for (command, given, told) in [
        ("randomWrite", &[("multiPut", "10")][..], "--multiPut needs --autoFlush=true"),
        ("scan", &[("oneCon", "true"), ("connCount", "2")], "--oneCon=true does not go with"),
        ("randomWrite", &[("valueZipf", ""), ("valueRandom", "")], "either --valueZipf or --valueRandom"),
        ("scan", &[("distribution", "zipfian")], "--distribution is for commands that choose rows"),
        ("filterScan", &[], "say for how many"),
        ("scan", &[("property", "recordcount=7")], "-p and -P are for YCSB's commands"),
    ] {
        let error = options(command, 1, given).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    }
    assert!(options("randomWrite", 0, &[]).is_err());
}

#[test]
fn properties_of_ycsb_stand_for_options() {
    let given =
        [("property", "threadcount=7"), ("property", "target=1000"), ("property", "maxexecutiontime=9")];
    let read = options("workloadA", 1, &given).unwrap();
    assert_eq!((read.clients, read.duration), (7, Some(Duration::from_secs(9))));
    assert_eq!(read.pace(), Some(Rate { per_second: 1000.0, poisson: false }));
    assert_eq!(read.table(), "usertable");
    assert_eq!(options("workloadA", 3, &given).unwrap().clients, 3);
}

#[test]
fn every_command_has_a_table() {
    for command in COMMANDS {
        let wanted = if command.is_ycsb() { "usertable" } else { "TestTable" };
        assert_eq!(Options::new(command).table(), wanted);
    }
}
