use std::{
    collections::{BTreeMap, HashMap, HashSet},
    ffi::OsString,
    io::{self, IoSlice},
    path::{Component, Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use parking_lot::Mutex;

use crate::{DirEntry, FileSystem, FsError, LockGuard, Metadata, NextRead, RandomAccessFile, WritableFile};

mod file;
use file::FileInode;

/// A file system in memory that remembers what was synced, file data and directory entries apart, so that
/// [`MemFileSystem::crash`] can forget the rest. Clones are the same file system. A panic of one thread inside
/// cannot leave it half changed: every operation checks before it changes.
#[derive(Debug, Clone, Default)]
pub struct MemFileSystem {
    tree: Arc<Mutex<Tree>>,
}

/// What survives a [`MemFileSystem::crash`] beside what was synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrashMode {
    /// Nothing.
    Strict,
    /// What the seed chooses: of each file a part of what is not synced, perhaps ending as it was before (zeros where the
    /// length is written and data are not); of each unsynced directory entry, the old or the new state.
    Torn {
        /// Same seed and same history, same result.
        seed: u64,
    },
    /// As [`Torn`](Self::Torn), and what was written later may be there without what was written before it: each piece
    /// of what is not synced, of a size between 1 and 512 bytes that the seed chooses, is there or as it was before.
    Reordered {
        /// As above.
        seed: u64,
    },
}

/// What a crash leaves to chance.
struct Chance {
    random: SplitMix,
    reorders: bool,
}

impl CrashMode {
    fn chance(self) -> Option<Chance> {
        match self {
            Self::Strict => None,
            Self::Torn { seed } => Some(Chance { random: SplitMix(seed), reorders: false }),
            Self::Reordered { seed } => Some(Chance { random: SplitMix(seed), reorders: true }),
        }
    }
}

type InodeNumber = u64;
const ROOT: InodeNumber = 0;

#[derive(Debug, Clone)]
struct Tree {
    inodes: HashMap<InodeNumber, Inode>,
    next: InodeNumber,
    locked: HashSet<PathBuf>,
}

#[derive(Debug, Clone)]
enum Inode {
    Dir { live: BTreeMap<OsString, InodeNumber>, durable: BTreeMap<OsString, InodeNumber> },
    File(FileInode),
}

impl Inode {
    fn empty_dir() -> Self {
        Inode::Dir { live: BTreeMap::new(), durable: BTreeMap::new() }
    }
}

impl Default for Tree {
    fn default() -> Self {
        Tree { inodes: HashMap::from([(ROOT, Inode::empty_dir())]), next: 1, locked: HashSet::new() }
    }
}

fn names(path: &Path) -> impl Iterator<Item = &std::ffi::OsStr> {
    path.components().filter_map(|c| match c {
        Component::Normal(name) => Some(name),
        _ => None,
    })
}

impl Tree {
    fn dir(&self, inode: InodeNumber) -> io::Result<&BTreeMap<OsString, InodeNumber>> {
        match self.inodes.get(&inode) {
            Some(Inode::Dir { live, .. }) => Ok(live),
            _ => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    fn dir_mut(&mut self, inode: InodeNumber) -> io::Result<&mut BTreeMap<OsString, InodeNumber>> {
        match self.inodes.get_mut(&inode) {
            Some(Inode::Dir { live, .. }) => Ok(live),
            _ => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    fn find(&self, path: &Path) -> io::Result<InodeNumber> {
        let mut at = ROOT;
        for name in names(path) {
            at = *self.dir(at)?.get(name).ok_or(io::ErrorKind::NotFound)?;
        }
        Ok(at)
    }

    /// The parent's inode and the last name.
    fn place(&self, path: &Path) -> io::Result<(InodeNumber, OsString)> {
        let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
        let parent = self.find(path.parent().unwrap_or(Path::new("")))?;
        self.dir(parent)?;
        Ok((parent, name))
    }

    fn add(&mut self, inode: Inode) -> InodeNumber {
        let number = self.next;
        self.next += 1;
        self.inodes.insert(number, inode);
        number
    }

    fn sync_dir(&mut self, inode: InodeNumber) -> io::Result<()> {
        match self.inodes.get_mut(&inode) {
            Some(Inode::Dir { live, durable }) => {
                durable.clone_from(live);
                Ok(())
            }
            _ => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    fn sync_file(&mut self, inode: InodeNumber) -> io::Result<()> {
        match self.inodes.get_mut(&inode) {
            Some(Inode::File(file)) => {
                file.sync();
                Ok(())
            }
            _ => Err(io::ErrorKind::IsADirectory.into()),
        }
    }

    fn file_mut(&mut self, inode: InodeNumber) -> io::Result<&mut FileInode> {
        match self.inodes.get_mut(&inode) {
            Some(Inode::File(file)) => {
                file.modified = SystemTime::now();
                Ok(file)
            }
            _ => Err(io::ErrorKind::IsADirectory.into()),
        }
    }

    fn file(&self, inode: InodeNumber) -> io::Result<&[u8]> {
        match self.inodes.get(&inode) {
            Some(Inode::File(file)) => Ok(&file.data),
            _ => Err(io::ErrorKind::IsADirectory.into()),
        }
    }

    /// How many names a file has.
    fn names_of(&self, inode: InodeNumber) -> usize {
        let (mut names, mut dirs) = (0, vec![ROOT]);
        while let Some(dir) = dirs.pop() {
            let entries = self.dir(dir).map(|entries| entries.values()).into_iter().flatten();
            for &entry in entries {
                names += usize::from(entry == inode);
                dirs.push(entry);
            }
        }
        names
    }

    fn metadata(&self, inode: InodeNumber) -> Metadata {
        let identity = Some((0, inode));
        match self.inodes.get(&inode) {
            Some(Inode::File(file)) => {
                Metadata { is_dir: false, len: file.data.len() as u64, modified: file.modified, identity }
            }
            _ => Metadata { is_dir: true, len: 0, modified: SystemTime::UNIX_EPOCH, identity },
        }
    }
}

impl MemFileSystem {
    /// Empty, with a root directory.
    pub fn new() -> Self {
        Self::default()
    }

    /// What a new process would find after the machine lost power now. This file system goes on as if nothing
    /// happened, so threads of the "dead" process cannot disturb the result. Locks are gone.
    pub fn crash(&self, mode: CrashMode) -> MemFileSystem {
        let mut tree = self.tree.lock().clone();
        tree.locked.clear();
        let mut chance = mode.chance();
        let mut numbers: Vec<_> = tree.inodes.keys().copied().collect();
        numbers.sort_unstable(); // the seed must decide, not the hash map
        for number in numbers {
            match tree.inodes.get_mut(&number) {
                Some(Inode::File(file)) => file.crash(chance.as_mut()),
                Some(Inode::Dir { live, durable }) => {
                    *live = surviving_names(live, durable, chance.as_mut());
                    durable.clone_from(live);
                }
                None => {}
            }
        }
        MemFileSystem { tree: Arc::new(Mutex::new(tree)) }
    }
}

fn surviving_names(
    live: &BTreeMap<OsString, InodeNumber>,
    durable: &BTreeMap<OsString, InodeNumber>,
    chance: Option<&mut Chance>,
) -> BTreeMap<OsString, InodeNumber> {
    let Some(Chance { random, .. }) = chance else { return durable.clone() };
    let mut survived = BTreeMap::new();
    let all: std::collections::BTreeSet<_> = live.keys().chain(durable.keys()).collect();
    for name in all {
        let state = if random.below(2) == 0 { durable.get(name) } else { live.get(name) };
        if let Some(&inode) = state {
            survived.insert(name.clone(), inode);
        }
    }
    survived
}

/// SplitMix64 (Steele, Lea, Flood 2014): enough randomness for a crash.
#[derive(Debug)]
struct SplitMix(u64);

impl SplitMix {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }
}

impl MemFileSystem {
    fn create_file(&self, path: &Path) -> io::Result<MemFile> {
        let mut tree = self.tree.lock();
        let (parent, name) = tree.place(path)?;
        if tree.dir(parent)?.contains_key(&name) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let modified = SystemTime::now();
        let inode = tree.add(Inode::File(FileInode::new(modified)));
        tree.dir_mut(parent)?.insert(name, inode);
        Ok(MemFile { tree: self.tree.clone(), inode, ahead: 0, mark: &[], lends: false })
    }
}

impl FileSystem for MemFileSystem {
    fn create_new(&self, path: &Path) -> io::Result<Box<dyn WritableFile>> {
        Ok(Box::new(self.create_file(path)?))
    }

    /// Lends, where the local file system does.
    fn create_large(&self, path: &Path, read: NextRead) -> io::Result<Box<dyn WritableFile>> {
        Ok(Box::new(MemFile { lends: read == NextRead::Later, ..self.create_file(path)? }))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn RandomAccessFile>> {
        let tree = self.tree.lock();
        let inode = tree.find(path)?;
        tree.file(inode)?;
        Ok(MemFile::to_read(&self.tree, inode))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut tree = self.tree.lock();
        let inode = tree.find(from)?;
        let (from_dir, from_name) = tree.place(from)?;
        let (to_dir, to_name) = tree.place(to)?;
        let moves_dir = tree.dir(inode).is_ok();
        if moves_dir && to != from && to.starts_with(from) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        if let Some(&target) = tree.dir(to_dir)?.get(&to_name) {
            match (moves_dir, tree.dir(target)) {
                (true, Ok(entries)) if !entries.is_empty() && target != inode => {
                    return Err(io::ErrorKind::DirectoryNotEmpty.into());
                }
                (false, Ok(_)) => return Err(io::ErrorKind::IsADirectory.into()),
                (true, Err(_)) => return Err(io::ErrorKind::NotADirectory.into()),
                _ => {}
            }
        }
        tree.dir_mut(from_dir)?.remove(&from_name);
        tree.dir_mut(to_dir)?.insert(to_name, inode);
        tree.sync_dir(to_dir)?;
        tree.sync_dir(from_dir)
    }

    fn hard_link(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut tree = self.tree.lock();
        let inode = tree.find(from)?;
        tree.file(inode)?;
        let (parent, name) = tree.place(to)?;
        if tree.dir(parent)?.contains_key(&name) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        tree.dir_mut(parent)?.insert(name, inode);
        Ok(())
    }

    fn has_other_names(&self, path: &Path) -> io::Result<bool> {
        let tree = self.tree.lock();
        let inode = tree.find(path)?;
        Ok(tree.names_of(inode) > 1)
    }

    fn sync_file(&self, path: &Path) -> io::Result<()> {
        let mut tree = self.tree.lock();
        let inode = tree.find(path)?;
        tree.sync_file(inode)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        let mut tree = self.tree.lock();
        let inode = tree.find(path)?;
        tree.file(inode)?;
        let (parent, name) = tree.place(path)?;
        tree.dir_mut(parent)?.remove(&name);
        Ok(())
    }

    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        let mut tree = self.tree.lock();
        let inode = tree.find(path)?;
        tree.dir(inode)?;
        let (parent, name) = tree.place(path)?;
        tree.dir_mut(parent)?.remove(&name);
        Ok(())
    }

    fn remove_empty_dir(&self, path: &Path) -> io::Result<()> {
        let mut tree = self.tree.lock();
        let inode = tree.find(path)?;
        if !tree.dir(inode)?.is_empty() {
            return Err(io::ErrorKind::DirectoryNotEmpty.into());
        }
        let (parent, name) = tree.place(path)?;
        tree.dir_mut(parent)?.remove(&name);
        Ok(())
    }

    fn touch(&self, path: &Path) -> io::Result<()> {
        let mut tree = self.tree.lock();
        let inode = tree.find(path)?;
        tree.file_mut(inode).map(drop)
    }

    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        let mut tree = self.tree.lock();
        let mut at = ROOT;
        for name in names(path) {
            at = match tree.dir(at)?.get(name) {
                Some(&inode) => inode,
                None => {
                    let inode = tree.add(Inode::empty_dir());
                    tree.dir_mut(at)?.insert(name.to_owned(), inode);
                    tree.sync_dir(at)?;
                    inode
                }
            };
        }
        match tree.dir(at) {
            Ok(_) => Ok(()),
            Err(_) => Err(io::ErrorKind::AlreadyExists.into()),
        }
    }

    fn list(&self, path: &Path) -> io::Result<Vec<DirEntry>> {
        let tree = self.tree.lock();
        let entries = tree.dir(tree.find(path)?)?;
        let entry = |(name, &inode): (&OsString, &InodeNumber)| {
            let meta = tree.metadata(inode);
            let name = name.to_str()?.to_owned();
            Some(DirEntry { name, is_dir: meta.is_dir, len: meta.len, modified: meta.modified })
        };
        Ok(entries.iter().filter_map(entry).collect())
    }

    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        let tree = self.tree.lock();
        Ok(tree.metadata(tree.find(path)?))
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        let mut tree = self.tree.lock();
        let inode = tree.find(path)?;
        tree.sync_dir(inode)
    }

    fn available_space(&self, path: &Path) -> io::Result<u64> {
        let tree = self.tree.lock();
        tree.find(path)?;
        Ok(u64::MAX)
    }

    fn lock_exclusive(&self, path: &Path) -> Result<LockGuard, FsError> {
        let io_error = |source| FsError::Io { path: path.to_owned(), source };
        if !self.tree.lock().locked.insert(path.to_owned()) {
            return Err(FsError::Locked { path: path.to_owned(), pid: Some(std::process::id()) });
        }
        // From here on an early return unlocks.
        let guard = LockGuard::new(MemLock { tree: self.tree.clone(), path: path.to_owned() });
        match self.create_new(path) {
            Ok(mut file) => file.append(format!("{}\n", std::process::id()).as_bytes()).map_err(io_error)?,
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(io_error(e)),
        }
        Ok(guard)
    }
}

struct MemLock {
    tree: Arc<Mutex<Tree>>,
    path: PathBuf,
}

impl Drop for MemLock {
    fn drop(&mut self) {
        self.tree.lock().locked.remove(&self.path);
    }
}

#[derive(Debug)]
struct MemFile {
    tree: Arc<Mutex<Tree>>,
    inode: InodeNumber,
    /// Bytes, of `mark` and zeros, behind what was written through this handle.
    ahead: usize,
    mark: &'static [u8],
    /// Whether it lends memory for what is appended, though it holds nothing in it.
    lends: bool,
}

impl WritableFile for MemFile {
    fn append_vectored(&mut self, slices: &mut [IoSlice<'_>]) -> io::Result<()> {
        let mut tree = self.tree.lock();
        let file = tree.file_mut(self.inode)?;
        for slice in slices.iter() {
            file.write(file.data.len() - self.ahead, slice);
            self.ahead = self.ahead.saturating_sub(slice.len());
        }
        if self.ahead > 0 {
            let marked = [self.mark, &[0][..usize::from(self.ahead <= self.mark.len())]].concat();
            file.write(file.data.len() - self.ahead, &marked);
            self.ahead = self.ahead.max(marked.len());
        }
        Ok(())
    }

    fn sync_data(&mut self) -> io::Result<()> {
        self.tree.lock().sync_file(self.inode)
    }

    fn len(&self) -> u64 {
        self.tree.lock().metadata(self.inode).len - self.ahead as u64
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        if len > WritableFile::len(self) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        self.tree.lock().file_mut(self.inode)?.truncate(len as usize);
        self.ahead = 0;
        Ok(())
    }

    fn zero_ahead(&mut self, bytes: u64, mark: &'static [u8]) -> io::Result<()> {
        let mut tree = self.tree.lock();
        let file = tree.file_mut(self.inode)?;
        if self.ahead == 0 {
            file.write(file.data.len(), &[mark, &[0]].concat());
            (self.ahead, self.mark) = (mark.len() + 1, mark);
        }
        let more = (bytes as usize).saturating_sub(self.ahead);
        file.data.resize(file.data.len() + more, 0);
        self.ahead += more;
        Ok(())
    }

    fn zeros_ahead(&self) -> u64 {
        self.ahead as u64
    }

    fn lend_end(&mut self, room: usize) -> Option<Vec<u8>> {
        self.lends.then(|| Vec::with_capacity(room))
    }

    fn append_lent(&mut self, end: Vec<u8>) -> io::Result<()> {
        if self.lends { self.append(&end) } else { Err(io::ErrorKind::InvalidInput.into()) }
    }
}

impl MemFile {
    fn to_read(tree: &Arc<Mutex<Tree>>, inode: InodeNumber) -> Arc<dyn RandomAccessFile> {
        Arc::new(Self { tree: Arc::clone(tree), inode, ahead: 0, mark: &[], lends: false })
    }
}

impl RandomAccessFile for MemFile {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        let tree = self.tree.lock();
        let data = tree.file(self.inode)?;
        let rest = usize::try_from(offset).ok().and_then(|o| data.get(o..)).unwrap_or_default();
        let n = rest.len().min(buf.len());
        buf[..n].copy_from_slice(&rest[..n]);
        Ok(n)
    }

    fn read_at_nowait(&self, offset: u64, buf: &mut [u8]) -> io::Result<Option<()>> {
        self.read_exact_at(offset, buf).map(Some)
    }

    /// So that who has a way for such files takes it.
    fn can_be_streamed(&self) -> bool {
        true
    }

    fn streamed(&self, _piece_bytes: usize) -> Option<Arc<dyn RandomAccessFile>> {
        Some(Self::to_read(&self.tree, self.inode))
    }

    fn identity(&self) -> io::Result<Option<(u64, u64)>> {
        Ok(self.tree.lock().metadata(self.inode).identity)
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.tree.lock().metadata(self.inode).len)
    }
}
