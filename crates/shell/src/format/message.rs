//! Any message of HBase, as HBase's shell shows the state of procedures: protobuf's JSON, as Ruby writes it.

mod descriptors;

use crate::value::Value;
use descriptors::{DESCRIPTORS, Descriptors};
use finback_client::Bytes;
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, FieldDescriptorProto};

/// Messages within messages: more than HBase has, and little enough for the stack.
const MAX_DEPTH: usize = 32;

/// The message of this type (`type.googleapis.com/hbase.pb.…`), field by field. What cannot be read is shown as it is.
pub(crate) fn message(type_url: &str, bytes: &Bytes) -> Value {
    let name = format!(".{}", type_url.rsplit('/').next().unwrap_or_default());
    let read = DESCRIPTORS.message(&name).and_then(|known| fields(&DESCRIPTORS, known, bytes.clone(), 0));
    read.unwrap_or_else(|| {
        let pair = |name: &str, value: String| (Value::text(name), Value::text(value));
        Value::Hash(vec![pair("@type", type_url.to_owned()), pair("value", base64(bytes))])
    })
}

fn fields(known: &Descriptors, message: &DescriptorProto, mut bytes: Bytes, depth: usize) -> Option<Value> {
    if depth > MAX_DEPTH {
        return None;
    }
    let mut found: Vec<(&FieldDescriptorProto, Vec<Value>)> =
        message.field.iter().map(|field| (field, Vec::new())).collect();
    found.sort_by_key(|(field, _)| field.number());
    while !bytes.is_empty() {
        let (number, wire) = decode_key(&mut bytes).ok()?;
        match found.iter_mut().find(|(field, _)| field.number() == number as i32) {
            Some((field, values)) => read(known, field, wire, &mut bytes, values, depth)?,
            None => skip_field(wire, number, &mut bytes, DecodeContext::default()).ok()?,
        }
    }
    let pair = |(field, mut values): (&FieldDescriptorProto, Vec<Value>)| {
        let value = match field.label() {
            _ if values.is_empty() => return None,
            Label::Repeated => Value::Array(values),
            // Of two the last one counts.
            _ => values.pop()?,
        };
        Some((Value::text(json_name(field)), value))
    };
    Some(Value::Hash(found.into_iter().filter_map(pair).collect()))
}

/// Reads a field, or, if it is packed, all its numbers.
fn read(
    known: &Descriptors,
    field: &FieldDescriptorProto,
    wire: WireType,
    bytes: &mut Bytes,
    into: &mut Vec<Value>,
    depth: usize,
) -> Option<()> {
    if wire != WireType::LengthDelimited {
        into.push(number(known, field, wire, bytes)?);
        return Some(());
    }
    let length = usize::try_from(decode_varint(bytes).ok()?).ok().filter(|length| *length <= bytes.len())?;
    let mut inner = bytes.split_to(length);
    match field.r#type() {
        Type::String => into.push(Value::Str(inner.to_vec())),
        Type::Bytes => into.push(Value::text(base64(&inner))),
        Type::Message => into.push(fields(known, known.message(field.type_name())?, inner, depth + 1)?),
        packed => {
            let wire = match packed {
                Type::Double | Type::Fixed64 | Type::Sfixed64 => WireType::SixtyFourBit,
                Type::Float | Type::Fixed32 | Type::Sfixed32 => WireType::ThirtyTwoBit,
                _ => WireType::Varint,
            };
            while !inner.is_empty() {
                into.push(number(known, field, wire, &mut inner)?);
            }
        }
    }
    Some(())
}

/// A number. Those of 64 bits are text in protobuf's JSON.
fn number(
    known: &Descriptors,
    field: &FieldDescriptorProto,
    wire: WireType,
    bytes: &mut Bytes,
) -> Option<Value> {
    let raw = match wire {
        WireType::Varint => decode_varint(bytes).ok()?,
        WireType::SixtyFourBit => u64::from_le_bytes(take(bytes)?),
        WireType::ThirtyTwoBit => u32::from_le_bytes(take(bytes)?).into(),
        _ => return None,
    };
    let unzigzagged = (raw >> 1) as i64 ^ -((raw & 1) as i64);
    Some(match field.r#type() {
        Type::Bool => Value::Bool(raw != 0),
        Type::Enum => known.name_of(field.type_name(), raw as i32),
        Type::Int32 | Type::Sfixed32 => Value::Int((raw as i32).into()),
        Type::Uint32 | Type::Fixed32 => Value::Int((raw as u32).into()),
        Type::Sint32 => Value::Int(unzigzagged),
        Type::Sint64 => Value::text(unzigzagged.to_string()),
        Type::Int64 | Type::Sfixed64 => Value::text((raw as i64).to_string()),
        Type::Uint64 | Type::Fixed64 => Value::text(raw.to_string()),
        Type::Float => Value::Float(f32::from_bits(raw as u32).into()),
        Type::Double => Value::Float(f64::from_bits(raw)),
        _ => return None,
    })
}

fn take<const SIZE: usize>(bytes: &mut Bytes) -> Option<[u8; SIZE]> {
    let first = (bytes.len() >= SIZE).then(|| bytes.split_to(SIZE))?;
    first[..].try_into().ok()
}

/// `table_name` is `tableName`.
fn json_name(field: &FieldDescriptorProto) -> String {
    let mut name = String::new();
    let mut is_next_large = false;
    for character in field.name().chars() {
        match character {
            '_' => is_next_large = true,
            other if is_next_large => {
                name.push(other.to_ascii_uppercase());
                is_next_large = false;
            }
            other => name.push(other),
        }
    }
    name
}

/// Bytes, as protobuf's JSON has them.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let bits =
            three.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for at in 0..4 {
            match at <= three.len() {
                true => text.push(char::from(DIGITS[(bits >> (18 - 6 * at)) as usize & 63])),
                false => text.push('='),
            }
        }
    }
    text
}

#[cfg(test)]
mod tests;
