//! The commands of HBase's shell, in its groups.

mod configuration;
mod ddl;
mod dml;
mod general;
mod labels;
mod namespace;
mod procedures;
mod processlist;
mod quotas;
mod replication;
mod rsgroup;
mod schema;
mod security;
mod selection;
mod snapshots;
mod status;
mod storefiletracker;
mod tools;

pub(crate) use general::TABLE_HELP;

use crate::command::{Command, Group};

/// All groups, in the order of HBase's help.
pub const GROUPS: &[Group] = &[
    general::GROUP,
    ddl::GROUP,
    namespace::GROUP,
    dml::GROUP,
    tools::GROUP,
    replication::GROUP,
    snapshots::GROUP,
    configuration::GROUP,
    quotas::GROUP,
    security::GROUP,
    procedures::GROUP,
    labels::GROUP,
    rsgroup::GROUP,
    storefiletracker::GROUP,
];

/// All commands.
pub fn all() -> impl Iterator<Item = &'static Command> {
    GROUPS.iter().flat_map(|group| group.commands)
}

/// All names of commands.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    all().flat_map(|command| std::iter::once(command.name).chain(command.aliases.iter().copied()))
}

/// The command of this name.
pub(crate) fn find(name: &str) -> Option<&'static Command> {
    all().find(|command| command.name == name || command.aliases.contains(&name))
}

#[cfg(test)]
mod tests;
