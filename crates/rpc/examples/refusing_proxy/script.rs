//! What is to be refused, and what was seen.

use finback_rpc::{RpcException, exceptions};
use std::net::Ipv4Addr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Calls that are remembered between two `forget`; a test makes far fewer.
const MAX_SEEN: usize = 100_000;
/// Bytes of a request that are remembered: the region's name is among the first.
const SEEN_BYTES: usize = 512;

/// What becomes of a call.
#[derive(Clone, Debug)]
pub(crate) enum Fate {
    /// It is answered with the exception.
    Refused(RpcException),
    /// It is a Multi, and each action is.
    ActionsRefused(RpcException),
    /// It is a Multi, and each region's part is.
    RegionsRefused(RpcException),
    /// It gets to the server, and its reply is lost.
    ReplyLost,
    /// The connection is closed.
    HungUp,
}

/// One call.
pub(crate) struct Seen<'a> {
    pub(crate) front: Ipv4Addr,
    /// The method; of a Scan also what it does: `Scan/open`, `Scan/next`, `Scan/renew`, `Scan/close`.
    pub(crate) method: &'a str,
    /// The encoded request message.
    pub(crate) param: &'a [u8],
}

struct Rule {
    left: usize,
    method: String,
    needle: String,
    fate: Fate,
}

/// What a test has said, and what came since.
#[derive(Default)]
pub(crate) struct Script {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    rules: Vec<Rule>,
    seen: Vec<(Ipv4Addr, String, Vec<u8>)>,
}

impl Script {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next `times` calls of `method` in whose request `needle` is have this fate.
    pub(crate) fn add(&self, times: usize, method: &str, needle: &str, fate: Fate) {
        self.state().rules.push(Rule { left: times, method: method.into(), needle: needle.into(), fate });
    }

    /// Calls of `method` in whose request `needle` is, at one address or, without one, at any.
    pub(crate) fn count(&self, front: Option<Ipv4Addr>, method: &str, needle: &str) -> usize {
        let fits = |seen: &&(Ipv4Addr, String, Vec<u8>)| {
            front.is_none_or(|front| front == seen.0) && seen.1 == method && contains(&seen.2, needle)
        };
        self.state().seen.iter().filter(fits).count()
    }

    /// Drops all rules, and what was seen.
    pub(crate) fn forget(&self) {
        *self.state() = State::default();
    }

    /// Notes a call; none is passed on as it is.
    pub(crate) fn fate(&self, seen: &Seen<'_>) -> Option<Fate> {
        let mut state = self.state();
        if state.seen.len() < MAX_SEEN {
            let start = &seen.param[..seen.param.len().min(SEEN_BYTES)];
            state.seen.push((seen.front, seen.method.to_owned(), start.to_vec()));
        }
        let fits = |rule: &&mut Rule| {
            rule.left > 0 && rule.method == seen.method && contains(seen.param, &rule.needle)
        };
        let rule = state.rules.iter_mut().find(fits)?;
        rule.left -= 1;
        Some(rule.fate.clone())
    }
}

fn contains(bytes: &[u8], needle: &str) -> bool {
    needle == "*" || bytes.windows(needle.len().max(1)).any(|part| part == needle.as_bytes())
}

/// An exception by the last part of its class name. Of `RegionMovedException` the message is `HOST PORT STARTCODE SEQNUM`, of
/// `RpcThrottlingException` it is the time to wait in milliseconds.
pub(crate) fn exception(class: &str, message: &str) -> Option<RpcException> {
    EXCEPTIONS.iter().map(|make| make(message)).find(|made| made.simple_class() == class)
}

/// All that there are.
pub(crate) fn classes() -> Vec<String> {
    EXCEPTIONS.iter().map(|make| make("").simple_class().to_owned()).collect()
}

fn region_moved(message: &str) -> RpcException {
    let mut words = message.split_whitespace();
    let number = |word: Option<&str>| word.and_then(|word| word.parse::<u64>().ok()).unwrap_or(0);
    let host = words.next().unwrap_or_default();
    let [port, start_code, seq_num] = [0; 3].map(|_| number(words.next()));
    exceptions::region_moved(host, port as u16, start_code, seq_num as i64)
}

fn rpc_throttling(message: &str) -> RpcException {
    let wait = Duration::from_millis(message.parse().unwrap_or(0));
    exceptions::rpc_throttling("number of requests exceeded", wait)
}

macro_rules! and_plain {
    ($($special:ident)+; $($name:ident)+) => { &[$($special,)+ $(|message| exceptions::$name(message)),+] };
}

const EXCEPTIONS: &[fn(&str) -> RpcException] = and_plain! {
    region_moved rpc_throttling;
    io not_serving_region region_opening region_too_busy call_dropped multi_action_result_too_large wrong_region
    region_server_stopped region_server_aborted server_not_running_yet please_hold master_not_running do_not_retry
    table_not_found table_exists table_not_enabled table_not_disabled concurrent_table_modification
    invalid_family_operation namespace_exist namespace_not_found replication_peer_not_found no_such_column_family
    failed_sanity_check row_too_big access_denied unknown_region merge_region do_not_retry_region region_offline
    snapshot_does_not_exist snapshot_exists snapshot_creation restore_snapshot unknown_snapshot hbase_snapshot
    corrupted_snapshot snapshot_ttl_expired quota_exceeded
    unknown_protocol request_too_big timeout_io unknown_scanner out_of_order_scanner_next scanner_reset lease
    you_are_dead clock_out_of_sync decommissioned_host_rejected fatal_connection wrong_version bad_auth
    security_not_enabled connection_closed call_timeout call_queue_too_big
};
