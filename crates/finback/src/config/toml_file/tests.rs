use super::*;

fn entries(text: &str) -> Vec<(usize, String, String, Place)> {
    let entries = parse(text).unwrap().into_iter();
    entries.map(|entry| (entry.line, entry.name, entry.value, entry.place)).collect()
}

#[test]
fn sections_become_names_with_dots_and_values_keep_what_they_are() {
    let text = "data = '/d'\n\n[listen]\n# ports\nmaster-port = 17_000 # here\naddress = \"0.0.0.0\"\n\
                [memory]\nlimit = 0.5\n[wal]\ncompression = true\n";
    let entry =
        |line, name: &str, value: &str, form| (line, name.to_owned(), value.to_owned(), Place::Toml(form));
    assert_eq!(
        entries(text),
        [
            entry(1, "data", "/d", TomlForm::Text),
            entry(5, "listen.master-port", "17000", TomlForm::Integer),
            entry(6, "listen.address", "0.0.0.0", TomlForm::Text),
            entry(8, "memory.limit", "0.5", TomlForm::Float),
            entry(10, "wal.compression", "true", TomlForm::Boolean),
        ]
    );
    assert_eq!(entries("rpc.handlers = 0x1f")[0], entry(1, "rpc.handlers", "31", TomlForm::Integer));
    assert_eq!(entries(""), []);
}

#[test]
fn defaults_of_tables_have_the_names_of_hbase_quoted_or_not() {
    let text = "[tables]\n\"hbase.hstore.compaction.min\" = 4\nhbase.hregion.majorcompaction = '0'\n";
    let names: Vec<_> = entries(text).into_iter().map(|(line, name, _, place)| (line, name, place)).collect();
    assert_eq!(
        names,
        [
            (2, "hbase.hstore.compaction.min".to_owned(), Place::TomlTables),
            (3, "hbase.hregion.majorcompaction".to_owned(), Place::TomlTables),
        ]
    );
}

#[test]
fn what_is_no_toml_is_refused_with_its_line() {
    for (text, line) in [("a = 1\nb = \n", 2), ("a = 1\na = 2", 2), ("[x", 1), ("\n\nx = [1]", 3), ("x", 1)] {
        let (at, problem) = parse(text).unwrap_err();
        assert_eq!(at, line, "{text:?}: {problem}");
        assert!(!problem.contains('\n') && !problem.is_empty());
    }
    assert!(parse("x = 99999999999999999999999999999999999999999999999").is_err());
    assert!(parse(&format!("x = {}1{}", "[".repeat(10_000), "]".repeat(10_000))).is_err());
    assert!(parse(&format!("{}x = 1", "a.".repeat(10_000))).is_err());
}
