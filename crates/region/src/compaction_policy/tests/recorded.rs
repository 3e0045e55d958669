//! Files that HBase's own policies have chosen in stores drawn at random (`fixtures/hbase-2.5.11/compaction-choices.jsonl` and
//! `stripe-choices.jsonl`, which `tests/clients/choices` writes): a line for each store. Longer records are read from where
//! `FINBACK_COMPACTION_CHOICES` and `FINBACK_STRIPE_CHOICES` say.

use super::super::striped::InStripe;
use super::super::stripes::Stripes;
use super::*;
use finback_cell::schema::set_entry;
use finback_cell::{ColumnFamilyDescriptor, TableDescriptor, TableName};
use serde_json::Value;

const ENGINE: &str = "hbase.hstore.engine.class";
const POLICY: &str = "hbase.hstore.defaultengine.compactionpolicy.class";

/// The settings of a store whose family says this, and what the line says.
fn of_family(own: &[(&str, &str)], prefix: &str, store: &Value) -> CompactionConfig {
    let mut family = ColumnFamilyDescriptor::with_defaults(b"f");
    let mut set = |name: &str, value: &str| set_entry(&mut family.configuration, name, value);
    own.iter().for_each(|(name, value)| set(name, value));
    for (name, value) in store["settings"].as_object().unwrap() {
        set(&format!("{prefix}{name}"), value.as_str().unwrap());
    }
    let table = TableDescriptor::new(TableName::parse(b"t").unwrap());
    CompactionConfig::default().of_store(&table, &family, 128 * MB)
}

fn config(store: &Value) -> CompactionConfig {
    let (engine, policy) = match store["policy"].as_str().unwrap() {
        "DateTiered" => ("DateTiered", "Exploring"),
        policy => ("Default", policy),
    };
    let own = [
        (ENGINE, &*format!("org.apache.hadoop.hbase.regionserver.{engine}StoreEngine")),
        (POLICY, &format!("org.apache.hadoop.hbase.regionserver.compactions.{policy}CompactionPolicy")),
        ("hbase.hregion.majorcompaction", &store["period"].to_string()),
        ("hbase.hregion.majorcompaction.jitter", "0"),
        ("hbase.hstore.blockingStoreFiles", &store["blocking"].to_string()),
    ];
    of_family(&own, "hbase.hstore.compaction.", store)
}

fn candidate(file: &Value) -> Candidate {
    let is = |name: &str| file[name] == true;
    let times = file["times"].as_array();
    Candidate {
        size_bytes: file["size"].as_u64().unwrap(),
        written_ms: file["written"].as_i64().unwrap(),
        timestamps: times.map(|times| (times[0].as_i64().unwrap(), times[1].as_i64().unwrap())),
        is_major: is("major"),
        is_bulk_loaded: is("bulk"),
        is_reference: is("reference"),
        ..FILE
    }
}

/// As the record has it.
fn chosen(store: &Value) -> Value {
    let files: Vec<Candidate> = store["files"].as_array().unwrap().iter().map(candidate).collect();
    let occasion = Occasion {
        major: store["asked"] == true,
        off_peak: false,
        now_ms: store["now"].as_i64().unwrap(),
        ttl_ms: store["ttl"].as_i64(),
    };
    let Some(selection) = config(store).select(&files, occasion) else { return Value::Null };
    let boundaries = match selection.cut {
        Cut::Times(times) => Value::from(times),
        _ => Value::Null,
    };
    serde_json::json!({ "files": selection.files, "major": selection.is_major, "boundaries": boundaries })
}

/// What HBase found in a store with stripes, and chose, as the record has it; of the answer `theirs` where both mean the same.
fn of_stripes(store: &Value, theirs: &Value) -> Value {
    let files = store["files"].as_array().unwrap();
    let row = |row: &Value| Bytes::copy_from_slice(row.as_str().unwrap().as_bytes());
    let candidate = |file: &Value| Candidate {
        size_bytes: file["size"].as_u64().unwrap(),
        timestamps: file["newest"].as_i64().map(|newest| (newest, newest)),
        is_reference: file["reference"] == true,
        ..FILE
    };
    let in_stripe = |file: &Value| InStripe {
        rows: file["rows"].as_array().map(|rows| (row(&rows[0]), row(&rows[1]))),
        cells: file["cells"].as_u64().unwrap(),
    };
    let candidates: Vec<_> = files.iter().map(candidate).collect();
    let in_stripes: Vec<_> = files.iter().map(in_stripe).collect();
    let stripes = Stripes::of(&in_stripes.iter().map(|file| file.rows.clone()).collect::<Vec<_>>());
    let engine = [(ENGINE, "org.apache.hadoop.hbase.regionserver.StripeStoreEngine")];
    let occasion = Occasion { now_ms: store["now"].as_i64().unwrap(), ttl_ms: store["ttl"].as_i64(), ..NOW };
    let selection = of_family(&engine, "", store).select_striped(&candidates, &in_stripes, occasion);
    let text = |row: &Bytes| String::from_utf8(row.to_vec()).unwrap();
    let chosen = selection.map(|selection| {
        let whole = selection.whole.map(|(start, end)| [text(&start), text(&end)]);
        match selection.cut {
            Cut::Cells { start, end, pieces, cells } => {
                // Neither ends a piece where there is one, nor has HBase a number of them that it does not reach.
                let pieces = if theirs["cells"][2] == i32::MAX { i32::MAX as usize } else { pieces };
                let cells = i64::try_from(cells).unwrap_or(i64::MAX);
                serde_json::json!({
                    "files": selection.files, "cells": [text(&start), text(&end), pieces, cells], "whole": whole
                })
            }
            Cut::Rows { bounds, .. } => {
                let rows: Vec<String> = bounds.iter().map(text).collect();
                serde_json::json!({ "files": selection.files, "rows": rows, "whole": whole })
            }
            other => panic!("{other:?}"),
        }
    });
    serde_json::json!({ "level0": stripes.level0, "stripes": stripes.files, "chosen": chosen })
}

/// Compares each line of a record with what is chosen here. `counts`: of which lines there must be some, one in twenty at least.
fn compare(record: &str, variable: &str, choose: impl Fn(&Value) -> Value, counts: impl Fn(&Value) -> bool) {
    let own = format!("{}/../../fixtures/hbase-2.5.11/{record}", env!("CARGO_MANIFEST_DIR"));
    let record = std::fs::read_to_string(std::env::var(variable).unwrap_or(own)).unwrap();
    let (mut stores, mut counted, mut different) = (0, 0, Vec::new());
    for line in record.lines() {
        let store: Value = serde_json::from_str(line).unwrap();
        let ours = choose(&store);
        stores += 1;
        counted += usize::from(counts(&store["chosen"]));
        let theirs =
            ours.as_object().unwrap().keys().map(|name| (name.clone(), store[name].clone())).collect();
        if ours != Value::Object(theirs) {
            different.push(format!("{line}\nhere: {ours}"));
        }
    }
    assert!(
        stores >= 500 && counted * 20 >= stores,
        "{stores} stores, of which {counted} count: that is no record"
    );
    let first = different.first();
    assert!(first.is_none(), "{} of {stores} stores: {}", different.len(), first.unwrap());
}

#[test]
fn the_files_that_hbase_chose_are_chosen() {
    let choose = |store: &Value| serde_json::json!({ "chosen": chosen(store) });
    let is_cut = |chosen: &Value| chosen["boundaries"].as_array().is_some_and(|times| times.len() > 1);
    compare("compaction-choices.jsonl", "FINBACK_COMPACTION_CHOICES", choose, is_cut);
}

#[test]
fn the_stripes_that_hbase_saw_are_seen_and_the_files_that_it_chose_are_chosen() {
    let choose = |store: &Value| of_stripes(store, &store["chosen"]);
    compare("stripe-choices.jsonl", "FINBACK_STRIPE_CHOICES", choose, |chosen| chosen["rows"].is_array());
}
