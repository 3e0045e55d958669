//! Completion scripts of shells, made from the table.

mod bash;
mod fish;
mod zsh;

/// The shells there are scripts for.
pub(super) const SHELLS: &[&str] = &["bash", "zsh", "fish"];

/// The script for a shell of [`SHELLS`].
pub(super) fn script(shell: &str) -> Option<String> {
    match shell {
        "bash" => Some(bash::script()),
        "zsh" => Some(zsh::script()),
        "fish" => Some(fish::script()),
        _ => None,
    }
}

/// In single quotes of a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The names of all commands.
fn command_names() -> Vec<&'static str> {
    super::commands::COMMANDS.iter().map(|command| command.name).collect()
}

/// The names of all settings.
fn setting_names() -> Vec<&'static str> {
    crate::config::SETTINGS.iter().map(|setting| setting.name).collect()
}
