//! What endpoints read of their region.

use crate::exceptions::exception;
use crate::get::{CELLS_PER_TURN, next};
use crate::read_memory::{ReadMemory, TURN_BYTES};
use crate::server::RegionServer;
use crate::turn_pace::{FILTERED_CELLS_PER_LOOK, next_turn};
use finback_cell::{Cell, Scan};
use finback_filter::Filter;
use finback_region::{Region, ScanLimits, ScanOutput, ScanStop};
use finback_rpc::{Call, RpcException, exceptions};
use std::time::Instant;

/// Rows that are taken from the scanner together.
const ROWS_AT_ONCE: usize = 1000;

/// Hands over the region's rows of a scan, one after the other.
pub(crate) async fn read_rows(
    server: &RegionServer,
    region: &Region,
    call: &Call,
    scan: &Scan,
    filter: Option<Box<dyn Filter>>,
    mut row: impl FnMut(&[Cell<'_>]),
) -> Result<(), RpcException> {
    let mut limits = ScanLimits {
        results: ROWS_AT_ONCE,
        bytes: TURN_BYTES,
        budget: if filter.is_some() { FILTERED_CELLS_PER_LOOK } else { CELLS_PER_TURN },
        turn_bytes: TURN_BYTES,
        ..ScanLimits::NONE
    };
    let mut scanner = region.scanner(scan, filter).map_err(|error| exception(&error))?;
    let (mut out, mut memory) = (ScanOutput::default(), ReadMemory::within(server));
    loop {
        let begun = Instant::now();
        let stop = next(server, &mut scanner, &mut out, &limits, &mut memory).await?;
        limits.budget = next_turn(limits.budget, begun.elapsed(), CELLS_PER_TURN);
        memory.hold(memory.of(&out, &scanner)).await?;
        if call.connection.is_closed() {
            return Err(exceptions::io("the client has gone"));
        }
        if !region.is_readable() {
            return Err(exceptions::not_serving_region(region.name().escape_ascii().to_string()));
        }
        if stop == ScanStop::Budget {
            // In the middle of a row, perhaps.
            memory.check_row(out.cells.len())?;
            tokio::task::yield_now().await;
            continue;
        }
        let cells: Vec<Cell<'_>> = out.cells().collect();
        let mut rest = &cells[..];
        for &count in &out.counts {
            let (one, others) = rest.split_at(count as usize);
            row(one);
            rest = others;
        }
        if stop == ScanStop::Exhausted {
            return Ok(());
        }
        out.clear();
        tokio::task::yield_now().await;
    }
}
