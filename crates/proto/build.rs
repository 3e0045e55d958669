//! Compiles the `.proto` files of this crate without `protoc`.

use std::path::PathBuf;

#[path = "build/layouts.rs"]
mod layouts;

const PROTO_DIR: &str = "proto";

/// Rare or large parts of what comes by the thousands: kept out of line.
const BOXED: [&str; 10] = [
    ".hbase.pb.Action.get",
    ".hbase.pb.Action.service_call",
    ".hbase.pb.Get.filter",
    ".hbase.pb.Get.time_range",
    ".hbase.pb.MutationProto.time_range",
    ".hbase.pb.RegionActionResult.exception",
    ".hbase.pb.ResultOrException.exception",
    ".hbase.pb.ResultOrException.service_result",
    ".hbase.pb.ResultOrException.loadStats",
    ".hbase.pb.ResultOrException.metrics",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed={PROTO_DIR}");
    println!("cargo:rerun-if-changed=build");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(PROTO_DIR)?.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?;
    files.retain(|path| path.extension().is_some_and(|ext| ext == "proto"));
    files.sort();

    let descriptors = protox::compile(&files, [PROTO_DIR])?;
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    std::fs::write(out.join("layouts.rs"), layouts::generate(&descriptors, &BOXED))?;
    let mut config = prost_build::Config::new();
    config.bytes(["."]).extern_path(".google.protobuf.Any", "crate::any::Any");
    BOXED.iter().for_each(|path| {
        config.boxed(path);
    });
    config.compile_fds(descriptors)?;
    Ok(())
}
