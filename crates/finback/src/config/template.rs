//! `finback.toml`, written: a template with all settings, and what another file comes to.

use super::effective::{Effective, EffectiveSetting};
use super::load::Loaded;
use super::toml_file::TABLES;
use crate::cli::wrap::wrap;
use std::fmt::Write;

const HEAD: &str = "\
# Settings of a Finback server. Lines that begin with # are defaults, or explain; without the # they are settings.
# finback config shows which values count, and where each comes from.
";

/// Columns of a comment, without its sign.
const COMMENT_INDENT: usize = 2;

/// All settings with what they mean: those that somebody has set, and the others as comments.
pub fn template(effective: &Effective) -> String {
    let mut text = HEAD.to_owned();
    for (section, settings) in sections(effective) {
        heading(&mut text, section);
        for entry in settings {
            comment(&mut text, &entry.setting.meaning_in_one_line());
            let line =
                line(entry, section, if entry.is_given() { &entry.value } else { entry.setting.default });
            let _ = writeln!(text, "{}{line}\n", if entry.is_given() { "" } else { "#" });
        }
    }
    text.truncate(text.trim_end().len());
    text + "\n"
}

/// What somebody has set, and nothing else: what a file of HBase's comes to.
pub fn converted(loaded: &Loaded) -> String {
    let mut text = String::new();
    let from: Vec<String> = loaded.effective.files.iter().map(|file| file.display().to_string()).collect();
    comment(
        &mut text,
        &format!(
            "Made from {}. finback config --toml has every setting, and its meaning.",
            from.join(" and ")
        ),
    );
    for warning in &loaded.warnings {
        comment(&mut text, &warning.to_string());
    }
    for (section, settings) in sections(&loaded.effective) {
        let given: Vec<_> = settings.into_iter().filter(|entry| entry.is_given()).collect();
        if !given.is_empty() {
            heading(&mut text, section);
        }
        for entry in given {
            let _ = writeln!(text, "{}", line(entry, section, &entry.value));
        }
    }
    text
}

/// Settings by their sections, those without one first.
fn sections(effective: &Effective) -> Vec<(Option<&str>, Vec<&EffectiveSetting>)> {
    let mut sections: Vec<(Option<&str>, Vec<_>)> = Vec::new();
    for entry in &effective.settings {
        match sections.last_mut().filter(|(section, _)| *section == entry.setting.section()) {
            Some((_, settings)) => settings.push(entry),
            None => sections.push((entry.setting.section(), vec![entry])),
        }
    }
    sections.push((Some(TABLES), effective.tables.iter().collect()));
    sections
}

fn heading(text: &mut String, section: Option<&str>) {
    match section {
        Some(TABLES) => {
            gap(text);
            comment(
                text,
                "What tables go by that do not say otherwise: HBase's attributes of tables and families, under its names.",
            );
            let _ = writeln!(text, "[{TABLES}]");
        }
        Some(section) => {
            gap(text);
            let _ = writeln!(text, "[{section}]");
        }
        None => gap(text),
    }
}

/// One empty line.
fn gap(text: &mut String) {
    if !text.ends_with("\n\n") {
        text.push('\n');
    }
}

fn line(entry: &EffectiveSetting, section: Option<&str>, value: &str) -> String {
    let setting = entry.setting;
    let name = match section {
        Some(TABLES) => format!("\"{}\"", setting.name),
        _ => setting.short_name().to_owned(),
    };
    format!("{name} = {}", setting.form.write(value))
}

fn comment(text: &mut String, about: &str) {
    let mut wrapped = String::new();
    wrap(&mut wrapped, about, COMMENT_INDENT, 0);
    for line in wrapped.lines() {
        let _ = writeln!(text, "# {}", line.trim_start());
    }
}

#[cfg(test)]
mod tests;
