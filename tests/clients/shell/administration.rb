list
get 'flowers', 'rose'
count 'flowers'
status
status 'detailed'
create_namespace 'garden'
list_namespace
create 'garden:beds', {NAME => 'f1', VERSIONS => 5}
alter 'garden:beds', {NAME => 'f2', VERSIONS => 2}
list_regions 'flowers'
get_splits 'flowers'
locate_region 'flowers', 'rose'
deleteall 'flowers', 'rose'
scan 'flowers', {RAW => true, VERSIONS => 3}
disable 'flowers'
is_enabled 'flowers'
enable 'flowers'
flush 'flowers'
put 'flowers', 'tulip', 'f:colour', 'yellow-as-ever'
snapshot 'flowers', 'spring'
snapshot 'flowers', 'quick', {SKIP_FLUSH => true, TTL => 86400}
list_snapshots 's.*'
list_table_snapshots 'flowers'
clone_snapshot 'spring', 'bouquet'
deleteall 'flowers', 'tulip'
disable 'flowers'
restore_snapshot 'spring'
enable 'flowers'
scan 'flowers'
scan 'bouquet'
disable 'bouquet'
drop 'bouquet'
delete_snapshot 'quick'
delete_snapshot 'spring'
snapshot_cleanup_switch false
snapshot_cleanup_enabled
snapshot_cleanup_switch true
cleaner_chore_run
truncate_preserve 'flowers'
list_procedures
list_locks
disable 'garden:beds'
drop 'garden:beds'
drop_namespace 'garden'
disable 'flowers'
drop 'flowers'
list_quotas
list_snapshots
balancer_enabled
