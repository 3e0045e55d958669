//! What `finback config` prints.

use crate::cli::style::Style;
use crate::cli::wrap::wrap;
use crate::config::{EffectiveSetting, Loaded, Origin, Setting};
use std::fmt::Write;

/// Columns before what explains a setting.
const INDENT: usize = 6;
/// Columns of the labels of an explanation.
const LABEL: usize = 19;

/// All settings, by section.
pub(super) fn list(loaded: &Loaded, all_of_tables: bool, style: Style) -> String {
    let effective = &loaded.effective;
    let mut text = String::new();
    for file in &effective.files {
        let _ = writeln!(text, "Read: {}", file.display());
    }
    let mut section = Some("");
    for entry in &effective.settings {
        if entry.setting.section() != section {
            section = entry.setting.section();
            let title = section.map_or("before all sections".to_owned(), |section| format!("[{section}]"));
            let gap = if text.is_empty() { "" } else { "\n" };
            let _ = writeln!(text, "{gap}{}", style.bold(&title));
        }
        one(&mut text, entry, style);
    }
    let given = effective.tables.iter().filter(|entry| all_of_tables || entry.is_given());
    let given: Vec<_> = given.collect();
    let _ = writeln!(text, "\n{}", style.bold("[tables]"));
    let about = format!(
        "What tables go by that have no attribute of the same name. {} of {} {} shown{}",
        given.len(),
        effective.tables.len(),
        if given.len() == 1 { "is" } else { "are" },
        if all_of_tables { "." } else { ": the others have their defaults, which --tables shows." }
    );
    wrap(&mut text, &about, 2, 0);
    given.into_iter().for_each(|entry| one(&mut text, entry, style));
    text
}

/// A setting, in a line and some that explain it.
fn one(text: &mut String, entry: &EffectiveSetting, style: Style) {
    let (value, origin) = (shown(&entry.value), origin_and_default(entry));
    let comes_to = entry.comes_to.as_ref().map_or(String::new(), |comes_to| format!(", here {comes_to}"));
    let name = if entry.is_given() { style.bold(entry.setting.name) } else { entry.setting.name.to_owned() };
    let _ = writeln!(text, "  {name} = {value}   ({origin}{comes_to})");
    wrap(text, entry.setting.meaning, INDENT, 0);
}

fn origin_and_default(entry: &EffectiveSetting) -> String {
    match entry.origin {
        Origin::Default | Origin::Derived => entry.origin.to_string(),
        _ => format!("{}; default {}", entry.origin, shown(entry.setting.default)),
    }
}

/// An empty value is seen.
fn shown(value: &str) -> &str {
    if value.is_empty() { "\"\"" } else { value }
}

/// One setting, with everything about it.
pub(super) fn explain(entry: &EffectiveSetting, style: Style) -> String {
    let Setting { name, default, unit, meaning, hbase_names, reach, .. } = entry.setting;
    let mut text = format!("{}\n", style.bold(name));
    wrap(&mut text, meaning, 2, 0);
    text.push('\n');
    let mut row = |label: &str, value: &str| {
        let _ = write!(text, "  {label:<width$}", width = LABEL - 2);
        wrap(&mut text, value, LABEL, LABEL);
    };
    row("value", shown(&entry.value));
    if let Some(comes_to) = &entry.comes_to {
        row("which is here", comes_to);
    }
    row("from", &entry.origin.to_string());
    row("default", shown(default));
    row("unit", unit);
    row("a change counts", reach.when());
    if !hbase_names.is_empty() {
        row("HBase's names", &hbase_names.join(", "));
    }
    text
}

/// Everything, for programs.
pub(super) fn json(loaded: &Loaded) -> String {
    let effective = &loaded.effective;
    let all = |entries: &[EffectiveSetting]| array(entries.iter().map(entry_json));
    let files = array(effective.files.iter().map(|file| quoted(&file.to_string_lossy())));
    let warnings = array(loaded.warnings.iter().map(|warning| quoted(&warning.to_string())));
    format!(
        "{{\"settings\":{},\n\"tables\":{},\n\"files\":{files},\n\"warnings\":{warnings}}}\n",
        all(&effective.settings),
        all(&effective.tables)
    )
}

fn entry_json(entry: &EffectiveSetting) -> String {
    let setting = entry.setting;
    let names = array(setting.hbase_names.iter().map(|name| quoted(name)));
    let comes_to = entry.comes_to.as_deref().map_or("null".to_owned(), quoted);
    let mut fields = vec![
        ("name", quoted(setting.name)),
        ("value", quoted(&entry.value)),
        ("comes_to", comes_to),
        ("default", quoted(setting.default)),
        ("origin", quoted(&entry.origin.to_string())),
        ("unit", quoted(setting.unit)),
        ("meaning", quoted(&setting.meaning_in_one_line())),
        ("change_counts", quoted(setting.reach.when())),
        ("hbase_names", names),
    ];
    if let Origin::File { path, line } = &entry.origin {
        fields.push(("file", quoted(&path.to_string_lossy())));
        fields.push(("line", line.to_string()));
    }
    let fields: Vec<String> = fields.into_iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
    format!("\n{{{}}}", fields.join(","))
}

fn array(values: impl Iterator<Item = String>) -> String {
    format!("[{}]", values.collect::<Vec<_>>().join(","))
}

/// A string of JSON.
fn quoted(text: &str) -> String {
    finback_json::JsonText::new(text).to_string()
}

#[cfg(test)]
mod tests;
