//! `docs/top.md` has the tables of the code. `FINBACK_WRITE_DOCS=1 cargo test -p finback-top` writes them.

use finback_top::{FIELD_KEYS, Field, KEYS, MOUSE, Mode};
use std::fmt::Write;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/top.md");
const BEGIN: &str = "<!-- made from the code: begin -->\n";
const END: &str = "<!-- made from the code: end -->";

fn tables() -> String {
    let mut page = String::new();
    let sections =
        [("Keys", "key", KEYS), ("Keys of the fields screen", "key", FIELD_KEYS), ("The mouse", "", MOUSE)];
    for (title, heading, keys) in sections {
        write!(page, "\n## {title}\n\n| {heading} | |\n|---|---|\n").unwrap();
        for (key, meaning) in keys {
            let keys: Vec<_> = key.split(' ').map(|key| format!("`{key}`")).collect();
            // The mouse has no keys.
            let keys = if heading.is_empty() { (*key).to_owned() } else { keys.join(" ") };
            writeln!(page, "| {keys} | {meaning} |").unwrap();
        }
    }
    page.push_str("\n## Fields\n\nA mode has the fields with a letter; a capital one is shown at first.\n\n");
    page.push_str("| heading | meaning | modes |\n|---|---|---|\n");
    for field in Field::ALL {
        let letter = |mode: Mode| {
            let known = mode.fields().iter().find(|known| known.field == field)?;
            let letter = mode.letter();
            Some(if known.is_shown { letter.to_ascii_uppercase() } else { letter })
        };
        let letters: Vec<_> =
            Mode::ALL.into_iter().filter_map(letter).map(|letter| letter.to_string()).collect();
        writeln!(page, "| `{}` | {} | {} |", field.heading(), field.meaning(), letters.join(" ")).unwrap();
    }
    page.push('\n');
    page
}

#[test]
fn the_page_has_every_key_and_field() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let (before, rest) = page.split_once(BEGIN).expect("where the tables begin");
    let (written, after) = rest.split_once(END).expect("where the tables end");
    let tables = tables();
    if std::env::var_os("FINBACK_WRITE_DOCS").is_some() {
        std::fs::write(PAGE, format!("{before}{BEGIN}{tables}{END}{after}")).unwrap();
    } else {
        assert!(written == tables, "write it anew: FINBACK_WRITE_DOCS=1 cargo test -p finback-top");
    }
}
