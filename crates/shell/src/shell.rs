//! The shell: a connection, variables, and where to write.

use crate::arguments::Arguments;
use crate::command::Run;
use crate::commands;
use crate::error::{Result, ShellError};
use crate::failure;
use crate::language::{Action, Argument, Statement, method_of_a_value, parse};
use crate::output::Output;
use crate::value::Value;
use finback_client::{Admin, Connection, Table, TableName};
use jiff::tz::TimeZone;
use std::collections::HashMap;
use std::io::{self, Write};
use std::time::Instant;

/// A shell.
pub struct Shell {
    pub(crate) connection: Connection,
    pub(crate) out: Output,
    pub(crate) zone: TimeZone,
    /// When what counts of the command began, and ended if that was before its end.
    pub(crate) started: Instant,
    pub(crate) ended: Option<Instant>,
    /// Whether `debug` was there: failures are told as the server told them.
    debug: bool,
    variables: HashMap<String, Value>,
    /// Lines of the script before the text that runs.
    lines_before: usize,
    /// Whether `exit` was there, and with which code.
    exit: Option<u8>,
    /// Whether what goes wrong is told and the next statement follows.
    pub(crate) goes_on: bool,
}

impl Shell {
    /// A shell that writes there; in lines that are filled to `width`, or, if that gives 0, in lines of any length.
    pub fn new(connection: Connection, to: Box<dyn Write>, width: fn() -> usize) -> Self {
        Self {
            connection,
            out: Output::new(to, width),
            zone: TimeZone::system(),
            started: Instant::now(),
            ended: None,
            debug: false,
            variables: HashMap::new(),
            lines_before: 0,
            exit: None,
            goes_on: false,
        }
    }

    /// What goes wrong is told, and the next statement follows: for people at a terminal.
    #[must_use]
    pub fn going_on(mut self) -> Self {
        self.goes_on = true;
        self
    }

    /// Failures are told as the server told them, as after the statement `debug`.
    #[must_use]
    pub fn debugging(mut self) -> Self {
        self.debug = true;
        self
    }

    /// The code of an `exit`.
    pub fn exit_code(&self) -> Option<u8> {
        self.exit
    }

    pub(crate) fn admin(&self) -> Admin {
        self.connection.admin()
    }

    pub(crate) fn table(&self, name: &TableName) -> Result<Table> {
        Ok(self.connection.table(name)?)
    }

    /// Runs statements, until one fails (unless the shell goes on) or is `exit`.
    ///
    /// # Errors
    /// What the statement failed with. It is told already.
    pub async fn run(&mut self, text: &[u8]) -> Result<()> {
        self.run_after(text, 0).await
    }

    /// The same for text that has as many lines of a script before it, for messages.
    ///
    /// # Errors
    /// As [`run`](Self::run) has them.
    pub async fn run_after(&mut self, text: &[u8], lines: usize) -> Result<()> {
        self.lines_before = lines;
        let statements = match parse(text) {
            Ok(statements) => statements,
            Err(incomplete @ ShellError::Incomplete(_)) => return Err(incomplete),
            Err(error) => return self.told(error.after_lines(lines), None),
        };
        for statement in statements {
            self.statement(statement).await?;
            if self.exit.is_some() {
                break;
            }
        }
        self.out.flush()?;
        Ok(())
    }

    async fn statement(&mut self, statement: Statement) -> Result<()> {
        let value = match statement.action {
            Action::Value(argument) => self.evaluated(argument),
            Action::Command { table, name, arguments } => {
                self.command(table, &name, arguments, statement.place).await
            }
        };
        let value = match value {
            Ok(Some(value)) => value,
            Ok(None) => return Ok(()),
            Err(error) => return self.told(error, None),
        };
        if value != Value::Nil {
            self.out.line(format!("=> {value}"))?;
        }
        if let Some(name) = statement.assigns {
            self.variables.insert(name, value);
        }
        Ok(())
    }

    fn evaluated(&self, argument: Argument) -> Result<Option<Value>> {
        self.value(argument).map(Some)
    }

    /// Runs a command; none if it failed, which is told.
    async fn command(
        &mut self,
        table: Option<String>,
        name: &str,
        arguments: Vec<Argument>,
        place: (usize, usize),
    ) -> Result<Option<Value>> {
        if table.is_none()
            && arguments.is_empty()
            && let Some(value) = self.variables.get(name)
        {
            return Ok(Some(value.clone()));
        }
        let mut values = Vec::with_capacity(arguments.len() + 1);
        if let Some(variable) = table {
            let table = self.table_of(&variable, place)?;
            if name == "name" && arguments.is_empty() {
                return Ok(Some(Value::text(table.to_bytes())));
            }
            if name != "help" {
                values.push(table);
            } else if arguments.is_empty() {
                self.out.line(commands::TABLE_HELP)?;
                return Ok(None);
            }
        }
        for argument in arguments {
            values.push(self.value(argument)?);
        }
        if matches!(name, "debug" | "debug?") && values.is_empty() {
            self.debug ^= name == "debug";
            self.out.line(format!("Debug mode is {}\n", if self.debug { "ON" } else { "OFF" }))?;
            return Ok(None);
        }
        if matches!(name, "exit" | "quit") {
            self.exit = Some(match values.first() {
                Some(Value::Int(code)) => (code & 0xff) as u8,
                _ => 0,
            });
            return Ok(None);
        }
        let command = commands::find(name).ok_or_else(|| unknown(name))?;
        let run = match command.run {
            Run::Here(run) => run,
            Run::NotThere(reason) => return Err(ShellError::NotThere { command: command.name, reason }),
        };
        check_count(values.len(), command.takes)?;
        let first = values.first().map(Value::to_text).unwrap_or_default();
        (self.started, self.ended) = (Instant::now(), None);
        let done = tokio::select! {
            done = run(self, Arguments::new(values)) => done,
            _ = tokio::signal::ctrl_c() => Err(ShellError::Interrupted),
        };
        let took = self.ended.unwrap_or_else(Instant::now).saturating_duration_since(self.started);
        let told = match done {
            Ok(value) => Ok(Some(value)),
            // For `debug` what the server said is told as it is.
            Err(error) if self.debug => self.told(error, Some(command.name)).map(|()| None),
            Err(error) => self.told(failure::translated(error, &first), Some(command.name)).map(|()| None),
        };
        let is_timed = command.name != "help";
        if is_timed {
            self.out.line(format!("Took {:.4} seconds", took.as_secs_f64()))?;
        }
        match told {
            Err(error) => Err(self.ending(error)?),
            Ok(value) => Ok(value),
        }
    }

    fn ending(&mut self, error: ShellError) -> Result<ShellError> {
        self.out.flush()?;
        Ok(error)
    }

    /// Tells what went wrong, if the shell goes on; gives it back if it does not.
    fn told(&mut self, error: ShellError, command: Option<&str>) -> Result<()> {
        if !self.goes_on {
            self.out.flush()?;
            return Err(error);
        }
        self.out.line(format!("\nERROR: {error}\n"))?;
        if let Some(command) = command {
            self.out.line(format!("For usage try 'help \"{command}\"'\n"))?;
        }
        self.out.flush()?;
        Ok(())
    }

    fn table_of(&self, variable: &str, place: (usize, usize)) -> Result<Value> {
        match self.variables.get(variable) {
            Some(table @ Value::Table(_)) => Ok(table.clone()),
            None if commands::find(variable).is_none() => Err(undefined(variable)),
            _ => Err(method_of_a_value(place).after_lines(self.lines_before)),
        }
    }

    fn value(&self, argument: Argument) -> Result<Value> {
        Ok(match argument {
            Argument::Literal(value) => value,
            Argument::Variable(name) => match self.variables.get(&name) {
                Some(value) => value.clone(),
                None => return Err(undefined(&name)),
            },
            Argument::Array(values) => {
                Value::Array(values.into_iter().map(|value| self.value(value)).collect::<Result<_>>()?)
            }
            Argument::Hash(pairs) => {
                let pair = |(key, value)| Ok((self.value(key)?, self.value(value)?));
                Value::Hash(pairs.into_iter().map(pair).collect::<Result<_>>()?)
            }
        })
    }

    /// The answer of whoever is at standard input.
    pub(crate) fn asked(&mut self, question: &str) -> Result<bool> {
        self.out.line(format!("\n{question} (y/n)?"))?;
        self.out.flush()?;
        let mut answer = String::new();
        io::stdin().read_line(&mut answer)?;
        Ok(answer.contains(['y', 'Y']))
    }
}

fn undefined(name: &str) -> ShellError {
    ShellError::argument(format!(
        "undefined local variable or method '{name}': text needs quotes, as in '{name}'"
    ))
}

fn unknown(name: &str) -> ShellError {
    let names = commands::names().filter(|known| known.starts_with(name) || name.starts_with(known));
    let nearest: Vec<&str> = names.take(5).collect();
    let hint = if nearest.is_empty() { String::new() } else { format!("; there is {}", nearest.join(", ")) };
    ShellError::argument(format!(
        "undefined local variable or method '{name}'{hint}; \"help\" lists the commands"
    ))
}

fn check_count(given: usize, (min, max): (usize, Option<usize>)) -> Result<()> {
    if given >= min && max.is_none_or(|max| given <= max) {
        return Ok(());
    }
    let expected = match max {
        None => format!("{min}+"),
        Some(max) if max == min => min.to_string(),
        Some(max) => format!("{min}..{max}"),
    };
    Err(ShellError::argument(format!("wrong number of arguments (given {given}, expected {expected})")))
}
