use super::*;
use std::sync::mpsc::{Receiver, channel};

const LINE: [u8; 1 << 10] = [b'x'; 1 << 10];
const LINES: usize = MOST_BYTES / LINE.len();

/// Takes nothing before it is told to.
struct Blocked {
    until: Receiver<()>,
    taken: Arc<Mutex<usize>>,
}

impl Write for Blocked {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = self.until.recv();
        *self.taken.lock() += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn who_logs_does_not_wait_for_who_reads_the_log() {
    let (mut queue, taken) = (Queue::default(), Arc::default());
    let (reads, until) = channel();
    let (writing, blocked) = (queue.clone(), Blocked { until, taken: Arc::clone(&taken) });
    std::thread::spawn(move || writing.write_to(blocked));
    for _ in 0..3 * LINES {
        queue.write_all(&LINE).unwrap();
    }
    assert!(!Queue::flush(&queue, Duration::from_millis(10)));
    assert_eq!(*taken.lock(), 0, "nor is the end of the process waited for longer than wanted");
    drop(reads);
    assert!(Queue::flush(&queue, Duration::from_secs(60)));
    let taken = *taken.lock();
    assert!((MOST_BYTES..=2 * MOST_BYTES).contains(&taken), "{taken}");
}

/// Takes a byte at a time, and nothing every other time; at the end it is gone.
struct Reluctant {
    takes: bool,
    left: usize,
}

impl Write for Reluctant {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        self.takes = !self.takes;
        match (self.takes, self.left) {
            (_, 0) => Err(io::ErrorKind::BrokenPipe.into()),
            (false, _) => Err(io::ErrorKind::WouldBlock.into()),
            (true, _) => {
                self.left -= 1;
                Ok(1)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_log_that_takes_nothing_just_now_is_tried_again_and_lines_are_counted_that_one_does_not_take() {
    let mut log = Reluctant { takes: false, left: 5 };
    assert_eq!(write_patiently(&mut log, b"a\nb\nc\nd\n"), 2, "c\\n and d\\n");
    assert_eq!(log.left, 0);
}
