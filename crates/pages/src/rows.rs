//! The rows of a table, read only.

use crate::layout::nothing;
use crate::model::{Refused, Row, RowRange, Rows};
use crate::parameters::{Parameters, address};
use crate::regions::table_link;
use crate::{row_key, units};
use maud::{Markup, html};

/// Rows unless told otherwise, and at most.
const ROWS: (u32, u32) = (25, 500);
/// Cells of a row unless told otherwise, and at most.
const CELLS: (u32, u32) = (20, 1000);
/// Versions of a cell at most.
const MAX_VERSIONS: u32 = 100;

/// What is behind the prefix in a long key to go on from: an address would not hold both as they are.
const REST: &str = "rest64";

/// Which rows a request wants.
pub(crate) fn range(parameters: Parameters<'_>) -> Result<RowRange, Refused> {
    let start = parameters.key("start")?;
    let from = match parameters.0.parameter(REST) {
        Some(rest) => {
            row_key::checked("from", &(start.clone() + &row_key::text(&row_key::decode(REST, rest)?)))?
        }
        None => parameters.key("from")?,
    };
    Ok(RowRange {
        table: parameters.needed("table")?.to_owned(),
        start,
        prefix: parameters.flag("prefix"),
        from,
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
    let (written, in_base64) = either(start);
    let (from, rest) = if !range.prefix || !row_key::is_long(&range.from) {
        (range.from.as_str(), String::new())
    } else {
        // All rows of a prefix have it.
        let (from, prefix) = (row_key::bytes(&range.from), row_key::bytes(start));
        ("", row_key::encode(from.strip_prefix(&prefix[..]).unwrap_or_default()))
    };
    address(
        "/rows",
        &[
            ("table", &range.table),
            ("start", written),
            ("start64", &in_base64),
            ("prefix", if range.prefix { "1" } else { "" }),
            ("from", from),
            (REST, &rest),
            ("column", &range.column),
            ("rows", &other(range.rows, ROWS.0)),
            ("cells", &other(range.cells_per_row, CELLS.0)),
            ("versions", &other(range.versions, 1)),
        ],
    )
}

/// A key as it is written, or in base64: the other one is empty.
fn either(key: &str) -> (&str, String) {
    if row_key::is_long(key) { ("", row_key::encode(&row_key::bytes(key))) } else { (key, String::new()) }
}

/// The address of a table's rows from one on.
pub(crate) fn rows_from(table: &str, start: &str) -> String {
    let (rows, cells_per_row) = (ROWS.0, CELLS.0);
    page_of(
        &RowRange { table: table.to_owned(), rows, cells_per_row, versions: 1, ..RowRange::default() },
        start,
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
    // A form would write a long key in six bytes for each of its own: it stays as it is unless another one is written.
    let (written, in_base64) = either(&range.start);
    let stays = format!("the same, of {} bytes", row_key::bytes(&range.start).len());
    let empty = if in_base64.is_empty() { "the first" } else { stays.as_str() };
    html! {
        form.range action="/rows" method="get" {
            input type="hidden" name="table" value=(range.table);
            label { "From row" input name="start" value=(written) placeholder=(empty) autocomplete="off" spellcheck="false"; }
            @if !in_base64.is_empty() { input type="hidden" name="start64" value=(in_base64); }
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
    let key = if range.rows == 1 { &row.key } else { row_key::beginning(&row.key) };
    html! {
        li {
            h2 {
                a href=(page_of(&alone, &row.key)) { code { (key) } }
                @if key.len() < row.key.len() { span.faint { "… " (units::bytes(row_key::bytes(&row.key).len() as u64)) } }
            }
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

    #[test]
    fn the_longest_keys_are_in_addresses_that_a_server_reads() {
        // The longest address that there is (`http::Uri`).
        const LONGEST: usize = 65_534;
        let (prefix, key) = ("\\xFF".repeat(20_000), "\\xFF".repeat(32_767));
        let all = RowRange {
            table: "t".to_owned(),
            rows: 25,
            cells_per_row: 20,
            versions: 1,
            ..RowRange::default()
        };
        let prefixed = RowRange { start: prefix.clone(), prefix: true, ..all.clone() };
        let next = format!("{key}\\x00");
        for (page, start, from) in [
            (page_of(&all, &key), &key, ""),
            (next_page(&all, &next), &next, ""),
            (next_page(&prefixed, &next), &prefix, next.as_str()),
            (next_page(&RowRange { start: key.clone(), ..prefixed.clone() }, &next), &key, next.as_str()),
            (rows_from("t", &key), &key, ""),
        ] {
            assert!(page.len() < LONGEST, "{}", page.len());
            let (path, query) = page.split_once('?').unwrap();
            let read = range(Parameters(&Request::parse(path, Some(query)))).unwrap();
            assert!(read.start == *start && read.from == from, "{page}");
        }
    }

    #[test]
    fn a_form_keeps_a_long_key_unless_another_one_is_written() {
        let key = "\\x00".repeat(32_767);
        let shown = form(&RowRange { start: key.clone(), ..RowRange::default() }).into_string();
        let kept = shown.split("name=\"start64\" value=\"").nth(1).unwrap().split('"').next().unwrap();
        assert!(shown.contains("placeholder=\"the same, of 32767 bytes\"") && !shown.contains("\\x00\\x00"));
        for (written, start) in [("", key.as_str()), ("a", "a")] {
            let query = format!("table=t&start={written}&start64={kept}");
            assert_eq!(range(Parameters(&Request::parse("/rows", Some(&query)))).unwrap().start, start);
        }
    }
}
