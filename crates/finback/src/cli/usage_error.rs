//! What can be wrong with a command line, each with what to do next.

/// A command line that cannot be understood.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UsageError {
    /// No such command.
    #[error("there is no command {given:?}{}; finback --help lists them", meant(nearest))]
    UnknownCommand {
        /// As given.
        given: String,
        /// What may have been meant.
        nearest: Option<&'static str>,
    },
    /// No such option.
    #[error("there is no option {given:?}{}; see finback {command} --help", meant(nearest))]
    UnknownOption {
        /// As given.
        given: String,
        /// What may have been meant.
        nearest: Option<String>,
        /// Whose option it would be.
        command: &'static str,
    },
    /// The option needs a value.
    #[error("{option} needs a value: {option} {value}; see finback {command} --help")]
    MissingValue {
        /// As in the help text.
        option: String,
        /// What its value is called.
        value: &'static str,
        /// Whose option it is.
        command: &'static str,
    },
    /// The option takes no value.
    #[error("{option} takes no value; see finback {command} --help")]
    SurplusValue {
        /// As in the help text.
        option: String,
        /// Whose option it is.
        command: &'static str,
    },
    /// The option cannot have this value.
    #[error("{option} cannot be {given:?}: it takes {expected}; see finback {command} --help")]
    BadValue {
        /// As in the help text.
        option: String,
        /// As given.
        given: String,
        /// What it can be.
        expected: String,
        /// Whose option it is.
        command: &'static str,
    },
    /// Something that the command cannot do without is not named.
    #[error("finback {command} needs {operand}; see finback {command} --help")]
    MissingOperand {
        /// What is missing.
        operand: &'static str,
        /// Who needs it.
        command: &'static str,
    },
    /// Something is named that the command has no use for.
    #[error("finback {command} has no use for {given:?}; see finback {command} --help")]
    SurplusOperand {
        /// As given.
        given: String,
        /// Who was given it.
        command: &'static str,
    },
    /// Two options that cannot be there at once, or one that is useless without another.
    #[error("{problem}; see finback {command} --help")]
    Combination {
        /// Which, and why.
        problem: String,
        /// Whose options they are.
        command: &'static str,
    },
}

fn meant(nearest: &Option<impl AsRef<str>>) -> String {
    nearest.as_ref().map_or_else(String::new, |nearest| format!(", did you mean {}?", nearest.as_ref()))
}
