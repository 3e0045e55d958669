//! One table.

use crate::layout::{facts, scrolling};
use crate::model::{Refused, Region, Schema};
use crate::parameters::{Parameters, address};
use crate::tables::{state, with_sums};
use crate::{regions, units};
use maud::{Markup, html};

/// The page of a table. `all` are the regions of all tables.
pub(crate) fn render(
    parameters: Parameters<'_>,
    schema: &Schema,
    all: &[Region],
    shows_rows: bool,
) -> Result<Markup, Refused> {
    let table = &schema.table;
    let sums = with_sums(std::slice::from_ref(table), all);
    let sum = sums.first().cloned().unwrap_or_default();
    let of_table: Vec<&Region> = all.iter().filter(|region| region.table == table.name).collect();
    let open = format!("{} open of {}", units::count(sum.open), units::count(sum.regions.max(sum.open)));
    let size = format!("{} in {} files", units::bytes(sum.file_bytes), units::count(sum.files));
    Ok(html! {
        h1 { "Table " code { (table.name) } }
        @if shows_rows { p { a href=(address("/rows", &[("table", &table.name)])) { "Browse its rows" } } }
        (facts(&[
            ("State", &state(&table.state)),
            ("Regions", &open),
            ("Store files", &size),
            ("Memstores", &units::bytes(sum.memstore_bytes)),
            ("Read", &units::count(sum.reads)),
            ("Written", &units::count(sum.writes)),
            ("Compacting", &units::count(sum.compacting)),
        ]))
        section {
            h2 { "Families" }
            (scrolling("Families", &html! {
                table {
                    thead { tr { th { "Family" } th { "Attributes" } } }
                    tbody {
                        @for (family, attributes) in &schema.families {
                            tr { td { code { (family) } } td { (attributes_list(attributes)) } }
                        }
                    }
                }
            }))
            @if !schema.attributes.is_empty() { p { "Of the table: " (attributes_list(&schema.attributes)) } }
        }
        section {
            h2 { "Regions" }
            (regions::list(parameters, "/table", &[("name", &table.name)], of_table)?)
        }
    })
}

fn attributes_list(attributes: &[(String, String)]) -> Markup {
    html! {
        span.attributes { @for (name, value) in attributes { span { (name) " " b { (value) } } " " } }
    }
}
