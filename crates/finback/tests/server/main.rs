//! The real binary, as users and the world treat it.

mod client;
mod raw_client;
mod running_server;

mod a_full_disk_stops_writes_and_nothing_else;
mod a_stop_is_clean_and_a_kill_loses_nothing;
mod a_torn_log_is_recovered_and_a_corrupt_one_refused;
mod clocks_that_jump_do_not_confuse_recovery;
mod hostile_clients_leave_others_served;
mod only_one_server_uses_a_directory_and_a_port;
mod the_first_put_comes_early_and_idling_is_cheap;
mod what_cannot_be_done_is_answered_by_the_exception_of_hbase;
