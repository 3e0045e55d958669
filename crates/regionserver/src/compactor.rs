//! Carries out a compaction, on a thread that may block. Reads go on meanwhile.

use crate::job::Job;
use crate::job_queue::Taken;
use crate::scheduler::End;
use crate::server::RegionServer;
use crate::splitter;
use crate::throughput_controller::CompactionControl;
use finback_region::{CompactionOutcome, RegionError};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Carries out the compaction that was taken from the queue.
pub(crate) async fn carry_out(server: &RegionServer, taken: &Taken) -> End {
    let Job::Compaction { region: name, family, major } = taken.job.clone() else { return End::Done };
    let Some(region) = server.regions.open_region(name.as_bytes()) else { return End::Done };
    let control = CompactionControl {
        throughput: Arc::clone(&server.scheduler.throughput),
        region: Arc::clone(&region),
        cancelled: Arc::clone(&taken.cancelled),
        asked_for: taken.is_asked_for(),
    };
    let input_bytes = region.compaction_bytes(&family, major);
    let shown = family.escape_ascii().to_string();
    tracing::info!(region = %name, family = shown, major, input_bytes, "compaction begins");
    let begun = Instant::now();
    let compacting = Arc::clone(&region);
    let outcome =
        tokio::task::spawn_blocking(move || compacting.compact_under(&family, major, &control)).await;
    match outcome {
        Ok(Ok(outcome)) => {
            tell(&name, &shown, &outcome.clone().unwrap_or_default(), begun.elapsed());
            server.scheduler.compacted(&name);
            if let Some(outcome) = &outcome {
                server.operations.compacted(&region, outcome, begun.elapsed());
            }
            if outcome.as_ref().is_some_and(|outcome| outcome.all_files) {
                // Clients wait for it, by the time that the master tells.
                server.report_soon();
            }
            if let Some(outcome) = outcome {
                // The output may be worth compacting with others. Where there are no fewer files than before, the same would be done
                // again, and so for ever.
                if outcome.outputs < outcome.inputs {
                    server.scheduler.look_at(&region);
                }
                splitter::look_at(server, &region).await;
            }
            End::Done
        }
        Ok(Err(_)) if region.is_closing() => End::Done,
        Ok(Err(RegionError::Cancelled(_))) => {
            let seconds = begun.elapsed().as_secs_f32();
            tracing::info!(region = %name, family = shown, seconds, "compaction cancelled");
            End::Done
        }
        // The store is as it was.
        Ok(Err(error)) => {
            server.operations.failed_compactions.fetch_add(1, Ordering::Relaxed);
            tracing::error!(region = %name, family = shown, %error, "compaction failed");
            End::Failed
        }
        Err(error) => {
            tracing::error!(region = %name, family = shown, %error, "compaction panicked");
            End::Failed
        }
    }
}

fn tell(region: &str, family: &str, outcome: &CompactionOutcome, took: Duration) {
    tracing::info!(
        region,
        family,
        files = outcome.inputs,
        all_files = outcome.all_files,
        cells_read = outcome.cells_read,
        cells_written = outcome.cells_written,
        blocks_copied = outcome.blocks_copied,
        joined = outcome.is_joined,
        bytes_written = outcome.bytes_written,
        seconds = took.as_secs_f32(),
        "compaction ends"
    );
}
