use proptest::{collection::vec, option, prelude::*};
use prost::Message;

use super::*;
use crate::{file_writer::KeyFields, integrity};

#[derive(Clone, PartialEq, Message)]
struct FamilyScope {
    #[prost(bytes, required, tag = "1")]
    family: Vec<u8>,
    #[prost(int32, required, tag = "2")]
    scope_type: i32,
}

#[derive(Clone, PartialEq, Message)]
struct Uuid {
    #[prost(uint64, required, tag = "1")]
    least: u64,
    #[prost(uint64, required, tag = "2")]
    most: u64,
}

#[derive(Clone, PartialEq, Message)]
struct Attribute {
    #[prost(string, required, tag = "1")]
    key: String,
    #[prost(bytes, required, tag = "2")]
    value: Vec<u8>,
}

/// HBase's WALKey, decoded by a general protobuf library.
#[derive(Clone, PartialEq, Message)]
struct Key {
    #[prost(bytes, required, tag = "1")]
    region: Vec<u8>,
    #[prost(bytes, required, tag = "2")]
    table: Vec<u8>,
    #[prost(uint64, required, tag = "3")]
    sequence_id: u64,
    #[prost(uint64, required, tag = "4")]
    write_time: u64,
    #[prost(message, repeated, tag = "6")]
    scopes: Vec<FamilyScope>,
    #[prost(uint32, optional, tag = "7")]
    cell_count: Option<u32>,
    #[prost(message, repeated, tag = "8")]
    cluster_ids: Vec<Uuid>,
    #[prost(uint64, optional, tag = "9")]
    nonce_group: Option<u64>,
    #[prost(uint64, optional, tag = "10")]
    nonce: Option<u64>,
    #[prost(uint64, optional, tag = "11")]
    original: Option<u64>,
    #[prost(message, repeated, tag = "12")]
    attributes: Vec<Attribute>,
}

fn any_key() -> impl Strategy<Value = Key> {
    let scope =
        (vec(any::<u8>(), 0..5), 0..3i32).prop_map(|(family, scope_type)| FamilyScope { family, scope_type });
    let uuid = any::<(u64, u64)>().prop_map(|(least, most)| Uuid { least, most });
    let attribute = ("[a-z]{0,6}", vec(any::<u8>(), 0..9)).prop_map(|(key, value)| Attribute { key, value });
    let required = (vec(any::<u8>(), 0..40), vec(any::<u8>(), 0..40), any::<u64>(), any::<u64>());
    let optional = (
        option::of(any::<u32>()),
        option::of(any::<u64>()),
        option::of(any::<u64>()),
        option::of(any::<u64>()),
    );
    (required, optional, vec(scope, 0..3), vec(uuid, 0..3), vec(attribute, 0..3)).prop_map(
        |(
            (region, table, sequence_id, write_time),
            (cell_count, nonce_group, nonce, original),
            scopes,
            cluster_ids,
            attributes,
        )| Key {
            region,
            table,
            sequence_id,
            write_time,
            scopes,
            cell_count,
            cluster_ids,
            nonce_group,
            nonce,
            original,
            attributes,
        },
    )
}

proptest! {
    #[test]
    fn decodes_what_a_protobuf_library_encodes(key in any_key()) {
        let bytes = key.encode_to_vec();
        let ours = WalKey::decode(&bytes).unwrap();
        prop_assert_eq!(ours.region(), &key.region);
        prop_assert_eq!(ours.table(), &key.table);
        prop_assert_eq!(ours.sequence_id(), key.sequence_id);
        prop_assert_eq!(ours.write_time_ms(), key.write_time);
        prop_assert_eq!(ours.cell_count(), key.cell_count.unwrap_or(0));
        prop_assert_eq!(ours.nonce_group(), key.nonce_group.unwrap_or(0));
        prop_assert_eq!(ours.nonce(), key.nonce.unwrap_or(0));
        prop_assert_eq!(ours.original_sequence_id(), key.original);
        let scopes: Vec<_> = ours.scopes().map(|(f, s)| FamilyScope { family: f.to_vec(), scope_type: s as i32 }).collect();
        prop_assert_eq!(scopes, key.scopes);
        let ids: Vec<_> = ours.cluster_ids().map(|id| Uuid { least: id as u64, most: (id >> 64) as u64 }).collect();
        prop_assert_eq!(ids, key.cluster_ids);
        let attributes: Vec<_> = ours.attributes()
            .map(|(k, v)| Attribute { key: String::from_utf8(k.to_vec()).unwrap(), value: v.to_vec() }).collect();
        prop_assert_eq!(attributes, key.attributes);
    }

    #[test]
    fn a_copy_changes_only_the_count_and_drops_the_guard(key in any_key(), count in any::<u32>()) {
        let mut bytes = key.encode_to_vec();
        integrity::put_unsealed(&mut bytes, 99, 7);
        let mut copy = Vec::new();
        WalKey::decode(&bytes).unwrap().copy_with_cell_count(count, &mut copy);
        prop_assert_eq!(Key::decode(&copy[..]).unwrap(), Key { cell_count: Some(count), ..key });
    }

    #[test]
    fn a_protobuf_library_decodes_what_we_encode(key in any_key(), durable in any::<u64>()) {
        let (nonce_group, nonce, cell_count) =
            (key.nonce_group.unwrap_or(0), key.nonce.unwrap_or(0), key.cell_count.unwrap_or(0));
        let fields = KeyFields {
            region: &key.region, table: &key.table, sequence_id: key.sequence_id,
            write_time_ms: key.write_time, cell_count, nonce_group, nonce,
        };
        let mut bytes = Vec::new();
        fields.put(&mut bytes);
        prop_assert_eq!(bytes.len(), fields.len());
        integrity::put_unsealed(&mut bytes, durable, cell_count);
        let theirs = Key::decode(&bytes[..]).unwrap();
        prop_assert_eq!(&theirs.region, &key.region);
        prop_assert_eq!(theirs.sequence_id, key.sequence_id);
        prop_assert_eq!(theirs.cell_count, Some(cell_count));
        prop_assert_eq!(theirs.nonce.unwrap_or(0), nonce);
        prop_assert!(theirs.attributes.is_empty(), "a field that others skip");
        let mark = integrity::Integrity::of_key(&bytes).unwrap();
        prop_assert_eq!((mark.durable_offset, mark.cell_bytes), (durable, cell_count));
    }

    #[test]
    fn garbage_never_panics(bytes in vec(any::<u8>(), 0..200)) {
        if let Ok(key) = WalKey::decode(&bytes) {
            let _ = (key.region(), key.table(), key.scopes().count(), key.attributes().count());
        }
    }
}
