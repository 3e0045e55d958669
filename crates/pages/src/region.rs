//! One region.

use crate::layout::{facts, key, scrolling};
use crate::model::{Region, Store};
use crate::{regions, rows, units};
use maud::{Markup, html};

/// Files of a store that are listed.
const FILES: usize = 200;

/// The page of a region.
pub(crate) fn render(region: &Region, stores: &[Store], now_ms: u64, shows_rows: bool) -> Markup {
    let reads = format!(
        "{} rows, {} dropped by filters",
        units::count(region.reads),
        units::count(region.filtered_reads)
    );
    let files = format!(
        "{} in {} files ({} before compression), indexes and Bloom filters {}",
        units::bytes(region.file_bytes),
        units::count(region.files),
        units::bytes(region.uncompressed_bytes),
        units::bytes(region.index_bytes)
    );
    let memstores =
        format!("{} in {} cells", units::bytes(region.memstore_bytes), units::count(region.memstore_cells));
    let rows = rows::rows_from(&region.table, &region.start_key);
    html! {
        h1 { "Region " code { (region.encoded_name) } }
        p {
            "Of table " (regions::table_link(&region.table)) ". "
            @if shows_rows { a href=(rows) { "Browse its rows" } }
        }
        (facts(&[
            ("Name", &html! { code { (region.name) } }),
            ("From row", &key(&region.start_key, "the first")),
            ("To row, without it", &key(&region.end_key, "the last")),
            ("Read", &reads),
            ("Written", &units::count(region.writes)),
            ("Store files", &files),
            ("Memstores", &memstores),
            ("Locality", &units::percent(region.locality)),
            ("Compaction", &regions::compaction(region)),
            ("Last major compaction", &units::ago(region.last_major_ms, now_ms)),
            ("Last flush", &units::ago(region.last_flush_ms, now_ms)),
            ("In files up to sequence id", &region.flushed_sequence_id),
        ]))
        @for store in stores {
            section {
                h2 { "Family " code { (store.family) } }
                p { (units::bytes(store.memstore_bytes)) " in the memstore, " (units::count(store.files.len() as u64)) " files" }
                @if !store.files.is_empty() {
                    (scrolling(&format!("Files of {}", store.family), &html! {
                        table {
                            thead { tr { th { "File" } th.number { "Size" } } }
                            tbody {
                                @for (name, bytes) in store.files.iter().take(FILES) {
                                    tr { td { code { (name) } } td.number { (units::bytes(*bytes)) } }
                                }
                            }
                        }
                    }))
                }
                @if store.files.len() > FILES { p { "These are the first " (FILES) "." } }
            }
        }
    }
}
