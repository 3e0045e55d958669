use super::*;

fn parsed(line: &str) -> Result<Command, UsageError> {
    parse(line.split_whitespace().map(OsString::from))
}

#[test]
fn a_server_takes_data_configuration_and_settings_in_both_spellings() {
    for line in
        ["server --data d --config c.xml -D a.b=1 -D c=x=y", "server -Da.b=1 --data=d -Dc=x=y --config=c.xml"]
    {
        let Ok(Command::Server { data, sources }) = parsed(line) else { panic!("{line}") };
        assert_eq!(data, Some("d".into()));
        assert_eq!(sources.file, Some("c.xml".into()));
        assert_eq!(sources.overrides, [("a.b".into(), "1".into()), ("c".into(), "x=y".into())]);
    }
    assert_eq!(parsed("server"), Ok(Command::Server { data: None, sources: Sources::default() }));
}

#[test]
fn help_and_version_are_found() {
    for line in ["", "--help", "-h", "help"] {
        assert_eq!(parsed(line), Ok(Command::Help));
    }
    assert_eq!(parsed("server --data x --help"), Ok(Command::ServerHelp));
    assert_eq!(parsed("version"), Ok(Command::Version));
}

#[test]
fn what_is_not_understood_is_named() {
    assert_eq!(parsed("sever"), Err(UsageError::UnknownCommand("sever".into())));
    assert_eq!(parsed("server --dat x"), Err(UsageError::UnknownOption("--dat".into(), "server")));
    assert_eq!(parsed("server data"), Err(UsageError::UnknownOption("data".into(), "server")));
    assert_eq!(parsed("server --data"), Err(UsageError::MissingValue("--data", "server")));
    assert_eq!(parsed("server -D"), Err(UsageError::MissingValue("-D", "server")));
    assert_eq!(parsed("server -D port"), Err(UsageError::NotASetting("port".into())));
    assert_eq!(parsed("server -D =1"), Err(UsageError::NotASetting("=1".into())));
}

#[test]
fn an_offline_compaction_takes_a_directory_and_what_to_compact_in_it() {
    let options = CompactOptions { directory: "d".into(), major: false, family: None };
    let command = Command::Compact { options, sources: Sources::default() };
    assert_eq!(parsed("compact d"), Ok(command));
    for line in
        ["compact d --major --family f -D a=b --config c", "compact --config c -D a=b --family f --major d"]
    {
        let Ok(Command::Compact { options, sources }) = parsed(line) else { panic!("{line}") };
        let family = Some("f".to_owned());
        assert_eq!(options, CompactOptions { directory: "d".into(), major: true, family });
        assert_eq!((sources.file, sources.overrides), (Some("c".into()), vec![("a".into(), "b".into())]));
    }
    assert_eq!(parsed("compact --help"), Ok(Command::CompactHelp));
    assert_eq!(parsed("compact"), Err(UsageError::MissingDirectory));
    assert_eq!(parsed("compact a b"), Err(UsageError::UnknownOption("b".into(), "compact")));
    assert_eq!(parsed("compact a --family"), Err(UsageError::MissingValue("--family", "compact")));
}
