//! `finback-client` and the real binary.

// Of it the tests here need only a part.
#[allow(dead_code)]
#[path = "../server/running_server.rs"]
mod running_server;

mod cluster;

mod a_batch_answers_each_of_its_actions;
mod a_cluster_is_checked_while_it_runs;
mod a_repaired_directory_serves_all_rows;
mod a_scan_goes_through_all_regions;
mod a_server_that_is_started_again_is_found_again;
mod an_administrator_can_do_what_the_shell_does;
mod files_are_loaded;
mod files_of_one_side_are_linked_by_a_split;
mod locks_are_held;
mod rows_are_written_and_read;
mod the_load_generator_writes_what_hbases_does;
mod the_shell_does_what_hbases_does;
