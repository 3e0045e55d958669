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
    Queue::flush(&queue, Duration::from_millis(10));
    assert_eq!(*taken.lock(), 0, "nor is the end of the process waited for longer than wanted");
    drop(reads);
    Queue::flush(&queue, Duration::from_secs(60));
    let taken = *taken.lock();
    assert!((MOST_BYTES..=2 * MOST_BYTES).contains(&taken), "{taken}");
}
