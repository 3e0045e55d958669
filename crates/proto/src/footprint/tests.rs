use super::*;
use crate::pb;

fn repeat(part: &[u8], bytes: usize) -> Vec<u8> {
    part.repeat(bytes / part.len())
}

fn measured<M: Measured>(message: &M) -> u64 {
    measure::<M>(&message.encode_to_vec(), u64::MAX).unwrap()
}

#[test]
fn a_flood_of_empty_parts_is_refused_whatever_they_are() {
    const BYTES: usize = 8 << 20;
    fn refused<M: Measured + std::fmt::Debug>(part: &[u8]) {
        let error = decode::<M>(repeat(part, BYTES).into()).unwrap_err();
        assert!(matches!(error, ProtoError::TooMuchMemory { .. }), "{error}");
        assert!(error.to_string().contains(M::NAME), "{error}");
    }
    refused::<pb::MultiRequest>(b"\x0a\x00");
    refused::<pb::RegionAction>(b"\x1a\x00");
    refused::<pb::Get>(b"\x12\x00");
    refused::<pb::Get>(b"\x1a\x00");
    refused::<pb::Scan>(b"\x0a\x00");
    refused::<pb::Column>(b"\x12\x00");
    refused::<pb::MutationProto>(b"\x1a\x00");
    refused::<pb::MutationProto>(b"\x2a\x00");
    refused::<pb::mutation_proto::ColumnValue>(b"\x12\x00");
    refused::<pb::MutateRowsRequest>(b"\x0a\x00");
    refused::<pb::FilterList>(b"\x12\x00");
    refused::<pb::BulkLoadHFileRequest>(b"\x3a\x00");
    refused::<pb::BulkLoadHFileRequest>(b"\x12\x00");
}

#[test]
fn a_flood_deep_within_is_found() {
    let mut region_action = pb::RegionAction::default().encode_to_vec();
    region_action.extend(repeat(b"\x1a\x00", 8 << 20));
    let mut request = vec![0x0a];
    crate::delimited::write_length(region_action.len(), &mut request);
    request.append(&mut region_action);
    assert!(matches!(
        decode::<pb::MultiRequest>(request.into()),
        Err(ProtoError::TooMuchMemory { message: "MultiRequest", .. })
    ));
}

#[test]
fn many_boxes_of_one_field_are_counted_each() {
    // One Action whose `get` comes again and again, and is merged: the decoder has one box, the measure is careful.
    let data = repeat(b"\x1a\x00", 1 << 20);
    assert!(measure::<pb::Action>(&data, u64::MAX).unwrap() > size_of::<pb::Action>() as u64);
}

#[test]
fn a_large_batch_of_puts_is_decoded() {
    let mutation = pb::MutationProto {
        row: Some(Bytes::from_static(b"user0123456789")),
        mutate_type: Some(pb::mutation_proto::MutationType::Put as i32),
        associated_cell_count: Some(1),
        durability: Some(pb::mutation_proto::Durability::UseDefault as i32),
        ..Default::default()
    };
    let action =
        |index| pb::Action { index: Some(index), mutation: Some(mutation.clone()), ..Default::default() };
    let region_action = pb::RegionAction { action: (0..100_000).map(action).collect(), ..Default::default() };
    let request = pb::MultiRequest { region_action: vec![region_action], ..Default::default() };
    let decoded: pb::MultiRequest = decode(request.encode_to_vec().into()).unwrap();
    assert_eq!(decoded, request);
}

#[test]
fn what_is_measured_is_what_the_decoder_takes() {
    // Vectors that the decoder makes have the capacities that were counted.
    for count in [1usize, 4, 5, 100, 1000] {
        let columns =
            vec![pb::Column { qualifier: vec![Bytes::from_static(b"q"); 3], ..Default::default() }; count];
        let get = pb::Get { column: columns, ..Default::default() };
        let decoded = pb::Get::decode(Bytes::from(get.encode_to_vec())).unwrap();
        let qualifiers: usize = decoded.column.iter().map(|column| column.qualifier.capacity()).sum();
        let taken = size_of::<pb::Get>()
            + decoded.column.capacity() * size_of::<pb::Column>()
            + qualifiers * size_of::<Bytes>();
        assert_eq!(measured(&get), taken as u64, "{count} columns");
    }
}

#[test]
fn texts_count_with_their_bytes_and_packed_numbers_with_theirs() {
    let authorizations = pb::Authorizations { label: vec!["x".repeat(1000)] };
    let text = 4 * size_of::<String>() as u64 + 1000 + ALLOCATION_BYTES;
    assert_eq!(measured(&authorizations), size_of::<pb::Authorizations>() as u64 + text);
    // ScanResponse.cells_per_result = 1, packed.
    let mut packed = vec![0x0a, 100];
    packed.extend([1; 100]);
    let expected = size_of::<pb::ScanResponse>() as u64 + 128 * 8;
    assert_eq!(measure::<pb::ScanResponse>(&packed, u64::MAX).unwrap(), expected);
    let single = [0x08, 1].repeat(100);
    assert_eq!(measure::<pb::ScanResponse>(&single, u64::MAX).unwrap(), expected);
}

#[test]
fn what_is_malformed_is_left_to_the_decoder_to_name() {
    let mut data = repeat(b"\x0a\x00", UNMEASURED_BYTES + 2);
    data.extend([0x0a, 0x7f]);
    assert!(matches!(decode::<pb::MultiRequest>(data.into()), Err(ProtoError::Decode { .. })));
}

#[test]
fn nesting_without_end_ends() {
    // A protobuf group in a group, and so on; and messages in messages.
    assert!(measure::<pb::MultiRequest>(&[0x0b; 1 << 20], u64::MAX).is_ok());
    let mut filter = Vec::new();
    for _ in 0..1000 {
        let mut outer = vec![0x12];
        crate::delimited::write_length(filter.len(), &mut outer);
        outer.append(&mut filter);
        filter = outer;
    }
    assert!(measure::<pb::FilterList>(&filter, u64::MAX).is_ok());
}
