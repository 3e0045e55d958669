//! The conformance suite against each implementation.

use std::{path::Path, sync::Arc};

use finback_fs::{
    BoundedFileSystem, FaultyFileSystem, FileSystem, LocalFileSystem, MemFileSystem, conformance,
};

#[test]
fn local_disk() {
    let dir = tempfile::tempdir().unwrap();
    conformance::check(&LocalFileSystem::new(), dir.path());
}

/// The system may say so of a file of which nothing is in memory: where it ends the blocking read tells.
#[test]
fn a_look_at_the_local_disk_that_finds_nothing_does_not_find_the_end() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    std::fs::write(&path, b"bytes").unwrap();
    let file = LocalFileSystem::new().open(&path).unwrap();
    assert!(matches!(file.read_at_nowait(5, &mut [0]), Ok(None)));
    let error = file.read_exact_at(5, &mut [0]).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::UnexpectedEof);
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
