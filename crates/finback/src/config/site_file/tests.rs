use super::*;

fn pairs(text: &str) -> Vec<(usize, String, String)> {
    parse(text).unwrap().into_iter().map(|entry| (entry.line, entry.name, entry.value)).collect()
}

fn entry(line: usize, name: &str, value: &str) -> (usize, String, String) {
    (line, name.to_owned(), value.to_owned())
}

#[test]
fn a_site_file_as_hbase_ships_it_is_read() {
    let text = r#"<?xml version="1.0"?>
<?xml-stylesheet type="text/xsl" href="configuration.xsl"?>
<!--
 licence
-->
<configuration>
  <property>
    <name>hbase.rootdir</name>
    <value>file:///tmp/a &amp; b&#33;</value>
    <description>The <!-- hidden --> directory.</description>
  </property>
  <!-- none -->
  <property><name> a </name><value/><final>true</final></property>
</configuration>
"#;
    assert_eq!(pairs(text), [entry(9, "hbase.rootdir", "file:///tmp/a & b!"), entry(13, "a", "")]);
    assert_eq!(pairs("<configuration/>"), []);
}

#[test]
fn lines_have_names_and_values_and_comments_none() {
    let text = "# comment\n! also\n\n a.b = c = d \nempty=\n";
    assert_eq!(pairs(text), [entry(4, "a.b", "c = d"), entry(5, "empty", "")]);
    assert_eq!(pairs(""), []);
}

#[test]
fn what_is_not_understood_is_refused_with_its_line() {
    let cases = [
        ("a b\n", 1, "expected name = value, found \"a b\""),
        ("a=1\n=2\n", 2, "expected name = value, found \"=2\""),
        ("<html>", 1, "expected <configuration>, found \"<html>\""),
        ("<configuration>\n<property>", 2, "expected <name>, <value>"),
        ("<configuration>\n<property><name>x</name></property>", 2, "x has no <value>"),
        ("<configuration>\n<property><value>x</value></property>", 2, "a <property> without a <name>"),
        ("<configuration><property><name>a</name><name>b</name>", 1, "a second <name>"),
        ("<configuration><property><name>a<b></name>", 1, "expected </name>, found"),
        ("<configuration><property><name>a &nbsp; b</name>", 1, "expected a character reference"),
        ("<configuration><property><name>a &#xffffffff;", 1, "expected a character reference"),
        ("<configuration><property><name>a", 1, "expected a closing tag, found \"a\""),
        ("<configuration>\n<!-- ", 2, "<!-- is never closed"),
        ("<!DOCTYPE x [<!ENTITY a \"b\">]><configuration/>", 1, "expected <configuration>"),
        ("<configuration/>\nmore", 2, "expected the end of the file, found \"more\""),
        ("<configuration>", 1, "expected <property>, found the end"),
    ];
    for (text, line, problem) in cases {
        let (at, found) = parse(text).unwrap_err();
        assert!(at == line && found.starts_with(problem), "{text:?}: line {at}: {found}");
    }
}

#[test]
fn every_prefix_of_a_file_ends_in_an_error_or_a_value_but_never_in_a_panic() {
    let text = "<?xml?><configuration><!-- é --><property><name>ä&lt;</name><value>&#x41;</value></property>\
                </configuration>";
    let complete = (0..=text.len()).filter_map(|end| text.get(..end)).filter(|text| parse(text).is_ok());
    assert_eq!(complete.count(), 2, "the empty file and the whole one");
}

#[test]
fn names_in_values_are_expanded_as_hadoop_does() {
    let value = |value: &str| {
        let properties = [
            ("hbase.tmp.dir", "/data/${disk}"),
            ("disk", "d1"),
            ("a", "${b}"),
            ("b", "${a}"),
            ("value", value),
        ];
        let properties = properties
            .map(|(name, value)| format!("<property><name>{name}</name><value>{value}</value></property>"));
        let entries = parse(&format!("<configuration>{}</configuration>", properties.concat())).unwrap();
        entries.into_iter().find(|entry| entry.name == "value").unwrap().value
    };
    assert_eq!(value("${hbase.tmp.dir}/hbase"), "/data/d1/hbase");
    assert_eq!(value("file://${hbase.tmp.dir}/${disk}"), "file:///data/d1/d1");
    assert_eq!(value("${env.FINBACK_NO_SUCH_VARIABLE:-x}/${java.io.tmpdir}"), "x//tmp");
    assert_eq!(value("${no.such.name}/${disk}"), "${no.such.name}/d1");
    assert_eq!(value("${disk}/${no.such.name}-${"), "d1/${no.such.name}-${");
    // Java's have a meaning wherever there is a process.
    assert!(!value("/tmp/hbase-${user.name}").contains("${") && !value("${user.home}").contains("${"));
    assert!(value("${a}").contains("${"));
    assert_eq!(value("$disk {disk} ${disk"), "$disk {disk} ${disk");
}

#[test]
fn java_knows_who_runs_it_whatever_the_environment_says() {
    let told = std::process::Command::new("id").arg("-un").env_clear().output();
    let Some(name) = told.ok().filter(|told| told.status.success()) else { return };
    let name = String::from_utf8(name.stdout).unwrap();
    assert_eq!(meaning("user.name", &HashMap::new()).as_deref(), Some(name.trim()));
}
