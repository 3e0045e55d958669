//! Bulk loads that a client asks for again.
//!
//! A client sends its request again when it has waited for long enough, or has lost its connection: the first may be under
//! way then, or done. HBase carries it out again; what it has moved away fails, and what it copies is there twice. Here the
//! first call goes on; one that comes while it runs waits for it and gets its answer, whatever that is. An answer that the
//! client was not there to get is remembered if the load succeeded, as nonces are ([`crate::nonces`]).
//!
//! # What is a repetition
//!
//! `BulkLoadHFile` has no nonce. A repetition asks for the same region, files, token and options ([`LoadKey`]). While the
//! first is under way nothing else can be meant. When it has ended the same request may ask for something new: other
//! files under the same names, or the same files once more. So it counts as a repetition only
//!
//! * if no file has come in the place of one that was loaded: each is gone, or is what it was
//!   ([`Metadata`]: device, inode, length, time of the last change), **and**
//! * if it has a bulk token, or a file is gone. HBase's tools ask for a token for each run, and load a file once in a run: who
//!   loads the same files on purpose comes with another token. Without a token (clients of old) it is on purpose if it
//!   could succeed, as it does with files that were copied and are there. With one that is gone it would fail.
//!
//! A server that was started anew, and the regions that a split made, know of no load: what was moved is not found then,
//! and what was copied is loaded again, as in HBase.

use finback_fs::Metadata;
use finback_proto::{Message, pb};
use finback_rpc::{RpcException, exceptions};
use parking_lot::Mutex;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// What a load that is done takes beside its key and its files: its places in the table and in the queue.
const LOAD_BYTES: usize = 256;

/// What a load is answered with: whether the files were loaded, or are to be split.
pub(crate) type Answer = Result<bool, RpcException>;

/// What makes it the same request: all that it says, but for the order of its files, and for the right to read them, which
/// is renewed now and then.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LoadKey(Arc<[u8]>);

/// What a call is to do.
pub(crate) enum Admission {
    /// Carry it out.
    Proceed(LoadGuard),
    /// Another has, and was answered so.
    Answered(Answer),
}

/// The loads of one server: those that are under way, and those that were done lately.
#[derive(Debug)]
pub(crate) struct Repeats {
    inner: Mutex<Inner>,
    /// Of what is remembered; beyond it the oldest are forgotten earlier.
    most_bytes: usize,
    /// How long a load is remembered after its end.
    retention: Duration,
}

#[derive(Debug, Default)]
struct Inner {
    /// Bounded by the calls in flight. Closed without an answer: the load was not begun.
    running: HashMap<LoadKey, watch::Receiver<Option<Answer>>>,
    /// What the files of each were when it began.
    done: HashMap<LoadKey, Arc<[Metadata]>>,
    /// The same in the order of their ends.
    ends: VecDeque<(Instant, LoadKey)>,
    /// What those that are done take.
    bytes: usize,
}

impl LoadKey {
    /// The key of a request to the region of this encoded name, its files in order.
    pub(crate) fn of(region: &str, request: &pb::BulkLoadHFileRequest) -> Self {
        let by_encoded_name = pb::region_specifier::RegionSpecifierType::EncodedRegionName.into();
        let region = pb::RegionSpecifier { r#type: by_encoded_name, value: region.to_owned().into() };
        let same = pb::BulkLoadHFileRequest { region, fs_token: None, ..request.clone() };
        Self(same.encode_to_vec().into())
    }
}

impl Repeats {
    /// Remembers loads that take so many bytes at most, each for so long after its end.
    pub(crate) fn new(most_bytes: usize, retention: Duration) -> Self {
        Self { inner: Mutex::default(), most_bytes, retention }
    }

    /// Admits a call; waits while another that asks for the same is under way.
    pub(crate) async fn admit(self: &Arc<Self>, key: &LoadKey) -> Admission {
        loop {
            let mut first = match self.begin(key) {
                Ok(guard) => return Admission::Proceed(guard),
                Err(first) => first,
            };
            let answer = first.wait_for(Option::is_some).await;
            if let Some(answer) = answer.ok().and_then(|answer| answer.clone()) {
                return Admission::Answered(answer);
            }
        }
    }

    /// Notes that a load is under way, if there is none that is the same.
    fn begin(self: &Arc<Self>, key: &LoadKey) -> Result<LoadGuard, watch::Receiver<Option<Answer>>> {
        let mut inner = self.inner.lock();
        inner.forget_old(Instant::now(), self.most_bytes, self.retention);
        if let Some(first) = inner.running.get(key) {
            return Err(first.clone());
        }
        let (sender, receiver) = watch::channel(None);
        inner.running.insert(key.clone(), receiver);
        let earlier = inner.done.get(key).cloned();
        Ok(LoadGuard {
            repeats: Arc::clone(self),
            key: key.clone(),
            earlier,
            loaded: None,
            answer: None,
            sender,
        })
    }
}

impl Inner {
    fn remember(&mut self, key: &LoadKey, files: Arc<[Metadata]>) {
        self.bytes += bytes_of(key, &files);
        if let Some(before) = self.done.insert(key.clone(), files) {
            self.bytes -= bytes_of(key, &before);
            self.ends.retain(|(_, other)| other != key);
        }
        self.ends.push_back((Instant::now(), key.clone()));
    }

    /// Forgets those that ended long ago, and the oldest where they take too much.
    fn forget_old(&mut self, now: Instant, most_bytes: usize, retention: Duration) {
        let is_old = |end: Instant| now.saturating_duration_since(end) >= retention;
        while let Some((_, key)) = self.ends.pop_front_if(|(end, _)| self.bytes > most_bytes || is_old(*end))
        {
            if let Some(files) = self.done.remove(&key) {
                self.bytes -= bytes_of(&key, &files);
            }
        }
    }
}

fn bytes_of(key: &LoadKey, files: &[Metadata]) -> usize {
    LOAD_BYTES + key.0.len() + size_of_val(files)
}

/// A call that was admitted. Dropped before [`LoadGuard::answer`], it was not begun: one of those that wait for it is the
/// first then. If that is because of a panic, they get an error.
pub(crate) struct LoadGuard {
    repeats: Arc<Repeats>,
    key: LoadKey,
    earlier: Option<Arc<[Metadata]>>,
    loaded: Option<Arc<[Metadata]>>,
    answer: Option<Answer>,
    sender: watch::Sender<Option<Answer>>,
}

impl LoadGuard {
    /// What the files were when the same was loaded before, if it was.
    pub(crate) fn earlier(&self) -> Option<&[Metadata]> {
        self.earlier.as_deref()
    }

    /// Notes that the load succeeded, and what its files were before.
    pub(crate) fn loaded(&mut self, files: Vec<Metadata>) {
        self.loaded = Some(files.into());
    }

    /// Ends the load: all who wait for it get this answer.
    pub(crate) fn answer(mut self, answer: Answer) {
        self.answer = Some(answer);
    }
}

impl Drop for LoadGuard {
    fn drop(&mut self) {
        let answer = self
            .answer
            .take()
            .or_else(|| std::thread::panicking().then(|| Err(exceptions::io("a bulk load panicked"))));
        let mut inner = self.repeats.inner.lock();
        inner.running.remove(&self.key);
        if let Some(files) = self.loaded.take() {
            inner.remember(&self.key, files);
            inner.forget_old(Instant::now(), self.repeats.most_bytes, self.repeats.retention);
        }
        drop(inner);
        if answer.is_some() {
            self.sender.send_replace(answer);
        }
    }
}

/// Whether a request that was carried out before is the same still: see above.
pub(crate) fn is_repetition(
    earlier: &[Metadata],
    now: impl Iterator<Item = std::io::Result<Metadata>>,
    has_token: bool,
) -> bool {
    let mut is_any_gone = false;
    for (earlier, now) in earlier.iter().zip(now) {
        match now {
            Ok(now) if now == *earlier => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => is_any_gone = true,
            // Another file; or nobody can tell, and the load will say why.
            _ => return false,
        }
    }
    has_token || is_any_gone
}

#[cfg(test)]
mod tests;
