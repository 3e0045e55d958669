use std::path::Path;

use finback_fs::{FileSystem, MemFileSystem};

use super::*;
use crate::varint::put_varint;

#[test]
fn a_key_length_beyond_all_files_is_no_proof() {
    let mut content = vec![0];
    put_varint(&mut content, u64::MAX);
    content.extend_from_slice(PREFIX);
    content.extend_from_slice(&[0; 4]);
    content.extend_from_slice(&u64::MAX.to_be_bytes());
    content.extend_from_slice(&[0; 4]);

    let fs = MemFileSystem::new();
    let path = Path::new("/log");
    fs.create_new(path).unwrap().append(&content).unwrap();
    let window = FileWindow::new(fs.open(path).unwrap(), content.len() as u64);
    assert!(matches!(LaterProofs::new(window).after(0), Ok(None)));
}
