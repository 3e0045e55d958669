use super::*;
use std::collections::HashSet;
use std::fmt::Write;

#[test]
fn names_are_unique_and_explained_by_examples_that_can_be_read() {
    let mut names = HashSet::new();
    for command in all() {
        assert!(names.insert(command.name), "{}", command.name);
        if command.missing().is_some() {
            continue;
        }
        let examples: Vec<&str> =
            command.help.lines().filter_map(|line| line.trim().strip_prefix("hbase> ")).collect();
        assert!(!examples.is_empty(), "{}", command.name);
        for example in examples.iter().filter(|example| !example.contains("ts1") && !example.contains('…'))
        {
            assert!(crate::parse(example.as_bytes()).is_ok(), "{example}");
        }
    }
    assert!(find("desc").is_some_and(|command| command.name == "describe"));
}

/// The table of docs/shell.md.
fn table() -> String {
    let mut table = String::from("| command | group | state |\n|---|---|---|\n");
    for group in GROUPS {
        for command in group.commands {
            let state =
                command.missing().map_or_else(|| "works".to_owned(), |reason| format!("not there: {reason}"));
            let names: Vec<String> = std::iter::once(&command.name)
                .chain(command.aliases)
                .map(|name| format!("`{name}`"))
                .collect();
            let _ = writeln!(table, "| {} | {} | {state} |", names.join(", "), group.name);
        }
    }
    table
}

#[test]
fn the_page_lists_every_command() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/shell.md");
    let page = std::fs::read_to_string(path).unwrap();
    let heading = "| command | group | state |";
    let text = &page[..page.find(heading).unwrap()];
    let wanted = format!("{text}{}", table());
    if std::env::var_os("FINBACK_WRITE_DOCS").is_some() {
        std::fs::write(path, &wanted).unwrap();
    } else {
        assert_eq!(page, wanted, "FINBACK_WRITE_DOCS=1 cargo test -p finback-shell writes it anew");
    }
}
