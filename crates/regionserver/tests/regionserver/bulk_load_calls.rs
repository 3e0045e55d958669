//! Files to be loaded, and the calls that load them.

use crate::world::{Table, World};
use finback_cell::cell::CellParts;
use finback_cell::{Cell, CellType};
use finback_hfile::{HFileWriter, WriterOptions};
use finback_proto::pb;
use finback_rpc::RpcException;
use std::path::{Path, PathBuf};

/// A file of puts, outside the root directory.
pub(crate) fn file(world: &World, rows: &[&str]) -> PathBuf {
    let path = PathBuf::from("/client/f/").join(rows.concat());
    let fs = world.root.fs();
    fs.create_dir_all(path.parent().unwrap()).unwrap();
    let mut writer =
        HFileWriter::new(fs.create_new(&path).unwrap(), &path, WriterOptions::default()).unwrap();
    for row in rows {
        let parts = CellParts {
            row: row.as_bytes(),
            family: b"f",
            qualifier: b"q",
            timestamp: 5,
            type_code: CellType::Put.code(),
            value: b"loaded",
            tags: b"",
        };
        writer.append(&Cell::parse(&parts.to_vec()).unwrap(), 0).unwrap();
    }
    writer.finish(0).unwrap();
    path
}

pub(crate) async fn prepare(table: &Table<'_>) -> String {
    let request = pb::PrepareBulkLoadRequest {
        table_name: (&table.info.table).into(),
        region: Some(table.region.clone()),
    };
    let (prepared, _): (pb::PrepareBulkLoadResponse, _) =
        table.world.ask("PrepareBulkLoad", &request).await.unwrap();
    prepared.bulk_token
}

pub(crate) fn request(table: &Table<'_>, token: &str, paths: &[&Path]) -> pb::BulkLoadHFileRequest {
    let family_path = |path: &&Path| pb::bulk_load_h_file_request::FamilyPath {
        family: "f".into(),
        path: format!("file:{}", path.display()),
    };
    pb::BulkLoadHFileRequest {
        region: table.region.clone(),
        family_path: paths.iter().map(family_path).collect(),
        bulk_token: Some(token.to_owned()),
        ..Default::default()
    }
}

pub(crate) async fn load(world: &World, request: &pb::BulkLoadHFileRequest) -> Result<bool, RpcException> {
    let answer: Result<(pb::BulkLoadHFileResponse, _), _> = world.ask("BulkLoadHFile", request).await;
    answer.map(|(answer, _)| answer.loaded)
}

pub(crate) async fn clean_up(world: &World, token: &str) -> Result<(), RpcException> {
    let request = pb::CleanupBulkLoadRequest { bulk_token: token.to_owned(), region: None };
    let answer: Result<(pb::CleanupBulkLoadResponse, _), _> = world.ask("CleanupBulkLoad", &request).await;
    answer.map(drop)
}
