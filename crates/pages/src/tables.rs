//! The tables.

use crate::layout::{nothing, scrolling};
use crate::model::{Refused, Region, Table};
use crate::parameters::{Parameters, address};
use crate::units;
use maud::{Markup, html};
use std::collections::HashMap;

/// Tables that are listed at a time.
const LISTED: usize = 1000;

/// What a table's open regions have together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sum<'a> {
    pub(crate) table: &'a str,
    pub(crate) state: &'a str,
    pub(crate) families: &'a [String],
    pub(crate) regions: u64,
    pub(crate) open: u64,
    pub(crate) files: u64,
    pub(crate) file_bytes: u64,
    pub(crate) memstore_bytes: u64,
    pub(crate) reads: u64,
    pub(crate) writes: u64,
    pub(crate) compacting: u64,
}

impl Sum<'_> {
    pub(crate) fn requests(&self) -> u64 {
        self.reads.saturating_add(self.writes)
    }

    fn add(&mut self, region: &Region) {
        self.open += 1;
        self.compacting += u64::from(region.compaction.is_some());
        let sums = [
            (&mut self.files, region.files),
            (&mut self.file_bytes, region.file_bytes),
            (&mut self.memstore_bytes, region.memstore_bytes),
            (&mut self.reads, region.reads),
            (&mut self.writes, region.writes),
        ];
        for (sum, more) in sums {
            // What files say of themselves may be anything.
            *sum = sum.saturating_add(more);
        }
    }
}

/// Each table with what its regions have together.
pub(crate) fn with_sums<'a>(tables: &'a [Table], regions: &'a [Region]) -> Vec<Sum<'a>> {
    let begin = |table: &'a Table| Sum {
        table: &table.name,
        state: &table.state,
        families: &table.families,
        regions: table.regions,
        ..Sum::default()
    };
    let mut sums: Vec<Sum<'a>> = tables.iter().map(begin).collect();
    let places: HashMap<&str, usize> =
        tables.iter().enumerate().map(|(at, table)| (table.name.as_str(), at)).collect();
    for region in regions {
        if let Some(sum) = places.get(region.table.as_str()).and_then(|at| sums.get_mut(*at)) {
            sum.add(region);
        }
    }
    sums
}

/// Where a table's page is.
pub(crate) fn page_of(table: &str) -> String {
    address("/table", &[("name", table)])
}

/// A table's state, in colour where it is not the usual one.
pub(crate) fn state(state: &str) -> Markup {
    let class = if state == "ENABLED" { "state well" } else { "state odd" };
    html! { span class=(class) { (state.to_lowercase()) } }
}

/// The tables in few columns.
pub(crate) fn short_list(sums: &[Sum<'_>]) -> Markup {
    if sums.is_empty() {
        return nothing("There are no tables.");
    }
    scrolling(
        "Tables",
        &html! {
            table {
                thead { tr { th { "Table" } th.number { "Regions" } th.number { "Size" } th.number.optional { "Read" } th.number.optional { "Written" } } }
                tbody {
                    @for sum in sums {
                        tr {
                            td { a href=(page_of(sum.table)) { (sum.table) } @if sum.state != "ENABLED" { " " (state(sum.state)) } }
                            td.number { (units::count(sum.regions.max(sum.open))) }
                            td.number { (units::bytes(sum.file_bytes)) }
                            td.number.optional { (units::count(sum.reads)) }
                            td.number.optional { (units::count(sum.writes)) }
                        }
                    }
                }
            }
        },
    )
}

type By = fn(&Sum<'_>) -> u64;

/// How they may be sorted: by name if there is no number.
const SORTS: [(&str, Option<By>); 7] = [
    ("name", None),
    ("regions", Some(|sum| sum.regions)),
    ("size", Some(|sum| sum.file_bytes)),
    ("memstore", Some(|sum| sum.memstore_bytes)),
    ("reads", Some(|sum| sum.reads)),
    ("writes", Some(|sum| sum.writes)),
    ("compacting", Some(|sum| sum.compacting)),
];

/// The page of all tables.
pub(crate) fn render(
    parameters: Parameters<'_>,
    tables: &[Table],
    regions: &[Region],
    shows_rows: bool,
) -> Result<Markup, Refused> {
    let (sort, by) = parameters.choice("sort", &SORTS)?;
    let find = parameters.text("q")?;
    let mut sums = with_sums(tables, regions);
    sums.retain(|sum| sum.table.contains(find));
    if let Some(by) = by {
        sums.sort_by_key(|sum| std::cmp::Reverse(by(sum)));
    }
    let found = sums.len();
    sums.truncate(LISTED);
    let heading = |name: &str, key: &str| {
        heading(name, key, sort, &|key| address("/tables", &[("q", find), ("sort", key)]))
    };
    Ok(html! {
        h1 { "Tables" }
        (search("/tables", find, "Part of a name", &[("sort", sort)]))
        @if sums.is_empty() { (nothing(if find.is_empty() { "There are no tables." } else { "No table has that in its name." })) }
        @else {
            (scrolling("Tables", &html! {
                table {
                    thead { tr {
                        (heading("Table", "name")) th { "State" } th.optional { "Families" } (heading("Regions", "regions"))
                        (heading("Size", "size")) (heading("Memstores", "memstore")) (heading("Read", "reads"))
                        (heading("Written", "writes")) (heading("Compacting", "compacting"))
                        @if shows_rows { th { span.unseen { "Rows" } } }
                    } }
                    tbody {
                        @for sum in &sums {
                            tr {
                                td { a href=(page_of(sum.table)) { (sum.table) } }
                                td { (state(sum.state)) }
                                td.optional { (sum.families.join(", ")) }
                                td.number {
                                    (units::count(sum.regions.max(sum.open)))
                                    @if sum.open < sum.regions { " (" (units::count(sum.open)) " open)" }
                                }
                                td.number { (units::bytes(sum.file_bytes)) }
                                td.number { (units::bytes(sum.memstore_bytes)) }
                                td.number { (units::count(sum.reads)) }
                                td.number { (units::count(sum.writes)) }
                                td.number { (units::count(sum.compacting)) }
                                @if shows_rows {
                                    td { a href=(address("/rows", &[("table", sum.table)])) aria-label={ "Rows of " (sum.table) } { "rows" } }
                                }
                            }
                        }
                    }
                }
            }))
        }
        @if found > LISTED { p { "These are " (LISTED) " of " (units::count(found as u64)) " tables: look for a part of the name." } }
    })
}

/// The head of a column, by which the list can be sorted.
pub(crate) fn heading(name: &str, key: &str, sorted: &str, address: &dyn Fn(&str) -> String) -> Markup {
    let is_sorted = key == sorted || (sorted.is_empty() && key == "name");
    let order = is_sorted.then_some(if key == "name" { "ascending" } else { "descending" });
    html! { th.number[key != "name"] aria-sort=[order] { a href=(address(key)) { (name) } } }
}

/// A field to look for something; `kept` goes with it.
pub(crate) fn search(path: &str, find: &str, hint: &str, kept: &[(&str, &str)]) -> Markup {
    html! {
        form.search role="search" action=(path) method="get" {
            input type="search" name="q" value=(find) placeholder=(hint) aria-label=(hint) maxlength="1000";
            @for (name, value) in kept { @if !value.is_empty() { input type="hidden" name=(name) value=(value); } }
            button { "Find" }
            @if !find.is_empty() { a href=(address(path, kept)) { "all" } }
        }
    }
}
