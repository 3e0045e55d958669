//! A region server as clients and masters see it, in process.

mod world;

mod a_multi_answers_each_action_in_its_place;
mod a_scan_reply_ends_at_the_first_limit;
mod a_scanner_lives_by_its_lease_and_its_calls;
mod an_increment_that_is_repeated_is_carried_out_once;
mod compactions_come_by_themselves_and_when_asked_for;
mod regions_open_and_close_as_the_master_says;
mod writes_wait_for_memory_and_for_room_on_the_disk;
