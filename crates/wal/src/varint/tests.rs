use super::*;

#[test]
fn varints_round_trip_at_every_width() {
    for shift in 0..64 {
        for value in [1u64 << shift, (1 << shift) - 1, !0 << shift] {
            let mut out = Vec::new();
            put_varint(&mut out, value);
            assert_eq!(out.len(), varint_len(value));
            assert_eq!(get_varint(&out), Some((value, out.len())));
            assert_eq!(get_varint(&out[..out.len() - 1]), None);
        }
    }
}

#[test]
fn a_varint_that_does_not_fit_is_refused() {
    assert_eq!(get_varint(&[0xff; 10]), None);
    assert_eq!(get_varint(&[0x80; 11]), None);
    assert_eq!(get_varint(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]), Some((u64::MAX, 10)));
}

#[test]
fn lying_lengths_end_the_fields() {
    for message in [&[0x0a, 5, 1][..], &[0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f], &[0x09, 1], &[0x0b], &[0x02, 0]]
    {
        let fields: Vec<_> = Fields::of(message).collect();
        assert_eq!(fields.len(), 1);
        assert!(fields[0].is_none(), "{message:?}");
    }
}
