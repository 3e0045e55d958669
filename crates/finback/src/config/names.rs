//! Names of settings: Finback's, HBase's, others', and nobody's.

use super::instead;
use super::setting::Setting;
use super::table::SETTINGS;
use super::table_defaults::TABLE_DEFAULTS;

/// What a name is.
pub(super) enum Named {
    /// A setting, under this or that name.
    Setting(&'static Setting),
    /// HBase's, and without effect here, for this reason.
    WithoutEffect(&'static str),
    /// Of Hadoop, of the Java virtual machine, or of what else puts its settings into the same file.
    Foreign,
}

/// Every name that HBase reads, one a line, sorted; those that end in a dot are beginnings of names. Some of them HBase has had
/// in one version only: whoever moves from it has files that are older than the server.
const HBASE: &str = include_str!("hbase_names.txt");

/// How the names of others begin.
const FOREIGN: &[&str] = &[
    "adl.",
    "dfs.",
    "file.",
    "fs.",
    "ftp.",
    "ha.",
    "hadoop.",
    "hdfs.",
    "hive.",
    "httpfs.",
    "index.",
    "io.",
    "ipc.",
    "java.",
    "kms.",
    "log4j.",
    "map.",
    "mapred.",
    "mapreduce.",
    "net.",
    "nfs.",
    "phoenix.",
    "ranger.",
    "rpc.metrics.",
    "s3.",
    "s3native.",
    "security.",
    "seq.",
    "ssl.",
    "sun.",
    "tfile.",
    "xasecure.",
    "yarn.",
];

/// All settings: of the server, then of tables.
pub(super) fn all() -> impl Iterator<Item = &'static Setting> + Clone {
    SETTINGS.iter().chain(TABLE_DEFAULTS)
}

/// Whether it is the default of an attribute of tables.
pub(super) fn is_of_tables(setting: &Setting) -> bool {
    TABLE_DEFAULTS.iter().any(|other| other.name == setting.name)
}

/// What a name is. `None`: nobody knows it.
pub(super) fn look_up(name: &str) -> Option<Named> {
    if let Some(setting) = all().find(|setting| setting.names().any(|known| known == name)) {
        return Some(Named::Setting(setting));
    }
    if is_known_to_hbase(name) {
        return Some(Named::WithoutEffect(instead::reason(name)));
    }
    FOREIGN.iter().any(|beginning| name.starts_with(beginning)).then_some(Named::Foreign)
}

/// Whether HBase reads a setting of this name.
pub(super) fn is_known_to_hbase(name: &str) -> bool {
    HBASE.lines().any(|known| known == name || (known.ends_with('.') && name.starts_with(known)))
}

/// The known name that is nearest to one that nobody knows: among Finback's settings, else among HBase's.
pub(super) fn nearest(name: &str) -> Option<&'static str> {
    let find = |known: Vec<&'static str>| crate::nearest::nearest(name, known, 0);
    find(all().flat_map(Setting::names).collect())
        .or_else(|| of_the_same_short_name(name))
        .or_else(|| find(HBASE.lines().filter(|known| !known.ends_with('.')).collect()))
}

/// A setting that is in another section, if there is only one.
fn of_the_same_short_name(name: &str) -> Option<&'static str> {
    let short = name.rsplit('.').next().unwrap_or(name);
    let mut found = SETTINGS.iter().filter(|setting| setting.short_name() == short);
    found.next().filter(|_| found.next().is_none()).map(|setting| setting.name)
}

#[cfg(test)]
mod tests;
