//! Generates a `Layout` for every message: which of its fields take memory of their own.

use heck::{ToSnakeCase, ToUpperCamelCase};
use protox::prost_reflect::prost_types::field_descriptor_proto::{Label, Type};
use protox::prost_reflect::prost_types::{
    DescriptorProto, FieldDescriptorProto, FileDescriptorSet, MessageOptions,
};
use std::fmt::Write;

/// The package whose messages get layouts; they are generated into one module.
const PACKAGE: &str = "hbase.pb";

/// The source text of all layouts. `boxed` fields, by full name, are those that the message does not hold inline.
pub(crate) fn generate(descriptors: &FileDescriptorSet, boxed: &[&str]) -> String {
    let mut out = String::new();
    for file in descriptors.file.iter().filter(|file| file.package() == PACKAGE) {
        for message in &file.message_type {
            layout(&mut out, &format!(".{PACKAGE}"), message, boxed);
        }
    }
    out
}

fn layout(out: &mut String, parent: &str, message: &DescriptorProto, boxed: &[&str]) {
    let full_name = format!("{parent}.{}", message.name());
    let rust = rust_path(&full_name);
    let name = &full_name[PACKAGE.len() + 2..];
    let item = static_name(&full_name);
    let _ = match is_map_entry(message) {
        // Exists on the wire alone.
        true => writeln!(out, "layout! {{ {item}, ["),
        false => writeln!(out, "layout! {{ {item}, {name:?}, {rust}, ["),
    };
    let mut fields: Vec<_> = message.field.iter().collect();
    fields.sort_by_key(|field| field.number());
    for field in fields {
        let is_boxed = boxed.contains(&&*format!("{full_name}.{}", field.name()));
        let entry = message.nested_type.iter().find(|nested| {
            is_map_entry(nested) && field.type_name() == format!("{full_name}.{}", nested.name())
        });
        if let Some(arguments) = memory(field, is_boxed, entry) {
            let _ = writeln!(out, "    Field {{ number: {}, {arguments} }},", field.number());
        }
    }
    out.push_str("] }\n");
    for nested in &message.nested_type {
        layout(out, &full_name, nested, boxed);
    }
}

/// The rest of the `Field`; none for one that takes no memory besides its message's.
fn memory(field: &FieldDescriptorProto, is_boxed: bool, entry: Option<&DescriptorProto>) -> Option<String> {
    let repeated = field.label() == Label::Repeated;
    let own = is_own_message(field);
    let kind = match field.r#type() {
        Type::Message if own => format!("Kind::Message(&{})", static_name(field.type_name())),
        Type::Message => "Kind::Opaque".to_owned(),
        Type::String => "Kind::Text".to_owned(),
        Type::Bytes if repeated => "Kind::Shared".to_owned(),
        _ if repeated => "Kind::Number".to_owned(),
        _ => return None,
    };
    let element = match entry {
        // A map is at least half full.
        Some(entry) => {
            let sizes: Vec<String> = entry.field.iter().map(size).collect();
            format!("2 * (1 + {})", sizes.join(" + "))
        }
        None if repeated => size(field),
        None => "0".to_owned(),
    };
    let boxed = if is_boxed { size(field) } else { "0".to_owned() };
    Some(format!("kind: {kind}, element: {element}, boxed: {boxed}"))
}

/// The size of one value of the field.
fn size(field: &FieldDescriptorProto) -> String {
    let rust = match field.r#type() {
        Type::Message if is_own_message(field) => rust_path(field.type_name()),
        // Of another package: a type of this crate, without messages in it.
        Type::Message => "crate::any::Any".to_owned(),
        Type::String => "String".to_owned(),
        Type::Bytes => "bytes::Bytes".to_owned(),
        _ => "u64".to_owned(),
    };
    format!("size_of::<{rust}>()")
}

fn is_own_message(field: &FieldDescriptorProto) -> bool {
    field.r#type() == Type::Message && field.type_name().starts_with(&format!(".{PACKAGE}."))
}

fn is_map_entry(message: &DescriptorProto) -> bool {
    message.options.as_ref().is_some_and(MessageOptions::map_entry)
}

/// `.hbase.pb.MutationProto.ColumnValue` is `crate::pb::mutation_proto::ColumnValue`.
fn rust_path(full_name: &str) -> String {
    let names: Vec<&str> = full_name[PACKAGE.len() + 2..].split('.').collect();
    let (name, parents) = names.split_last().expect("a name has a part");
    let parents: String = parents.iter().map(|parent| format!("{}::", parent.to_snake_case())).collect();
    format!("crate::pb::{parents}{}", name.to_upper_camel_case())
}

fn static_name(full_name: &str) -> String {
    full_name[PACKAGE.len() + 2..].replace('.', "__").to_uppercase()
}
