//! The tables of docs/pe.md, which are made of those of the code.

use crate::{COMMANDS, OPTIONS, Origin, PeOption};
use std::fmt::Write;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/pe.md");
const MADE: &str = "writes these tables from those of the code.\n";

fn tables() -> String {
    let mut text = "\n| command | of | what it does |\n|---|---|---|\n".to_owned();
    for command in COMMANDS {
        let of = if command.is_ycsb() { "YCSB" } else { "HBase" };
        let _ = writeln!(text, "| `{}` | {of} | {} |", command.name, command.summary);
    }
    text.push_str("\n| option | of | what it does | state |\n|---|---|---|---|\n");
    for option in OPTIONS {
        let of = match option.origin {
            Origin::Hbase => "HBase",
            Origin::Ycsb => "YCSB",
            Origin::Own => "Finback",
        };
        let state = if option.remark.is_empty() { "works" } else { option.remark };
        let meaning = option.meaning.replace('|', "\\|");
        let _ = writeln!(text, "| `{}` | {of} | {meaning} | {state} |", spelling(option));
    }
    text.push_str("\nYCSB's properties that have an effect (`-p NAME=VALUE`): ");
    let properties: Vec<String> = crate::ycsb::KNOWN.iter().map(|name| format!("`{name}`")).collect();
    let _ = writeln!(text, "{}.", properties.join(", "));
    text.push_str("Others of YCSB's core are taken without effect; what is none of either is an error.\n");
    text
}

fn spelling(option: &PeOption) -> String {
    let value = option.value.map_or(String::new(), |value| format!("={value}"));
    match option.short {
        Some(short) => format!("-{short} {}", value.trim_start_matches('=')),
        None => format!("--{}{value}", option.name),
    }
}

#[test]
fn the_page_lists_every_command_and_option() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let (before, _) = page.split_once(MADE).expect("the page says how its tables are made");
    let wanted = format!("{before}{MADE}{}", tables());
    if std::env::var_os("FINBACK_WRITE_DOCS").is_some() {
        std::fs::write(PAGE, wanted).unwrap();
    } else {
        assert!(page == wanted, "FINBACK_WRITE_DOCS=1 cargo test -p finback-pe writes docs/pe.md anew");
    }
}
