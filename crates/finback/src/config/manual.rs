//! What people read about the settings, made from the tables.

use std::fmt::Write;

use super::setting::{Reach, Setting};
use super::table::SETTINGS;
use super::table_defaults::TABLE_DEFAULTS;
use crate::cli::wrap::wrap;

const PAGE_HEAD: &str = "\
# Configuration

Nothing has to be configured to start. This page is made from the tables in
`crates/finback/src/config/table.rs` and `table_defaults.rs`; a test fails when they differ, and
`FINBACK_WRITE_DOCS=1 cargo test -p finback --lib` writes it anew.

Settings come, later ones winning, from the defaults below, from `hbase-site.xml`, from `finback.toml`, and from `-D NAME=VALUE` on the
command line.

- `--config FILE` names a file: TOML if its name ends in `.toml`, else an `hbase-site.xml`, or lines of `NAME = VALUE`.
  `--config DIRECTORY` reads the `hbase-site.xml` and the `finback.toml` in it, if they are there.
- Without `--config`, a server looks for these two in its data directory, then in `/etc/finback`; where it finds either it reads no
  further. Tools that are clients (`finback shell` and others) look in `HBASE_CONF_DIR`, then in `/etc/finback`.
- In values of an `hbase-site.xml` `${NAME}` is read as Hadoop reads it: another property of the file, `${env.NAME}`, or of Java
  `user.name`, `user.home` and `java.io.tmpdir`. What stands for nothing is refused.

In `finback.toml` settings have the names below, in sections:

    data = \"/var/lib/finback\"

    [listen]
    address = \"0.0.0.0\"

    [memory]
    limit = \"4g\"

On the command line and in an `hbase-site.xml` these are `listen.address` and `memory.limit`, and HBase's names are understood as well.
Where HBase has several settings for one of Finback's, they are that one; if their values differ, the last one counts, and a warning
says so.

A name that nobody knows stops the server before it starts, with exit code 2 and the nearest name that there is. So does a value that a
setting cannot have. Names that HBase knows and that have no effect here are accepted with a warning that says what Finback does
instead; those of Hadoop and of others in the same file, with one warning for all. But a server that is to protect its data in a way
that there is not yet does not start: with `hbase.security.authentication` other than `simple`, `hbase.security.authorization` or
`hbase.server.netty.tls.enabled`. Nor does one start whose `hbase.wal.dir` is another directory than `hbase.rootdir`: what HBase
had not flushed would be left behind there.

    finback config                               # every setting: its value, where that comes from, its meaning
    finback config listen.address                # one of them; any name of HBase's will do
    finback config --toml                        # a finback.toml with all of them, as comments
    finback config --convert hbase-site.xml      # the finback.toml that says the same
    finback config --json                        # for programs

Bytes may be written with a suffix (`64k`, `128m`, `1g`), times too (`500ms`, `60s`, `10m`, `1h`, `7d`); as in HBase, a time without one
is in milliseconds. In `finback.toml` what has a suffix stands in quotes.

Settings with a mark can be changed while the server runs: `update_config` and `update_all_config` in HBase's shell
(`Admin.updateConfiguration`) have it read its files again; what `-D` says still wins. The log says what was taken. Files that make no sense are
refused, and change nothing. ● counts at once, ○ for regions that are opened from then on, all others after a restart.

";

const TABLES_HEAD: &str = "
## Defaults of tables: `[tables]`

HBase's tables and families have attributes, which `create` and `alter` set, in `CONFIGURATION` or as they are. What they go by that have none
of a name may be said here, under the same name, in the section `[tables]` of `finback.toml`, in an `hbase-site.xml`, or with `-D`:

    [tables]
    \"hbase.hstore.blockingStoreFiles\" = 32

Bytes and times may have suffixes here; in the attributes of a table they are numbers.

| name | default | unit | meaning | change |
|---|---|---|---|---|
";

const INSTEAD_HEAD: &str = "
## Settings of HBase without effect

Beginnings of names, of which the longest counts, and what is so instead.

| name | instead |
|---|---|
";

/// The settings for `finback server --help`.
pub fn help() -> String {
    let mut text = String::new();
    for setting in SETTINGS {
        let default = if setting.default.is_empty() { "\"\"" } else { setting.default };
        let _ = writeln!(text, "  {} = {default}", setting.name);
        wrap(&mut text, setting.meaning, 6, 0);
    }
    text
}

/// The whole of `docs/configuration.md`.
pub fn page() -> String {
    let mut page = PAGE_HEAD.to_owned();
    let mut section = Some("");
    for setting in SETTINGS {
        if setting.section() != section {
            section = setting.section();
            let title = section.map_or("Before all sections".to_owned(), |section| format!("`[{section}]`"));
            let gap = if page.ends_with("\n\n") { "" } else { "\n" };
            let _ = write!(
                page,
                "{gap}## {title}\n\n| name | default | meaning | HBase's names | change |\n|---|---|---|---|---|\n"
            );
        }
        let names: Vec<String> = setting.hbase_names.iter().map(|name| format!("`{name}`")).collect();
        let _ = writeln!(
            page,
            "| `{}` | {} | {} | {} | {} |",
            setting.short_name(),
            default_of(setting),
            setting.meaning_in_one_line(),
            names.join("<br>"),
            mark(setting.reach)
        );
    }
    page.push_str(TABLES_HEAD);
    for setting in TABLE_DEFAULTS {
        let _ = write!(page, "| `{}`", setting.name);
        setting.hbase_names.iter().for_each(|older| page.push_str(&format!("<br>`{older}`")));
        let (default, meaning) = (default_of(setting), setting.meaning_in_one_line());
        let _ = writeln!(page, " | {default} | {} | {meaning} | {} |", setting.unit, mark(setting.reach));
    }
    page.push_str(INSTEAD_HEAD);
    for (beginning, instead) in super::instead::REASONS {
        let name = if beginning.is_empty() { "all others".to_owned() } else { format!("`{beginning}`") };
        let _ = writeln!(page, "| {name} | {instead} |");
    }
    page
}

fn default_of(setting: &Setting) -> String {
    if setting.default.is_empty() { "(empty)".to_owned() } else { format!("`{}`", setting.default) }
}

fn mark(reach: Reach) -> &'static str {
    match reach {
        Reach::Now => "●",
        Reach::Opening => "○",
        Reach::Restart => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::wrap::TERMINAL_COLUMNS;

    #[test]
    fn help_names_every_setting_and_fits_a_terminal() {
        let help = help();
        for setting in SETTINGS {
            assert!(help.contains(&format!("  {} = {}", setting.name, setting.default)));
        }
        assert!(help.lines().all(|line| line.len() <= TERMINAL_COLUMNS));
    }

    #[test]
    fn the_documentation_page_is_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/configuration.md");
        if std::env::var_os("FINBACK_WRITE_DOCS").is_some() {
            std::fs::write(path, page()).unwrap();
        }
        let written = std::fs::read_to_string(path).unwrap();
        assert!(written == page(), "FINBACK_WRITE_DOCS=1 cargo test -p finback --lib writes {path} anew");
    }
}
