//! How urgent threads are to the system.

use rustix::process::{getpid, getpriority_process, setpriority_process};
use rustix::thread::gettid;

/// By how much less urgent some are: of a processor that both want, these get about a tenth.
const NICENESS: i32 = 10;
/// The system knows nothing less urgent.
const LEAST_URGENT: i32 = 19;

/// Makes this thread less urgent than the one that the process began with: it is for work that nobody should come behind. One
/// that cannot be made so stays as urgent as it is.
pub fn be_less_urgent() {
    if let Ok(first) = getpriority_process(Some(getpid())) {
        let _ = setpriority_process(Some(gettid()), (first + NICENESS).min(LEAST_URGENT));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_and_those_that_it_starts_are_less_urgent_by_as_much() {
        let niceness = || getpriority_process(Some(gettid())).unwrap();
        let expected = (getpriority_process(Some(getpid())).unwrap() + NICENESS).min(LEAST_URGENT);
        let started = std::thread::spawn(move || {
            be_less_urgent();
            assert_eq!(niceness(), expected);
            let next = std::thread::spawn(move || {
                be_less_urgent();
                niceness()
            });
            next.join().unwrap()
        });
        assert_eq!(started.join().unwrap(), expected);
    }
}
