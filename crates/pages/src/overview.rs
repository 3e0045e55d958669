//! The first page: the state of the server in one look.

use crate::chart::{Line, Unit, chart};
use crate::history::{HotRegion, KINDS, Sample};
use crate::layout::{bar, facts, is_nearly_full, limited_bar, nothing, scrolling};
use crate::model::{Identity, Refused, Region, SlowLog, Status, Table, Tasks};
use crate::parameters::address;
use crate::{regions, slow, tables, tasks, units};
use maud::{Markup, html};

/// Tables that are listed here; their own page has them all.
const TABLES: usize = 10;
/// Slow requests that are listed here.
const SLOW_REQUESTS: usize = 5;

/// What the page is made of.
pub(crate) struct Overview<'a> {
    pub(crate) identity: &'a Identity,
    pub(crate) status: &'a Status,
    pub(crate) samples: &'a [Sample],
    pub(crate) hot: &'a [HotRegion],
    pub(crate) tables: Result<&'a [Table], &'a Refused>,
    pub(crate) regions: &'a [Region],
    pub(crate) tasks: &'a Tasks,
    pub(crate) slow: &'a SlowLog,
}

impl Overview<'_> {
    pub(crate) fn render(&self) -> Markup {
        html! {
            h1.unseen { "Overview" }
            (self.health())
            (self.tiles())
            (self.charts())
            div.columns {
                section { h2 #hottest { "Hottest regions" } (self.hottest()) }
                section { h2 #tables { a href="/tables" { "Tables" } } (self.some_tables()) }
                section { h2 #tasks { a href="/tasks" { "Running tasks" } } (tasks::running(self.tasks, self.identity.now_ms)) }
                section { h2 #slow { a href="/slow" { "Slow requests" } } (self.slow_requests()) }
                section { h2 #memory { "Memory" } (self.memory()) }
                section { h2 #threads { "Threads" } (self.threads()) }
            }
            section { h2 #server { "Server" } (self.facts()) }
        }
    }

    /// What somebody should look at; or that all is well.
    fn health(&self) -> Markup {
        let worries = self.worries();
        html! {
            section #health class=(if worries.is_empty() { "health well" } else { "health worry" }) aria-live="polite" {
                @if worries.is_empty() { p { "Serving; nothing needs attention." } }
                @for worry in worries { p { (worry) } }
            }
        }
    }

    fn worries(&self) -> Vec<Markup> {
        let (status, process) = (self.status, &self.status.process);
        let mut worries = Vec::new();
        match &status.cluster {
            Err(reason) => {
                worries.push(html! { "What the master knows is not known here: " (reason.why()) "." });
            }
            Ok(cluster) => {
                if cluster.dead > 0 {
                    worries.push(html! { (units::count(cluster.dead)) " region servers are dead." });
                }
                if !cluster.in_transition.is_empty() {
                    let number = units::count(cluster.in_transition.len() as u64);
                    worries.push(html! { (number) " regions are in transition: see " a href="/tasks#transitions" { "tasks" } "." });
                }
            }
        }
        // Mostly for the same reason as the cluster.
        let reason = self.tables.err().filter(|reason| status.cluster.as_ref().err() != Some(reason));
        if let Some(reason) = reason {
            worries.push(html! { "The tables are not known: " (reason.why()) "." });
        }
        if status.wal.failures > 0 {
            worries.push(html! { "The write-ahead log could not be written " (units::count(status.wal.failures)) " times: see the server's log." });
        }
        if is_nearly_full(process.resident, process.memory_limit) {
            worries.push(html! { "Memory is nearly at its limit: " (units::bytes(process.resident)) " of " (units::bytes(process.memory_limit)) "." });
        }
        if is_nearly_full(process.descriptors, process.most_descriptors) {
            worries.push(html! { "File descriptors are nearly used up: " (units::count(process.descriptors)) " of " (units::count(process.most_descriptors)) "." });
        }
        worries
    }

    fn tiles(&self) -> Markup {
        let last = self.samples.last();
        let (status, process) = (self.status, &self.status.process);
        let calls = last.map(|sample| sample.calls.iter().sum::<f32>());
        let slowest = last.and_then(|sample| sample.p99_us.into_iter().flatten().reduce(f32::max));
        let sum = |of: fn(&Region) -> u64| self.regions.iter().map(of).fold(0, u64::saturating_add);
        let share = |name: &str| status.memory.iter().find(|share| share.name == name);
        let limited = |title: &str, used: u64, limit: u64| {
            tile(
                title,
                &units::bytes(used),
                &html! { "of " (units::bytes(limit)) },
                Some(limited_bar(used, limit)),
            )
        };
        html! {
            section.tiles #tiles aria-label="Now" {
                (tile("Calls", &calls.map_or_else(dash, |calls| units::rate(calls.into())),
                    &html! { (units::counted(status.connections, "connection")) }, None))
                (tile("Slowest p99", &slowest.map_or_else(dash, |us| units::latency(us.into())), &html! { "in the last 10 s" }, None))
                (tile("Regions", &units::count(self.regions.len() as u64),
                    &html! { @match self.tables {
                        Ok(tables) => { "of " (units::counted(tables.len() as u64, "table")) }
                        Err(_) => "tables not known"
                    } }, None))
                (tile("Store files", &units::bytes(sum(|region| region.file_bytes)),
                    &html! { (units::counted(sum(|region| region.files), "file")) }, None))
                @if let Some(memstores) = share("Memstores") {
                    (limited("Memstores", memstores.used.unwrap_or(0), memstores.limit))
                }
                @if let Some(cache) = share("Block cache") {
                    @let hits = status.cache_hits.map(|hits| format!("{} hits, ", units::percent(hits)));
                    @let used = cache.used.unwrap_or(0);
                    // One that is full does what it is for.
                    (tile("Block cache", &units::bytes(used), &html! { (hits.unwrap_or_default()) "of " (units::bytes(cache.limit)) },
                        Some(bar(used as f64 / cache.limit.max(1) as f64))))
                }
                (limited("Memory", process.resident, process.memory_limit))
                (tile("Processors", &last.map_or_else(dash, |sample| format!("{:.2}", sample.processors)),
                    &html! { "in use" }, None))
            }
        }
    }

    fn charts(&self) -> Markup {
        const CALLS: [Line; 4] = [
            Line { name: KINDS[0], value: |sample| Some(sample.calls[0].into()) },
            Line { name: KINDS[1], value: |sample| Some(sample.calls[1].into()) },
            Line { name: KINDS[2], value: |sample| Some(sample.calls[2].into()) },
            Line { name: KINDS[3], value: |sample| Some(sample.calls[3].into()) },
        ];
        const P99: [Line; 4] = [
            Line { name: KINDS[0], value: |sample| sample.p99_us[0].map(f64::from) },
            Line { name: KINDS[1], value: |sample| sample.p99_us[1].map(f64::from) },
            Line { name: KINDS[2], value: |sample| sample.p99_us[2].map(f64::from) },
            Line { name: KINDS[3], value: |sample| sample.p99_us[3].map(f64::from) },
        ];
        const MEDIAN: [Line; 4] = [
            Line { name: KINDS[0], value: |sample| sample.median_us[0].map(f64::from) },
            Line { name: KINDS[1], value: |sample| sample.median_us[1].map(f64::from) },
            Line { name: KINDS[2], value: |sample| sample.median_us[2].map(f64::from) },
            Line { name: KINDS[3], value: |sample| sample.median_us[3].map(f64::from) },
        ];
        const ROWS: [Line; 2] = [
            Line { name: "Read", value: |sample| Some(sample.rows_read.into()) },
            Line { name: "Written", value: |sample| Some(sample.rows_written.into()) },
        ];
        const MEMORY: [Line; 3] = [
            Line { name: "Resident", value: |sample| Some(sample.resident as f64) },
            Line { name: "Memstores", value: |sample| Some(sample.memstores as f64) },
            Line { name: "Block cache", value: |sample| Some(sample.cache as f64) },
        ];
        const PROCESSORS: [Line; 1] =
            [Line { name: "In use", value: |sample| Some(sample.processors.into()) }];
        let (samples, now_ms) = (self.samples, self.identity.now_ms);
        html! {
            section.charts aria-label="The last hour" {
                (chart("calls", "Calls", Unit::PerSecond, &CALLS, samples, now_ms))
                (chart("p99", "Latency, 99th percentile", Unit::Microseconds, &P99, samples, now_ms))
                (chart("median", "Latency, median", Unit::Microseconds, &MEDIAN, samples, now_ms))
                (chart("rows", "Rows", Unit::PerSecond, &ROWS, samples, now_ms))
                (chart("memory-chart", "Memory", Unit::Bytes, &MEMORY, samples, now_ms))
                (chart("processors", "Processors", Unit::Processors, &PROCESSORS, samples, now_ms))
            }
        }
    }

    fn hottest(&self) -> Markup {
        let find =
            |hot: &HotRegion| self.regions.iter().find(|region| *region.encoded_name == *hot.encoded_name);
        let known: Vec<_> = self.hot.iter().filter_map(|hot| Some((hot, find(hot)?))).collect();
        let most = self.hot.first().map_or(0.0, |hot| hot.reads + hot.writes);
        if known.is_empty() {
            return nothing("Nobody asked for a row in the last 10 seconds.");
        }
        scrolling(
            "Hottest regions",
            &html! {
                table {
                    thead { tr { th { "Region" } th.number { "Read" } th.number { "Written" } th.optional { span.unseen { "Share" } } } }
                    tbody {
                        @for (hot, region) in known {
                            tr {
                                td { (regions::link(region)) }
                                td.number { (units::rate(hot.reads)) }
                                td.number { (units::rate(hot.writes)) }
                                td.optional.meter { (bar((hot.reads + hot.writes) / most)) }
                            }
                        }
                    }
                }
            },
        )
    }

    fn some_tables(&self) -> Markup {
        let tables = match self.tables {
            Ok(tables) => tables,
            Err(reason) => return nothing(&format!("Not known: {}.", reason.why())),
        };
        let mut sums = tables::with_sums(tables, self.regions);
        sums.sort_by_key(|sum| std::cmp::Reverse(sum.requests()));
        let more = sums.len().saturating_sub(TABLES);
        sums.truncate(TABLES);
        html! {
            (tables::short_list(&sums))
            @if more > 0 { p { a href="/tables" { (units::count(more as u64)) " more tables" } } }
        }
    }

    fn slow_requests(&self) -> Markup {
        let newest = self.slow.calls.get(..SLOW_REQUESTS).unwrap_or(&self.slow.calls);
        slow::short_list(self.slow, newest, self.identity.now_ms)
    }

    fn memory(&self) -> Markup {
        let process = &self.status.process;
        let of_process = |name, used| (name, Some(used), process.memory_limit);
        let shares = self.status.memory.iter().map(|share| (share.name, share.used, share.limit));
        let all = [
            of_process("Whole process", process.resident),
            of_process("… at most so far", process.peak_resident),
        ];
        html! {
            table {
                thead { tr { th { "For" } th.number { "Used" } th.number { "Limit" } th.optional { span.unseen { "Share" } } } }
                tbody {
                    @for (name, used, limit) in all.into_iter().chain(shares) {
                        tr {
                            td { (name) }
                            td.number { (used.map_or_else(dash, units::bytes)) }
                            td.number { (units::bytes(limit)) }
                            td.optional.meter { @if let Some(used) = used { (bar(used as f64 / limit.max(1) as f64)) } }
                        }
                    }
                }
            }
        }
    }

    fn threads(&self) -> Markup {
        let threads = &self.status.process.threads;
        scrolling(
            "Threads",
            &html! {
                table {
                    thead { tr { th { "Name" } th.number { "Threads" } th.number { "Processor time" } } }
                    tbody {
                        @for one in threads {
                            tr { td { (one.name) } td.number { (units::count(one.count)) } td.number { (units::duration(one.cpu_ms)) } }
                        }
                    }
                }
            },
        )
    }

    fn facts(&self) -> Markup {
        let (identity, status, process) = (self.identity, self.status, &self.status.process);
        let waiting: Vec<_> =
            status.waiting.iter().map(|(kind, calls)| format!("{} {kind}", units::count(*calls))).collect();
        let started = format!("{} UTC", units::time(identity.start_ms));
        let servers = status
            .cluster
            .as_ref()
            .map_or_else(|_| dash(), |cluster| format!("{} live, {} dead", cluster.live, cluster.dead));
        let wal = format!(
            "{} files, {} written, syncs within {} (p99)",
            units::count(status.wal.files),
            units::bytes(status.wal.bytes),
            units::latency(status.wal.sync_p99_ns as f64 / 1e3)
        );
        let descriptors =
            format!("{} of {}", units::count(process.descriptors), units::count(process.most_descriptors));
        let (waiting, scanners) = (waiting.join(", "), units::count(status.scanners));
        let (process_id, cpu) = (process.id, units::duration(process.cpu_ms));
        facts(&[
            ("Region server", &status_link(&identity.server)),
            ("Master", &status.master),
            ("Region servers", &servers),
            ("Cluster id", &status.cluster_id),
            ("ZooKeeper clients", &status.zookeeper),
            ("Started", &started),
            ("Process", &process_id),
            ("Processor time", &cpu),
            ("Calls waiting", &waiting),
            ("Open scanners", &scanners),
            ("Write-ahead log", &wal),
            ("File descriptors", &descriptors),
        ])
    }
}

fn status_link(server: &str) -> Markup {
    html! { a href=(address("/regions", &[])) { (server) } }
}

fn dash() -> String {
    "–".to_owned()
}

fn tile(title: &str, number: &str, note: &Markup, bar: Option<Markup>) -> Markup {
    html! {
        div.tile {
            span.title { (title) }
            span.value { (number) }
            @if let Some(bar) = bar { (bar) }
            span.note { (note) }
        }
    }
}
