use super::*;
use crate::command::PeCommand;
use crate::recorder::{Done, Measured, Measuring};

const MEASURING: Measuring =
    Measuring { operations: 1, open_loop: false, threshold: None, value_sizes: false };

/// Gathers rows of 10 bytes to lists.
struct Lists {
    length: u64,
    /// How long it takes to gather a row.
    gathering: Duration,
    gathered: u64,
}

impl Lists {
    fn of(length: u64, gathering: Duration) -> Self {
        Self { length, gathering, gathered: 0 }
    }

    fn send(&mut self) -> Option<Done> {
        let rows = std::mem::take(&mut self.gathered);
        (rows > 0).then(|| Done { rows, bytes: rows * 10, ..Done::default() })
    }
}

impl Work for Lists {
    async fn step(&mut self, _: u64) -> Result<Option<Done>> {
        self.gathered += 1;
        if self.gathered == self.length {
            return Ok(self.send());
        }
        std::thread::sleep(self.gathering);
        Ok(None)
    }

    async fn finish(&mut self) -> Result<Option<Done>> {
        Ok(self.send())
    }
}

/// What is measured of so many rows.
fn driven(rows: &str, lists: Lists) -> Measured {
    let mut options = Options::new(PeCommand::find("sequentialWrite").unwrap());
    options.set("rows", rows).unwrap();
    let recorder = Recorder::new(MEASURING);
    let start = Instant::now();
    let (_sender, control) = watch::channel(Control::Go(start));
    let driver =
        Driver { number: 0, pace: Pace::closed(), recorder: recorder.clone(), start, end: None, control };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let finished = runtime.block_on(driver.drive(lists, Rows::of_client(&options, 0))).unwrap();
    assert_eq!(finished.rows.to_string(), rows);
    let mut measured = Measured::none(MEASURING);
    recorder.take(&mut measured);
    measured
}

#[test]
fn what_is_left_of_lists_counts_and_has_no_latency() {
    for (rows, length, wanted, latencies) in [
        ("1000", 300, (4, 1000, 10_000), 3),
        ("900", 300, (3, 900, 9_000), 3),
        ("5", 10, (1, 5, 50), 0),
        ("0", 10, (0, 0, 0), 0),
    ] {
        let measured = driven(rows, Lists::of(length, Duration::ZERO));
        assert_eq!((measured.operations, measured.rows, measured.bytes), wanted, "{rows} rows");
        assert_eq!(measured.latencies[0].from_due.len(), latencies, "{rows} rows");
    }
}

#[test]
fn gathering_a_list_is_not_in_its_latency() {
    let gathering = Duration::from_millis(30);
    let start = Instant::now();
    let measured = driven("4", Lists::of(4, gathering));
    let the_rest = start.elapsed() - 3 * gathering;
    let latency = Duration::from_nanos(measured.latencies[0].from_due.min());
    assert!(latency <= the_rest, "{latency:?}, {the_rest:?}");
}
