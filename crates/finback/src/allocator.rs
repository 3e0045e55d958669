//! What the allocator does with memory that is free.
//!
//! It keeps what was freed for five seconds, since giving pages back to the system and asking for them again at once costs time:
//! a sixth of a scan with large replies, and of buffered writes a sixth as well, whose memstores come again after a second or
//! two. Kept for ten, as the allocator would by itself, the rest came to 20 MiB while a row of a GiB was read. Pieces of 4 MiB
//! and more, which are those of large cells, it gives back at once: a few dozen of them are a lot (`.cargo/config.toml`). Pages
//! that wait so are no part of `memory.limit`, and where that is small they may be more than all that is. A small server
//! gives them all back at once.
//!
//! What one thread freed another takes only from the same arena. With one for each processor, where the allocator has four by
//! itself, less waits that others could use: cells of 1 MiB that were written and read made a server of two processors 41 to
//! 51 MiB larger, and 53 to 78 with four for each; scans took a twentieth less time of its processors, gets and writes the same.

use std::os::unix::process::CommandExt;
use std::process::Command;

/// Limits below this are small.
const SMALL_LIMIT_BYTES: u64 = 256 << 20;
/// Where the allocator looks for its settings, when a process begins.
const VARIABLE: &str = "_RJEM_MALLOC_CONF";
const GIVES_BACK_AT_ONCE: &str = "dirty_decay_ms:0,muzzy_decay_ms:0";

/// Begins this process anew, with the allocator's settings for so much memory, if it has others and nobody has said which.
/// Before there are threads.
pub(crate) fn suit(limit_bytes: u64) {
    if limit_bytes >= SMALL_LIMIT_BYTES || std::env::var_os(VARIABLE).is_some() {
        return;
    }
    let Ok(program) = std::env::current_exe() else { return };
    let mut command = Command::new(program);
    command.args(std::env::args_os().skip(1)).env(VARIABLE, GIVES_BACK_AT_ONCE);
    if let Some(name) = std::env::args_os().next() {
        command.arg0(name);
    }
    // Comes back only when it has failed: the server does without.
    let _ = command.exec();
}
