use std::collections::VecDeque;

use crate::WalError;

/// Ranges of failed positions remembered apart; the oldest are merged over what lies between.
const MAX_FAILED_RANGES: usize = 1024;

/// Positions whose write failed, and why.
#[derive(Debug, Default)]
pub(crate) struct FailedRanges(VecDeque<(u64, u64, WalError)>);

impl FailedRanges {
    /// Positions after `from` up to `to`, behind those of all earlier calls, or all of them again.
    pub(crate) fn add(&mut self, from: u64, to: u64, error: &WalError) {
        while self.0.back().is_some_and(|&(known, ..)| known >= from) {
            self.0.pop_back();
        }
        if let Some((_, last, _)) = self.0.back_mut()
            && *last == from
        {
            *last = to;
            return;
        }
        self.0.push_back((from, to, error.clone()));
        if self.0.len() > MAX_FAILED_RANGES
            && let (Some((from, ..)), Some((next, ..))) = (self.0.pop_front(), self.0.front_mut())
        {
            // Who asks this late is told of a failure that may not be theirs; never of a success.
            *next = from;
        }
    }

    pub(crate) fn check(&self, position: u64) -> Result<(), WalError> {
        let i = self.0.partition_point(|&(_, to, _)| to < position);
        match self.0.get(i) {
            Some((from, _, error)) if *from < position => Err(error.clone()),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
