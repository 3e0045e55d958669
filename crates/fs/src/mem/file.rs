use std::time::SystemTime;

use super::Chance;

/// What a file holds, and what of it would survive.
#[derive(Debug, Clone)]
pub(super) struct FileInode {
    pub(super) data: Vec<u8>,
    /// What was synced.
    durable: Vec<u8>,
    /// From here on `durable` was overwritten.
    changed_from: usize,
    /// Cut to less than what is durable.
    cut: bool,
    pub(super) modified: SystemTime,
}

impl FileInode {
    pub(super) fn new(modified: SystemTime) -> Self {
        Self { data: Vec::new(), durable: Vec::new(), changed_from: 0, cut: false, modified }
    }

    /// Writes at an offset within the file or at its end.
    pub(super) fn write(&mut self, at: usize, bytes: &[u8]) {
        self.changed_from = self.changed_from.min(at);
        let over = bytes.len().min(self.data.len() - at);
        self.data[at..at + over].copy_from_slice(&bytes[..over]);
        self.data.extend_from_slice(&bytes[over..]);
    }

    pub(super) fn truncate(&mut self, len: usize) {
        self.data.truncate(len);
        self.cut |= self.data.len() < self.durable.len();
    }

    pub(super) fn sync(&mut self) {
        let from = if std::mem::take(&mut self.cut) { 0 } else { self.changed_from.min(self.durable.len()) };
        self.durable.truncate(from);
        self.durable.extend_from_slice(&self.data[from..]);
        self.changed_from = self.durable.len();
    }

    /// Keeps what chance leaves; without it, what is durable.
    pub(super) fn crash(&mut self, chance: Option<&mut Chance>) {
        self.data = match chance {
            None => std::mem::take(&mut self.durable),
            Some(chance) => self.survivor(chance),
        };
        self.durable.clone_from(&self.data);
        (self.cut, self.changed_from) = (false, self.durable.len());
    }

    fn survivor(&self, Chance { random, reorders }: &mut Chance) -> Vec<u8> {
        let Self { data, durable, .. } = self;
        if self.cut {
            // The truncation was not synced: the old content, or the new, or this with the end that was to go.
            return match random.below(3) {
                0 => durable.clone(),
                1 => data.clone(),
                _ => [data, durable.get(data.len()..).unwrap_or_default()].concat(),
            };
        }
        let from = self.changed_from.min(durable.len());
        let written = from + random.below((data.len() - from) as u64 + 1) as usize;
        let mut survived = data[..written].to_vec();
        survived.extend_from_slice(durable.get(written..).unwrap_or_default());
        let undo = |survived: &mut [u8], from: usize| {
            for (at, byte) in survived.iter_mut().enumerate() {
                *byte = durable.get(from + at).copied().unwrap_or(0);
            }
        };
        if *reorders {
            let piece = 1 << random.below(10);
            for (n, lost) in survived[from..written].chunks_mut(piece).enumerate() {
                if random.below(2) == 0 {
                    undo(lost, from + n * piece);
                }
            }
        } else if random.below(3) == 0 {
            let lost_from = from + random.below((written - from) as u64 + 1) as usize;
            undo(&mut survived[lost_from..written], lost_from);
        }
        survived
    }
}
