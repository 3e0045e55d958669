use super::*;
use proptest::prelude::*;

fn literal(argument: &Argument) -> Value {
    match argument {
        Argument::Literal(value) => value.clone(),
        Argument::Variable(name) => panic!("{name}"),
        Argument::Array(values) => Value::Array(values.iter().map(literal).collect()),
        Argument::Hash(pairs) => Value::Hash(pairs.iter().map(|(k, v)| (literal(k), literal(v))).collect()),
    }
}

fn command(text: impl AsRef<[u8]>) -> (String, Vec<Value>) {
    let mut statements = parse(text.as_ref()).unwrap();
    assert_eq!(statements.len(), 1);
    match statements.remove(0).action {
        Action::Command { table: None, name, arguments } => (name, arguments.iter().map(literal).collect()),
        other => panic!("{other:?}"),
    }
}

fn text(text: &str) -> Value {
    Value::text(text)
}

#[test]
fn what_may_go_on_in_the_next_line_is_not_whole() {
    for whole in [
        "puts 'done'\n",
        "puts \"#{x} rows\"",
        "sleep 5",
        "require 'time'",
        "import org.apache.hadoop.hbase.util.Bytes",
        "names.map { |t| t.to_s }",
        "x = Time.now.to_i",
    ] {
        assert!(is_whole(whole.as_bytes()), "{whole}");
    }
    for part in [
        "if true",
        "list.each do |t|",
        "list.each { |t|",
        "x = [1, 2].map(",
        "puts 1,",
        "y = 1 +",
        "foo \\",
        "begin",
        "t = list if x",
        "puts <<TEXT",
        "=begin",
        "__END__",
        "a.each do",
        "def f(x)",
    ] {
        assert!(!is_whole(part.as_bytes()), "{part}");
    }
}

#[test]
fn commands_of_hbases_book_are_read() {
    let (name, arguments) =
        command("create 't1', {NAME => 'f1', VERSIONS => 5, TTL => 2592000, BLOCKCACHE => true}");
    assert_eq!(name, "create");
    assert_eq!(arguments[0], text("t1"));
    assert_eq!(
        arguments[1].to_string(),
        r#"{"NAME"=>"f1", "VERSIONS"=>5, "TTL"=>2592000, "BLOCKCACHE"=>true}"#
    );
    // Pairs without braces are one hash.
    let (_, arguments) = command("create 't1', 'f1', NUMREGIONS => 15, SPLITALGO => 'HexStringSplit'");
    assert_eq!(arguments[2].to_string(), r#"{"NUMREGIONS"=>15, "SPLITALGO"=>"HexStringSplit"}"#);
    let (_, arguments) = command("get 't1', 'r1', {COLUMN => ['c1', 'c2'], TIMERANGE => [1, 9]}");
    assert_eq!(arguments[2].to_string(), r#"{"COLUMN"=>["c1", "c2"], "TIMERANGE"=>[1, 9]}"#);
    assert_eq!(
        command("scan 't', {STARTKEY => 'a', ENDROW => 'b'}").1[1].to_string(),
        r#"{"STARTROW"=>"a", "STOPROW"=>"b"}"#
    );
    assert_eq!(command("put('t', 'r', 'f:q', \"\\x01\\003z\")").1[3], Value::Str(vec![1, 3, b'z']));
    assert_eq!(command("list").1, []);
    assert_eq!(command(r"put 't', 'it\'s', 'a\x01'").1[1..], [text("it's"), text(r"a\x01")]);
    assert_eq!(
        command("x -1, 1_000, 0x1f, 017, 0.5, -1e3, nil, :sym").1,
        [
            Value::Int(-1),
            Value::Int(1000),
            Value::Int(31),
            Value::Int(15),
            Value::Float(0.5),
            Value::Float(-1000.0),
            Value::Nil,
            text("sym"),
        ]
    );
}

#[test]
fn statements_go_over_lines_and_share_them() {
    assert_eq!(parse(b"list; status 'simple' # why\n\n# nothing\nversion").unwrap().len(), 3);
    assert_eq!(command("create 't',\n  {NAME => 'f', # a family\n   VERSIONS => 1\n  }").1.len(), 2);
    assert_eq!(command("put 't', 'r', \\\n 'f:q', 'v'").1.len(), 4);
    for open in ["create 't', {NAME => 'f'", "put 't',", "put 't", "get('t'", "get 't', [1,", "x = "] {
        assert!(matches!(parse(open.as_bytes()), Err(ShellError::Incomplete(_))), "{open}");
    }
}

#[test]
fn tables_are_named_and_used() {
    let statements = parse(b"t = get_table 't1'; t.put 'r', 'f:q', x").unwrap();
    assert_eq!(statements[0].assigns.as_deref(), Some("t"));
    let Action::Command { table, name, arguments } = &statements[1].action else { panic!() };
    assert_eq!((table.as_deref(), name.as_str(), arguments.len()), (Some("t"), "put", 3));
    assert_eq!(arguments[2], Argument::Variable("x".to_owned()));
}

#[test]
fn what_needs_ruby_is_refused_with_its_place_and_what_to_do_instead() {
    const PROGRAM: &str = "Write the statements out";
    const JAVA: &str = "its name stands in quotes";
    for (text, place, construct, instead) in [
        ("(1..10).each { |i| put 't', i }", (1, 3), "operators", "Write the result"),
        ("list\nfor i in 1..3 do", (2, 11), "operators and ranges", "Write the result"),
        ("for table in tables do", (1, 1), "\"for\"", PROGRAM),
        ("list.each do |t|", (1, 14), "blocks", PROGRAM),
        ("  while true do", (1, 3), "\"while\"", PROGRAM),
        ("list\n\ndef clean(table)", (3, 1), "\"def\"", PROGRAM),
        ("drop 't' if exists 't'", (1, 10), "\"if\"", PROGRAM),
        ("unless exists 't'", (1, 1), "\"unless\"", PROGRAM),
        ("list.each { drop 't' }", (1, 6), "\"each\"", PROGRAM),
        ("list() { drop 't' }", (1, 8), "blocks", PROGRAM),
        ("java_import org.apache.hadoop.hbase.util.Bytes", (1, 1), "java_import", JAVA),
        ("import java.util.Date", (1, 1), "import", JAVA),
        ("require 'x'", (1, 1), "require", "finback shell SCRIPT"),
        ("puts 'x'", (1, 1), "puts", "Commands print"),
        ("put 't', \"r#{1}\", 'f:q', 'v'", (1, 10), "expressions in strings", "Write the result"),
        ("x = 1 + 2", (1, 7), "operators", "Write the result"),
        ("put 't', 'a' + 'b'", (1, 14), "operators", "Write the result"),
        ("scan 't', {TIMERANGE => [0, 5 * 60]}", (1, 31), "operators", "Write the result"),
        ("scan 't', {FILTER => Foo.new(1)}", (1, 22), "(Foo)", "FILTER => \"ColumnPaginationFilter(1, 0)\""),
        (
            "scan 't', {FILTER => org.apache.hadoop.hbase.filter.PageFilter.new(1)}",
            (1, 22),
            "(org)",
            "in HBase's filter language",
        ),
        ("Date.new", (1, 1), "(Date)", JAVA),
        ("scan('t').size", (1, 10), "methods of values", "can be named"),
        ("$x = 1", (1, 1), "variables of this kind", "plain name"),
        ("%w[a b]", (1, 1), "% literals", "brackets"),
        ("list /t.*/", (1, 6), "regular expressions", "in quotes"),
        ("x = `date`", (1, 5), "commands of the system", "your system's shell"),
        (r#"put 't', "\C-a", 'f:q', 'v'"#, (1, 10), "control and meta escapes", "in hexadecimal"),
    ] {
        let Err(error @ ShellError::NotRuby { .. }) = parse(text.as_bytes()) else {
            panic!("{text}: {:?}", parse(text.as_bytes()))
        };
        let told = error.to_string();
        let begin = format!("line {}, column {}: this shell is not Ruby: it has no ", place.0, place.1);
        assert!(told.starts_with(&begin), "{text}: {told}");
        assert!(told.contains(construct) && told.contains(instead), "{text}: {told}");
    }
    // Whether `list` is a variable is known when it runs.
    assert!(format!("{:?}", parse(b"list.size").unwrap()).contains("size"));
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let told = |text: &str| parse(text.as_bytes()).unwrap_err().to_string();
    assert_eq!(
        told("list\ncreate 't' 5"),
        "syntax error at line 2, column 12: 5 is there, where a comma or the end of the statement is expected"
    );
    assert!(told("scan 't', {FOO => 1}").contains("uninitialized constant FOO"));
    assert!(told("scan 't', {LIMIT}").contains("=>"));
    assert!(told("put 't', 99999999999999999999").contains("64 bits"));
    assert!(told(&"[".repeat(100_000)).contains("brackets"));
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Nil),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        (-1e9..1e9f64).prop_map(Value::Float),
        proptest::collection::vec(any::<u8>(), 0..12).prop_map(Value::Str),
        ".{0,8}".prop_map(Value::text),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            proptest::collection::vec((inner.clone(), inner), 0..3).prop_map(Value::Hash),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_again(values in proptest::collection::vec(value(), 1..4)) {
        let written: Vec<String> = values.iter().map(Value::to_string).collect();
        let (_, read) = command(format!("x({})", written.join(", ")));
        prop_assert_eq!(read, values);
    }

    #[test]
    fn garbage_is_answered(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        drop(parse(&bytes));
    }

    #[test]
    fn garbage_of_the_language_is_answered(text in "[a-cA-C\\[\\]{}()=>,.;'\"\\\\#x0-9 \n:_-]{0,60}") {
        drop(parse(text.as_bytes()));
    }
}
