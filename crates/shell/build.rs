//! Describes the messages of HBase to the shell, which shows some of them field by field: the state of procedures.

use prost::Message;
use std::path::PathBuf;

const PROTO_DIR: &str = "../proto/proto";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed={PROTO_DIR}");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(PROTO_DIR)?.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "proto"));
    files.sort();
    let descriptors = protox::compile(&files, [PROTO_DIR])?;
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    Ok(std::fs::write(out.join("descriptors.binpb"), descriptors.encode_to_vec())?)
}
