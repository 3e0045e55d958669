//! What all pages have around them, and the parts that several of them are made of.

use crate::model::Identity;
use crate::units;
use maud::{DOCTYPE, Markup, PreEscaped, Render, html};

/// The style of all pages.
pub(crate) const STYLE: &str = include_str!("../assets/style.css");
/// What makes pages live; they work without it.
pub(crate) const SCRIPT: &str = include_str!("../assets/page.js");
/// The sign in a browser's tab.
pub(crate) const SIGN: &str = include_str!("../assets/sign.svg");

/// Where a page stands in the navigation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tab {
    Overview,
    Tables,
    Regions,
    Tasks,
    SlowRequests,
    Configuration,
    Log,
}

impl Tab {
    const ALL: [(Self, &str, &str); 7] = [
        (Self::Overview, "/", "Overview"),
        (Self::Tables, "/tables", "Tables"),
        (Self::Regions, "/regions", "Regions"),
        (Self::Tasks, "/tasks", "Tasks"),
        (Self::SlowRequests, "/slow", "Slow requests"),
        (Self::Configuration, "/configuration", "Configuration"),
        (Self::Log, "/logLevel", "Log"),
    ];
}

/// A whole page. `live` ones are refreshed by the script.
pub(crate) fn page(identity: &Identity, tab: Option<Tab>, title: &str, live: bool, main: &Markup) -> String {
    let host = identity.server.split(',').next().unwrap_or_default();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · " (host) " · Finback" }
                link rel="icon" type="image/svg+xml" href="/sign.svg";
                link rel="stylesheet" href={ "/style.css?v=" (fingerprint(STYLE)) };
                script defer src={ "/page.js?v=" (fingerprint(SCRIPT)) } {}
            }
            body data-live[live] {
                a.skip href="#main" { "Skip to the content" }
                header {
                    a.brand href="/" { (PreEscaped(SIGN)) "Finback" }
                    span.where #where {
                        b { (host) } " "
                        span.faint { "up " (units::duration(identity.now_ms.saturating_sub(identity.start_ms))) }
                    }
                    nav aria-label="Pages" {
                        @for (one, href, name) in Tab::ALL {
                            a href=(href) aria-current=[(tab == Some(one)).then_some("page")] { (name) }
                        }
                    }
                }
                main #main tabindex="-1" { (main) }
                footer {
                    p #as-of { "As of " time { (units::time(identity.now_ms)) } " UTC. Finback " (identity.version) "." }
                    p { "For programs: " a href="/metrics" { "Prometheus" } " " a href="/jmx" { "JMX" } " "
                        a href="/conf?format=json" { "conf" } " " a href="/dump" { "dump" } }
                }
            }
        }
    };
    page.into_string()
}

/// Changes with a text: a browser that has kept the former asks for the new one.
fn fingerprint(text: &str) -> String {
    let fnv = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, fnv))
}

/// Something that scrolls sideways where the screen is narrow, and by keyboard.
pub(crate) fn scrolling(label: &str, table: &Markup) -> Markup {
    html! { div.scrolling tabindex="0" role="region" aria-label=(label) { (table) } }
}

/// From this part on a limit that should not be reached nearly is.
const NEARLY: f64 = 0.9;

/// A bar that is filled so far, 0 to 1. The number stands beside it.
pub(crate) fn bar(part: f64) -> Markup {
    drawn_bar(part, "bar")
}

/// A bar of something that has a limit, which it should not reach.
pub(crate) fn limited_bar(used: u64, limit: u64) -> Markup {
    drawn_bar(used as f64 / limit.max(1) as f64, if is_nearly_full(used, limit) { "bar full" } else { "bar" })
}

/// Whether somebody should look at what has come so near to its limit.
pub(crate) fn is_nearly_full(used: u64, limit: u64) -> bool {
    limit > 0 && used as f64 / limit as f64 >= NEARLY
}

fn drawn_bar(part: f64, class: &str) -> Markup {
    let part = if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.0 };
    html! {
        svg class=(class) viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true" {
            rect.all width="100" height="4" {}
            rect.part width={ (format!("{:.1}", part * 100.0)) } height="4" {}
        }
    }
}

/// Names and what they stand for.
pub(crate) fn facts(facts: &[(&str, &dyn Render)]) -> Markup {
    html! {
        dl.facts {
            @for (name, value) in facts { div { dt { (name) } dd { (*value) } } }
        }
    }
}

/// A key of a row, or the end that is open.
pub(crate) fn key(key: &str, open: &str) -> Markup {
    html! { @if key.is_empty() { span.faint { (open) } } @else { code { (key) } } }
}

/// A sentence where there is nothing to list.
pub(crate) fn nothing(sentence: &str) -> Markup {
    html! { p.nothing { (sentence) } }
}
