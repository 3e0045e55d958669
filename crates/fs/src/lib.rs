//! One trait for storage, with a local disk, a strict in-memory one and a faulty one for tests.
//!
//! * [`FileSystem`] is synchronous and object-safe: who wants not to block calls it from a thread of
//!   their own. Implementations: [`LocalFileSystem`], [`MemFileSystem`] (forgets in a crash whatever was
//!   not synced), [`FaultyFileSystem`] (wraps any other, fails on command), [`BoundedFileSystem`] (wraps any other, keeps
//!   no more than so many files open).
//! * Every implementation passes [`conformance::check`].
//!
//! Guarantees: a rename is atomic, and durable when it returns; a directory made by
//! [`FileSystem::create_dir_all`] is durable when it returns; file data is durable after
//! [`WritableFile::sync_data`], a file's *name* after [`FileSystem::sync_dir`] of its directory.
//!
//! This crate does not know what is in the files, nor HBase's directory layout.

mod bounded;
pub mod conformance;
mod descriptor_cache;
mod durable_write;
mod error;
mod faulty;
mod file_system;
mod handle_names;
mod local;
mod mem;
mod moves;

pub use bounded::BoundedFileSystem;
pub use descriptor_cache::{DescriptorStatistics, descriptors_for_files};
pub use durable_write::write_file_durably;
pub use error::FsError;
pub use faulty::{Faults, FaultyFileSystem};
pub use file_system::{DirEntry, FileSystem, LockGuard, Metadata, NextRead, RandomAccessFile, WritableFile};
pub use local::LocalFileSystem;
pub use mem::{CrashMode, MemFileSystem};
