//! When files were written: the oldest, the newest, and all of them on average.

/// The times of some files, ms since the epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileTimes {
    /// How many files say when they were written.
    files: u64,
    oldest_ms: u64,
    newest_ms: u64,
    sum_ms: u64,
}

impl FileTimes {
    /// A file was written then; 0: it does not say.
    pub fn note(&mut self, ms: u64) {
        if ms > 0 {
            self.add(Self { files: 1, oldest_ms: ms, newest_ms: ms, sum_ms: ms });
        }
    }

    /// Further files.
    pub fn add(&mut self, other: Self) {
        if other.files == 0 {
            return;
        }
        self.oldest_ms = if self.files == 0 { other.oldest_ms } else { self.oldest_ms.min(other.oldest_ms) };
        self.newest_ms = self.newest_ms.max(other.newest_ms);
        self.files += other.files;
        // What files say of themselves may be anything.
        self.sum_ms = self.sum_ms.saturating_add(other.sum_ms);
    }

    /// Age of the newest file at a moment, ms; 0 without files.
    pub(crate) fn least_age_ms(self, now_ms: u64) -> u64 {
        self.age(self.newest_ms, now_ms)
    }

    /// Age of the oldest file.
    pub(crate) fn greatest_age_ms(self, now_ms: u64) -> u64 {
        self.age(self.oldest_ms, now_ms)
    }

    /// Age of the files on average.
    pub(crate) fn mean_age_ms(self, now_ms: u64) -> u64 {
        self.age(self.sum_ms / self.files.max(1), now_ms)
    }

    fn age(self, ms: u64, now_ms: u64) -> u64 {
        if self.files == 0 { 0 } else { now_ms.saturating_sub(ms) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_of_the_files_that_say_when_they_were_written() {
        let (mut one, mut other) = (FileTimes::default(), FileTimes::default());
        [100, 0, 400].into_iter().for_each(|ms| one.note(ms));
        other.note(400);
        one.add(other);
        one.add(FileTimes::default());
        let ages = (one.least_age_ms(1000), one.mean_age_ms(1000), one.greatest_age_ms(1000));
        assert_eq!(ages, (600, 700, 900));
    }

    #[test]
    fn without_files_and_with_files_of_any_time_nothing_overflows() {
        assert_eq!(FileTimes::default().mean_age_ms(1000), 0);
        let mut times = FileTimes::default();
        [u64::MAX, u64::MAX].into_iter().for_each(|ms| times.note(ms));
        assert_eq!((times.mean_age_ms(1000), times.greatest_age_ms(1000)), (0, 0));
    }
}
