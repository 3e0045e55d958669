//! What is done for MOB files now and then: those that nobody reads are closed, those that nobody needs go to the archive, and their
//! values are written anew without what is deleted (HBase's MobFileCleanerChore and MobFileCompactionChore).

use crate::mob_sweep::{Look, MobSwept};
use crate::server::RegionServer;
use finback_region::{Host, Region};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant, SystemTime};

/// How often files are closed that were not read lately: HBase's `hbase.mob.cache.evict.period`.
const CLOSE_INTERVAL: Duration = Duration::from_secs(3600);
/// Between two looks at how far a batch of compactions is.
const BATCH_INTERVAL: Duration = Duration::from_secs(10);

/// Begins the work. It ends when the server does, and does not keep it while it waits: its pauses are long.
pub(crate) fn begin(server: &Arc<RegionServer>) {
    let options = server.mob_options();
    tokio::spawn(close_now_and_then(Arc::downgrade(server)));
    if let Some(interval) = options.sweep_interval {
        tokio::spawn(sweep_now_and_then(Arc::downgrade(server), interval));
    }
    if let Some(period) = options.compaction_period {
        tokio::spawn(compact_now_and_then(Arc::downgrade(server), period));
    }
}

fn running(server: &Weak<RegionServer>) -> Option<Arc<RegionServer>> {
    server.upgrade().filter(|server| !server.is_stopping())
}

/// Servers that were started together do not begin together.
fn part_of(period: Duration) -> Duration {
    period.mul_f64(RandomState::new().hash_one(0_u8) as f64 / u64::MAX as f64)
}

async fn close_now_and_then(server: Weak<RegionServer>) {
    loop {
        tokio::time::sleep(CLOSE_INTERVAL).await;
        let Some(server) = running(&server) else { return };
        server.mob_files().close_unused(server.mob_options().open_share);
    }
}

async fn sweep_now_and_then(server: Weak<RegionServer>, interval: Duration) {
    let mut pause = part_of(interval);
    loop {
        tokio::time::sleep(pause).await;
        let Some(server) = running(&server) else { return };
        pause = match server.sweep_mob_files().await {
            MobSwept { waiting: 0, .. } => interval,
            // They go when they have been unreferenced for long enough.
            _ => interval.min(server.mob_options().min_age),
        };
    }
}

async fn compact_now_and_then(server: Weak<RegionServer>, period: Duration) {
    let mut pause = part_of(period);
    loop {
        tokio::time::sleep(pause).await;
        ask_for_compactions(&server).await;
        pause = period;
    }
}

impl RegionServer {
    /// Archives the MOB files of all tables that nobody needs any more: what the server does by itself now and then.
    pub async fn sweep_mob_files(self: &Arc<Self>) -> MobSwept {
        let server = Arc::clone(self);
        let swept = tokio::task::spawn_blocking(move || {
            let begun = Instant::now();
            let swept = server.mob_sweeper.sweep(&Look {
                now: begun,
                time: SystemTime::now(),
                utc_offset_ms: &|moment| server.host.utc_offset_ms(moment),
                is_stopping: &|| server.is_stopping(),
                is_served: &|table| server.regions.all().iter().any(|region| region.info().table == *table),
            });
            if swept != MobSwept::default() {
                let MobSwept { unreferenced, expired, waiting } = swept;
                let seconds = begun.elapsed().as_secs_f32();
                tracing::info!(unreferenced, expired, waiting, seconds, "MOB files were looked through");
            }
            swept
        });
        swept.await.unwrap_or_else(|error| {
            tracing::error!(%error, "MOB files were not looked through");
            MobSwept::default()
        })
    }

    /// Asks for MOB compactions of the open regions that refer to MOB files, as the server does by itself now and then, a batch at a
    /// time; only for the last it does not wait.
    pub async fn ask_for_mob_compactions(self: &Arc<Self>) {
        ask_for_compactions(&Arc::downgrade(self)).await;
    }

    /// Asks for those of a region's families that refer to MOB files; whether there is any. They come behind what clients and stores
    /// need: there is no hurry.
    fn ask_for_mob_compaction(&self, region: &Region) -> bool {
        let mut families = region.mob_families();
        families.retain(|family| region.refers_to_mob(family));
        for family in &families {
            self.scheduler.ask_for_compaction(region, family.clone(), true, false);
        }
        !families.is_empty()
    }
}

/// Waits as long as the compactions of a batch take, which is long: it keeps neither the server meanwhile, nor a region.
async fn ask_for_compactions(server: &Weak<RegionServer>) {
    let (names, most) = {
        let Some(server) = running(server) else { return };
        let batch = Some(server.mob_options().compaction_batch).filter(|batch| *batch > 0);
        let regions = server.regions.all().into_iter().filter(|region| !region.mob_families().is_empty());
        let names: Vec<Arc<str>> = regions.map(|region| Arc::clone(region.encoded_name())).collect();
        (names, batch.unwrap_or(usize::MAX))
    };
    let mut under_way: Vec<Arc<str>> = Vec::new();
    for name in names {
        while under_way.len() >= most {
            tokio::time::sleep(BATCH_INTERVAL).await;
            let Some(server) = running(server) else { return };
            let compactions = server.scheduler.compactions();
            under_way.retain(|name| compactions.get(name).is_some_and(|(_, all)| *all));
        }
        let Some(server) = running(server) else { return };
        let Some(region) = server.regions.open_region(name.as_bytes()) else { continue };
        if server.ask_for_mob_compaction(&region) {
            under_way.push(name);
        }
    }
}
