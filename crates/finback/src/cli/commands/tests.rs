use super::COMMANDS;
use crate::cli::table::{Operand, Opt};
use crate::cli::wrap::TERMINAL_COLUMNS;
use crate::cli::{Style, completions, help, man};
use std::collections::HashSet;
use std::io::Write;
use std::process::{Command, Stdio};

#[test]
fn names_are_unique_and_everything_is_explained() {
    let mut names = HashSet::new();
    for command in COMMANDS {
        assert!(names.insert(command.name), "{}", command.name);
        assert!(!command.summary.is_empty() && !command.summary.ends_with('.'), "{}", command.name);
        let spellings: Vec<String> = command.options.iter().flat_map(Opt::spellings).collect();
        let unique: HashSet<&String> = spellings.iter().collect();
        assert_eq!(spellings.len(), unique.len(), "{}", command.name);
        assert!(!unique.contains(&"--help".to_owned()));
        for option in command.options {
            assert!(option.meaning.ends_with('.'), "finback {} {}", command.name, option.spelling());
        }
        let all_but_last = &command.operands[..command.operands.len().saturating_sub(1)];
        assert!(all_but_last.iter().all(|operand: &Operand| !operand.repeats()), "{}", command.name);
    }
}

#[test]
fn help_explains_every_option_and_fits_a_terminal() {
    let overview = help::overview(Style::PLAIN);
    assert!(overview.lines().all(|line| line.len() <= TERMINAL_COLUMNS), "{overview}");
    for command in COMMANDS {
        assert!(overview.contains(&format!("\n  {} ", command.name)));
        let text = help::of_command(command, Style::PLAIN);
        let own = text.split("Settings, with their defaults:").next().unwrap();
        // Lines that are to be copied are as long as they are.
        let is_example = |line: &str| command.examples.iter().any(|(example, _)| line.trim() == *example);
        let too_long = own.lines().find(|line| line.len() > TERMINAL_COLUMNS && !is_example(line));
        assert_eq!(too_long, None, "finback {} --help", command.name);
        for option in command.options {
            assert!(own.contains(&help::label(option)), "finback {} {}", command.name, option.spelling());
        }
    }
}

#[test]
fn every_command_and_option_is_in_every_completion_script_and_page() {
    for shell in completions::SHELLS {
        let script = completions::script(shell).unwrap();
        for command in COMMANDS {
            assert!(script.contains(command.name), "{shell}: {}", command.name);
            for option in command.options {
                let long = option.long.unwrap_or("D");
                assert!(script.contains(long), "{shell}: {} {long}", command.name);
            }
        }
    }
    assert_eq!(man::pages().count(), COMMANDS.len() + 1);
    for (page, command) in man::pages().skip(1).zip(COMMANDS) {
        assert_eq!(page.file_name, format!("finback-{}.1", command.name));
        for option in command.options {
            assert!(page.text.contains(&option.spelling().replace('-', "\\-")), "{}", page.text);
        }
        // Nothing but requests that there are begins with a full stop.
        let requests = [".TH", ".SH", ".PP", ".TP", ".B", ".BR", ".I", ".nf", ".fi"];
        for line in page.text.lines().filter(|line| line.starts_with('.')) {
            assert!(requests.contains(&line.split(' ').next().unwrap()), "{line}");
        }
    }
}

/// What bash completes `finback hf` to and the like, where there is a bash.
fn completed(words: &[&str]) -> Option<Vec<String>> {
    let script = completions::script("bash").unwrap();
    let line = format!(
        "{script}\nCOMP_WORDS=({})\nCOMP_CWORD={}\n_finback\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
        words.join(" "),
        words.len() - 1
    );
    let mut bash = Command::new("bash").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    bash.stdin.take().unwrap().write_all(line.as_bytes()).unwrap();
    let output = bash.wait_with_output().unwrap();
    assert!(output.status.success());
    Some(String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect())
}

#[test]
fn bash_completes_commands_options_and_values() {
    let Some(commands) = completed(&["finback", "comp"]) else { return };
    assert_eq!(commands, ["compact", "completions"]);
    assert_eq!(completed(&["finback", "compact", "--ma"]).unwrap(), ["--major"]);
    assert_eq!(completed(&["finback", "completions", "z"]).unwrap(), ["zsh"]);
    assert_eq!(completed(&["finback", "man", "ser"]).unwrap(), ["server"]);
}

#[test]
fn scripts_are_what_their_shells_take() {
    for shell in completions::SHELLS {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("script");
        std::fs::write(&path, completions::script(shell).unwrap()).unwrap();
        // Where there is such a shell.
        if let Ok(output) = Command::new(shell).arg("-n").arg(&path).output() {
            assert!(output.status.success(), "{shell}: {output:?}");
        }
    }
}

#[test]
fn names_of_settings_are_completed_behind_d() {
    // The sign belongs to the name; bash itself is told that no space follows.
    let Some(names) = completed(&["finback", "server", "-D", "memory.b"]) else { return };
    assert_eq!(names, ["memory.block-cache="]);
    for shell in completions::SHELLS {
        assert!(completions::script(shell).unwrap().contains("memory.block-cache"), "{shell}");
    }
}
