use super::*;

#[test]
fn bytes_take_binary_suffixes_and_no_overflow() {
    for (text, bytes) in [("1", 1), ("128m", 128 << 20), ("2K", 2048), ("3g", 3 << 30), ("1t", 1 << 40)] {
        assert_eq!(ByteCount::parse(text), Some(bytes), "{text}");
    }
    for text in ["", "0", "-1", "m", "1.5g", "99999999999t", "1 m", "12x", "é"] {
        assert_eq!(ByteCount::parse(text), None, "{text}");
    }
}

#[test]
fn times_are_milliseconds_unless_they_say_otherwise() {
    let cases = [("60000", 60_000), ("5ms", 5), ("60s", 60_000), ("2m", 120_000), ("1h", 3_600_000)];
    for (text, ms) in cases {
        assert_eq!(Milliseconds::parse(text), Some(Duration::from_millis(ms)), "{text}");
    }
    for text in ["", "0", "s", "-3s", "1w", "99999999999999999d"] {
        assert_eq!(Milliseconds::parse(text), None, "{text}");
    }
}

#[test]
fn values_are_written_in_the_largest_unit_that_divides_them() {
    for (text, written) in [("134217728", "128m"), ("65k", "65k"), ("1000", "1000"), ("1024m", "1g")] {
        assert_eq!(canonical::<ByteCount>(text).as_deref(), Some(written));
    }
    for (text, written) in [("60000", "1m"), ("90s", "90s"), ("7d", "7d"), ("1001", "1001ms"), ("168h", "7d")]
    {
        assert_eq!(canonical::<Milliseconds>(text).as_deref(), Some(written));
    }
    assert_eq!(canonical::<ByteCount>("x"), None);
    assert_eq!(canonical::<OptionalMilliseconds>("0").as_deref(), Some("0"));
}

#[test]
fn what_may_be_without_a_limit_says_so() {
    assert_eq!(Rate::parse("unlimited"), Some(None));
    assert_eq!((Rate::parse("9223372036854775807"), Rate::parse("5m")), (Some(None), Some(Some(5 << 20))));
    assert_eq!(canonical::<Rate>("9223372036854775807").as_deref(), Some("unlimited"));
    assert_eq!((canonical::<Rate>("52428800").as_deref(), Rate::parse("off")), (Some("50m"), None));
    assert_eq!((SizeThreshold::parse("-1"), SizeThreshold::parse("1k")), (Some(None), Some(Some(1024))));
    assert_eq!(canonical::<SizeThreshold>("-1").as_deref(), Some("off"));
    assert_eq!(TimeThreshold::parse("off"), Some(None));
    assert_eq!(TimeThreshold::parse("0"), Some(Some(Duration::ZERO)));
    assert_eq!(TimeThreshold::parse("-2"), None);
}
