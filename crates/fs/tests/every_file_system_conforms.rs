//! The conformance suite against each implementation.

use std::{path::Path, sync::Arc};

use finback_fs::{BoundedFileSystem, FaultyFileSystem, LocalFileSystem, MemFileSystem, conformance};

#[test]
fn local_disk() {
    let dir = tempfile::tempdir().unwrap();
    conformance::check(&LocalFileSystem::new(), dir.path());
}

#[test]
fn memory() {
    conformance::check(&MemFileSystem::new(), Path::new("/"));
}

#[test]
fn faulty_without_faults() {
    conformance::check(&FaultyFileSystem::new(Arc::new(MemFileSystem::new())), Path::new("/"));
    let dir = tempfile::tempdir().unwrap();
    conformance::check(&FaultyFileSystem::new(Arc::new(LocalFileSystem::new())), dir.path());
}

#[test]
fn with_a_single_descriptor() {
    conformance::check(&BoundedFileSystem::new(Arc::new(MemFileSystem::new()), 1), Path::new("/"));
    let dir = tempfile::tempdir().unwrap();
    conformance::check(&BoundedFileSystem::new(Arc::new(LocalFileSystem::new()), 1), dir.path());
}
