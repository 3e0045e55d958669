use super::*;
use crate::WalKey;
use crate::varint::put_varint;

fn key(region: &[u8], scopes: &[(&[u8], u64)], attributes: &[(&[u8], &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    let fields = KeyFields {
        region,
        table: b"ns:t",
        sequence_id: 7,
        write_time_ms: 8,
        cell_count: 9,
        nonce_group: 0,
        nonce: 1,
    };
    fields.put(&mut out);
    for (family, scope) in scopes {
        let mut message = Vec::new();
        put_bytes(&mut message, FIRST, family);
        put_uint(&mut message, SECOND, *scope);
        put_bytes(&mut out, SCOPES, &message);
    }
    for (name, value) in attributes {
        let mut message = Vec::new();
        put_bytes(&mut message, FIRST, name);
        put_bytes(&mut message, SECOND, value);
        put_bytes(&mut out, ATTRIBUTES, &message);
    }
    out
}

fn path() -> &'static std::path::Path {
    std::path::Path::new("/log")
}

#[test]
fn a_key_with_scopes_and_attributes_comes_back() {
    let mut writer = Dictionaries::of_file(path());
    let mut reader = Dictionaries::of_file(path());
    let mut sizes = Vec::new();
    for _ in 0..2 {
        let plain = key(
            b"region",
            &[(b"f", 1), (b"g", 2)],
            &[(b"name", b"value"), (b"other", b"ns:t"), (b"no", b"")],
        );
        let (mut coded, mut back) = (Vec::new(), Vec::new());
        put_copy(&plain, &mut writer, &mut coded).unwrap();
        expand(&coded, &mut reader, &mut back).unwrap();
        let (plain, back) = (WalKey::decode(&plain).unwrap(), WalKey::decode(&back).unwrap());
        assert_eq!((back.region(), back.table()), (plain.region(), plain.table()));
        assert_eq!((back.sequence_id(), back.cell_count(), back.nonce()), (7, 9, 1));
        assert!(back.scopes().eq(plain.scopes()));
        assert!(back.attributes().eq(plain.attributes()));
        sizes.push(coded.len());
    }
    assert!(sizes[1] < sizes[0], "{sizes:?}");
}

#[test]
fn fields_in_another_order_use_the_dictionaries_in_the_order_of_the_reader() {
    // The table first, and an attribute before it: a reader of HBase takes region, table, attribute.
    let mut plain = Vec::new();
    let mut attribute = Vec::new();
    put_bytes(&mut attribute, FIRST, b"name");
    put_bytes(&mut attribute, SECOND, b"ns:t");
    put_bytes(&mut plain, ATTRIBUTES, &attribute);
    put_bytes(&mut plain, TABLE, b"replaced");
    put_bytes(&mut plain, TABLE, b"ns:t");
    put_bytes(&mut plain, REGION, b"region");
    let mut coded = Vec::new();
    put_copy(&plain, &mut Dictionaries::of_file(path()), &mut coded).unwrap();
    let fields: Vec<_> = Fields::of(&coded).flatten().map(|field| field.number).collect();
    assert_eq!(fields, [REGION, TABLE, ATTRIBUTES]);
    assert!(
        coded.ends_with(&[0x12, 2, 0, 0]),
        "the attribute's value is index 0 of the tables: {coded:02x?}"
    );
}

#[test]
fn lying_names_are_refused() {
    let mut huge = vec![SPELLED_OUT];
    put_varint(&mut huge, u64::MAX);
    let names: [&[u8]; 6] = [b"", &[SPELLED_OUT], &[SPELLED_OUT, 5, 1], &huge, &[0], &[0, 0]];
    for name in names {
        let mut coded = Vec::new();
        put_bytes(&mut coded, REGION, name);
        let result = expand(&coded, &mut Dictionaries::of_file(path()), &mut Vec::new());
        assert!(result.is_err(), "{name:02x?}");
    }
}

#[test]
fn a_key_that_grows_without_bounds_is_refused() {
    let mut coded = Vec::new();
    let long = vec![7; 100_000];
    let mut spelled = vec![SPELLED_OUT];
    put_varint(&mut spelled, long.len() as u64);
    spelled.extend(&long);
    put_bytes(&mut coded, TABLE, &spelled);
    for _ in 0..100 {
        let mut attribute = Vec::new();
        put_bytes(&mut attribute, FIRST, b"");
        put_bytes(&mut attribute, SECOND, &[0, 0]);
        put_bytes(&mut coded, ATTRIBUTES, &attribute);
    }
    let mut out = Vec::new();
    assert_eq!(expand(&coded, &mut Dictionaries::of_file(path()), &mut out), Err(ABOVE_LIMIT));
    assert!(out.len() < 2 << 20);
}
