//! Any bytes can be measured; what is small is never refused for its size; what the decoder takes, the measure has seen.

use finback_proto::footprint::{Measured, UNMEASURED_BYTES, budget, decode, measure};
use finback_proto::{Message, ProtoError, pb};
use proptest::collection::vec;
use proptest::prelude::*;

/// Bytes that look like fields: small numbers, all wire types, lengths that often fit.
fn like_fields() -> impl Strategy<Value = Vec<u8>> {
    let field = (1u8..8, 0u8..6, vec(any::<u8>(), 0..12)).prop_map(|(number, wire, body)| {
        let mut field = vec![number << 3 | wire, body.len() as u8];
        field.extend(body);
        field
    });
    vec(field, 0..64).prop_map(|fields| fields.concat())
}

fn nested() -> impl Strategy<Value = Vec<u8>> {
    like_fields().prop_recursive(6, 64, 8, |inner| {
        vec((1u8..8, inner), 0..8).prop_map(|fields| {
            let mut message = Vec::new();
            for (number, body) in fields {
                message.push(number << 3 | 2);
                finback_proto::delimited::write_length(body.len(), &mut message);
                message.extend(body);
            }
            message
        })
    })
}

fn check<M: Measured>(data: &[u8]) -> Result<(), TestCaseError> {
    let taken = measure::<M>(data, u64::MAX).unwrap();
    prop_assert!(taken >= size_of::<M>() as u64);
    if data.len() <= UNMEASURED_BYTES {
        prop_assert!(taken <= budget(data.len()), "{} bytes take {taken}", data.len());
        let is_refused = matches!(decode::<M>(data.to_vec().into()), Err(ProtoError::TooMuchMemory { .. }));
        prop_assert!(!is_refused);
    }
    if taken > size_of::<M>() as u64 {
        prop_assert!(measure::<M>(data, taken - 1).is_err());
    }
    Ok(())
}

fn check_all(data: &[u8]) -> Result<(), TestCaseError> {
    check::<pb::MultiRequest>(data)?;
    check::<pb::MutateRequest>(data)?;
    check::<pb::GetRequest>(data)?;
    check::<pb::ScanRequest>(data)?;
    check::<pb::FilterList>(data)?;
    check::<pb::RpctInfo>(data)?;
    check::<pb::CoprocessorServiceRequest>(data)
}

proptest! {
    #[test]
    fn any_bytes(data in vec(any::<u8>(), 0..4096)) {
        check_all(&data)?;
    }

    #[test]
    fn bytes_like_messages(data in nested()) {
        check_all(&data)?;
    }

    #[test]
    fn all_actions_that_are_decoded_were_counted(gets in vec(0usize..4, 0..40)) {
        let action = |columns: &usize| {
            let get = pb::Get { column: vec![pb::Column::default(); *columns], ..Default::default() };
            pb::Action { get: Some(Box::new(get)), ..Default::default() }
        };
        let message = pb::RegionAction { action: gets.iter().map(action).collect(), ..Default::default() };
        let data = message.encode_to_vec();
        let decoded: pb::RegionAction = decode(data.clone().into()).unwrap();
        let columns: usize = decoded.action.iter().map(|a| a.get.as_ref().unwrap().column.capacity()).sum();
        let taken = decoded.action.capacity() * size_of::<pb::Action>()
            + gets.len() * size_of::<pb::Get>()
            + columns * size_of::<pb::Column>();
        prop_assert!(measure::<pb::RegionAction>(&data, u64::MAX).unwrap() >= taken as u64);
    }
}
