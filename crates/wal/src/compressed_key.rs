//! The key of a compressed entry: a WALKey in which names are coded by dictionaries.
//!
//! ```text
//!  field 1   encoded_region_name    coded by REGION
//!  field 2   table_name             coded by TABLE
//!  field 6   scopes: family         coded by FAMILY
//!  field 12  attributes: value      coded by TABLE
//! ```
//! The dictionaries are used in this order, wherever in the message the fields stand.

use crate::{
    KeyFields,
    dictionary::{Dictionaries, ReadDictionary, SPELLED_OUT, WriteDictionary},
    entry_head::MAX_KEY_BYTES,
    varint::{Field, FieldValue, Fields, get_varint, put_bytes, put_uint},
    wal_key::{self, ATTRIBUTES, REGION, SCOPES, TABLE},
};

/// What is wrong with a key that may be whole, of more than is read here.
pub(crate) const ABOVE_LIMIT: &str = "a key above the limit of 1 MiB when it is expanded";

/// First field of a scope (the family) and of an attribute (its name).
const FIRST: u64 = 1;
/// Second field of a scope (its type) and of an attribute (its value).
const SECOND: u64 = 2;

/// Appends a key as Finback writes it, without the mark.
pub(crate) fn put(key: &KeyFields<'_>, dictionaries: &mut Dictionaries<WriteDictionary>, out: &mut Vec<u8>) {
    let mut coded = Vec::new();
    dictionaries.region.put(key.region, &mut coded);
    put_bytes(out, REGION, &coded);
    coded.clear();
    dictionaries.table.put(key.table, &mut coded);
    put_bytes(out, TABLE, &coded);
    key.put_numbers(out);
}

/// Appends another log's key, given uncompressed.
pub(crate) fn put_copy(
    key: &[u8],
    dictionaries: &mut Dictionaries<WriteDictionary>,
    out: &mut Vec<u8>,
) -> Result<(), &'static str> {
    let mut coder = |name: Name, bytes: &[u8], coded: &mut Vec<u8>| {
        match name {
            Name::Region => dictionaries.region.put(bytes, coded),
            Name::Table => dictionaries.table.put(bytes, coded),
            Name::Family => dictionaries.family.put(bytes, coded),
        }
        Ok(())
    };
    translate(key, &mut coder, out)
}

/// Appends the uncompressed form of a key.
pub(crate) fn expand(
    key: &[u8],
    dictionaries: &mut Dictionaries<ReadDictionary>,
    out: &mut Vec<u8>,
) -> Result<(), &'static str> {
    let mut coder = |name: Name, coded: &[u8], bytes: &mut Vec<u8>| {
        let dictionary = match name {
            Name::Region => &mut dictionaries.region,
            Name::Table => &mut dictionaries.table,
            Name::Family => &mut dictionaries.family,
        };
        expand_name(coded, dictionary, bytes)
    };
    translate(key, &mut coder, out)
}

/// The dictionary that codes a name.
#[derive(Debug, Clone, Copy)]
enum Name {
    Region,
    Table,
    Family,
}

type Coder<'a> = &'a mut dyn FnMut(Name, &[u8], &mut Vec<u8>) -> Result<(), &'static str>;

/// Appends `key` to `out` with every name put through the coder, in the order of HBase's reader.
fn translate(key: &[u8], coder: Coder<'_>, out: &mut Vec<u8>) -> Result<(), &'static str> {
    let mut fields = Vec::new();
    for field in Fields::of(key) {
        fields.push(field.ok_or("the key is not a protobuf message")?);
    }
    fields.sort_by_key(|field| field.number);
    let mut name = Vec::new();
    for (at, field) in fields.iter().enumerate() {
        let is_last = fields.get(at + 1).is_none_or(|next| next.number != field.number);
        match (field.number, field.value) {
            // Of a field that may be there once, protobuf takes the last.
            (REGION | TABLE, FieldValue::Bytes(bytes)) => {
                if is_last {
                    let dictionary = if field.number == REGION { Name::Region } else { Name::Table };
                    name.clear();
                    coder(dictionary, bytes, &mut name)?;
                    put_bytes(out, field.number, &name);
                }
            }
            (SCOPES, FieldValue::Bytes(scope)) => {
                let message = translate_part(scope, FIRST, Name::Family, coder)?;
                put_bytes(out, SCOPES, &message);
            }
            (ATTRIBUTES, FieldValue::Bytes(attribute)) => {
                let message = translate_part(attribute, SECOND, Name::Table, coder)?;
                put_bytes(out, ATTRIBUTES, &message);
            }
            _ => out.extend_from_slice(&key[field.start..field.end]),
        }
        if out.len() as u64 > MAX_KEY_BYTES {
            return Err(ABOVE_LIMIT);
        }
    }
    Ok(())
}

/// A scope or an attribute whose field `coded` goes through the coder.
fn translate_part(message: &[u8], coded: u64, name: Name, coder: Coder<'_>) -> Result<Vec<u8>, &'static str> {
    let last = |number: u64| {
        Fields::of(message)
            .flatten()
            .filter(|field| field.number == number)
            .last()
            .map(|f: Field<'_>| f.value)
    };
    let mut out = Vec::with_capacity(message.len());
    for number in [FIRST, SECOND] {
        match last(number).ok_or("a scope or an attribute that lacks a part")? {
            FieldValue::Bytes(bytes) if number == coded => {
                let mut translated = Vec::new();
                coder(name, bytes, &mut translated)?;
                put_bytes(&mut out, number, &translated);
            }
            FieldValue::Bytes(bytes) => put_bytes(&mut out, number, bytes),
            FieldValue::Varint(value) => put_uint(&mut out, number, value),
            FieldValue::Fixed => return Err("a scope or an attribute of the wrong type"),
        }
    }
    Ok(out)
}

/// Appends what a coded name stands for. Bytes after the code are ignored, as HBase does.
fn expand_name(coded: &[u8], dictionary: &mut ReadDictionary, out: &mut Vec<u8>) -> Result<(), &'static str> {
    let (&status, rest) = coded.split_first().ok_or("a name without its code")?;
    if status == SPELLED_OUT {
        let (length, n) = get_varint(rest).ok_or("a name without its length")?;
        let name = usize::try_from(length).ok().and_then(|length| rest[n..].get(..length));
        let name = name.ok_or("a name that is cut off")?;
        if !name.is_empty() {
            dictionary.add(name.into());
        }
        out.extend_from_slice(name);
        return Ok(());
    }
    let (&low, _) = rest.split_first().ok_or("an index that is cut off")?;
    let name = dictionary.get(u16::from_be_bytes([status, low])).ok_or("an index that has no name")?;
    out.extend_from_slice(name);
    Ok(())
}

/// More than [`put`] can add to the length of an uncompressed key: of two names, the first byte, a longer length, and
/// the length of the field.
pub(crate) const MAX_GROWTH: usize = 2 * 8;

const _: () = assert!(wal_key::REGION < wal_key::TABLE && wal_key::TABLE < SCOPES && SCOPES < ATTRIBUTES);

#[cfg(test)]
mod tests;
