use super::*;
use crate::cli::wrap::TERMINAL_COLUMNS;
use crate::config::{SETTINGS, ServerConfig, Sources, TABLE_DEFAULTS};

fn loaded(pairs: &[(&str, &str)]) -> Loaded {
    let overrides = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    ServerConfig::load(&Sources { overrides, ..Sources::default() }).unwrap()
}

#[test]
fn the_list_has_every_setting_with_its_origin_and_of_tables_what_was_set() {
    let loaded = loaded(&[("hbase.master.port", "7"), ("hbase.hstore.compaction.max", "8")]);
    let text = list(&loaded, false, Style::PLAIN);
    for setting in SETTINGS {
        assert!(text.contains(&format!("\n  {} = ", setting.name)), "{}", setting.name);
    }
    assert!(text.contains("\n  listen.master-port = 7   (-D; default 16000)\n"), "{text}");
    assert!(text.contains("\n  listen.advertised-host = \"\"   (derived, here 127.0.0.1)\n"), "{text}");
    assert!(text.contains("\n  hbase.hstore.compaction.max = 8   (-D; default 10)\n"), "{text}");
    assert!(text.contains("1 of ") && !text.contains("\n  hbase.hstore.compaction.min = "));
    let all = list(&loaded, true, Style::PLAIN);
    assert!(TABLE_DEFAULTS.iter().all(|setting| all.contains(&format!("\n  {} = ", setting.name))));
}

#[test]
fn one_setting_is_explained_within_a_terminal() {
    let loaded = loaded(&[("memory.limit", "1g")]);
    for entry in loaded.effective.settings.iter().chain(&loaded.effective.tables) {
        let text = explain(entry, Style::PLAIN);
        let too_long = text.lines().find(|line| line.chars().count() > TERMINAL_COLUMNS);
        assert_eq!(too_long.filter(|line| line.split_whitespace().count() > 3), None);
    }
    let text = explain(loaded.effective.get("memory.memstores").unwrap(), Style::PLAIN);
    assert!(text.contains("  value            0.4\n  which is here    409m\n"), "{text}");
    assert!(text.contains("hbase.regionserver.global.memstore.size"), "{text}");
}

#[test]
fn for_programs_there_is_json() {
    let text = json(&loaded(&[("data", "/a \"b\" \\c"), ("hbase.rest.port", "7")]));
    assert!(text.contains(r#""name":"data","value":"/a \"b\" \\c","#), "{text}");
    assert!(text.contains(r#""warnings":["hbase.rest.port (-D) has no effect: there is no REST server"]}"#));
    assert_eq!(text.matches("\"name\":").count(), SETTINGS.len() + TABLE_DEFAULTS.len());
    assert_eq!(quoted("a\n\u{1}"), r#""a\n\u0001""#);
}
