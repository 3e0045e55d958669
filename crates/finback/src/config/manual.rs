//! What people read about the settings, made from the table.

use std::fmt::Write;

use super::live::Reach;
use super::table::{PROPERTIES, ServerConfig};
use crate::cli::wrap::wrap;

const PAGE_HEAD: &str = "\
# Configuration

Nothing has to be configured to start. This page is made from the table in
`crates/finback/src/config/table.rs`; a test fails when the two differ, and
`FINBACK_WRITE_DOCS=1 cargo test -p finback` writes it anew.

Settings come, later ones winning, from the defaults below, from the file named by `--config`, and from
`-D NAME=VALUE` on the command line. The file is an `hbase-site.xml`, or has lines of `NAME = VALUE`.
The names are HBase's. A name that is not in this table is ignored with a warning, which says whether HBase
would know it; a value that a setting cannot have stops the server before it starts, with exit code 2.

Bytes may be written with a suffix (`64k`, `128m`, `1g`), times too (`500ms`, `60s`, `10m`, `1h`, `7d`).

| name | default | unit | meaning |
|---|---|---|---|
";

const LIVE_HEAD: &str = "
## Changes without a restart

`update_config` and `update_all_config` in HBase's shell (`Admin.updateConfiguration`) have a server read its configuration file
again; what `-D` says still wins. The log says what was taken. A file that makes no sense is refused, and changes nothing. All
settings that are not named here wait for a restart.
";

/// The settings for `finback server --help`.
pub fn help() -> String {
    let mut text = String::new();
    for property in PROPERTIES {
        let _ = writeln!(text, "  {} = {}", property.name, property.default);
        wrap(&mut text, &format!("{} ({})", property.meaning, property.unit), 6, 0);
    }
    text
}

/// The whole of `docs/configuration.md`.
pub fn page() -> String {
    let mut page = PAGE_HEAD.to_owned();
    for property in PROPERTIES {
        let meaning: Vec<&str> = property.meaning.split_whitespace().collect();
        let default = if property.default.is_empty() { "(empty)" } else { property.default };
        let _ = write!(page, "| `{}`", property.name);
        property.aliases.iter().for_each(|alias| page.push_str(&format!(", also `{alias}`")));
        let _ = writeln!(page, " | `{default}` | {} | {} |", property.unit, meaning.join(" "));
    }
    page.push_str(LIVE_HEAD);
    for (reach, when) in
        [(Reach::Now, "at once"), (Reach::Opening, "for regions that are opened from then on")]
    {
        let of = PROPERTIES.iter().filter(|property| ServerConfig::reach_of(property.name) == reach);
        let names: Vec<String> = of.map(|property| format!("`{}`", property.name)).collect();
        let _ = writeln!(page, "\nThose that count {when}: {}.", names.join(", "));
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::wrap::TERMINAL_COLUMNS;

    #[test]
    fn help_names_every_setting_and_fits_a_terminal() {
        let help = help();
        for property in PROPERTIES {
            assert!(help.contains(&format!("  {} = {}\n", property.name, property.default)));
        }
        // A name with its default stays in one line, however long: names of classes are.
        let is_setting = |line: &str| line.starts_with("  hbase.") && line.contains(" = ");
        assert!(help.lines().all(|line| is_setting(line) || line.len() <= TERMINAL_COLUMNS));
    }

    #[test]
    fn the_documentation_page_is_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/configuration.md");
        if std::env::var_os("FINBACK_WRITE_DOCS").is_some() {
            std::fs::write(path, page()).unwrap();
        }
        let written = std::fs::read_to_string(path).unwrap();
        assert!(written == page(), "FINBACK_WRITE_DOCS=1 cargo test -p finback writes {path} anew");
    }
}
