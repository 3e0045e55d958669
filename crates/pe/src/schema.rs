//! The table that a command works on: looked at, created, or created anew, by PerformanceEvaluation's rules.

use crate::command::Kind;
use crate::error::{Doing, PeError, Result};
use crate::options::Options;
use crate::row_key::row_key;
use crate::ycsb::Plan;
use finback_client::{Admin, ColumnFamilyDescriptor, Connection, TableDescriptor, TableName, TableState};

/// What was done to have the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prepared {
    WasThere,
    Created,
    Recreated,
}

/// Sees to it that there is a table that suits.
pub(crate) async fn prepare(
    connection: &Connection,
    options: &Options,
    plan: Option<&Plan>,
) -> Result<Prepared> {
    let admin = connection.admin();
    let name = TableName::parse(options.table().as_bytes())
        .map_err(|error| PeError::usage(format!("--table={:?}: {error}", options.table())))?;
    let there = match admin.table_exists(&name).await.doing("ask for the table")? {
        true => Some(admin.descriptor(&name).await.doing("ask for the table")?),
        false => None,
    };
    let Some(there) = there else {
        if !creates(options.command.kind) {
            return Err(PeError::Table(absent(options)));
        }
        create(&admin, options, plan, &name).await?;
        return Ok(Prepared::Created);
    };
    if let Some(plan) = plan {
        return match there.family(plan.family.as_bytes()) {
            Some(_) => Ok(Prepared::WasThere),
            None => Err(PeError::Table(format!(
                "table {name} has no family {}: name one that it has with -p columnfamily=NAME",
                plan.family
            ))),
        };
    }
    let regions = match options.presplit {
        0 => 0,
        _ => connection.table(&name).doing("open the table")?.regions().await.doing("ask for regions")?.len(),
    };
    match unfit(&there, options, regions) {
        None => Ok(Prepared::WasThere),
        Some(reason) if options.recreate || is_ours(&there) => {
            drop_table(&admin, &name).await?;
            create(&admin, options, plan, &name).await.map_err(|error| match error {
                PeError::Cluster { source, doing } => {
                    PeError::Cluster { source, doing: format!("{doing}, which was dropped because {reason}") }
                }
                other => other,
            })?;
            Ok(Prepared::Recreated)
        }
        Some(reason) => Err(PeError::Table(format!(
            "table {name} does not suit: {reason}. It was not made by PerformanceEvaluation, so it is left alone; \
             --recreate drops it and makes a new one"
        ))),
    }
}

/// Whether a command makes its table if there is none: those that read or delete need one with something in it.
fn creates(kind: Kind) -> bool {
    match kind {
        Kind::Write { .. } | Kind::Update(_) | Kind::MetaWrite | Kind::MetaClean | Kind::YcsbLoad => true,
        Kind::Delete(_)
        | Kind::Read(_)
        | Kind::Scan
        | Kind::SeekScan
        | Kind::RangeScan(_)
        | Kind::FilterScan
        | Kind::MetaRead
        | Kind::YcsbRun(_) => false,
    }
}

fn absent(options: &Options) -> String {
    let first = if options.command.is_ycsb() { "ycsbLoad" } else { "sequentialWrite" };
    let (table, command) = (options.table(), options.command.name);
    format!("there is no table {table}, and {command} needs one with rows: run {first} before it")
}

/// Whether a table has the families that these commands make, and no others: `info0` and so on.
fn is_ours(table: &TableDescriptor) -> bool {
    !table.families.is_empty()
        && table.families.iter().all(|family| {
            family
                .name
                .strip_prefix(b"info")
                .is_some_and(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
        })
}

/// Why a table that is there cannot be used, by PerformanceEvaluation's `checkTable`.
fn unfit(table: &TableDescriptor, options: &Options, regions: usize) -> Option<String> {
    let kind = options.command.kind;
    let deletes = matches!(kind, Kind::Delete(_));
    let reads = !creates(kind) && !deletes;
    if options.presplit != 0 && options.presplit as usize != regions {
        return Some(format!("it has {regions} regions, not {}", options.presplit));
    }
    let policy = table.attribute("SPLIT_POLICY");
    if !reads && policy != options.split_policy.as_deref() {
        let policy = policy.unwrap_or("none of its own");
        return Some(format!("its split policy is {policy}"));
    }
    let replicas = table.region_replication();
    if !reads && !deletes && replicas != options.replicas {
        return Some(format!("its regions have {replicas} replicas, not {}", options.replicas));
    }
    let families = table.families.len();
    if families != options.families as usize {
        return Some(format!("it has {families} families, not {}", options.families));
    }
    None
}

async fn create(admin: &Admin, options: &Options, plan: Option<&Plan>, name: &TableName) -> Result<()> {
    let (table, splits) = match plan {
        Some(plan) => (of_ycsb(name, plan), ycsb_splits(options.presplit)),
        None => (descriptor(name, options), splits(options)),
    };
    admin.create_table(&table, splits).await.doing(&format!("create table {name}"))
}

async fn drop_table(admin: &Admin, name: &TableName) -> Result<()> {
    if admin.table_state(name).await.doing("ask for the table's state")? == TableState::Enabled {
        admin.disable_table(name).await.doing(&format!("disable table {name}"))?;
    }
    admin.delete_table(name).await.doing(&format!("drop table {name}"))
}

/// A table as PerformanceEvaluation makes it.
fn descriptor(name: &TableName, options: &Options) -> TableDescriptor {
    let mut table = TableDescriptor::new(name.clone());
    for number in 0..options.families {
        let mut family = ColumnFamilyDescriptor::with_defaults(format!("info{number}").as_bytes())
            .with("DATA_BLOCK_ENCODING", &options.block_encoding)
            .with("COMPRESSION", &options.compression)
            .with("BLOOMFILTER", &options.bloom_filter)
            .with("BLOCKSIZE", &options.block_size.to_string())
            .with("IN_MEMORY", if options.in_memory { "true" } else { "false" })
            .with("IN_MEMORY_COMPACTION", &options.in_memory_compaction);
        if let Some(encryption) = &options.encryption {
            family = family.with("ENCRYPTION", encryption);
        }
        table = table.with_family(family);
    }
    if options.replicas != 1 {
        table = table.with("REGION_REPLICATION", &options.replicas.to_string());
    }
    match &options.split_policy {
        Some(policy) => table.with("SPLIT_POLICY", policy),
        None => table,
    }
}

/// Where regions begin: at equal distances in all the rows.
fn splits(options: &Options) -> Vec<Vec<u8>> {
    let regions = u64::from(options.presplit);
    if regions == 0 {
        return Vec::new();
    }
    let jump = options.extent().total / regions;
    (1..regions).map(|number| row_key(jump * number).to_vec()).collect()
}

fn of_ycsb(name: &TableName, plan: &Plan) -> TableDescriptor {
    let family = ColumnFamilyDescriptor::with_defaults(plan.family.as_bytes());
    TableDescriptor::new(name.clone()).with_family(family)
}

/// Where regions of hashed keys begin, as YCSB's page on HBase has it: `user1000` up to `user9999`.
fn ycsb_splits(regions: u32) -> Vec<Vec<u8>> {
    let key = |number| format!("user{}", 1000 + u64::from(number) * (9999 - 1000) / u64::from(regions));
    (1..regions).map(|number| key(number).into_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::PeCommand;

    fn options(command: &str, given: &[(&str, &str)]) -> Options {
        let mut options = Options::new(PeCommand::find(command).unwrap());
        given.iter().for_each(|(name, value)| options.set(name, value).unwrap());
        options
    }

    fn table(given: &[(&str, &str)]) -> TableDescriptor {
        descriptor(&TableName::parse(b"t").unwrap(), &options("sequentialWrite", given))
    }

    #[test]
    fn a_table_is_what_the_options_say() {
        let table =
            table(&[("families", "2"), ("compress", "GZ"), ("blockSize", "4096"), ("inmemory", "true")]);
        assert_eq!(table.families.len(), 2);
        let family = table.family(b"info1").unwrap();
        assert_eq!(family.attribute("COMPRESSION"), Some("GZ"));
        assert_eq!((family.block_size_bytes(), family.is_in_memory()), (4096, true));
        assert_eq!((table.region_replication(), table.attribute("SPLIT_POLICY")), (1, None));
    }

    #[test]
    fn regions_begin_at_equal_distances() {
        let options = options("sequentialWrite", &[("rows", "1000"), ("presplit", "4")]);
        assert_eq!(splits(&options), [250, 500, 750].map(|number| row_key(number).to_vec()));
        assert_eq!(ycsb_splits(3), [b"user3999".to_vec(), b"user6999".to_vec()]);
        assert!(ycsb_splits(0).is_empty());
    }

    #[test]
    fn a_table_is_made_anew_when_hbase_would() {
        let made = table(&[]);
        for (command, given, regions, fits) in [
            ("sequentialWrite", &[][..], 0, true),
            ("sequentialWrite", &[("presplit", "4")], 4, true),
            ("sequentialWrite", &[("presplit", "4")], 3, false),
            ("randomRead", &[("presplit", "4")], 3, false),
            ("sequentialWrite", &[("replicas", "2")], 0, false),
            ("randomRead", &[("replicas", "2")], 0, true),
            ("randomDelete", &[("replicas", "2")], 0, true),
            ("randomDelete", &[("splitPolicy", "x.Y")], 0, false),
            ("randomRead", &[("splitPolicy", "x.Y")], 0, true),
            ("scan", &[("families", "2")], 0, false),
        ] {
            let unfit = unfit(&made, &options(command, given), regions);
            assert_eq!(unfit.is_none(), fits, "{command} {given:?}: {unfit:?}");
        }
    }

    #[test]
    fn only_tables_of_their_own_are_dropped() {
        assert!(is_ours(&table(&[("families", "3")])));
        let mut customers = table(&[]);
        customers.families[0].name = "info".into();
        assert!(!is_ours(&customers));
        customers.families[0].name = "address".into();
        assert!(!is_ours(&customers));
        customers.families.clear();
        assert!(!is_ours(&customers));
    }
}
