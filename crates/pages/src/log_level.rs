//! Which events are logged, and other ones from now on.

use maud::{Markup, html};

/// Levels, least first.
const LEVELS: [&str; 5] = ["error", "warn", "info", "debug", "trace"];

/// Fields of the form.
pub(crate) const FILTER: &str = "filter";

/// The page of the log.
pub(crate) fn render(filter: &str, was_changed: bool) -> Markup {
    html! {
        h1 { "Log" }
        @if was_changed { p.health.well role="status" { "Changed: from now on, until the server ends." } }
        p { "The server logs what passes this filter: " code #filter-now { (filter) } }
        form.levels method="post" action="/logLevel" aria-label="Level of everything" {
            @for level in LEVELS {
                button name=(FILTER) value=(level) aria-pressed=(if level == filter { "true" } else { "false" }) { (level) }
            }
        }
        form method="post" action="/logLevel" {
            label for="filter" { "Or a filter of your own" }
            div.search {
                input #filter name=(FILTER) value=(filter) maxlength="1000" autocomplete="off" spellcheck="false" required data-keep;
                button { "Change" }
            }
            p.faint {
                "A level for everything, then levels for parts of the program: " code { "info,finback_region=debug" }
                ". It is as before when the server is started again."
            }
        }
        p.faint { "From a shell: " code { "curl -d filter=debug http://HOST:PORT/logLevel" } }
    }
}
