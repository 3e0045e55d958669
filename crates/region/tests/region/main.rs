//! What a region promises, tried out on real logs and store files in memory.

#[allow(dead_code)] // Not every module uses all of it.
mod world;

mod hbase_answers_the_recorded_scans_alike;
