//! Splits the logs of a server that is gone into recovered edits, as the next server does when it starts, for another
//! implementation to read: `cargo run -p finback-wal --example split_logs -- ROOT`. Nothing else may use the directory.
//!
//! Prints the name that each of them has in `oldWALs` now: those of hbase:meta, then the others from the first to the last.

use std::{collections::BTreeSet, error::Error, path::Path};

use finback_fs::{FileSystem, LocalFileSystem};
use finback_wal::{FlushedSequenceIds, split_server};

fn main() -> Result<(), Box<dyn Error>> {
    let root = std::env::args().nth(1).ok_or("usage: split_logs ROOT")?;
    let root = Path::new(&root);
    let unknown = |_: &[u8]| FlushedSequenceIds::default();
    let directories = LocalFileSystem.list(&root.join("WALs"))?;
    let servers: BTreeSet<&str> =
        directories.iter().map(|dir| dir.name.strip_suffix("-splitting").unwrap_or(&dir.name)).collect();
    for server in servers {
        for report in split_server(&LocalFileSystem, root, server, &unknown)? {
            let name = report.wal.file_name().ok_or("a log without a name")?;
            println!("{}", name.to_string_lossy());
        }
    }
    Ok(())
}
