//! A root directory that a command has for itself.

use finback_fs::{FsError, LockGuard};
use finback_layout::{LayoutError, RootDir};

/// Locks the root, or says why not, and what to do `instead` if somebody else has it.
pub(crate) fn lock(root: &RootDir, instead: &str) -> Result<LockGuard, String> {
    root.lock().map_err(|error| {
        let is_in_use = matches!(error, LayoutError::Locked(FsError::Locked { .. }));
        let advice = if is_in_use { format!("; {instead}") } else { String::new() };
        format!("cannot use {}: {error}{advice}", root.path().display())
    })
}
