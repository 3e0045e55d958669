//! What servers note of slow and large calls, and masters of balancing.

use super::servers;
use crate::arguments::{Arguments, Options};
use crate::error::{Result, ShellError};
use crate::format::json;
use crate::shell::Shell;
use crate::value::Value;
use finback_client::messages::slow_log_response_request::{FilterByOperator, LogType};
use finback_client::messages::{BalancerDecision, BalancerRejection, SlowLogPayload};
use finback_client::{ServerName, SlowLogFilter};

/// Entries that are shown, unless it is said how many: of calls, of the balancer.
const CALLS: u64 = 10;
const BALANCER: u64 = 250;

pub(super) async fn slow(shell: &mut Shell, arguments: Arguments) -> Result<Value> {
    calls(shell, arguments, (LogType::SlowLog, "SlowLog")).await
}

pub(super) async fn large(shell: &mut Shell, arguments: Arguments) -> Result<Value> {
    calls(shell, arguments, (LogType::LargeLog, "LargeLog")).await
}

/// `'*'`, or names.
async fn wanted(shell: &Shell, servers: Value) -> Result<Vec<ServerName>> {
    match servers {
        Value::Str(all) if all == b"*" => Ok(shell.admin().region_servers().await?),
        Value::Array(names) => servers::live_named(shell, &names).await,
        Value::Str(_) => servers::live_named(shell, &[servers]).await,
        other => {
            Err(ShellError::argument(format!("{} of {other} is not of Array/String type", other.class())))
        }
    }
}

async fn calls(shell: &mut Shell, mut arguments: Arguments, (log, name): (LogType, &str)) -> Result<Value> {
    let servers = arguments.next();
    let mut options = hash(arguments.next())?;
    let limit = options.count("LIMIT")?.unwrap_or(CALLS).min(u64::from(u32::MAX)) as u32;
    let operator = match options.text("FILTER_BY_OP").as_deref() {
        None | Some("OR") => FilterByOperator::Or,
        Some("AND") => FilterByOperator::And,
        Some(_) => return Err(ShellError::argument("FILTER_BY_OP should be either OR / AND")),
    };
    let filter = SlowLogFilter {
        region_name: options.text("REGION_NAME"),
        table_name: options.text("TABLE_NAME"),
        client_address: options.text("CLIENT_IP"),
        user_name: options.text("USER"),
        limit: Some(limit),
        log_type: Some(log.into()),
        filter_by_operator: Some(operator.into()),
    };
    let mut shown = Vec::new();
    for server in wanted(shell, servers).await? {
        shown.extend(shell.admin().slow_log(&server, &filter).await?.iter().map(call));
    }
    shown.truncate(limit as usize);
    shell.out.line(format!("Retrieved {name} Responses from RegionServers"))?;
    shown.iter().try_for_each(|one| shell.out.line(one))?;
    Ok(Value::Nil)
}

fn hash(value: Value) -> Result<Options> {
    match value {
        Value::Nil | Value::Hash(_) => Options::of(value),
        _ => Err(ShellError::argument("Filter parameters are not Hash")),
    }
}

pub(super) async fn clear(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let servers = match arguments.next() {
        Value::Nil => shell.admin().region_servers().await?,
        names => wanted(shell, names).await?,
    };
    let mut cleared = 0;
    for server in &servers {
        cleared += usize::from(shell.admin().clear_slow_log(server).await?);
    }
    shell.out.line(format!("Cleared Slowlog responses from {cleared}/{} RegionServers", servers.len()))?;
    Ok(Value::Nil)
}

pub(super) async fn decisions(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let decisions = shell.admin().balancer_decisions(limit(&mut arguments)?).await?;
    shell.out.line("Retrieved BalancerDecision Responses")?;
    decisions.iter().try_for_each(|one| shell.out.line(decision(one)))?;
    Ok(Value::Nil)
}

pub(super) async fn rejections(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let rejections = shell.admin().balancer_rejections(limit(&mut arguments)?).await?;
    shell.out.line("Retrieved BalancerRejection Responses")?;
    rejections.iter().try_for_each(|one| shell.out.line(rejection(one)))?;
    Ok(Value::Nil)
}

fn limit(arguments: &mut Arguments) -> Result<u32> {
    let limit = hash(arguments.next())?.count("LIMIT")?;
    Ok(limit.unwrap_or(BALANCER).min(u64::from(u32::MAX)) as u32)
}

fn call(one: &SlowLogPayload) -> String {
    let mut fields = vec![
        ("startTime", one.start_time.to_string()),
        ("processingTime", one.processing_time.to_string()),
        ("queueTime", one.queue_time.to_string()),
        ("responseSize", one.response_size.to_string()),
        ("clientAddress", json::text(&one.client_address)),
        ("serverClass", json::text(&one.server_class)),
        ("methodName", json::text(&one.method_name)),
        ("callDetails", json::text(&one.call_details)),
    ];
    if let Some(param) = &one.param {
        fields.push(("param", json::text(param)));
    }
    fields.push(("userName", json::text(&one.user_name)));
    let counts = [
        ("multiGetsCount", one.multi_gets()),
        ("multiMutationsCount", one.multi_mutations()),
        ("multiServiceCalls", one.multi_service_calls()),
    ];
    let counts = counts.into_iter().filter(|(_, count)| *count != 0);
    fields.extend(counts.map(|(name, count)| (name, count.to_string())));
    json::object(&fields)
}

fn decision(one: &BalancerDecision) -> String {
    json::object(&[
        ("initialFunctionCosts", json::text(&one.initial_function_costs)),
        ("finalFunctionCosts", json::text(&one.final_function_costs)),
        ("initTotalCost", json::number(one.init_total_cost)),
        ("computedTotalCost", json::number(one.computed_total_cost)),
        ("computedSteps", one.computed_steps.to_string()),
        ("regionPlans", json::array(&one.region_plans)),
    ])
}

fn rejection(one: &BalancerRejection) -> String {
    json::object(&[
        ("reason", json::plain_text(&one.reason)),
        ("costFuncInfoList", json::array(&one.cost_func_info)),
    ])
}
