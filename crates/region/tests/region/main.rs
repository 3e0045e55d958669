//! What a region promises, tried out on real logs and store files in memory.

mod column_test;
mod fixtures;
mod hfiles;
mod ledger;
#[allow(dead_code)] // Not every module uses all of it.
mod machine;
mod merges_of_large_cells_hold_few_of_them;
mod model;
mod new_version_model;
mod random_operations;
mod workload;
mod world;

mod a_bulk_load_is_whole_or_not_at_all;
mod a_busy_region_wants_to_be_split;
mod a_compaction_disturbs_nobody;
mod a_compaction_into_several_files_is_one_step;
mod a_compaction_may_fail_or_die_at_any_point;
mod a_file_that_hbase_wrote_takes_the_place_of_ours;
mod a_flush_into_stripes_is_one_step;
mod a_full_disk_stops_writes_and_loses_nothing;
mod a_large_write_waits_for_the_flush_that_makes_room;
mod a_put_after_a_quick_delete_is_seen;
mod a_read_of_one_column_leaves_out_old_files;
mod a_region_agrees_with_a_simple_model;
mod a_table_with_the_stripe_engine_gets_stripes;
mod blocks_of_files_that_are_gone_leave_the_cache;
mod bulk_loads;
mod compactions_wait_for_memory;
mod concurrent_writers_and_readers;
mod families_are_loaded_on_demand;
mod half_of_a_row_never_comes_back;
mod hbase_answers_the_recorded_scans_alike;
mod increments_and_appends;
mod memstores_are_kept_small_in_memory;
mod nothing_acknowledged_is_lost_in_a_crash;
mod regions_that_hbase_split_merged_or_cloned_are_served;
mod rows_of_meta_are_found_in_their_own_order;
mod the_power_is_cut_at_every_operation;
mod the_smallest_program_that_embeds_a_region;
mod updates_of_large_cells_take_turns;
mod versions_go_by_the_order_of_writing;
mod what_a_comparison_with_hbase_has_found;
mod what_a_read_may_ask_for;
mod writes_at_the_edge_of_what_is_legal;
mod young_markers_wait_for_late_puts;
