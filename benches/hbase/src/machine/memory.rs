//! Memory that nobody has touched since the machine started.
//!
//! A virtual machine is given memory when it first touches it, and that costs whoever happens to be the first several times what
//! a page costs afterwards: most of a row that is written. So all that is free is touched before anything is measured.

use std::time::Instant;

const PAGE_BYTES: usize = 4 << 10;
/// Touched in one piece.
const PIECE_BYTES: usize = 256 << 20;
/// Left to the system meanwhile.
const LEFT_BYTES: usize = 1 << 30;

/// Touches the memory that is free, gives it back, and says what it has cost.
pub(crate) fn touch() -> (String, String) {
    let free = free_bytes().saturating_sub(LEFT_BYTES) / PIECE_BYTES * PIECE_BYTES;
    eprintln!("touching {:.1} GiB of free memory, so that nobody is the first to do it", gib(free));
    let began = Instant::now();
    let pieces: Vec<Vec<u8>> = (0..free / PIECE_BYTES).map(|_| touched(PIECE_BYTES)).collect();
    let first = began.elapsed();
    drop(pieces);
    let began = Instant::now();
    drop(touched(free.min(PIECE_BYTES)));
    let by_page = |elapsed: std::time::Duration, bytes: usize| {
        elapsed.as_secs_f64() * 1e6 / (bytes / PAGE_BYTES).max(1) as f64
    };
    let cost = format!(
        "{:.1} GiB, {:.2} µs by page, and {:.2} afterwards",
        gib(free),
        by_page(first, free),
        by_page(began.elapsed(), free.min(PIECE_BYTES))
    );
    ("free memory that was touched before".to_owned(), cost)
}

fn gib(bytes: usize) -> f64 {
    bytes as f64 / (1_u64 << 30) as f64
}

/// So many bytes, of which every page has been written to.
fn touched(bytes: usize) -> Vec<u8> {
    let mut memory = vec![0; bytes];
    memory.iter_mut().step_by(PAGE_BYTES).for_each(|byte| *byte = 1);
    memory
}

/// Memory that nobody uses, not even for files.
fn free_bytes() -> usize {
    let told = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = told.lines().find_map(|line| line.strip_prefix("MemFree:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap_or(0) << 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_free_memory_and_every_page_of_it_is_touched() {
        assert!(free_bytes() > PAGE_BYTES);
        let memory = touched(3 * PAGE_BYTES + 1);
        assert_eq!(memory.iter().filter(|&&byte| byte == 1).count(), 4);
    }
}
