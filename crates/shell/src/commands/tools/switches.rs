//! What the master does by itself, and whether it does.

use crate::arguments::{Arguments, Options};
use crate::error::{Result, ShellError};
use crate::shell::Shell;
use crate::value::Value;
use finback_client::{NormalizedTables, RegionSwitch};

fn told(shell: &mut Shell, answer: bool) -> Result<Value> {
    shell.out.row(&[&answer.to_string()])?;
    Ok(Value::Bool(answer))
}

macro_rules! switch {
    ($set:ident = $set_method:ident, $get:ident = $get_method:ident) => {
        pub(super) async fn $set(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
            let before = shell.admin().$set_method(arguments.switch()).await?;
            told(shell, before)
        }

        pub(super) async fn $get(shell: &mut Shell, _: Arguments) -> Result<Value> {
            let is_on = shell.admin().$get_method().await?;
            told(shell, is_on)
        }
    };
}

switch!(normalizer_switch = set_normalizer, normalizer_enabled = is_normalizer_enabled);
switch!(janitor_switch = set_catalog_janitor, janitor_enabled = is_catalog_janitor_enabled);
switch!(cleaner_switch = set_cleaner_chore, cleaner_enabled = is_cleaner_chore_enabled);

pub(super) async fn cleanup_switch(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let before = shell.admin().set_snapshot_cleanup(arguments.switch()).await?;
    shell.out.row(&[&format!("Previous snapshot cleanup state : {before}")])?;
    Ok(Value::Bool(before))
}

pub(super) async fn cleanup_enabled(shell: &mut Shell, _: Arguments) -> Result<Value> {
    let is_on = shell.admin().is_snapshot_cleanup_enabled().await?;
    told(shell, is_on)
}

pub(super) async fn balance_switch(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let before = shell.admin().set_balancer(arguments.switch()).await?;
    shell.out.row(&[&format!("Previous balancer state : {before}")])?;
    Ok(Value::Bool(before))
}

pub(super) async fn balancer_enabled(shell: &mut Shell, _: Arguments) -> Result<Value> {
    let is_on = shell.admin().is_balancer_enabled().await?;
    told(shell, is_on)
}

pub(super) async fn balancer(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let (mut dry_run, mut force) = (false, false);
    for option in arguments.flat() {
        match option.to_text().as_str() {
            "dry_run" => dry_run = true,
            "force" | "ignore_rit" => force = true,
            other => return Err(ShellError::argument(format!("Invalid argument {other}."))),
        }
    }
    let done = shell.admin().balance(dry_run, force).await?;
    if done.ran {
        shell.out.row(&["Balancer ran"])?;
        let (calculated, executed) = (done.moves_calculated, done.moves_executed);
        shell.out.row(&[&format!("Moves calculated: {calculated}, moves executed: {executed}")])?;
    } else {
        shell.out.row(&["Balancer did not run. See logs for details."])?;
    }
    Ok(Value::Bool(done.ran))
}

pub(super) async fn normalize(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let mut wanted = NormalizedTables::default();
    for hash in arguments.flat() {
        let mut options = Options::of(hash)?;
        let names = [options.list("TABLE_NAME"), options.list("TABLE_NAMES")].concat();
        for name in names {
            wanted.tables.push(crate::arguments::table_name(&name.to_bytes())?);
        }
        wanted.regex = options.text("REGEX").or(wanted.regex);
        wanted.namespace = options.text("NAMESPACE").or(wanted.namespace);
        if !options.is_empty() {
            let names: Vec<&str> = options.names().collect();
            return Err(ShellError::argument(format!("Unrecognized argument {}", names.join(", "))));
        }
    }
    let ran = shell.admin().normalize_matching(&wanted).await?;
    told(shell, ran)
}

pub(super) async fn janitor_run(shell: &mut Shell, _: Arguments) -> Result<Value> {
    Ok(Value::Int(shell.admin().run_catalog_janitor().await?.into()))
}

pub(super) async fn cleaner_run(shell: &mut Shell, _: Arguments) -> Result<Value> {
    Ok(Value::Bool(shell.admin().run_cleaner_chore().await?))
}

pub(super) async fn hbck_run(shell: &mut Shell, _: Arguments) -> Result<Value> {
    Ok(Value::Bool(shell.admin().run_hbck_chore().await?))
}

fn kind(arguments: &mut Arguments) -> Result<RegionSwitch> {
    match arguments.text().as_str() {
        "SPLIT" => Ok(RegionSwitch::Split),
        "MERGE" => Ok(RegionSwitch::Merge),
        _ => Err(ShellError::argument("only SPLIT or MERGE accepted for type!")),
    }
}

pub(super) async fn region_switch(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let kind = kind(&mut arguments)?;
    let before = shell.admin().set_region_switch(kind, arguments.switch()).await?;
    told(shell, before)
}

pub(super) async fn region_enabled(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let is_on = shell.admin().is_region_switch_on(kind(&mut arguments)?).await?;
    told(shell, is_on)
}
