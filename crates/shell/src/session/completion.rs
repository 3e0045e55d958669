//! What the tabulator key completes: commands, tables, families, constants.

use crate::commands;
use crate::language::CONSTANTS;
use finback_client::{Connection, TablePattern};
use rustyline::completion::{Completer, Pair};
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::Validator;
use rustyline::{Context, Helper};
use std::time::Duration;
use tokio::runtime::Handle;

/// How long somebody who has pressed the key waits for the cluster.
const PATIENCE: Duration = Duration::from_secs(2);

pub(super) struct Completion {
    connection: Connection,
    runtime: Handle,
}

impl Helper for Completion {}
impl Highlighter for Completion {}
impl Hinter for Completion {
    type Hint = String;
}
impl Validator for Completion {}

impl Completion {
    pub(super) fn new(connection: Connection, runtime: Handle) -> Self {
        Self { connection, runtime }
    }

    /// Names of tables; none if the cluster does not tell them in time.
    fn tables(&self) -> Vec<String> {
        let asking = async {
            let admin = self.connection.admin().with_operation_timeout(PATIENCE);
            let names = admin.table_names(&TablePattern::all().with_system_tables()).await;
            names.map(|names| names.iter().map(ToString::to_string).collect()).unwrap_or_default()
        };
        self.runtime.block_on(asking)
    }

    fn families(&self, table: &str) -> Vec<String> {
        let asking = async {
            let admin = self.connection.admin().with_operation_timeout(PATIENCE);
            let families = admin.descriptor(table).await.map(|table| table.families).unwrap_or_default();
            families.iter().map(|family| format!("{}:", String::from_utf8_lossy(&family.name))).collect()
        };
        self.runtime.block_on(asking)
    }
}

/// What is being typed: where it begins, and what may stand there.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    Command(usize),
    Constant(usize),
    /// Inside the quotes of the first argument.
    Table(usize),
    /// Inside the quotes of a later argument, of a command for this table.
    Family(usize, String),
}

fn place(line: &str) -> Place {
    let (mut quote, mut literals) = (None, Vec::new());
    for (at, character) in line.char_indices() {
        match (quote, character) {
            (None, '\'' | '"') => quote = Some((character, at + 1)),
            (Some((open, start)), _) if character == open => {
                literals.push(line[start..at].to_owned());
                quote = None;
            }
            _ => {}
        }
    }
    let word = line.rfind(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).map_or(0, |at| at + 1);
    match (quote, literals.into_iter().next()) {
        (Some((_, start)), None) => Place::Table(start),
        (Some((_, start)), Some(table)) => Place::Family(start, table),
        (None, _) if line[..word].trim().is_empty() => Place::Command(word),
        (None, _) => Place::Constant(word),
    }
}

impl Completer for Completion {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let line = line.get(..at).unwrap_or(line);
        let owned = |names: &mut dyn Iterator<Item = &str>| names.map(str::to_owned).collect();
        let (start, mut names): (usize, Vec<String>) = match place(line) {
            Place::Command(start) => (start, owned(&mut commands::names().chain(["exit", "quit"]))),
            Place::Constant(start) => (start, owned(&mut CONSTANTS.iter().copied())),
            Place::Table(start) if line.trim_start().starts_with("help") => {
                (start, owned(&mut commands::names()))
            }
            Place::Table(start) => (start, self.tables()),
            Place::Family(start, table) => (start, self.families(&table)),
        };
        let typed = &line[start..];
        names.retain(|name| name.starts_with(typed) && !(typed.is_empty() && name.is_empty()));
        names.sort();
        names.dedup();
        Ok((start, names.into_iter().map(|name| Pair { display: name.clone(), replacement: name }).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_known_what_is_being_typed() {
        assert_eq!(place("des"), Place::Command(0));
        assert_eq!(place("describe 'fl"), Place::Table(10));
        assert_eq!(place("put 't1', 'r', 'f"), Place::Family(16, "t1".to_owned()));
        assert_eq!(place("scan 't1', {LIM"), Place::Constant(12));
        assert_eq!(place(""), Place::Command(0));
    }
}
