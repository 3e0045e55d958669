//! Carries out a flush, on a thread that may block. Reads and writes go on meanwhile.

use crate::host::system_now_ms;
use crate::job::Job;
use crate::job_queue::Taken;
use crate::scheduler::End;
use crate::server::RegionServer;
use crate::splitter;
use crate::throughput_controller::FlushControl;
use finback_region::Region;
use std::sync::Arc;
use std::time::Instant;

/// A flush that waits for a compaction looks again after this part of `hbase.hstore.blockingWaitTime`, as in HBase.
const LOOKS_PER_WAIT: u32 = 100;

/// What of a region is to be flushed.
enum Wanted {
    All,
    Families(Vec<Vec<u8>>),
    /// What its policy says, if it is too large when no other flush of it is under way any more.
    IfTooLarge,
}

/// Carries out the flush that was taken from the queue.
pub(crate) async fn carry_out(server: &RegionServer, taken: &mut Taken) -> End {
    let for_memory = taken.job == Job::FlushForMemory;
    let region = match taken.job.region() {
        Some(region) => server.regions.open_region(region.as_bytes()),
        // Enough may have been flushed since it was asked for.
        None if server.host.is_short_of_memory() => choose(server, taken),
        None => None,
    };
    let Some(region) = region else { return End::Done };
    if !for_memory && must_wait(server, &region, taken) {
        return End::PutOff(server.scheduler.options().blocking_wait / LOOKS_PER_WAIT);
    }
    let wanted = match &taken.job {
        Job::FlushForSize { .. } => Wanted::IfTooLarge,
        Job::FlushFamilies { families, .. } => {
            Wanted::Families(families.iter().map(|family| family.to_vec()).collect())
        }
        // For its size or its age not everything need go; who asks for another reason wants it all.
        _ if for_memory || region.is_over_flush_size() || region.has_old_edits() => {
            Wanted::Families(region.families_to_flush())
        }
        _ => Wanted::All,
    };
    let looked_at = Arc::clone(&region);
    if flush(server, region, wanted).await {
        server.scheduler.look_at(&looked_at);
        server.host.ask_for_memory_if_short();
        server.look_at_scanner_memory();
        splitter::look_at(server, &looked_at).await;
        End::Done
    } else {
        End::Failed
    }
}

/// Whether a region has too many files. Without compactions there is nothing to wait for, as in HBase.
fn is_held_up_by_files(region: &Region) -> bool {
    region.may_be_compacted() && region.has_too_many_files()
}

/// Whether the region has too many files for one more that is to come, and a compaction is worth the wait.
fn must_wait(server: &RegionServer, region: &Region, taken: &Taken) -> bool {
    let scheduler = &server.scheduler;
    let has_waited = scheduler.now().saturating_sub(taken.asked);
    if region.info().is_meta()
        || matches!(taken.job, Job::FlushForSize { .. }) && !region.is_too_large()
        || !scheduler.are_compactions_enabled()
        || has_waited >= scheduler.options().blocking_wait
        || !is_held_up_by_files(region)
    {
        return false;
    }
    if taken.begun_before == 0 {
        tracing::warn!(region = %region.encoded_name(), "too many store files: a flush waits for a compaction");
    }
    scheduler.look_at(region);
    true
}

/// The region whose flush frees most memory and that nobody flushes yet; one with too many files only if it frees much
/// more than the others. As in HBase, regions whose flush has failed are passed over: it is tried again anyway, and others may go
/// better. One that closes is flushed by that.
fn choose(server: &RegionServer, taken: &mut Taken) -> Option<Arc<Region>> {
    let failed = server.scheduler.regions_with_failed_flushes();
    let sized = |region: Arc<Region>| (region.memstore_bytes(), region);
    let mut sizes: Vec<(u64, Arc<Region>)> = server.regions.all().into_iter().map(sized).collect();
    sizes.retain(|(bytes, region)| {
        *bytes > 0 && !region.is_closing() && !failed.contains(region.encoded_name())
    });
    let largest = sizes.iter().map(|(bytes, _)| *bytes).max()?;
    // HBase: one with too many files goes first if it is more than twice as large as the best of the others.
    let comes_later =
        |bytes: u64, region: &Region| bytes.saturating_mul(2) < largest || is_held_up_by_files(region);
    sizes.sort_by_cached_key(|(bytes, region)| (comes_later(*bytes, region), std::cmp::Reverse(*bytes)));
    let free = |region: &Arc<Region>| {
        server.scheduler.becomes(taken, Job::Flush { region: Arc::clone(region.encoded_name()) })
    };
    sizes.into_iter().map(|(_, region)| region).find(free)
}

/// Whether it was done.
async fn flush(server: &RegionServer, region: Arc<Region>, wanted: Wanted) -> bool {
    let name = Arc::clone(region.encoded_name());
    let memory_bytes = region.memstore_bytes();
    let begun = Instant::now();
    let _under_way = server.flushes_under_way.begin(&name, system_now_ms().unsigned_abs());
    let control =
        FlushControl { throughput: Arc::clone(&server.scheduler.throughput), region: Arc::clone(&region) };
    let flushing = Arc::clone(&region);
    let flush = move || match wanted {
        Wanted::All => flushing.flush_under(None, &control),
        Wanted::Families(families) => flushing.flush_under(Some(&families), &control),
        Wanted::IfTooLarge => flushing.flush_for_size(&control),
    };
    match tokio::task::spawn_blocking(flush).await {
        Ok(Ok(outcome)) if !outcome.flushed => return true,
        Ok(Ok(outcome)) => {
            server.flushed(&region, memory_bytes, &outcome, begun.elapsed());
            tracing::info!(
                region = %name,
                memory_bytes,
                sequence_id = outcome.sequence_id,
                seconds = begun.elapsed().as_secs_f32(),
                "flush"
            );
            return true;
        }
        // The cells stay in memory and in the log.
        Ok(Err(error)) => tracing::error!(region = %name, %error, "flush failed"),
        Err(error) => tracing::error!(region = %name, %error, "flush panicked"),
    }
    false
}
