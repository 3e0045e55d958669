//! Programs that are run on many schedules.

use std::sync::Arc;

use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};

/// Stack of each thread under the scheduler: a write to a log goes deep in a build that is not optimized, and the
/// scheduler's own default ends in the middle of it.
const STACK_BYTES: usize = 1 << 20;

/// Changes of priority in a schedule of the second kind, and one: an error that needs fewer switches from thread to thread is
/// found with a likelihood that does not fall with the length of the program.
const DEPTH: usize = 3;

/// Runs a program `count` times, each time on another random schedule, and as often on one in which a thread goes on until it
/// waits, or until one of few moments. Panics, and prints the schedule, where the program panics or all of its threads wait.
pub fn try_schedules(count: usize, program: impl Fn() + Send + Sync + 'static) {
    let program = Arc::new(program);
    run(RandomScheduler::new(count), Arc::clone(&program));
    run(PctScheduler::new(DEPTH, count), program);
}

fn run(scheduler: impl Scheduler + 'static, program: Arc<impl Fn() + Send + Sync + 'static>) {
    let mut config = shuttle::Config::new();
    config.stack_size = STACK_BYTES;
    shuttle::Runner::new(scheduler, config).run(move || program());
}
