//! `processlist`: what region servers are at work on, from their web pages.

use super::tools::live_servers_named;
use crate::arguments::Arguments;
use crate::error::{Result, ShellError};
use crate::shell::Shell;
use crate::value::Value;
use finback_client::{ServerName, StatusOption};
use jiff::{Timestamp, tz::TimeZone};
use serde_json::Value as Json;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The kinds of tasks that HBase's page can be asked for.
const FILTERS: [&str; 5] = ["all", "general", "handler", "rpc", "operation"];
/// How long a server's page may take, and how long it may be.
const PATIENCE: Duration = Duration::from_secs(10);
const MAX_PAGE_BYTES: u64 = 16 << 20;
/// Widths of the columns, as HBase's shell has them.
const HOST: usize = 15;
const START: usize = 19;
const STATE: usize = 8;
const MAX_DESCRIPTION: usize = 32;
const MAX_STATUS: usize = 36;

/// A task as a server tells it.
struct Task {
    host: String,
    start_ms: i64,
    state: String,
    description: String,
    status: String,
    status_ms: i64,
}

pub(super) async fn run(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let mut rest = arguments.flat();
    let is_filter = |value: &Value| matches!(value, Value::Str(text) if FILTERS.iter().any(|filter| filter.as_bytes() == text));
    let filter = match rest.first().is_some_and(is_filter) {
        true => rest.remove(0).to_text(),
        false => "general".to_owned(),
    };
    let servers = match rest.is_empty() {
        true => shell.admin().region_servers().await?,
        false => live_servers_named(shell, &rest).await?,
    };
    let status = shell.admin().cluster_status(&[StatusOption::LiveServers]).await?;
    let mut tasks = Vec::new();
    for server in servers {
        let live = status.live_servers.iter().find(|live| is_same(&live.server, &server));
        let port = live.map(|live| live.server_load.info_server_port());
        let Some(port) = port.and_then(|port| u16::try_from(port).ok()).filter(|port| *port != 0) else {
            return Err(ShellError::argument(format!(
                "{} has no web page, which tells of its tasks",
                server.address()
            )));
        };
        tasks.extend(tasks_of(&server.host, port, &filter).await?);
    }
    let now = Timestamp::now();
    let zone = TimeZone::system();
    for line in table(&tasks, &filter, now.as_millisecond(), &zone) {
        shell.out.line(line)?;
    }
    Ok(Value::Nil)
}

fn is_same(told: &finback_client::messages::ServerName, server: &ServerName) -> bool {
    told.host_name == server.host && told.port() == u32::from(server.port)
}

/// The tasks of a server, the last one first, as in HBase's shell.
async fn tasks_of(host: &str, port: u16, filter: &str) -> Result<Vec<Task>> {
    let failed = |problem: String| ShellError::argument(format!("http://{host}:{port}/rs-status: {problem}"));
    let path = format!("/rs-status?format=json&filter={filter}");
    let page = tokio::time::timeout(PATIENCE, get(host, port, &path));
    let page = page.await.map_err(|_| failed(format!("no answer within {} s", PATIENCE.as_secs())))?;
    let page = page.map_err(|error| failed(error.to_string()))?;
    let body = body(&page).map_err(|problem| failed(problem.to_owned()))?;
    let tasks: Vec<Json> =
        serde_json::from_slice(body).map_err(|error| failed(format!("no list of tasks: {error}")))?;
    let text = |task: &Json, name: &str| task.get(name).and_then(Json::as_str).unwrap_or_default().to_owned();
    let time = |task: &Json, name: &str| task.get(name).and_then(Json::as_i64).unwrap_or(-1);
    let task = |task: &Json| {
        let start_ms = time(task, "starttimems");
        let status_ms = time(task, "statustimems");
        Task {
            host: host.to_owned(),
            start_ms,
            state: text(task, "state"),
            description: text(task, "description"),
            status: text(task, "status"),
            // Handlers that wait have none.
            status_ms: if status_ms < 0 { start_ms } else { status_ms },
        }
    };
    Ok(tasks.iter().rev().map(task).collect())
}

/// All of an answer: HTTP/1.0, which ends where the connection does.
async fn get(host: &str, port: u16, path: &str) -> std::io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect((host, port)).await?;
    let request = format!(
        "GET {path} HTTP/1.0\r\nHost: {host}:{port}\r\nAccept: application/json\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.take(MAX_PAGE_BYTES).read_to_end(&mut answer).await?;
    Ok(answer)
}

/// What is behind the head of an answer that brings something.
fn body(answer: &[u8]) -> Result<&[u8], &'static str> {
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").ok_or("no HTTP")?;
    let (head, body) = (&answer[..end], &answer[end + 4..]);
    let status = head.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
    if !head.starts_with(b"HTTP/1.") || status != b"200" {
        return Err("the server has no such page");
    }
    Ok(body)
}

/// HBase's table of tasks.
fn table(tasks: &[Task], filter: &str, now_ms: i64, zone: &TimeZone) -> Vec<String> {
    let time = |ms: i64| match Timestamp::from_millisecond(ms) {
        Ok(at) => at.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S").to_string(),
        Err(_) => ms.to_string(),
    };
    let mut lines = vec![format!("{} tasks as of: {}", tasks.len(), time(now_ms))];
    if tasks.is_empty() {
        lines.push(format!("No {filter} tasks currently running."));
        return lines;
    }
    let longest = |length: fn(&Task) -> usize| tasks.iter().map(length).max().unwrap_or_default();
    let description = longest(|task| task.description.chars().count()).min(MAX_DESCRIPTION);
    let status = (longest(|task| task.status.chars().count()) + 27).min(MAX_STATUS);
    let widths = [HOST, START, STATE, description, status];
    let separator = format!("+{}+", widths.map(|width| "-".repeat(width + 2)).join("+"));
    let row = |cells: [&str; 5]| {
        let cells: Vec<String> = cells.iter().zip(widths).map(|(cell, width)| fitted(cell, width)).collect();
        format!("| {} |", cells.join(" | "))
    };
    lines.extend([separator.clone(), row(["Host", "Start Time", "State", "Description", "Status"])]);
    for task in tasks {
        let since = now_ms.saturating_sub(task.status_ms).max(0) / 1000;
        let told = format!("{} (since {since} seconds ago)", task.status);
        lines.push(separator.clone());
        lines.push(row([&task.host, &time(task.start_ms), &task.state, &task.description, &told]));
    }
    lines.push(separator);
    lines
}

/// Filled up with blanks, or cut, to a width.
fn fitted(cell: &str, width: usize) -> String {
    match cell.chars().count() > width {
        true => cell.chars().take(width - 3).chain("...".chars()).collect(),
        false => format!("{cell:width$}"),
    }
}

#[cfg(test)]
mod tests;
