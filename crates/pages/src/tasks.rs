//! What goes on: compactions, flushes, procedures, regions in transition.

use crate::layout::{bar, nothing, scrolling};
use crate::model::{Procedure, Refused, Status, Task, Tasks};
use crate::units;
use finback_json::JsonText;
use maud::{Markup, html};

/// Tasks, procedures and transitions that are listed.
const LISTED: usize = 200;

/// What goes on now.
pub(crate) fn running(tasks: &Tasks, now_ms: u64) -> Markup {
    if tasks.running.is_empty() {
        return nothing("Nothing goes on.");
    }
    scrolling(
        "Running tasks",
        &html! {
            table {
                thead { tr { th { "Task" } th { "State" } th.number { "For" } } }
                tbody {
                    @for task in tasks.running.iter().take(LISTED) {
                        tr {
                            td.words { (task.description) }
                            td { (task.status) @if let Some(part) = task.progress { " " span.progress { (bar(part)) " " (units::percent(part)) } } }
                            td.number { @if task.since_ms == 0 { "–" } @else { (units::duration(now_ms.saturating_sub(task.since_ms))) } }
                        }
                    }
                }
            }
        },
    )
}

/// What goes on now, as the command `processlist` of HBase's shell reads it.
pub(crate) fn for_programs(tasks: &Tasks, now_ms: u64) -> String {
    let task = |task: &Task| {
        format!(
            "{{\"description\":{},\"status\":{},\"state\":\"RUNNING\",\"starttimems\":{},\"statustimems\":{now_ms}}}",
            JsonText::new(&task.description),
            JsonText::new(&task.status),
            if task.since_ms == 0 { now_ms } else { task.since_ms }
        )
    };
    let all: Vec<_> = tasks.running.iter().take(LISTED).map(task).collect();
    format!("[{}]\n", all.join(",\n"))
}

/// The page of tasks.
pub(crate) fn render(tasks: &Tasks, status: &Status, now_ms: u64) -> Markup {
    html! {
        h1 { "Tasks" }
        section { h2 { "Running" } (running(tasks, now_ms)) }
        section {
            h2 { "Waiting" }
            dl.facts {
                @for (kind, number) in &tasks.waiting { div { dt { (kind) } dd { (units::count(*number)) } } }
            }
        }
        section {
            h2 #transitions { "Regions in transition" }
            @match &status.cluster {
                Err(reason) => (not_known(reason)),
                Ok(cluster) if cluster.in_transition.is_empty() => (nothing("None.")),
                Ok(cluster) => (scrolling("Regions in transition", &html! {
                    table {
                        thead { tr { th { "Region" } th { "State" } th.number { "For" } } }
                        tbody {
                            @for one in cluster.in_transition.iter().take(LISTED) {
                                tr {
                                    td { code { (one.region) } } td { (one.state) }
                                    td.number { (units::duration(now_ms.saturating_sub(one.since_ms))) }
                                }
                            }
                        }
                    }
                })),
            }
        }
        section {
            h2 #procedures { "Procedures" }
            @match &tasks.procedures {
                Err(reason) => (not_known(reason)),
                Ok(all) if all.is_empty() => (nothing("The master knows of none.")),
                Ok(all) => (procedures(all, now_ms)),
            }
        }
    }
}

fn not_known(reason: &Refused) -> Markup {
    nothing(&format!("Not known: {}.", reason.why()))
}

fn procedures(all: &[Procedure], now_ms: u64) -> Markup {
    scrolling(
        "Procedures",
        &html! {
            table {
                thead { tr { th.number { "Id" } th { "Procedure" } th { "State" } th { "Owner" } th.number { "Asked for" } th.number { "Last step" } th { "Failure" } } }
                tbody {
                    @for one in all.iter().take(LISTED) {
                        tr {
                            td.number { (one.id) }
                            td.words { (one.class) }
                            td { (one.state.to_lowercase()) }
                            td { (one.owner) }
                            td.number { (units::ago(one.submitted_ms, now_ms)) }
                            td.number { (units::ago(one.updated_ms, now_ms)) }
                            td.words { (one.failure) }
                        }
                    }
                }
            }
        },
    )
}
