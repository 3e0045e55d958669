//! The regions.

use crate::layout::{bar, key, nothing, scrolling};
use crate::model::{Refused, Region};
use crate::parameters::{Parameters, address};
use crate::tables::{heading, page_of, search};
use crate::units;
use maud::{Markup, html};

/// Regions of a page.
const PER_PAGE: usize = 100;
/// Pages that can be asked for: more regions no server has.
const MAX_PAGE: u32 = 100_000;
/// Characters of a key in a list; the region's own page has all of it.
const KEY_CHARACTERS: usize = 60;

type By = fn(&Region) -> u64;

/// How they may be sorted: by table and key if there is no number.
const SORTS: [(&str, Option<By>); 7] = [
    ("name", None),
    ("requests", Some(Region::requests)),
    ("reads", Some(|region| region.reads)),
    ("writes", Some(|region| region.writes)),
    ("files", Some(|region| region.files)),
    ("size", Some(|region| region.file_bytes)),
    ("memstore", Some(|region| region.memstore_bytes)),
];

/// Where a region's page is.
pub(crate) fn page_of_region(region: &Region) -> String {
    address("/region", &[("name", &region.encoded_name)])
}

/// A region in few words, and the way to its page.
pub(crate) fn link(region: &Region) -> Markup {
    html! {
        a.region href=(page_of_region(region)) title=(region.name) {
            (region.table) " "
            span.range { (key(&short(&region.start_key), "first")) " … " (key(&short(&region.end_key), "last")) }
        }
    }
}

/// The beginning of a long text.
pub(crate) fn short(text: &str) -> String {
    match text.char_indices().nth(KEY_CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// How a compaction of the region stands.
pub(crate) fn compaction(region: &Region) -> Markup {
    html! {
        @match region.compaction {
            Some(compaction) => {
                @let part = compaction.done as f64 / compaction.cells.max(1) as f64;
                span.progress { (bar(part)) " " (units::percent(part)) }
            }
            None if region.compaction_waits => { "waits" }
            None => { "–" }
        }
    }
}

/// The page of all regions.
pub(crate) fn render(parameters: Parameters<'_>, regions: &[Region]) -> Result<Markup, Refused> {
    let find = parameters.text("q")?;
    let wanted = |region: &&Region| {
        find.is_empty() || [&region.name, &region.table].iter().any(|name| name.contains(find))
    };
    let found: Vec<&Region> = regions.iter().filter(wanted).collect();
    Ok(html! {
        h1 { "Regions" }
        (search("/regions", find, "Part of a table's or region's name", &[("sort", parameters.text("sort")?)]))
        (list(parameters, "/regions", &[("q", find)], found)?)
    })
}

/// A page of regions, sorted as the request wants it; its links keep `kept`.
pub(crate) fn list(
    parameters: Parameters<'_>,
    path: &str,
    kept: &[(&str, &str)],
    mut found: Vec<&Region>,
) -> Result<Markup, Refused> {
    let (sort, by) = parameters.choice("sort", &SORTS)?;
    let page = parameters.number("page", 1, MAX_PAGE)? as usize;
    match by {
        Some(by) => found.sort_by_key(|region| std::cmp::Reverse(by(region))),
        None => found.sort_by(|a, b| (&a.table, &a.name).cmp(&(&b.table, &b.name))),
    }
    let pages = found.len().div_ceil(PER_PAGE).max(1);
    if page > pages {
        return Err(Refused::NotFound(format!("there are {pages} pages of regions")));
    }
    let shown = found.iter().skip((page - 1) * PER_PAGE).take(PER_PAGE);
    let to = |sort: &str, page: usize| {
        let page = if page == 1 { String::new() } else { page.to_string() };
        let more = [("sort", sort), ("page", page.as_str())];
        address(path, &kept.iter().copied().chain(more).collect::<Vec<_>>())
    };
    if found.is_empty() {
        return Ok(nothing("No region is open that fits."));
    }
    let heading = |name: &str, key: &str| heading(name, key, sort, &|key| to(key, 1));
    Ok(html! {
        (scrolling("Regions", &html! {
            table {
                thead { tr {
                    (heading("Region", "name")) (heading("Read", "reads")) (heading("Written", "writes"))
                    (heading("Files", "files")) (heading("Size", "size")) (heading("Memstores", "memstore"))
                    th.number { "Locality" } th { "Compaction" }
                } }
                tbody {
                    @for region in shown {
                        tr {
                            td { (link(region)) }
                            td.number { (units::count(region.reads)) }
                            td.number { (units::count(region.writes)) }
                            td.number { (units::count(region.files)) }
                            td.number { (units::bytes(region.file_bytes)) }
                            td.number { (units::bytes(region.memstore_bytes)) }
                            td.number { (units::percent(region.locality)) }
                            td { (compaction(region)) }
                        }
                    }
                }
            }
        }))
        @if pages > 1 {
            nav.pages aria-label="Pages of regions" {
                @if page > 1 { a rel="prev" href=(to(sort, page - 1)) { "← Before" } }
                span { "Page " (page) " of " (pages) ", " (units::count(found.len() as u64)) " regions" }
                @if page < pages { a rel="next" href=(to(sort, page + 1)) { "Next →" } }
            }
        }
    })
}

/// The way to a table.
pub(crate) fn table_link(table: &str) -> Markup {
    html! { a href=(page_of(table)) { (table) } }
}
