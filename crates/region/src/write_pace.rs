//! Holds up writes while there is little room for them, and refuses them when there is none.

use crate::delayed_write::{LONGEST_DELAY, WriteRoom};
use crate::error::RegionError;
use crate::large_row;
use crate::region::Region;
use std::time::Duration;

/// A wait is cut into pieces, so that nobody waits on when a flush has made room.
const WAIT_PIECE: Duration = Duration::from_millis(20);

/// A write of so many bytes waits for a flush that is to come, rather than go beyond the limit: smaller ones can only go a
/// little beyond.
const LARGE_WRITE_BYTES: usize = 1 << 20;
/// How often it looks. A flush of little more than one such write does not take long.
const LARGE_WRITE_LOOK: Duration = Duration::from_millis(5);

impl Region {
    /// Refuses a write if there is no room; if there is little, lets it wait first, a second at most. Called before any
    /// lock is taken.
    pub(crate) async fn wait_for_room(&self, bytes: usize) -> Result<(), RegionError> {
        if bytes >= LARGE_WRITE_BYTES && !self.info.is_meta() {
            self.wait_to_fit(bytes as u64).await?;
        }
        if !self.is_short_of_room() {
            return Ok(());
        }
        self.check_memory()?;
        let mut left = self.write_delay(bytes as u64).min(LONGEST_DELAY);
        while !left.is_zero() {
            let piece = left.min(WAIT_PIECE);
            self.environment.host.pause(piece).await;
            self.counters.waited(piece);
            left -= piece;
            self.check_open()?;
            if self.write_delay(0).is_zero() {
                break;
            }
        }
        self.check_memory()
    }

    /// Waits, a second at most, while so many bytes do not fit beside what the memstores hold, and a flush of this region is
    /// under way or about to begin. A write for which there is no room even then is refused.
    async fn wait_to_fit(&self, bytes: u64) -> Result<(), RegionError> {
        let mut left = LONGEST_DELAY;
        while !left.is_zero() && self.room_to_wait_for(bytes).is_some() {
            self.environment.host.pause(LARGE_WRITE_LOOK).await;
            self.counters.waited(LARGE_WRITE_LOOK);
            left = left.saturating_sub(LARGE_WRITE_LOOK);
            self.check_open()?;
        }
        self.check_fit(bytes)
    }

    /// Refuses so many bytes if they do not fit beside what the memstores hold, and a flush of this region will change that.
    pub(crate) fn check_fit(&self, bytes: u64) -> Result<(), RegionError> {
        let Some(full) = self.room_to_wait_for(bytes) else { return Ok(()) };
        self.ask_for_flush();
        Err(self.refused(full))
    }

    /// The room in which so many bytes do not fit until this region is flushed.
    fn room_to_wait_for(&self, bytes: u64) -> Option<WriteRoom> {
        let rooms = [self.write_room(), self.environment.host.write_room()];
        rooms.into_iter().find(|room| self.is_over_flush_size() && !room.fits(bytes))
    }

    /// Counts a write for which there is no room; what its client is told.
    fn refused(&self, room: WriteRoom) -> RegionError {
        self.refused_writes.add();
        RegionError::TooBusy(format!(
            "Over memstore limit={}, regionName={}, memstoreSize={}",
            room.limit, self.encoded_name, room.used
        ))
    }

    /// Two counts are looked at, without a lock: what every write pays. Catalogues are not held up.
    fn is_short_of_room(&self) -> bool {
        let is_short = self.write_room().is_short() || self.environment.host.write_room().is_short();
        is_short && !self.info.is_meta()
    }

    /// How long a write waits: for this region's memory, and for that of all.
    fn write_delay(&self, bytes: u64) -> Duration {
        let host = &self.environment.host;
        let of_host = if self.info.table.is_system() { Duration::ZERO } else { host.write_delay(bytes) };
        self.delayed_writes.delay(host.uptime(), bytes, self.write_room().slowness()).max(of_host)
    }

    /// Room in the memstores. Writes are slowed from the middle between the size of a flush and the limit on, so that a
    /// flush that comes in time slows nobody.
    pub fn write_room(&self) -> WriteRoom {
        let flush_size = self.flush_size();
        let limit = flush_size.saturating_mul(self.environment.config.block_multiplier);
        let used = self.memstore_bytes.bytes();
        let limit = if self.large_row.fills(used) { limit.min(large_row::LIMIT_BYTES) } else { limit };
        // With a multiplier of 1 there is no middle.
        let slow_from = (flush_size + limit.saturating_sub(flush_size) / 2).min(limit / 8 * 7);
        WriteRoom { used, slow_from, limit }
    }

    /// How full the memstores are, in percent of the size of a flush and 100 at most, for clients that slow down by
    /// themselves; `None` where they are not to be told.
    pub fn told_memstore_load(&self) -> Option<u8> {
        if !self.environment.config.tells_load || self.info.table.is_system() {
            return None;
        }
        let percent = self.memstore_bytes.bytes().saturating_mul(100) / self.flush_size().max(1);
        Some(u8::try_from(percent).unwrap_or(100).min(100))
    }

    /// Refuses writes while the memstore is far above its flush size, or all together are too large.
    fn check_memory(&self) -> Result<(), RegionError> {
        let room = self.write_room();
        if room.is_over() {
            self.ask_for_flush();
            return Err(self.refused(room));
        }
        let refusal = if self.info.table.is_system() { None } else { self.environment.host.refusal() };
        refusal.map_or(Ok(()), |why| Err(RegionError::TooBusy(why)))
    }
}
