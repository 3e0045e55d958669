use super::*;
use crate::cli::parse;
use crate::cli::stop::Stop;
use crate::cli::table::{Count, Operand};
use std::process::ExitCode;

fn nothing(_: &Arguments) -> Result<ExitCode, Stop> {
    Ok(ExitCode::SUCCESS)
}

static PRINTER: Command = Command {
    name: "printer",
    summary: "prints",
    about: "",
    operands: &[Operand { name: "FILE", kind: Kind::File, count: Count::Many, meaning: "" }],
    options: &[
        Opt::flag('v', "verbose", ""),
        Opt::flag('h', "headers", ""),
        Opt::value('f', "file", ("FILE", Kind::File), ""),
        Opt::long_value("count", ("N", Kind::Text), ""),
        Opt::long_value("form", ("FORM", Kind::Words(&["json", "text"])), ""),
    ],
    examples: &[],
    exit_codes: &[],
    more: None,
    run: nothing,
};

fn printer(line: &str) -> Result<Arguments, UsageError> {
    Arguments::parse(&PRINTER, line.split_whitespace().map(OsString::from))
}

#[test]
fn options_are_taken_in_every_spelling() {
    for line in [
        "-v -f x a",
        "-vf x a",
        "a -vfx",
        "--verbose --file x a",
        "a --file=x -v",
        "-verbose -file x a",
        "-vf y -f x a",
    ] {
        let arguments = printer(line).unwrap();
        assert!(arguments.has("verbose") && !arguments.has("headers"), "{line}");
        assert_eq!(arguments.value("file"), Some(OsStr::new("x")), "{line}");
        assert_eq!(arguments.operands(), ["a"], "{line}");
    }
    let arguments = printer("-- -v --").unwrap();
    assert_eq!((arguments.has("verbose"), arguments.operands()), (false, &["-v".into(), "--".into()][..]));
    assert_eq!(printer("-").unwrap().operands(), ["-"]);
    assert!(printer("-h a").unwrap().has("headers"));
    assert!(printer("--help").unwrap().wants_help());
    let bytes = OsString::from_vec(b"--file=\xff\x80".to_vec());
    let arguments = Arguments::parse(&PRINTER, [bytes, "a".into()]).unwrap();
    assert_eq!(arguments.path("file").unwrap().as_os_str().as_bytes(), b"\xff\x80");
    assert!(arguments.text("file").is_err());
}

#[test]
fn what_is_not_understood_is_answered_with_what_to_do() {
    for (line, answer) in [
        (
            "--verbsoe a",
            "there is no option \"--verbsoe\", did you mean --verbose?; see finback printer --help",
        ),
        ("--zzz a", "there is no option \"--zzz\"; see finback printer --help"),
        ("-vx a", "there is no option \"-vx\"; see finback printer --help"),
        ("a -f", "--file needs a value: --file FILE; see finback printer --help"),
        ("--verbose=yes a", "--verbose takes no value; see finback printer --help"),
        ("-v", "finback printer needs FILE; see finback printer --help"),
        ("--form xml a", "--form cannot be \"xml\": it takes one of json, text; see finback printer --help"),
    ] {
        assert_eq!(printer(line).unwrap_err().to_string(), answer);
    }
    let error = printer("--count x a").unwrap().parsed::<u64>("count", "a number").unwrap_err();
    assert!(error.to_string().starts_with("--count cannot be \"x\": it takes a number"));
    assert_eq!(printer("--count 1 --count 7 a").unwrap().parsed::<u64>("count", "a number"), Ok(Some(7)));
    assert_eq!(printer("a").unwrap().parsed::<u64>("count", "a number"), Ok(None));
}

fn parsed(line: &str) -> Result<Arguments, UsageError> {
    parse(line.split_whitespace().map(OsString::from))
}

#[test]
fn commands_are_found_or_named() {
    for (line, command) in
        [("", "help"), ("--help", "help"), ("-h", "help"), ("-V", "version"), ("server --data x", "server")]
    {
        assert_eq!(parsed(line).unwrap().command().name, command);
    }
    let answer = "there is no command \"sever\", did you mean server?; finback --help lists them";
    assert_eq!(parsed("sever").unwrap_err().to_string(), answer);
    assert_eq!(
        parsed("ls").unwrap_err().to_string(),
        "there is no command \"ls\"; finback --help lists them"
    );
    let answer = "finback version has no use for \"x\"; see finback version --help";
    assert_eq!(parsed("version x").unwrap_err().to_string(), answer);
}

#[test]
fn settings_come_from_a_file_and_the_command_line() {
    use crate::cli::settings::sources;
    for line in ["server --config c.xml -D a.b=1 -D c=x=y", "server -Da.b=1 --data=d -Dc=x=y --config=c.xml"]
    {
        let sources = sources(&parsed(line).unwrap()).unwrap();
        assert_eq!(sources.file, Some("c.xml".into()));
        assert_eq!(sources.overrides, [("a.b".into(), "1".into()), ("c".into(), "x=y".into())]);
    }
    for line in ["server -D port", "server -D =1"] {
        assert!(sources(&parsed(line).unwrap()).unwrap_err().to_string().contains("it takes NAME=VALUE"));
    }
}
