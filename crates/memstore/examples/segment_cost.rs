//! What inserts, gets and scans of a segment cost, in nanoseconds and bytes per cell.
//!
//! `cargo run --release -p finback-memstore --example segment_cost [cells]`
//!
//! Rows are scattered from the first byte on (hashed keys), or alike at their beginnings (`user…`, numbers with zeros in front),
//! which those are that were in memory before them.
#![allow(clippy::print_stdout)]

use finback_cell::cell::CellParts;
use finback_cell::key::Key;
use finback_cell::{Cell, CellBlock, CellBlockBuilder, CellOrder};
use finback_memstore::{InMemoryCompaction, MemStore, PipelineOptions, Segment};
use std::hint::black_box;
use std::time::Instant;

const DEFAULT_CELLS: u64 = 200_000;
const ROUNDS: usize = 5;
const BASIC: PipelineOptions =
    PipelineOptions { policy: InMemoryCompaction::Basic, segments_limit: 2, adaptive_threshold: 1.0 };

fn main() {
    let cells = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(DEFAULT_CELLS);
    measure("hashed rows", cells, |number| format!("{:016x}-{number:09}", mix(number)));
    measure("user rows", cells, |number| format!("user-row-{:016x}", mix(number)));
    measure("numbers", cells, |number| format!("{:026}", mix(number) % 10_000_000));
    measure("rows in order", cells, |number| format!("user-row-{number:016x}"));
}

/// Scatters numbers (the finalizer of splitmix64).
fn mix(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

fn measure(name: &str, cells: u64, row: impl Fn(u64) -> String) {
    let rows: Vec<String> = (0..cells).map(row).collect();
    let block = block(&rows);
    let (mut insert, mut best) = (f64::MAX, [[f64::MAX; 3]; 2]);
    let mut bytes = [0.0; 2];
    for _ in 0..ROUNDS {
        let store = MemStore::new(CellOrder::User);
        block.iter().take(1000).for_each(|cell| {
            store.insert(&cell, 0);
        });
        let earlier = store.snapshot();
        assert!(store.drop_snapshot(earlier.id()));
        insert = insert.min(per_cell(cells, || {
            for (sequence_id, cell) in block.iter().enumerate() {
                store.insert(&cell, sequence_id as u64);
            }
        }));
        let active = store.segments()[0].clone();
        store.push_active(0);
        store.compact_in_memory(&BASIC, || |_: &Cell<'_>, _| true);
        let flat = store.segments()[1].clone();
        for (form, segment) in [active, flat].iter().enumerate() {
            bytes[form] = (segment.heap_bytes() - segment.data_bytes()) as f64 / cells as f64;
            for (kind, cost) in read(segment, &rows).into_iter().enumerate() {
                best[form][kind] = best[form][kind].min(cost);
            }
        }
    }
    println!("{name}: insert {insert:.0} ns");
    for (form, name) in ["skip list", "flat"].into_iter().enumerate() {
        let [get, step, near] = best[form];
        println!(
            "  {name:9}: get {get:4.0} ns, next {step:3.0} ns, reseek to the 10th next {near:3.0} ns, {:.0} bytes per cell besides data",
            bytes[form]
        );
    }
}

fn block(rows: &[String]) -> CellBlock {
    let mut builder = CellBlockBuilder::default();
    for row in rows {
        let parts = CellParts {
            row: row.as_bytes(),
            family: b"cf",
            qualifier: b"field0",
            timestamp: 1,
            type_code: 4,
            value: &[7; 100],
            tags: &[],
        };
        builder.push_parts(&parts);
    }
    builder.finish()
}

/// Cost of a get of a random row, of a step of a scan, and of a reseek over ten cells.
fn read(segment: &Segment, rows: &[String]) -> [f64; 3] {
    let cells = rows.len() as u64;
    let mut scanner = segment.scanner();
    let get = per_cell(cells, || {
        for number in 0..cells {
            let row = &rows[(mix(number + cells) % cells) as usize];
            scanner.seek(&Key::first_on_row(row.as_bytes()));
            black_box(scanner.peek());
        }
    });
    let mut sorted: Vec<_> = rows.iter().collect();
    sorted.sort();
    let step = per_cell(cells, || {
        scanner.rewind();
        while black_box(scanner.peek()).is_some() {
            scanner.next();
        }
    });
    scanner.rewind();
    let near = per_cell(cells / 10, || {
        for row in sorted.iter().step_by(10) {
            scanner.reseek(&Key::first_on_row(row.as_bytes()));
            black_box(scanner.peek());
        }
    });
    [get, step, near]
}

fn per_cell(cells: u64, work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_nanos() as f64 / cells as f64
}
