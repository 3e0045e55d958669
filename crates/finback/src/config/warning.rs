//! What is probably not what its author meant, though a server can be started with it.

use super::origin::Origin;
use std::fmt;

/// Names that are shown of many.
const SHOWN: usize = 3;

/// Something that is probably not what its author meant, though a server can be started with it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// HBase obeys these; here there is nothing that they could change.
    WithoutEffect {
        /// Which, and where they are.
        names: Vec<(String, Origin)>,
        /// What Finback does instead.
        instead: &'static str,
    },
    /// Of Hadoop, of the Java virtual machine, or of what else puts its settings into the same file.
    Foreign {
        /// In the order in which they were read.
        names: Vec<String>,
    },
    /// HBase has several settings where Finback has one, and they have different values.
    OneOfSeveral {
        /// Finback's setting.
        setting: &'static str,
        /// The name whose value counts, the value, and where it is.
        counts: (String, String, Origin),
        /// One whose value does not.
        passed_over: (String, String, Origin),
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WithoutEffect { names, instead } => {
                let verb = if names.len() == 1 { "has" } else { "have" };
                let names: Vec<String> =
                    names.iter().map(|(name, origin)| format!("{name} ({origin})")).collect();
                write!(f, "{} {verb} no effect: {instead}", names.join(", "))
            }
            Self::Foreign { names } => {
                let shown = names[..names.len().min(SHOWN)].join(", ");
                let more = if names.len() > SHOWN { ", ..." } else { "" };
                let settings = if names.len() == 1 { "setting has" } else { "settings have" };
                write!(f, "{} {settings} no effect, being not HBase's: {shown}{more}", names.len())
            }
            Self::OneOfSeveral { setting, counts, passed_over } => {
                let (name, value, origin) = counts;
                let (other, other_value, other_origin) = passed_over;
                write!(
                    f,
                    "{name} = {value:?} ({origin}) counts, and {other} = {other_value:?} ({other_origin}) does not: both \
                     are {setting} here"
                )
            }
        }
    }
}
