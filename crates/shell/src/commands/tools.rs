//! `tools`: regions, servers, and what the master does by itself.

mod logs;
mod regions;
mod servers;
mod switches;
mod zookeeper;

pub(super) use servers::live_named as live_servers_named;

use crate::command::{Group, command, not_there};

// One entry after the other, each with its text at the left edge.
#[rustfmt::skip]
pub(super) const GROUP: Group = Group {
    name: "tools",
    title: "Regions and servers",
    commands: &[
        command!("assign", 1..1, regions::assign, "\
Has a region opened. For experts.

  hbase> assign 'REGIONNAME'
  hbase> assign 'ENCODED_REGIONNAME'"),
        command!("balancer", 0..2, switches::balancer, "\
Moves regions to balance servers; with 'force' also while regions are in transition. Tells whether it ran.

  hbase> balancer
  hbase> balancer 'dry_run'
  hbase> balancer 'force'"),
        command!("balance_switch", 1..1, switches::balance_switch, "\
Says whether regions are moved to balance servers. Shows what was before.

  hbase> balance_switch true"),
        command!("balancer_enabled", 0..0, switches::balancer_enabled, "\
Tells whether regions are moved to balance servers.

  hbase> balancer_enabled"),
        command!("normalize", 0.., switches::normalize, "\
Splits and merges regions to be of one size: of all tables, or of those named.

  hbase> normalize
  hbase> normalize TABLE_NAME => 'my_table'
  hbase> normalize TABLE_NAMES => ['foo', 'bar', 'baz']"),
        command!("normalizer_switch", 1..1, switches::normalizer_switch, "\
Says whether regions are split and merged to be of one size. Shows what was before.

  hbase> normalizer_switch true"),
        command!("normalizer_enabled", 0..0, switches::normalizer_enabled, "\
Tells whether regions are split and merged to be of one size.

  hbase> normalizer_enabled"),
        command!("is_in_maintenance_mode", 0..0, servers::maintenance, "\
Tells whether the master is in maintenance mode.

  hbase> is_in_maintenance_mode"),
        command!("clear_slowlog_responses", 0..1, logs::clear, "\
Has servers forget the slow and large calls that they have noted: all servers, or those named.

  hbase> clear_slowlog_responses
  hbase> clear_slowlog_responses ['SERVER_NAME1', 'SERVER_NAME2']"),
        not_there!("close_region", "HBase's does nothing any more, either; use unassign"),
        not_there!("compact_mob", "HBase itself has it no more; use compact"),
        not_there!("major_compact_mob", "HBase itself has it no more; use major_compact"),
        command!("compact", 1..3, regions::compact, "\
Has files of a table, a region or a family of it merged. Does not wait for it. With 'MOB' those of the families of a
table that have large values in files of their own, these among them, where the server does that.

  hbase> compact 'ns1:t1'
  hbase> compact 'r1'
  hbase> compact 't1', 'c1'
  hbase> compact 't1', nil, 'MOB'"),
        command!("compaction_switch", 1.., servers::compaction_switch, "\
Says whether servers merge files: all, or those named. Shows what was before.

  hbase> compaction_switch true
  hbase> compaction_switch false, 'host1,60020,1289493121758'"),
        command!("flush", 1..2, regions::flush, "\
Writes what is in memory to files: of a table, a region, or a family of it.

  hbase> flush 'TABLENAME'
  hbase> flush 'TABLENAME', 'FAMILYNAME'
  hbase> flush 'REGIONNAME'
  hbase> flush 'ENCODED_REGIONNAME'"),
        command!("get_balancer_decisions", 0..1, logs::decisions, "\
Shows what the balancer moved lately, and why, where the master notes it (hbase.master.balancer.decision.buffer.enabled).

  hbase> get_balancer_decisions
  hbase> get_balancer_decisions LIMIT => 10"),
        command!("get_balancer_rejections", 0..1, logs::rejections, "\
Shows why the balancer moved nothing lately, where the master notes it (hbase.master.balancer.rejection.buffer.enabled).

  hbase> get_balancer_rejections
  hbase> get_balancer_rejections LIMIT => 10"),
        command!("get_slowlog_responses", 1..2, logs::slow, "\
Shows the slow calls that servers have noted: all servers ('*'), or those named. Calls may be asked for of a region
(REGION_NAME), a table (TABLE_NAME), a client (CLIENT_IP), a user (USER): all of it (FILTER_BY_OP => 'AND'), or any.

  hbase> get_slowlog_responses '*'
  hbase> get_slowlog_responses '*', {LIMIT => 50}
  hbase> get_slowlog_responses ['SERVER_NAME1', 'SERVER_NAME2'], {TABLE_NAME => 't1', USER => 'alice', FILTER_BY_OP => 'AND'}"),
        command!("get_largelog_responses", 1..2, logs::large, "\
Shows the calls with large requests or answers that servers have noted; what is asked for as of get_slowlog_responses.

  hbase> get_largelog_responses '*'
  hbase> get_largelog_responses '*', {LIMIT => 50}"),
        command!("major_compact", 1..3, regions::major_compact, "\
Has all files of a table, a region or a family of it merged into one. Does not wait for it. With 'MOB' those of the
families of a table that have large values in files of their own, these among them, where the server does that.

  hbase> major_compact 'ns1:t1'
  hbase> major_compact 'r1', 'c1'
  hbase> major_compact 't1', nil, 'MOB'"),
        command!("move", 1..2, regions::move_region, "\
Moves a region, by its encoded name: to a server, or to one that the master chooses.

  hbase> move 'ENCODED_REGIONNAME'
  hbase> move 'ENCODED_REGIONNAME', 'host187.example.com,60020,1289493121758'"),
        command!("split", 1..2, regions::split, "\
Splits a region, or all of a table; at a row, if it is told one.

  hbase> split 'tableName'
  hbase> split 'regionName'
  hbase> split 'tableName', 'splitKey'
  hbase> split 'regionName', 'splitKey'"),
        command!("merge_region", 2.., regions::merge, "\
Merges regions that lie side by side, by their encoded names; others, with true behind them.

  hbase> merge_region 'ENCODED_REGIONNAME', 'ENCODED_REGIONNAME'
  hbase> merge_region ['ENCODED_REGIONNAME', 'ENCODED_REGIONNAME'], true"),
        command!("unassign", 1..2, regions::unassign, "\
Has a region closed. For experts.

  hbase> unassign 'ENCODED_REGIONNAME'"),
        command!("zk_dump", 0..0, zookeeper::dump, "\
Shows what of the cluster is in ZooKeeper.

  hbase> zk_dump"),
        command!("wal_roll" | "hlog_roll", 1..1, servers::roll_wal, "\
Has a server begin a new log.

  hbase> wal_roll 'host187.example.com,60020,1289493121758'"),
        command!("hbck_chore_run", 0..0, switches::hbck_run, "\
Has the master look for what does not fit together between hbase:meta, servers and files; its page shows what it found.
finback check says the same at once.

  hbase> hbck_chore_run"),
        command!("catalogjanitor_run", 0..0, switches::janitor_run, "\
Clears hbase:meta of regions that were split or merged; shows how many there were.

  hbase> catalogjanitor_run"),
        command!("catalogjanitor_switch", 1..1, switches::janitor_switch, "\
Says whether hbase:meta is cleared of regions that were split or merged. Shows what was before.

  hbase> catalogjanitor_switch true"),
        command!("catalogjanitor_enabled", 0..0, switches::janitor_enabled, "\
Tells whether hbase:meta is cleared of regions that were split or merged.

  hbase> catalogjanitor_enabled"),
        command!("cleaner_chore_run", 0..0, switches::cleaner_run, "\
Deletes files that nobody needs.

  hbase> cleaner_chore_run"),
        command!("cleaner_chore_switch", 1..1, switches::cleaner_switch, "\
Says whether files that nobody needs are deleted. Shows what was before.

  hbase> cleaner_chore_switch true"),
        command!("cleaner_chore_enabled", 0..0, switches::cleaner_enabled, "\
Tells whether files that nobody needs are deleted.

  hbase> cleaner_chore_enabled"),
        command!("compact_rs", 1..2, regions::compact_server, "\
Has the files of all regions of a server merged; with true, all of each into one.

  hbase> compact_rs 'host187.example.com,60020,1289493121758'
  hbase> compact_rs 'host187.example.com,60020,1289493121758', true"),
        command!("compaction_state", 1..1, regions::compaction_state, "\
Tells whether files of a table are being merged: NONE, MINOR, MAJOR, or MAJOR_AND_MINOR.

  hbase> compaction_state 't1'"),
        not_there!("trace", "this shell sends no spans; servers do, where their setting otel.endpoint says to which collector"),
        command!("snapshot_cleanup_switch", 1..1, switches::cleanup_switch, "\
Says whether snapshots that have outlived their time are deleted. Shows what was before.

  hbase> snapshot_cleanup_switch true"),
        command!("snapshot_cleanup_enabled", 0..0, switches::cleanup_enabled, "\
Tells whether snapshots that have outlived their time are deleted.

  hbase> snapshot_cleanup_enabled"),
        command!("splitormerge_switch", 2..2, switches::region_switch, "\
Says whether regions may be split, or merged. Shows what was before.

  hbase> splitormerge_switch 'SPLIT', true
  hbase> splitormerge_switch 'MERGE', false"),
        command!("splitormerge_enabled", 1..1, switches::region_enabled, "\
Tells whether regions may be split, or merged.

  hbase> splitormerge_enabled 'SPLIT'"),
        command!("clear_compaction_queues", 1..2, servers::clear_queues, "\
Empties the queues of merges of a server: 'long', 'short', or both.

  hbase> clear_compaction_queues 'host187.example.com,60020'
  hbase> clear_compaction_queues 'host187.example.com,60020', ['long', 'short']"),
        command!("list_deadservers", 0..0, servers::dead, "\
Lists the servers that were found dead.

  hbase> list_deadservers"),
        command!("list_liveservers", 0..0, servers::live, "\
Lists the servers that are there.

  hbase> list_liveservers"),
        command!("list_unknownservers", 0..0, servers::unknown_to_the_master, "\
Lists the servers that hbase:meta names, and that the master knows as neither there nor dead. finback check says more.

  hbase> list_unknownservers"),
        command!("flush_master_store", 0..0, servers::flush_master_store, "\
Writes what the master has in the memory of its own store to files.

  hbase> flush_master_store"),
        command!("clear_deadservers", 0.., servers::clear_dead, "\
Forgets servers that were found dead: all, or those named.

  hbase> clear_deadservers
  hbase> clear_deadservers 'host187.example.com,60020,1289493121758'"),
        command!("clear_block_cache", 1..1, regions::clear_block_cache, "\
Has servers drop the blocks of a table from their caches.

  hbase> clear_block_cache 'TABLENAME'"),
        command!("stop_master", 0..0, servers::stop_master, "\
Stops the master.

  hbase> stop_master"),
        command!("stop_regionserver", 1..1, servers::stop, "\
Stops a region server.

  hbase> stop_regionserver 'hostname,port'"),
        command!("regioninfo", 1..1, regions::info, "\
Shows a region.

  hbase> regioninfo 'REGIONNAME'"),
        command!("rit", 0..0, servers::in_transition, "\
Lists the regions in transition.

  hbase> rit"),
        command!("list_decommissioned_regionservers", 0..0, servers::decommissioned, "\
Lists the servers that get no regions any more.

  hbase> list_decommissioned_regionservers"),
        command!("decommission_regionservers", 1..2, servers::decommission, "\
Gives servers no regions any more; with true, moves theirs away.

  hbase> decommission_regionservers 'server'
  hbase> decommission_regionservers ['server1', 'server2'], true"),
        command!("recommission_regionserver", 1..2, servers::recommission, "\
Gives a server regions again; those that are named, by their encoded names, move there.

  hbase> recommission_regionserver 'server'
  hbase> recommission_regionserver 'server,port,starttime', ['ENCODED_REGIONNAME', 'ENCODED_REGIONNAME']"),
    ],
};
