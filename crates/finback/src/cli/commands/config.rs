//! `finback config`

mod telling;

use super::server::{DATA, sources};
use crate::cli::arguments::Arguments;
use crate::cli::settings::{self, CONFIG, SETTING};
use crate::cli::stop::Stop;
use crate::cli::style::Style;
use crate::cli::table::{Command, Count, Kind, Operand, Opt};
use crate::config::{SETTINGS, ServerConfig, Sources, converted, setting_named, template};
use std::io::Write;
use std::process::ExitCode;

/// For completion.
const NAMES: [&str; SETTINGS.len()] = {
    let mut names = [""; SETTINGS.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = SETTINGS[at].name;
        at += 1;
    }
    names
};

pub(super) const COMMAND: Command = Command {
    name: "config",
    summary: "shows a server's settings, and where they come from",
    about: "
Reads what finback server would read with the same options, and says what comes of it: each setting with its value, its default, where
the value comes from (a line of a file, -D, the default), and what it means. It starts nothing.

With a NAME it explains one setting; HBase's names will do. Settings may be in finback.toml, under Finback's names, and in
hbase-site.xml, under HBase's.",
    operands: &[Operand {
        name: "NAME",
        kind: Kind::Words(&NAMES),
        count: Count::Any,
        meaning: "A setting, under Finback's name or HBase's.",
    }],
    options: &[
        Opt::long_flag("json", "Prints one JSON object."),
        Opt::long_flag("toml", "Prints a finback.toml that says the same, with all other settings as comments."),
        Opt::long_flag("tables", "Shows the defaults of tables too, and not only those that somebody has set."),
        Opt::long_value(
            "convert",
            ("FILE", Kind::File),
            "Prints the finback.toml that says what FILE, an hbase-site.xml, says. Nothing else is read.",
        ),
        DATA,
        CONFIG,
        SETTING,
    ],
    examples: &[
        ("finback config", "what a server would go by that is started without options"),
        ("finback config hbase.regionserver.handler.count", "what has become of a setting of HBase"),
        ("finback config --convert hbase-site.xml > finback.toml", "moves from HBase's file to Finback's"),
        ("finback config --toml > finback.toml", "a file to begin with"),
    ],
    exit_codes: &[(1, "A NAME is of no setting, or of one that has no effect.")],
    more: None,
    run,
};

fn run(arguments: &Arguments) -> Result<ExitCode, Stop> {
    let forms = ["json", "toml", "convert"].into_iter().filter(|form| arguments.has(form));
    if forms.count() + usize::from(!arguments.operands().is_empty()) > 1 {
        return Err(arguments.combination("--json, --toml, --convert and a NAME do not go together").into());
    }
    if let Some(file) = arguments.path("convert") {
        let loaded = ServerConfig::load(&Sources { file: Some(file.into()), ..Sources::default() })?;
        return print(&converted(&loaded));
    }
    let sources = sources(arguments)?;
    if arguments.operands().is_empty() {
        let loaded = ServerConfig::load(&sources)?;
        let text = if arguments.has("json") {
            telling::json(&loaded)
        } else if arguments.has("toml") {
            template(&loaded.effective)
        } else {
            telling::list(&loaded, arguments.has("tables"), Style::of_stdout())
        };
        if !arguments.has("json") {
            settings::tell(&loaded.warnings);
        }
        return print(&text);
    }
    explain(arguments, &sources)
}

/// What is known of each NAME.
fn explain(arguments: &Arguments, sources: &Sources) -> Result<ExitCode, Stop> {
    let names: Vec<_> = arguments.operands().iter().map(|name| name.to_string_lossy()).collect();
    let known: Result<Vec<_>, String> = names.iter().map(|name| setting_named(name)).collect();
    let known = known.map_err(Stop::Failed)?;
    let loaded = ServerConfig::load(sources)?;
    let entries = known.into_iter().filter_map(|setting| loaded.effective.get(setting.name));
    let explained: Vec<String> = entries.map(|entry| telling::explain(entry, Style::of_stdout())).collect();
    print(&explained.join("\n"))
}

fn print(text: &str) -> Result<ExitCode, Stop> {
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
