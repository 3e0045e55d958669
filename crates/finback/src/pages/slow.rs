//! Calls that took long or had large replies, for the pages.

use super::{ANSWER_TIMEOUT, ServerPages};
use finback_pages::model::{SlowCall, SlowLog};
use finback_proto::pb;

/// Calls that are asked for.
const MOST: u32 = 500;

impl ServerPages {
    pub(super) fn slow_calls(&self) -> SlowLog {
        if !self.sources.region_server.keeps_slow_calls() {
            let why = "Slow requests are not kept: slow-calls.kept is 0.";
            return SlowLog { off: Some(why.to_owned()), calls: Vec::new() };
        }
        let of = |method| {
            let request = pb::SlowLogResponseRequest { limit: Some(MOST), ..Default::default() };
            let answer: Result<pb::SlowLogResponses, _> =
                self.ask(&*self.admin, ANSWER_TIMEOUT, method, &request);
            answer.map(|answer| answer.slow_log_payloads).unwrap_or_default()
        };
        let mut calls: Vec<_> = of("GetSlowLogResponses");
        // A call that is both is in both.
        let both = pb::slow_log_payload::Type::All as i32;
        calls.extend(of("GetLargeLogResponses").into_iter().filter(|call| call.r#type != both));
        let mut calls: Vec<_> = calls.into_iter().map(slow_call).collect();
        calls.sort_by_key(|call| std::cmp::Reverse(call.start_ms));
        SlowLog { off: None, calls }
    }
}

fn slow_call(call: pb::SlowLogPayload) -> SlowCall {
    let number = |number: i64| u64::try_from(number).unwrap_or(0);
    SlowCall {
        start_ms: number(call.start_time),
        took_ms: number(call.processing_time.into()),
        waited_ms: number(call.queue_time.into()),
        reply_bytes: number(call.response_size),
        region: call.region_name().to_owned(),
        details: call.param().to_owned(),
        method: call.method_name,
        client: call.client_address,
        user: call.user_name,
    }
}
