//! The rows of a table, read only.

use crate::layout::nothing;
use crate::model::{Refused, Row, RowRange, Rows};
use crate::parameters::{Parameters, address};
use crate::regions::table_link;
use crate::units;
use maud::{Markup, html};

/// Rows unless told otherwise, and at most.
const ROWS: (u32, u32) = (25, 500);
/// Cells of a row unless told otherwise, and at most.
const CELLS: (u32, u32) = (20, 1000);
/// Versions of a cell at most.
const MAX_VERSIONS: u32 = 100;

/// Which rows a request wants.
pub(crate) fn range(parameters: Parameters<'_>) -> Result<RowRange, Refused> {
    Ok(RowRange {
        table: parameters.needed("table")?.to_owned(),
        start: parameters.exact("start")?.to_owned(),
        prefix: parameters.flag("prefix"),
        from: parameters.exact("from")?.to_owned(),
        column: parameters.exact("column")?.to_owned(),
        rows: parameters.number("rows", ROWS.0, ROWS.1)?,
        cells_per_row: parameters.number("cells", CELLS.0, CELLS.1)?,
        versions: parameters.number("versions", 1, MAX_VERSIONS)?,
    })
}

/// The address of a range.
fn page_of(range: &RowRange, start: &str) -> String {
    let other =
        |number: u32, default: u32| if number == default { String::new() } else { number.to_string() };
    address(
        "/rows",
        &[
            ("table", &range.table),
            ("start", start),
            ("prefix", if range.prefix { "1" } else { "" }),
            ("from", &range.from),
            ("column", &range.column),
            ("rows", &other(range.rows, ROWS.0)),
            ("cells", &other(range.cells_per_row, CELLS.0)),
            ("versions", &other(range.versions, 1)),
        ],
    )
}

/// The address of the rows from `next` on, of those that are wanted.
fn next_page(range: &RowRange, next: &str) -> String {
    if range.prefix {
        page_of(&RowRange { from: next.to_owned(), ..range.clone() }, &range.start)
    } else {
        page_of(range, next)
    }
}

/// The page of rows.
pub(crate) fn render(range: &RowRange, rows: &Rows) -> Markup {
    html! {
        h1 { "Rows of " (table_link(&range.table)) }
        (form(range))
        @if rows.out_of_time { p.health.worry role="status" { "The time was up before there were as many rows." } }
        @if rows.rows.is_empty() && !rows.out_of_time { (nothing("There is no such row.")) }
        ol.rows { @for row in &rows.rows { (shown(range, row)) } }
        nav.pages aria-label="More rows" {
            @if !range.start.is_empty() && !range.prefix { a href=(page_of(range, "")) { "⇤ From the first row" } }
            span.faint { (rows.rows.len()) " rows in " (units::latency(rows.took_us as f64)) }
            @if let Some(next) = &rows.next { a rel="next" href=(next_page(range, next)) { "Next rows →" } }
        }
    }
}

fn form(range: &RowRange) -> Markup {
    html! {
        form.range action="/rows" method="get" {
            input type="hidden" name="table" value=(range.table);
            label { "From row" input name="start" value=(range.start) placeholder="the first" autocomplete="off" spellcheck="false"; }
            label { "Column" input name="column" value=(range.column) placeholder="family:qualifier" autocomplete="off" spellcheck="false"; }
            label.narrow { "Rows" input type="number" name="rows" min="1" max=(ROWS.1) value=(range.rows); }
            label.narrow { "Cells a row" input type="number" name="cells" min="1" max=(CELLS.1) value=(range.cells_per_row); }
            label.narrow { "Versions" input type="number" name="versions" min="1" max=(MAX_VERSIONS) value=(range.versions); }
            label.box { input type="checkbox" name="prefix" value="1" checked[range.prefix]; "only rows that begin so" }
            button { "Read" }
        }
        p.faint { "Bytes that are no printable ASCII are written " code { "\\x00" } "." }
    }
}

fn shown(range: &RowRange, row: &Row) -> Markup {
    let alone =
        RowRange { rows: 1, cells_per_row: CELLS.1, prefix: false, from: String::new(), ..range.clone() };
    html! {
        li {
            h2 { a href=(page_of(&alone, &row.key)) { code { (row.key) } } }
            table {
                thead.unseen { tr { th { "Column" } th { "Value" } th { "Time" } } }
                tbody {
                    @for cell in &row.cells {
                        tr {
                            td.column { code { (cell.column) } }
                            td.words {
                                code { (cell.value) }
                                @if cell.cut { span.faint { "… " (units::bytes(cell.value_bytes)) } }
                            }
                            td.number.faint title=(timestamp(cell.timestamp)) { (cell.timestamp) }
                        }
                    }
                }
            }
            @if row.cut { p.faint { "There are more cells in this row." } }
        }
    }
}

/// Most timestamps are times.
fn timestamp(ms: u64) -> String {
    format!("{} UTC", units::time(ms))
}

#[cfg(test)]
mod tests {
    use super::*;
    use finback_web::Request;

    #[test]
    fn a_key_with_spaces_around_it_is_read_back_as_it_was_written() {
        let written = RowRange {
            table: "t".to_owned(),
            start: String::new(),
            prefix: false,
            from: String::new(),
            column: "f: q ".to_owned(),
            rows: 25,
            cells_per_row: 20,
            versions: 1,
        };
        let page = page_of(&written, "  1 ");
        let (path, query) = page.split_once('?').unwrap();
        let read = range(Parameters(&Request::parse(path, Some(query)))).unwrap();
        assert_eq!((read.start.as_str(), read.column.as_str()), ("  1 ", "f: q "));
    }

    #[test]
    fn the_next_rows_of_a_prefix_have_it_too() {
        let prefixed = RowRange {
            table: "t".to_owned(),
            start: "a ".to_owned(),
            prefix: true,
            rows: 25,
            cells_per_row: 20,
            versions: 1,
            ..RowRange::default()
        };
        let page = next_page(&prefixed, "a 7\\x00");
        let (path, query) = page.split_once('?').unwrap();
        let read = range(Parameters(&Request::parse(path, Some(query)))).unwrap();
        assert_eq!((read.start.as_str(), read.prefix, read.from.as_str()), ("a ", true, "a 7\\x00"));
    }
}
