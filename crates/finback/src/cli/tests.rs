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
    assert_eq!(parsed("server --dat x"), Err(UsageError::UnknownOption("--dat".into())));
    assert_eq!(parsed("server data"), Err(UsageError::UnknownOption("data".into())));
    assert_eq!(parsed("server --data"), Err(UsageError::MissingValue("--data")));
    assert_eq!(parsed("server -D"), Err(UsageError::MissingValue("-D")));
    assert_eq!(parsed("server -D port"), Err(UsageError::NotASetting("port".into())));
    assert_eq!(parsed("server -D =1"), Err(UsageError::NotASetting("=1".into())));
}
