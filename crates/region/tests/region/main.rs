//! What a region promises, tried out on real logs and store files in memory.

mod model;
#[allow(dead_code)] // Not every module uses all of it.
mod world;

mod a_region_agrees_with_a_simple_model;
mod hbase_answers_the_recorded_scans_alike;
