//! A thread that has little to do carries out calls for another, which one connection makes busy.

use std::time::Instant;

use super::Schedulers;
use super::moving::{HERE, Here};

/// A thread that has less to do than this one, and carries out calls for it.
pub(crate) struct Helper {
    schedulers: Schedulers,
    number: usize,
}

/// Where calls of this thread's connections can be carried out sooner than here, as [`leave`](super::leave) has found.
pub(crate) fn helper() -> Option<Helper> {
    HERE.with(|here| {
        let here = here.get()?;
        Some(Helper { schedulers: here.schedulers.clone(), number: here.helper.get()? })
    })
}

impl Helper {
    /// Does some work there.
    pub(crate) fn carry_out(self, work: impl FnOnce() + Send + 'static) {
        let Self { schedulers, number } = self;
        let runtime = schedulers.0[number].runtime.clone();
        runtime.spawn(async move {
            work();
            // It may have no connections, which look.
            HERE.with(|here| {
                here.get_or_init(|| Here::new(&schedulers, number)).look_now_and_then(Instant::now());
            });
        });
    }
}

#[cfg(test)]
mod tests;
