//! HBase's own logs and what HBase's own reader says is in them.

#![allow(dead_code)] // each test file uses a part

use std::path::{Path, PathBuf};

use finback_wal::WalEntry;
use serde_json::{Value, json};

pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/hbase-2.5.11").join(name)
}

/// The lines of a file of expectations.
pub(crate) fn expected(name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(fixture("expected").join(name)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn uuid(id: u128) -> String {
    let h = format!("{id:032x}");
    format!("{}-{}-{}-{}-{}", &h[..8], &h[8..12], &h[12..16], &h[16..20], &h[20..])
}

/// An entry as the expectations write it.
pub(crate) fn as_json(entry: &WalEntry<'_>) -> Value {
    let key = &entry.key;
    let cells: Vec<_> = entry.cells().map(|found| cell(found.bytes())).collect();
    assert_eq!(cells.len(), key.cell_count() as usize);
    json!({
        "region": hex(key.region()),
        "table": std::str::from_utf8(key.table()).unwrap(),
        "seq": key.sequence_id(),
        "writeTime": key.write_time_ms(),
        "nonceGroup": key.nonce_group() as i64, // Java has no u64
        "nonce": key.nonce() as i64,
        "clusterIds": key.cluster_ids().map(uuid).collect::<Vec<_>>(),
        "scopes": key.scopes().map(|(family, scope)| json!([hex(family), scope])).collect::<Vec<_>>(),
        "attrs": key.attributes().map(|(k, v)| json!([std::str::from_utf8(k).unwrap(), hex(v)])).collect::<Vec<_>>(),
        "cells": cells,
    })
}

/// Decoded here from first principles, not with the code under test.
fn cell(kv: &[u8]) -> Value {
    let int = |at: usize| u32::from_be_bytes(kv[at..at + 4].try_into().unwrap()) as usize;
    let (key_len, value_len) = (int(0), int(4));
    let key = &kv[8..8 + key_len];
    let row_len = usize::from(key[0]) << 8 | usize::from(key[1]);
    let family_len = usize::from(key[2 + row_len]);
    let family = 3 + row_len;
    let qualifier = family + family_len;
    let stamp = key_len - 9;
    let mut cell = json!({
        "row": hex(&key[2..2 + row_len]),
        "fam": hex(&key[family..qualifier]),
        "qual": hex(&key[qualifier..stamp]),
        "ts": i64::from_be_bytes(key[stamp..stamp + 8].try_into().unwrap()),
        "type": key[key_len - 1],
        "seq": 0,
        "val": hex(&kv[8 + key_len..8 + key_len + value_len]),
    });
    let mut tags = kv[8 + key_len + value_len..].get(2..).unwrap_or_default();
    let mut list = Vec::new();
    while let [high, low, kind, rest @ ..] = tags {
        let value_len = (usize::from(*high) << 8 | usize::from(*low)) - 1;
        list.push(json!([kind, hex(&rest[..value_len])]));
        tags = &rest[value_len..];
    }
    if !list.is_empty() {
        cell["tags"] = json!(list);
    }
    cell
}
