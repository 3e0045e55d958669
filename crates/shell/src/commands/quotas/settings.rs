//! What `set_quota` sets.

use super::nothing_left;
use crate::arguments::{Options, table_name};
use crate::error::{Result, ShellError};
use crate::value::Value;
use finback_client::messages::{
    QuotaScope, SetQuotaRequest, SpaceLimitRequest, SpaceQuota, SpaceViolationPolicy, ThrottleRequest,
    ThrottleType, TimeUnit, TimedQuota,
};

/// Region servers have one quota together.
const ALL_SERVERS: &str = "all";

/// The request that the options of `set_quota` ask for.
pub(super) fn request(options: &mut Options) -> Result<SetQuotaRequest> {
    let request = match options.text("TYPE").as_deref() {
        Some("THROTTLE") => throttle(options)?,
        Some("SPACE") => space(options)?,
        Some(other) => return Err(ShellError::argument(format!("Invalid TYPE argument. got {other}"))),
        None if options.has("GLOBAL_BYPASS") => {
            let bypass = options.is_set("GLOBAL_BYPASS");
            let user = options.text("USER").ok_or_else(|| ShellError::argument("Expected USER"))?;
            SetQuotaRequest { user_name: Some(user), bypass_globals: Some(bypass), ..empty() }
        }
        None => return Err(ShellError::argument("Expected TYPE argument")),
    };
    nothing_left(options)?;
    Ok(request)
}

fn empty() -> SetQuotaRequest {
    SetQuotaRequest::default()
}

/// Whose quota it is.
fn owner(options: &mut Options) -> Result<SetQuotaRequest> {
    let user_name = options.text("USER");
    let table = options.bytes("TABLE").map(|name| table_name(&name)).transpose()?;
    let namespace = if table.is_none() { options.text("NAMESPACE") } else { None };
    let owner =
        SetQuotaRequest { user_name, table_name: table.as_ref().map(Into::into), namespace, ..empty() };
    if owner != empty() {
        return Ok(owner);
    }
    // Beside another owner it is left over.
    match options.take("REGIONSERVER") {
        Some(_) => Ok(SetQuotaRequest { region_server: Some(ALL_SERVERS.to_owned()), ..empty() }),
        None => Err(ShellError::argument("One of USER, TABLE, NAMESPACE or REGIONSERVER must be specified")),
    }
}

fn throttle(options: &mut Options) -> Result<SetQuotaRequest> {
    let kind = options.text("THROTTLE_TYPE");
    let limit = options.take("LIMIT").unwrap_or(Value::Nil);
    let scope = options.text("SCOPE");
    if limit == Value::text("NONE") {
        let throttle = ThrottleRequest {
            r#type: kind.map(|kind| throttle_type(&kind)).transpose()?.map(Into::into),
            timed_quota: None,
        };
        return Ok(SetQuotaRequest { throttle: Some(throttle), ..owner(options)? });
    }
    let kind = kind.unwrap_or_else(|| "REQUEST".to_owned());
    let (kind, mut timed) = limit_of_requests(&limit.to_text(), &kind)?;
    timed.scope = Some(scope_named(scope.as_deref().unwrap_or("MACHINE"))?.into());
    let owner = owner(options)?;
    if owner.region_server.is_some() && timed.scope() == QuotaScope::Cluster {
        return Err(ShellError::argument("Invalid region server throttle scope, must be MACHINE"));
    }
    let throttle = ThrottleRequest { r#type: Some(kind.into()), timed_quota: Some(timed) };
    Ok(SetQuotaRequest { throttle: Some(throttle), ..owner })
}

fn throttle_type(name: &str) -> Result<ThrottleType> {
    ThrottleType::from_str_name(name).ok_or_else(|| {
        ShellError::argument(format!("No enum constant org.apache.hadoop.hbase.quotas.ThrottleType.{name}"))
    })
}

fn scope_named(name: &str) -> Result<QuotaScope> {
    QuotaScope::from_str_name(&name.to_uppercase())
        .ok_or_else(|| ShellError::argument("Invalid throttle scope, must be either CLUSTER or MACHINE"))
}

/// `10req/sec`, `5K/min`, `3cu/hour`
fn limit_of_requests(text: &str, kind: &str) -> Result<(ThrottleType, TimedQuota)> {
    let wrong = || ShellError::argument("Invalid throttle limit syntax");
    let text = text.to_lowercase();
    let (amount, time) = text.split_once('/').ok_or_else(wrong)?;
    let digits = amount.len() - amount.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = amount.split_at(digits);
    let number: u64 = number.parse().map_err(|_| wrong())?;
    let (suffix, limit) = match unit {
        "req" => ("NUMBER", Some(number)),
        "cu" => ("CAPACITY_UNIT", Some(number)),
        // Of requests or of bytes: only a limit of space can do without.
        "" => return Err(wrong()),
        unit => ("SIZE", size(number, unit).ok_or_else(wrong)?),
    };
    let time_unit = match time {
        "sec" => TimeUnit::Seconds,
        "min" => TimeUnit::Minutes,
        "hour" => TimeUnit::Hours,
        "day" => TimeUnit::Days,
        _ => return Err(wrong()),
    };
    let limit = limit.filter(|&limit| limit > 0);
    let limit =
        limit.ok_or_else(|| ShellError::argument("Invalid throttle limit, must be greater than 0"))?;
    let kind = throttle_type(&format!("{kind}_{suffix}"))?;
    Ok((kind, TimedQuota { time_unit: time_unit.into(), soft_limit: Some(limit), share: None, scope: None }))
}

/// As many units; none inside if that is no number of bytes, none outside if there is no such unit.
fn size(number: u64, unit: &str) -> Option<Option<u64>> {
    let shift = match unit {
        "" | "b" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        "p" => 50,
        _ => return None,
    };
    Some(number.checked_mul(1 << shift))
}

fn space(options: &mut Options) -> Result<SetQuotaRequest> {
    let limit = options.take("LIMIT");
    let quota = match &limit {
        Some(none) if *none == Value::text("NONE") => {
            SpaceQuota { remove: Some(true), ..SpaceQuota::default() }
        }
        Some(limit) => {
            let policy = options.text("POLICY");
            let policy = policy.ok_or_else(|| ShellError::argument("Expected a POLICY to be provided"))?;
            let policy = SpaceViolationPolicy::from_str_name(&policy).ok_or_else(|| {
                ShellError::argument(format!(
                    "No enum constant org.apache.hadoop.hbase.quotas.SpaceViolationPolicy.{policy}"
                ))
            })?;
            let limit = limit_of_space(&limit.to_text())?;
            SpaceQuota { soft_limit: Some(limit), violation_policy: Some(policy.into()), remove: None }
        }
        None => return Err(ShellError::argument("Expected a LIMIT to be provided")),
    };
    // Users have no space of their own: USER is left over.
    let table = options.bytes("TABLE").map(|name| table_name(&name)).transpose()?;
    let namespace = options.text("NAMESPACE");
    match (&table, &namespace) {
        (Some(_), Some(_)) => {
            return Err(ShellError::argument("Only one of TABLE or NAMESPACE can be specified."));
        }
        (None, None) => return Err(ShellError::argument("One of TABLE or NAMESPACE must be specified.")),
        _ => {}
    }
    Ok(SetQuotaRequest {
        table_name: table.as_ref().map(Into::into),
        namespace,
        space_limit: Some(SpaceLimitRequest { quota: Some(quota) }),
        ..empty()
    })
}

/// `1G`, or a number of bytes.
fn limit_of_space(text: &str) -> Result<u64> {
    let text = text.to_lowercase();
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let bytes = number.parse().ok().and_then(|number| size(number, unit));
    let bytes = bytes.ok_or_else(|| ShellError::argument("Invalid size limit syntax"))?;
    bytes
        .filter(|&bytes| bytes > 0)
        .ok_or_else(|| ShellError::argument("Invalid space limit, must be greater than 0"))
}

#[cfg(test)]
mod tests;
