//! Files of a root directory that HBase 2.5.11 wrote: what is decoded and encoded again has the same bytes.

use finback_cell::{RegionInfo, TableDescriptor};
use finback_proto::{Message, pb, pbuf};
use std::path::{Path, PathBuf};

fn read(path: &str) -> Vec<u8> {
    let root: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/hbase-2.5.11/rootdir");
    std::fs::read(root.join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

#[test]
fn cluster_id_and_version() {
    let bytes = read("hbase.id");
    let id: pb::ClusterId = pbuf::decode(&bytes, "ClusterId").unwrap();
    assert_eq!(id.cluster_id.len(), 36);
    assert_eq!(pbuf::encode(&id), bytes);
    let bytes = read("hbase.version");
    let version: pb::HBaseVersionFileContent = pbuf::decode(&bytes, "HBaseVersionFileContent").unwrap();
    assert_eq!(version.version, "8");
    assert_eq!(pbuf::encode(&version), bytes);
}

#[test]
fn table_descriptors_keep_everything() {
    for path in [
        "data/hbase/meta/.tabledesc/.tableinfo.0000000001.1039",
        "data/ns1/t1/.tabledesc/.tableinfo.0000000001.962",
    ] {
        let bytes = read(path);
        let schema: pb::TableSchema = pbuf::decode(&bytes, "TableSchema").unwrap();
        let table = TableDescriptor::try_from(&schema).unwrap();
        assert!(!table.families.is_empty());
        assert_eq!(pbuf::encode(&pb::TableSchema::from(&table)), bytes, "{path}");
    }
}

#[test]
fn region_infos_name_their_directories() {
    for path in [
        "data/hbase/meta/1588230740/.regioninfo",
        "data/ns1/t1/4e18022e031234f82a30f63ee117cc9c/.regioninfo",
        "data/default/merged/56344ccb3e7e9b9fc6b7a8060ee07cf2/.regioninfo",
    ] {
        let bytes = read(path);
        let message: pb::RegionInfo = pbuf::decode_delimited(&bytes, "RegionInfo").unwrap();
        let region = RegionInfo::try_from(&message).unwrap();
        assert!(path.contains(&region.encoded_name()), "{region:?}");
        assert_eq!(pbuf::encode_delimited(&pb::RegionInfo::from(&region)), bytes, "{path}");
    }
}

#[test]
fn snapshots() {
    let bytes = read(".hbase-snapshot/snap1/.snapshotinfo");
    let info = pb::SnapshotDescription::decode(&bytes[..]).unwrap();
    assert_eq!((info.name.as_str(), info.version), ("snap1", Some(2)));
    assert_eq!(info.encode_to_vec(), bytes);
    let bytes = read(".hbase-snapshot/snap1/data.manifest");
    let manifest = pb::SnapshotDataManifest::decode(&bytes[..]).unwrap();
    assert!(!manifest.region_manifests.is_empty());
    assert_eq!(manifest.encode_to_vec(), bytes);
}
