//! The paths that are counted.

use crate::same_every_time::while_the_clock_stands;
use crate::{Result, block, merge, merged_scan, served};
use finback_hfile::DataBlockEncoding;
use std::hint::black_box;

/// Calls that are not counted: what happens once has happened.
const WARM_UP: usize = 5;

/// What is counted, call by call.
pub(crate) trait HotPath {
    /// Makes what the next call needs. Not counted. `number`: of the call, from 0 on.
    fn prepare(&mut self, number: usize) -> Result<()>;

    /// What is counted.
    fn call(&mut self) -> Result<()>;

    /// Checks what the call has done. Not counted.
    fn check(&mut self) -> Result<()>;
}

/// A path by its name.
pub(crate) struct NamedPath {
    pub(crate) name: &'static str,
    /// How many calls are counted; odd, so that there is a median.
    pub(crate) calls: usize,
    begin: fn() -> Result<Box<dyn HotPath>>,
}

pub(crate) const PATHS: [NamedPath; 9] = [
    NamedPath { name: "get", calls: 101, begin: || served::get() },
    NamedPath { name: "multi-get of 10", calls: 51, begin: || served::multi_get() },
    NamedPath { name: "put", calls: 101, begin: || served::put() },
    NamedPath { name: "put of 64 columns, no log", calls: 51, begin: || served::wide_put() },
    NamedPath { name: "scan of 1,000 rows", calls: 11, begin: || served::scan() },
    NamedPath { name: "scan of 1,000 rows, 4 files", calls: 11, begin: || merged_scan::merged_scan() },
    NamedPath { name: "block decode", calls: 11, begin: || block::decode(DataBlockEncoding::None) },
    NamedPath {
        name: "block decode, FAST_DIFF",
        calls: 11,
        begin: || block::decode(DataBlockEncoding::FastDiff),
    },
    NamedPath { name: "merge of 4 files", calls: 5, begin: || merge::merge() },
];

/// Runs the path so that Valgrind can count it.
pub(crate) fn run(name: &str) -> Result<()> {
    let path = PATHS.iter().find(|path| path.name == name).ok_or("no such path")?;
    let mut hot_path = (path.begin)()?;
    for number in 0..WARM_UP + path.calls {
        hot_path.prepare(number)?;
        if number < WARM_UP {
            hot_path.call()?;
        } else {
            while_the_clock_stands(|| counted_call(&mut *hot_path))?;
        }
        hot_path.check()?;
    }
    Ok(())
}

/// The function that [`crate::callgrind`] looks for.
#[inline(never)]
fn counted_call(path: &mut dyn HotPath) -> Result<()> {
    // Not as a jump out of this function, whose end Valgrind would not see.
    black_box(path.call())
}
