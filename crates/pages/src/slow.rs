//! Calls that took long, or had large replies.

use crate::layout::{nothing, scrolling};
use crate::model::{SlowCall, SlowLog};
use crate::regions::short;
use crate::units;
use maud::{Markup, html};

/// Calls that are listed.
const LISTED: usize = 500;
/// Characters of what was asked for.
const DETAILS_CHARACTERS: usize = 2000;

/// Some of them in few columns.
pub(crate) fn short_list(log: &SlowLog, calls: &[SlowCall], now_ms: u64) -> Markup {
    html! {
        @match (&log.off, calls.is_empty()) {
            (Some(why), _) => (nothing(why)),
            (None, true) => (nothing("No call was slow or large.")),
            (None, false) => (scrolling("Slow requests", &html! {
                table {
                    thead { tr { th { "Call" } th.number { "Took" } th.number.optional { "Reply" } th.number { "When" } } }
                    tbody {
                        @for call in calls {
                            tr {
                                td { b { (call.method) } " " span.range { (short(&call.region)) } }
                                td.number { (units::latency(call.took_ms as f64 * 1e3)) }
                                td.number.optional { (units::bytes(call.reply_bytes)) }
                                td.number { (units::ago(call.start_ms, now_ms)) }
                            }
                        }
                    }
                }
            }))
        }
    }
}

/// The page of slow requests.
pub(crate) fn render(log: &SlowLog, now_ms: u64) -> Markup {
    html! {
        h1 { "Slow requests" }
        @match (&log.off, log.calls.is_empty()) {
            (Some(why), _) => (nothing(why)),
            (None, true) => (nothing("No call was slow or large.")),
            (None, false) => (list(&log.calls, now_ms)),
        }
    }
}

fn list(calls: &[SlowCall], now_ms: u64) -> Markup {
    scrolling(
        "Slow requests",
        &html! {
            table {
                thead { tr {
                    th { "Call" } th.number { "Took" } th.number { "Waited" } th.number { "Reply" } th { "Client" }
                    th { "User" } th.number { "When" }
                } }
                tbody {
                    @for call in calls.iter().take(LISTED) {
                        tr {
                            td.words {
                                b { (call.method) } " " span.range { (short(&call.region)) }
                                @if !call.details.is_empty() {
                                    details { summary { "what was asked for" } code { (beginning(&call.details)) } }
                                }
                            }
                            td.number { (units::latency(call.took_ms as f64 * 1e3)) }
                            td.number { (units::latency(call.waited_ms as f64 * 1e3)) }
                            td.number { (units::bytes(call.reply_bytes)) }
                            td { (call.client) }
                            td { (call.user) }
                            td.number { (units::ago(call.start_ms, now_ms)) }
                        }
                    }
                }
            }
        },
    )
}

fn beginning(text: &str) -> &str {
    text.char_indices().nth(DETAILS_CHARACTERS).map_or(text, |(end, _)| &text[..end])
}
