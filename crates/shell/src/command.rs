//! What a command is: the table from which running, help, completion and documentation come.

use crate::arguments::Arguments;
use crate::error::Result;
use crate::shell::Shell;
use crate::value::Value;
use std::future::Future;
use std::pin::Pin;

/// What a command does, as it goes on.
pub(crate) type Running<'a> = Pin<Box<dyn Future<Output = Result<Value>> + 'a>>;

/// What a command does.
#[derive(Clone, Copy)]
pub(crate) enum Run {
    /// This.
    Here(for<'a> fn(&'a mut Shell, Arguments) -> Running<'a>),
    /// Nothing: the reason, and what to do instead.
    NotThere(&'static str),
}

/// A command of HBase's shell.
pub struct Command {
    /// What it is called by.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// How many arguments it takes at least, and at most if there is a most.
    pub(crate) takes: (usize, Option<usize>),
    /// What it does, with examples.
    pub help: &'static str,
    pub(crate) run: Run,
}

impl Command {
    /// Why it is not there, if it is not.
    pub fn missing(&self) -> Option<&'static str> {
        match self.run {
            Run::Here(_) => None,
            Run::NotThere(reason) => Some(reason),
        }
    }
}

/// Commands of one kind.
pub struct Group {
    /// What its help is asked for by.
    pub name: &'static str,
    /// What it is about.
    pub title: &'static str,
    /// The commands.
    pub commands: &'static [Command],
}

/// `command!("list", 0..1, list, "…")`: a command that a function of this name carries out.
macro_rules! command {
    ($name:literal, $min:literal.., $run:path, $help:expr) => {
        $crate::command::command!(@ $name, &[], ($min, None), $run, $help)
    };
    ($name:literal, $min:literal..$max:literal, $run:path, $help:expr) => {
        $crate::command::command!(@ $name, &[], ($min, Some($max)), $run, $help)
    };
    ($name:literal | $alias:literal, $min:literal..$max:literal, $run:path, $help:expr) => {
        $crate::command::command!(@ $name, &[$alias], ($min, Some($max)), $run, $help)
    };
    (@ $name:literal, $aliases:expr, $takes:expr, $run:path, $help:expr) => {
        $crate::command::Command {
            name: $name,
            aliases: $aliases,
            takes: $takes,
            help: $help,
            run: $crate::command::Run::Here(|shell, arguments| Box::pin($run(shell, arguments))),
        }
    };
}
pub(crate) use command;

/// `not_there!("add_peer", "…")`: a command that HBase has, and why it is not here.
macro_rules! not_there {
    ($name:literal, $reason:expr) => {
        $crate::command::Command {
            name: $name,
            aliases: &[],
            takes: (0, None),
            help: $reason,
            run: $crate::command::Run::NotThere($reason),
        }
    };
}
pub(crate) use not_there;
