//! Quotas as they are listed.

use super::{nothing_left, throttle_name};
use crate::arguments::Options;
use crate::error::{Result, ShellError};
use crate::shell::Shell;
use fancy_regex::Regex;
use finback_client::StoredQuotas;
use finback_client::messages::{Quotas, SpaceQuota, Throttle, ThrottleType, TimeUnit, TimedQuota};

/// Whether quotas are kept at all.
pub(in crate::commands) async fn table_exists(shell: &Shell) -> Result<bool> {
    Ok(shell.admin().table_exists("hbase:quota").await?)
}

/// Whose quotas are listed.
#[derive(Default)]
pub(in crate::commands) struct QuotaFilter {
    user: Option<Regex>,
    table: Option<Regex>,
    namespace: Option<Regex>,
}

impl QuotaFilter {
    pub(in crate::commands) fn of(options: &mut Options) -> Result<Self> {
        let mut regex = |name: &str| {
            let text = options.text(name).filter(|text| !text.is_empty());
            let compiled = text.map(|text| {
                Regex::new(&format!("^(?:{text})$"))
                    .map_err(|error| ShellError::argument(format!("{text}: {error}")))
            });
            compiled.transpose()
        };
        let filter = Self { user: regex("USER")?, table: regex("TABLE")?, namespace: regex("NAMESPACE")? };
        nothing_left(options)?;
        Ok(filter)
    }

    pub(in crate::commands) fn of_table(name: &str) -> Result<Self> {
        let table = Some(exactly(name)?);
        Ok(Self { table, ..Self::default() })
    }

    pub(in crate::commands) fn of_namespace(name: &str) -> Result<Self> {
        let namespace = Some(exactly(name)?);
        Ok(Self { namespace, ..Self::default() })
    }

    /// Owners and what they are limited to.
    pub(in crate::commands) async fn settings(&self, shell: &Shell) -> Result<Vec<(String, String)>> {
        let mut shown = Vec::new();
        for stored in shell.admin().quotas().await? {
            let Some(owner) = Owner::of(&stored) else { continue };
            if self.accepts(&owner) {
                let name = owner.to_string();
                let place = Place { table: owner.table.as_deref(), namespace: owner.namespace.as_deref() };
                shown.extend(settings(&stored.quotas, &place).into_iter().map(|one| (name.clone(), one)));
            }
        }
        Ok(shown)
    }

    /// A user's quotas are looked for by the user first, as in HBase.
    fn accepts(&self, owner: &Owner) -> bool {
        let matches = |regex: &Regex, text: &Option<String>| {
            text.as_ref().is_some_and(|text| regex.is_match(text).unwrap_or(false))
        };
        match (&self.user, &self.table, &self.namespace) {
            (Some(user), None, None) => matches(user, &owner.user),
            (Some(user), table, namespace) => {
                matches(user, &owner.user)
                    && (table.as_ref().is_some_and(|table| matches(table, &owner.table))
                        || namespace.as_ref().is_some_and(|of| matches(of, &owner.namespace)))
            }
            (None, Some(table), _) => owner.user.is_none() && matches(table, &owner.table),
            (None, None, Some(namespace)) => owner.user.is_none() && matches(namespace, &owner.namespace),
            (None, None, None) => true,
        }
    }
}

fn exactly(name: &str) -> Result<Regex> {
    Regex::new(&format!("^{}$", fancy_regex::escape(name)))
        .map_err(|error| ShellError::argument(format!("{name}: {error}")))
}

/// Whose quotas they are.
#[derive(Default)]
struct Owner {
    user: Option<String>,
    table: Option<String>,
    namespace: Option<String>,
    server: Option<String>,
}

impl Owner {
    /// None for rows that have no quotas, but say how they are enforced.
    fn of(stored: &StoredQuotas) -> Option<Self> {
        let text = |bytes: &[u8]| Some(String::from_utf8_lossy(bytes).into_owned());
        let (kind, name) = stored.row.split_at_checked(2)?;
        match kind {
            b"u." => {
                let of = stored.qualifier.strip_prefix(b"s.").unwrap_or_default();
                let (table, namespace) = match of.strip_suffix(b":") {
                    Some(namespace) => (None, text(namespace)),
                    None if of.is_empty() => (None, None),
                    None => (text(of), None),
                };
                Some(Self { user: text(name), table, namespace, server: None })
            }
            b"t." => Some(Self { table: text(name), ..Self::default() }),
            b"n." => Some(Self { namespace: text(name), ..Self::default() }),
            b"r." => Some(Self { server: text(name), ..Self::default() }),
            _ => None,
        }
    }
}

impl std::fmt::Display for Owner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parts = [
            ("USER", &self.user),
            ("TABLE", &self.table),
            ("NAMESPACE", &self.namespace),
            ("REGIONSERVER", &self.server),
        ];
        let parts = parts.iter().filter_map(|(key, value)| Some(format!("{key} => {}", value.as_ref()?)));
        f.write_str(&parts.collect::<Vec<_>>().join(", "))
    }
}

/// What a quota of space is for.
struct Place<'a> {
    table: Option<&'a str>,
    namespace: Option<&'a str>,
}

fn settings(quotas: &Quotas, place: &Place<'_>) -> Vec<String> {
    let mut settings = Vec::new();
    if let Some(throttle) = &quotas.throttle {
        let timed = timed(throttle);
        settings.extend(timed.iter().filter_map(|(kind, quota)| Some(throttled(*kind, (*quota).as_ref()?))));
    }
    if quotas.bypass_globals() {
        settings.push("GLOBAL_BYPASS => true".to_owned());
    }
    if let Some(space) = &quotas.space {
        settings.push(limited(space, place));
    }
    settings
}

/// In HBase's order.
fn timed(throttle: &Throttle) -> [(ThrottleType, &Option<TimedQuota>); 9] {
    use ThrottleType as T;
    [
        (T::RequestNumber, &throttle.req_num),
        (T::RequestSize, &throttle.req_size),
        (T::WriteNumber, &throttle.write_num),
        (T::WriteSize, &throttle.write_size),
        (T::ReadNumber, &throttle.read_num),
        (T::ReadSize, &throttle.read_size),
        (T::RequestCapacityUnit, &throttle.req_capacity_unit),
        (T::ReadCapacityUnit, &throttle.read_capacity_unit),
        (T::WriteCapacityUnit, &throttle.write_capacity_unit),
    ]
}

fn throttled(kind: ThrottleType, quota: &TimedQuota) -> String {
    let name = throttle_name(kind);
    let limit = match (quota.soft_limit, quota.share) {
        (Some(limit), _) if name.ends_with("_NUMBER") => format!("{limit}req"),
        (Some(limit), _) if name.ends_with("_SIZE") => size(limit),
        (Some(limit), _) => format!("{limit}CU"),
        (None, share) => format!("{:.2}%", share.unwrap_or_default()),
    };
    let time = match quota.time_unit() {
        TimeUnit::Nanoseconds => "nsec",
        TimeUnit::Microseconds => "usec",
        TimeUnit::Milliseconds => "msec",
        TimeUnit::Seconds => "sec",
        TimeUnit::Minutes => "min",
        TimeUnit::Hours => "hour",
        TimeUnit::Days => "day",
    };
    let scope =
        quota.scope.map_or_else(String::new, |_| format!(", SCOPE => {}", quota.scope().as_str_name()));
    format!("TYPE => THROTTLE, THROTTLE_TYPE => {name}, LIMIT => {limit}/{time}{scope}")
}

fn limited(space: &SpaceQuota, place: &Place<'_>) -> String {
    let table = place.table.map_or_else(String::new, |table| format!(", TABLE => {table}"));
    let namespace = place.namespace.map_or_else(String::new, |name| format!(", NAMESPACE => {name}"));
    let limit = match space.remove() {
        true => "REMOVE => true".to_owned(),
        false => {
            let policy = space.violation_policy().as_str_name();
            format!("LIMIT => {}, VIOLATION_POLICY => {policy}", size(space.soft_limit()))
        }
    };
    format!("TYPE => SPACE{table}{namespace}, {limit}")
}

/// `5.00K`
fn size(bytes: u64) -> String {
    let units = [(1u64 << 50, 'P'), (1 << 40, 'T'), (1 << 30, 'G'), (1 << 20, 'M'), (1 << 10, 'K')];
    let (unit, letter) = units.into_iter().find(|(unit, _)| bytes >= *unit).unwrap_or((1, 'B'));
    format!("{:.2}{letter}", bytes as f64 / unit as f64)
}
