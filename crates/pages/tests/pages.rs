//! The pages of a server that is made up.

mod made_up;

use finback_metrics::Snapshot;
use finback_pages::Site;
use finback_web::{Answer, MetricsPages, Pages, Request};
use made_up::{HOSTILE, MadeUp};
use std::sync::Arc;

fn site() -> Site {
    Site::new(Arc::new(MadeUp::with(HOSTILE)), MetricsPages::new(Snapshot::default))
}

fn get(site: &Site, target: &str) -> Answer {
    let (path, query) = target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
    site.answer(&Request::parse(path, query))
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

const PAGES: [&str; 9] =
    ["/", "/tables", "/regions", "/tasks", "/slow", "/configuration", "/logLevel", "/dump", "/conf"];

/// All tags of a page.
fn tags(page: &str) -> impl Iterator<Item = &str> {
    page.split('<').skip(1).map(|rest| rest.split('>').next().unwrap_or_default())
}

#[test]
fn what_comes_from_outside_is_escaped_everywhere() {
    let site = site();
    let hostile = encoded(HOSTILE);
    let mut targets: Vec<String> =
        PAGES.iter().filter(|page| **page != "/dump").map(|page| (*page).to_owned()).collect();
    for target in [
        "/table?name=X",
        "/rows?table=X",
        "/rows?table=X&start=X&prefix=1",
        "/regions?q=X",
        "/tables?q=X",
        "/configuration?q=X",
        "/table?name=noneX",
        "/region?name=X",
        "/rows?table=X&column=X",
        "/X",
        "/regions?sort=X",
        "/regions?page=X",
        "/region?name=000000000000000000000000000000009e3779b97f4a7c15",
    ] {
        targets.push(target.replace('X', &hostile));
    }
    let mut seen = 0;
    for target in targets {
        let page = get(&site, &target).body;
        seen += usize::from(page.contains("&lt;script&gt;alert("));
        for tag in tags(&page) {
            let is_ours = !tag.starts_with("script") || tag.starts_with("script defer src=\"/page.js?v=");
            assert!(
                is_ours && !tag.starts_with("img") && !tag.contains("onerror=alert(2)\""),
                "{target}: {tag}"
            );
        }
        // Within a tag no quote of theirs ends a value.
        assert!(!page.contains("alert('1')\"'&<"), "{target}");
        assert!(!page.contains(" style=") && !page.contains(" onclick="), "{target}");
    }
    assert!(seen > 10, "the hostile name was seen on {seen} pages only");
}

#[test]
fn every_link_of_every_page_leads_somewhere() {
    let site = site();
    let mut known: Vec<String> = vec!["/".to_owned()];
    let mut next = 0;
    while let Some(target) = known.get(next).cloned() {
        next += 1;
        let answer = get(&site, &target);
        assert_eq!(answer.status, 200, "{target}: {}", answer.body);
        if !answer.content_type.starts_with("text/html") {
            continue;
        }
        for attribute in ["href=\"", "src=\""] {
            for found in answer.body.split(attribute).skip(1) {
                let link = found.split('"').next().unwrap().replace("&amp;", "&");
                let page = link.split('#').next().unwrap().to_owned();
                if page.starts_with('/') && known.len() < 400 && !known.contains(&page) {
                    known.push(page);
                }
            }
        }
    }
    assert!(known.len() > 60, "{known:?}");
}

#[test]
fn addresses_of_hbase_lead_to_the_same() {
    let site = site();
    for (theirs, wanted) in [
        ("/master-status", "Hottest regions"),
        ("/rs-status", "Hottest regions"),
        (
            "/rs-status?format=json&filter=all",
            "[{\"description\":\"Compacting d in events,user0800,1789900000000.\\n\",\"status\":\"Minor",
        ),
        ("/tablesDetailed.jsp", "<h1>Tables</h1>"),
        ("/table.jsp?name=events", "<h1>Table <code>events</code></h1>"),
        ("/region.jsp?name=00000000000000009e3779b97f4a7c15", "<h1>Region <code>"),
        ("/procedures.jsp", "CreateTableProcedure"),
        ("/conf", "<h1>Configuration</h1>"),
        ("/conf?format=xml", "<configuration>"),
        ("/conf?format=json", "\"properties\""),
        ("/logLevel", "<h1>Log</h1>"),
        ("/dump", "Threads"),
        ("/jmx", "\"beans\""),
        ("/metrics", "process_resident_memory_bytes"),
    ] {
        let answer = get(&site, theirs);
        assert!(
            answer.status == 200 && answer.body.contains(wanted),
            "{theirs}: {} {}",
            answer.status,
            answer.body
        );
    }
    assert_eq!(get(&site, "/prof").status, 404);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let site = site();
    let long = format!("/rows?table=events&start={}", "a".repeat(40_000));
    for (target, status) in [
        ("/table", 400),
        ("/table?name=none", 404),
        ("/region?name=none", 404),
        ("/rows", 400),
        ("/rows?table=none", 404),
        ("/rows?table=events&rows=0", 400),
        ("/rows?table=events&rows=501", 400),
        ("/rows?table=events&rows=-1", 400),
        ("/rows?table=events&cells=99999999999999999999", 400),
        ("/rows?table=events&versions=x", 400),
        (long.as_str(), 400),
        ("/regions?sort=none", 400),
        ("/regions?page=0", 400),
        ("/regions?page=2", 404),
        ("/tables?sort=%00", 400),
        ("/configuration?only=x", 400),
        ("/logLevel?log=x&level=debug", 400),
        ("/none", 404),
        ("/..%2f..%2fetc/passwd", 404),
    ] {
        let answer = get(&site, target);
        assert_eq!(answer.status, status, "{target}");
        assert!(answer.body.contains("<h1>") && answer.body.len() < 10_000, "{target}: {}", answer.body);
    }
}

#[test]
fn where_rows_are_not_shown_nothing_leads_to_them() {
    let of = |hides_rows| {
        let mut source = MadeUp::with("visits");
        source.hides_rows = hides_rows;
        Site::new(Arc::new(source), MetricsPages::new(Snapshot::default))
    };
    let regions = get(&of(false), "/regions").body;
    let (_, name) = regions.split_once("/region?name=").unwrap();
    let region = &format!("/region?name={}", name.split('"').next().unwrap());
    for (page, hides_rows) in
        [("/tables", true), ("/table?name=visits", true), (region, true), ("/tables", false), (region, false)]
    {
        let answer = get(&of(hides_rows), page);
        assert_eq!(answer.status, 200, "{page}");
        assert_eq!(answer.body.contains("href=\"/rows"), !hides_rows, "{page}");
    }
    let answer = get(&of(true), "/rows?table=visits");
    assert_eq!((answer.status, answer.body.contains("listen.info-rows")), (403, true));
}

#[test]
fn nothing_but_metrics_and_style_is_for_any_name() {
    let site = site();
    for page in PAGES.into_iter().chain(["/rows", "/table", "/region", "/conf", "/rs-status", "/none"]) {
        assert!(!site.is_for_any_name(page), "{page}");
    }
    assert!(site.is_for_any_name("/metrics") && site.is_for_any_name("/jmx"));
}

#[test]
fn what_the_master_does_not_tell_is_said_with_its_reason() {
    let mut source = MadeUp::with("visits");
    source.master_fails = Some("the master does not tell: <it> recovers");
    let site = Site::new(Arc::new(source), MetricsPages::new(Snapshot::default));
    let reason = "the master does not tell: &lt;it&gt; recovers.";
    for (page, status, known) in [
        ("/", 200, "Hottest regions"),
        ("/tasks", 200, "Compacting d in events"),
        ("/tables", 503, "To the overview"),
        ("/table?name=events", 503, "To the overview"),
        ("/rows?table=events", 503, "To the overview"),
    ] {
        let answer = get(&site, page);
        let body = &answer.body;
        assert_eq!(answer.status, status, "{page}");
        assert!(body.contains(reason) && body.contains(known), "{page}: {body}");
        assert!(!body.contains("There are no tables") && !body.contains("knows of none"), "{page}: {body}");
        assert!(site.waits_for_others(page.split('?').next().unwrap()), "{page}");
    }
    for page in ["/regions", "/slow", "/configuration", "/logLevel", "/style.css"] {
        let answer = get(&site, page);
        assert!(answer.status == 200 && !answer.body.contains(reason), "{page}");
        assert!(!site.waits_for_others(page), "{page}");
    }
}

#[test]
fn a_form_changes_what_is_logged() {
    let site = site();
    assert!(site.takes_forms("/logLevel") && !site.takes_forms("/") && !site.takes_forms("/rows"));
    let send = |fields: &[(&str, &str)]| {
        let mut request = Request::parse("/logLevel", None);
        request.form = Some(fields.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect());
        site.answer(&request)
    };
    assert_eq!(
        [send(&[]).status, send(&[("filter", " ")]).status, send(&[("filter", "a b")]).status],
        [400; 3]
    );
    assert!(get(&site, "/logLevel").body.contains("<code id=\"filter-now\">info</code>"));
    let done = send(&[("filter", "debug")]);
    assert_eq!((done.status, done.location.as_deref()), (303, Some("/logLevel?changed=1")));
    let page = get(&site, "/logLevel?changed=1").body;
    assert!(page.contains("<code id=\"filter-now\">debug</code>") && page.contains("Changed"), "{page}");
}

#[test]
fn secrets_are_on_no_page() {
    let site = site();
    for page in PAGES.into_iter().chain(["/conf?format=xml", "/conf?format=json"]) {
        assert!(!get(&site, page).body.contains("swordfish"), "{page}");
    }
    assert!(get(&site, "/conf").body.contains("********"));
}

#[test]
fn lists_can_be_sorted_and_searched() {
    let site = site();
    let first = |target: &str| {
        let page = get(&site, target).body;
        let body = page.split("<tbody>").nth(1).unwrap().to_owned();
        body.split("<code>").nth(1).unwrap_or_default().split('<').next().unwrap().to_owned()
    };
    assert_eq!(first("/regions?q=shop&sort=reads"), "\\x00\\x12");
    assert_eq!(first("/regions?q=shop&sort=size"), "\\x00\\x15");
    let page = get(&site, "/tables?q=shop").body;
    assert!(
        page.contains("shop:orders") && !page.contains("DISABLED") && !page.contains(">events<"),
        "{page}"
    );
    assert!(get(&site, "/tables?q=nonesuch").body.contains("No table has that in its name"));
    assert!(get(&site, "/tables?sort=size").body.contains("aria-sort=\"descending\""));
}

#[test]
fn pages_are_small() {
    let site = site();
    for page in PAGES {
        let bytes = get(&site, page).body.len();
        assert!(bytes < 100_000, "{page}: {bytes}");
    }
    assert!(get(&site, "/style.css").body.len() + get(&site, "/page.js").body.len() < 30_000);
}
