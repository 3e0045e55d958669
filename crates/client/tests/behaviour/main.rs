//! What the client does when servers answer this or that: against servers that answer what a test wants.

mod fake_cluster;

mod a_buffer_holds_back_who_is_too_fast;
mod a_buffer_outlives_its_runtime;
mod a_lock_is_held_no_longer_than_the_master_says;
mod a_scan_goes_on_where_it_was;
mod a_service_is_called_in_every_region;
mod batches_are_tried_again_in_part;
mod compactions_pass_over_regions_that_nobody_serves;
mod hostile_servers_are_bounded;
mod locations_are_kept_and_forgotten;
mod replicas_answer_for_a_slow_primary;
mod tries_are_counted_and_timed;
