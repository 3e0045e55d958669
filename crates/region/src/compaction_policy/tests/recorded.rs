//! Files that HBase's own policies have chosen in stores drawn at random (`fixtures/hbase-2.5.11/compaction-choices.jsonl`,
//! which `tests/clients/choices` writes): a line for each store. Longer records are read from where
//! `FINBACK_COMPACTION_CHOICES` says.

use super::*;
use finback_cell::schema::set_entry;
use finback_cell::{ColumnFamilyDescriptor, TableDescriptor, TableName};
use serde_json::Value;

const ENGINE: &str = "hbase.hstore.engine.class";
const POLICY: &str = "hbase.hstore.defaultengine.compactionpolicy.class";

fn config(store: &Value) -> CompactionConfig {
    let mut family = ColumnFamilyDescriptor::with_defaults(b"f");
    let mut set = |name: &str, value: &str| set_entry(&mut family.configuration, name, value);
    match store["policy"].as_str().unwrap() {
        "DateTiered" => set(ENGINE, "org.apache.hadoop.hbase.regionserver.DateTieredStoreEngine"),
        of_default => {
            let package = "org.apache.hadoop.hbase.regionserver.compactions";
            set(POLICY, &format!("{package}.{of_default}CompactionPolicy"));
        }
    }
    for (name, value) in store["settings"].as_object().unwrap() {
        set(&format!("hbase.hstore.compaction.{name}"), value.as_str().unwrap());
    }
    set("hbase.hregion.majorcompaction", &store["period"].to_string());
    set("hbase.hregion.majorcompaction.jitter", "0");
    set("hbase.hstore.blockingStoreFiles", &store["blocking"].to_string());
    let table = TableDescriptor::new(TableName::parse(b"t").unwrap());
    CompactionConfig::default().of_store(&table, &family, 128 * MB)
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
    let mut chosen = serde_json::Map::new();
    chosen.insert("files".to_owned(), Value::from(selection.files));
    chosen.insert("major".to_owned(), Value::from(selection.is_major));
    chosen.insert("boundaries".to_owned(), boundaries);
    Value::from(chosen)
}

#[test]
fn the_files_that_hbase_chose_are_chosen() {
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/hbase-2.5.11/compaction-choices.jsonl");
    let path = std::env::var("FINBACK_COMPACTION_CHOICES").unwrap_or_else(|_| own.to_owned());
    let record = std::fs::read_to_string(path).unwrap();
    let (mut stores, mut cut, mut different) = (0, 0, Vec::new());
    for line in record.lines() {
        let store: Value = serde_json::from_str(line).unwrap();
        let ours = chosen(&store);
        stores += 1;
        cut += usize::from(ours["boundaries"].as_array().is_some_and(|times| times.len() > 1));
        if ours != store["chosen"] {
            different.push(format!("{line}\nchosen here: {ours}"));
        }
    }
    assert!(stores >= 500 && cut * 20 >= stores, "{stores} stores, {cut} of which cut: that is no record");
    let first = different.first();
    assert!(first.is_none(), "{} of {stores} stores: {}", different.len(), first.unwrap());
}
