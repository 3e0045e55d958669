//! Entries as JSON: as Gson writes what HBase gives it, and as one object a line.

use super::entry::{Action, ActionRest, PrintedEntry};
use super::java_map::{in_order_of_java, java_hash};
use crate::json_text::{array, object, quoted};

/// As HBase prints it: whole numbers of 64 bits are strings, and maps are in the order of Java's.
pub(super) fn as_hbase(entry: &PrintedEntry) -> String {
    let attributes = entry.attributes.iter().map(|(key, value)| (key.clone(), quoted(value)));
    let own = [
        ("table", table(&entry.table)),
        ("region", quoted(&entry.region)),
        ("sequence", format!("\"{}\"", entry.sequence_id)),
    ];
    let own = own.into_iter().map(|(key, value)| (key.to_owned(), value));
    let actions = ("actions".to_owned(), array(entry.actions.iter().map(action)));
    object(in_order_of_java(own.chain(attributes).chain([actions])))
}

/// One line: everything, with numbers as numbers.
pub(super) fn line(entry: &PrintedEntry, position: u64) -> String {
    let mut fields = vec![
        ("sequence", entry.sequence_id.to_string()),
        ("table", quoted(&entry.table)),
        ("region", quoted(&entry.region)),
        ("write_time_ms", entry.write_time_ms.to_string()),
        ("offset", entry.offset.to_string()),
        ("end", position.to_string()),
    ];
    if !entry.attributes.is_empty() {
        let attributes = entry.attributes.iter().map(|(key, value)| (key.clone(), quoted(value)));
        fields.push(("attributes", object(attributes)));
    }
    fields.push(("cells", array(entry.actions.iter().map(cell))));
    object(fields)
}

fn cell(Action { row, rest }: &Action) -> String {
    let mut fields = vec![("row", quoted(row))];
    if let Some(rest) = rest {
        fields.extend([
            ("family", quoted(&rest.family)),
            ("qualifier", quoted(&rest.qualifier)),
            ("timestamp", rest.timestamp.to_string()),
            ("type", quoted(&rest.cell_type)),
            ("value_length", rest.value_length.to_string()),
        ]);
        if !rest.tags.is_empty() {
            fields.push(("tags", tags(rest)));
        }
        fields.extend(rest.value.as_ref().map(|value| ("value", quoted(value))));
    }
    object(fields)
}

/// A cell as HBase prints it.
fn action(Action { row, rest }: &Action) -> String {
    let row = ("row".to_owned(), quoted(row));
    let Some(rest) = rest else { return object([row]) };
    let field = |key: &str, value: String| (key.to_owned(), value);
    let mut fields = vec![
        row,
        field("type", quoted(&rest.cell_type)),
        field("family", quoted(&rest.family)),
        field("qualifier", quoted(&rest.qualifier)),
        field("timestamp", format!("\"{}\"", rest.timestamp)),
        field("vlen", rest.value_length.to_string()),
        field("total_size_sum", format!("\"{}\"", rest.heap_size)),
    ];
    if !rest.tags.is_empty() {
        fields.push(field("tag", tags(rest)));
    }
    fields.extend(rest.value.as_ref().map(|value| field("value", quoted(value))));
    object(in_order_of_java(fields))
}

fn tags(rest: &ActionRest) -> String {
    array(rest.tags.iter().map(|tag| quoted(tag)))
}

/// What Gson makes of HBase's TableName.
fn table(name: &str) -> String {
    let (namespace, qualifier) = name.split_once(':').unwrap_or(("default", name));
    let bytes = |text: &str| array(text.bytes().map(|byte| (byte as i8).to_string()));
    format!(
        "{{\"name\":{},\"nameAsString\":{},\"namespace\":{},\"namespaceAsString\":{},\"qualifier\":{},\
         \"qualifierAsString\":{},\"systemTable\":{},\"hashCode\":{}}}",
        bytes(name),
        quoted(name),
        bytes(namespace),
        quoted(namespace),
        bytes(qualifier),
        quoted(qualifier),
        namespace == "hbase",
        java_hash(name) as i32
    )
}
