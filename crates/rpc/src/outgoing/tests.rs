use super::*;
use proptest::prelude::*;

fn head(out: &Outgoing) -> Vec<Vec<u8>> {
    let mut slices = [IoSlice::new(&[]); MAX_SLICES];
    let count = out.slices(&mut slices);
    slices[..count].iter().map(|slice| slice.to_vec()).collect()
}

#[test]
fn small_replies_share_a_segment_and_large_parts_are_not_copied() {
    let mut out = Outgoing::default();
    out.append(|segment| segment.extend_from_slice(b"ab"));
    out.push(b"c".to_vec(), None);
    let large = vec![7; COPY_LIMIT];
    let address = large.as_ptr();
    out.push(large, None);
    out.append(|segment| segment.push(b'd'));
    assert_eq!(head(&out).iter().map(Vec::len).collect::<Vec<_>>(), [3, COPY_LIMIT, 1]);
    assert_eq!(out.segments[1].bytes.as_ptr(), address);
    assert_eq!(out.len(), COPY_LIMIT + 4);
}

#[test]
fn the_memory_of_a_written_segment_is_used_again() {
    let mut out = Outgoing::default();
    out.append(|segment| segment.extend_from_slice(&[1; 100]));
    let address = out.segments[0].bytes.as_ptr();
    out.advance(100);
    assert!(out.is_empty() && out.segments.is_empty());
    out.append(|segment| segment.push(2));
    assert_eq!(out.segments[0].bytes.as_ptr(), address);
}

proptest! {
    #[test]
    fn what_goes_in_comes_out(
        parts in proptest::collection::vec((0usize..20_000, any::<bool>()), 1..40),
        step in 1usize..30_000,
    ) {
        let (mut out, mut expected, mut found) = (Outgoing::default(), Vec::new(), Vec::new());
        let drain = |out: &mut Outgoing, found: &mut Vec<u8>, most: usize| {
            let bytes: Vec<u8> = head(out).concat();
            let count = most.min(bytes.len());
            found.extend_from_slice(&bytes[..count]);
            out.advance(count);
        };
        for (i, (length, push)) in parts.into_iter().enumerate() {
            let part = vec![i as u8; length];
            expected.extend_from_slice(&part);
            if push { out.push(part, None) } else { out.append(|segment| segment.extend_from_slice(&part)) }
            drain(&mut out, &mut found, step);
        }
        while !out.is_empty() {
            drain(&mut out, &mut found, step);
        }
        prop_assert!(found == expected);
    }
}

#[test]
fn what_is_counted_for_a_part_is_until_its_last_byte_is_written() {
    let memory = crate::ReplyMemory::new(1 << 20);
    let mut share = memory.share();
    assert!(share.try_hold(100_000));
    let mut out = Outgoing::default();
    out.append(|segment| segment.push(1));
    out.push(vec![0; 100_000], Some(share));
    out.advance(100_000);
    assert_eq!(memory.bytes(), 100_000);
    out.advance(1);
    assert_eq!(memory.bytes(), 0);
}
