//! The rows of an answer to a scan.

use crate::row::Row;
use bytes::Bytes;
use finback_cell::CellBlock;
use finback_proto::{convert, pb};

/// The rows of an answer: counted cells of the block, or results inside the message.
///
/// # Errors
/// What is wrong with the answer.
pub(crate) fn rows_of(response: &pb::ScanResponse, mut block: Bytes) -> Result<Vec<Row>, String> {
    let stale = response.stale();
    if response.cells_per_result.is_empty() {
        let of_result = |result: &pb::Result| {
            let cells = convert::decode_result(result, &mut block).map_err(|error| error.to_string())?;
            row(cells, result.partial(), stale || result.stale())
        };
        return response.results.iter().map(of_result).collect();
    }
    let flags = &response.partial_flag_per_result;
    let counts = response.cells_per_result.iter().enumerate();
    let of_count = |(place, &count): (usize, &u32)| {
        let cells = CellBlock::take(&mut block, count as usize).map_err(|error| error.to_string())?;
        row(cells, flags.get(place).copied().unwrap_or(false), stale)
    };
    counts.map(of_count).collect()
}

fn row(cells: CellBlock, partial: bool, stale: bool) -> Result<Row, String> {
    match cells.is_empty() {
        true => Err("a result without cells".to_owned()),
        false => Ok(Row::new(cells, partial, stale)),
    }
}

#[cfg(test)]
mod tests;
