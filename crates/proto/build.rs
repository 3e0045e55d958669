//! Compiles the `.proto` files of this crate without `protoc`.

use std::path::PathBuf;

const PROTO_DIR: &str = "proto";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed={PROTO_DIR}");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(PROTO_DIR)?.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?;
    files.retain(|path| path.extension().is_some_and(|ext| ext == "proto"));
    files.sort();

    let descriptors = protox::compile(&files, [PROTO_DIR])?;
    prost_build::Config::new()
        .bytes(["."])
        .extern_path(".google.protobuf.Any", "crate::any::Any")
        .compile_fds(descriptors)?;
    Ok(())
}
