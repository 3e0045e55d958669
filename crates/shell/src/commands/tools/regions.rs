//! Regions, named by themselves or by their table.

use crate::arguments::{Arguments, table_name};
use crate::error::{Result, ShellError};
use crate::format;
use crate::shell::Shell;
use crate::value::Value;
use finback_client::messages::CacheEvictionStats;
use finback_client::{CompactionState, Error, MetaRegion, RegionInfo, ServerName, StringBinary, TableName};

/// What the name of a table or a region stands for.
enum Target {
    Table(TableName),
    Region(Box<MetaRegion>),
}

/// 32 hexadecimal digits, or what has commas in it, names a region, if there is one of that name.
async fn target(shell: &Shell, name: &[u8]) -> Result<Target> {
    let is_encoded = name.len() == 32 && name.iter().all(u8::is_ascii_hexdigit);
    if is_encoded || name.contains(&b',') || name == b"1588230740" {
        match shell.admin().region(name).await {
            Ok(region) => return Ok(Target::Region(Box::new(region))),
            Err(Error::Refused(_)) if is_encoded => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(Target::Table(table_name(name)?))
}

pub(super) async fn assign(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    shell.admin().assign_region(arguments.bytes()).await?;
    Ok(Value::Nil)
}

pub(super) async fn unassign(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    shell.admin().unassign_region(arguments.bytes()).await?;
    Ok(Value::Nil)
}

pub(super) async fn flush(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let (name, family) = (arguments.bytes(), arguments.optional_text());
    if let Some(server) = std::str::from_utf8(&name).ok().and_then(ServerName::parse) {
        shell.admin().flush_server(&server).await?;
        return Ok(Value::Nil);
    }
    match target(shell, &name).await? {
        Target::Table(table) => shell.admin().flush_table(&table, family.as_deref()).await?,
        Target::Region(region) => {
            shell.admin().flush_region(&region, family.as_deref().map(str::as_bytes)).await?;
        }
    }
    Ok(Value::Nil)
}

pub(super) async fn compact(shell: &mut Shell, arguments: Arguments) -> Result<Value> {
    compacted(shell, arguments, false).await
}

pub(super) async fn major_compact(shell: &mut Shell, arguments: Arguments) -> Result<Value> {
    compacted(shell, arguments, true).await
}

async fn compacted(shell: &mut Shell, mut arguments: Arguments, major: bool) -> Result<Value> {
    let (name, family) = (arguments.bytes(), arguments.optional_text());
    let is_mob = match arguments.optional_text().as_deref() {
        None | Some("NORMAL") => false,
        Some("MOB") => true,
        Some(_) => return Err(ShellError::argument("only NORMAL or MOB accepted for type!")),
    };
    let family = family.as_deref().map(str::as_bytes);
    match target(shell, &name).await? {
        Target::Table(table) if is_mob => compacted_mob(shell, &table, family, major).await?,
        Target::Table(table) => shell.admin().compact_table(&table, family, major).await?,
        Target::Region(region) => shell.admin().compact_region(&region, family, major).await?,
    }
    Ok(Value::Nil)
}

async fn compacted_mob(shell: &Shell, table: &TableName, family: Option<&[u8]>, major: bool) -> Result<()> {
    match shell.admin().compact_mob_files(table, family, major).await {
        // What HBase says since 2.5, of the name of a region that nobody has heard of.
        Err(error) if error.is("NotServingRegionException") => Err(ShellError::argument(
            "this server does not have MOB files merged by themselves: without 'MOB' they are merged with the others",
        )),
        done => Ok(done?),
    }
}

/// Merges files of all regions that a server has.
pub(super) async fn compact_server(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let servers = super::servers::live_named(shell, &[arguments.next()]).await?;
    let major = arguments.switch();
    for server in &servers {
        shell.admin().compact_server(server, major).await?;
    }
    Ok(Value::Nil)
}

pub(super) async fn compaction_state(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let state = match shell.admin().compaction_state_of_table(&arguments.table()?).await? {
        CompactionState::None => "NONE",
        CompactionState::Minor => "MINOR",
        CompactionState::Major => "MAJOR",
        CompactionState::MajorAndMinor => "MAJOR_AND_MINOR",
    };
    shell.out.row(&[state])?;
    Ok(Value::text(state))
}

pub(super) async fn move_region(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let region = arguments.text();
    let server = arguments.optional_text().map(|name| {
        ServerName::parse(&name).ok_or_else(|| {
            ShellError::argument(format!("{name} is no name of a server: host,port,startcode"))
        })
    });
    shell.admin().move_region(&region, server.transpose()?.as_ref()).await?;
    Ok(Value::Nil)
}

pub(super) async fn split(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let name = arguments.bytes();
    let row = match arguments.next() {
        Value::Nil => None,
        row => Some(row.to_bytes()),
    };
    let admin = shell.admin();
    match (target(shell, &name).await?, row) {
        (Target::Region(region), row) => admin.split_region(&region.region, row.as_deref()).await?,
        (Target::Table(table), Some(row)) => admin.split_table_at(&table, row).await?,
        (Target::Table(table), None) => {
            // Of a table that is not there no region would be found, and nothing told.
            admin.descriptor(&table).await?;
            for region in admin.regions_of_table(&table).await? {
                match admin.split_region(&region.region, None).await {
                    // HBase's client passes over regions that cannot be split, too.
                    Err(Error::Refused(refused)) => shell.out.line(format!("{refused}"))?,
                    done => done?,
                }
            }
        }
    }
    Ok(Value::Nil)
}

pub(super) async fn merge(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let mut names = arguments.flat();
    let force = match names.last() {
        Some(Value::Bool(force)) if names.len() > 2 => {
            let force = *force;
            names.pop();
            force
        }
        _ => false,
    };
    if names.len() < 2 {
        return Err(ShellError::argument("Must pass at least 2 regions to merge"));
    }
    let mut regions: Vec<RegionInfo> = Vec::new();
    for name in &names {
        let region = match shell.admin().region(name.to_bytes()).await {
            Err(error) if error.is("UnknownRegionException") => {
                let name = name.to_text();
                return Err(ShellError::argument(format!("Can't invoke merge on unknown region {name}")));
            }
            found => found?.region,
        };
        regions.push(region);
    }
    shell.admin().merge_regions(&regions, force).await?;
    Ok(Value::Nil)
}

pub(super) async fn clear_block_cache(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let evicted = shell.admin().clear_block_cache(&arguments.table()?).await?;
    let blocks: i64 = evicted.iter().map(CacheEvictionStats::evicted_blocks).sum();
    let size: i64 = evicted.iter().map(CacheEvictionStats::max_cache_size).sum();
    let failed = evicted.iter().flat_map(|of_server| &of_server.exception);
    let failed: Vec<String> = failed.map(|one| StringBinary(&one.region.value).to_string()).collect();
    shell.out.row(&[&format!(
        "CacheEvictionStats{{evictedBlocks={blocks}, maxCacheSize={size}, failedRegionsSize={}, failedRegions=[{}]}}",
        failed.len(),
        failed.join(", ")
    )])?;
    Ok(Value::Nil)
}

pub(super) async fn info(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let region = shell.admin().region(arguments.bytes()).await?;
    shell.out.line(format::region(&region.region))?;
    Ok(Value::Nil)
}
