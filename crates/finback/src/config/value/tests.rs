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
fn memory_is_a_number_or_a_fraction() {
    assert_eq!(Memory::parse("512m"), Some(MemorySize::Bytes(512 << 20)));
    assert_eq!(Memory::parse("0.4"), Some(MemorySize::Fraction(0.4)));
    for text in ["0", "0.0", "0.9", "1.0", "-0.1", ".nan", "0.4.2"] {
        assert_eq!(Memory::parse(text), None, "{text}");
    }
    assert_eq!(MemorySize::Fraction(0.5).bytes(1000), 500);
    assert_eq!(MemorySize::Bytes(7).bytes(1000), 7);
}

#[test]
fn ports_addresses_and_flags_are_strict() {
    assert_eq!(Port::parse("0"), Some(0));
    assert!(["65536", "-1", "", "2181 "].iter().all(|text| Port::parse(text).is_none()));
    assert_eq!(Host::parse("::1").as_deref(), Some("::1"));
    assert!(["", "a b", "http://x", "a/b"].iter().all(|text| Host::parse(text).is_none()));
    assert_eq!(OptionalHost::parse(""), Some(None));
    assert_eq!(Flag::parse("TRUE"), Some(true));
    assert!(["yes", "1", ""].iter().all(|text| Flag::parse(text).is_none()));
    assert_eq!(Codec::parse("gz"), Some(Compression::Gz));
    assert!(["lzo", "gzip", ""].iter().all(|text| Codec::parse(text).is_none()));
    assert!(["0", "NaN", "1.01", "-0.5", "inf"].iter().all(|text| Fraction::parse(text).is_none()));
    assert!(["0", "-1", "1.5", "4294967296"].iter().all(|text| Count::parse(text).is_none()));
}

#[test]
fn directories_are_local() {
    for text in ["/var/finback", "file:///var/finback", "file:/var/finback"] {
        assert_eq!(LocalDirectory::parse(text), Some("/var/finback".into()), "{text}");
    }
    assert_eq!(LocalDirectory::parse("data"), Some("data".into()));
    assert!(["", "file://", "hdfs://nn/hbase"].iter().all(|text| LocalDirectory::parse(text).is_none()));
}

#[test]
fn znodes_start_at_the_root() {
    assert_eq!(Znode::parse("/hbase-unsecure").as_deref(), Some("/hbase-unsecure"));
    assert_eq!(Znode::parse("/a/b").as_deref(), Some("/a/b"));
    assert!(["", "/", "hbase", "/hbase/", "/a//b", "/.."].iter().all(|text| Znode::parse(text).is_none()));
}

#[test]
fn throughput_controllers_go_by_their_names_with_or_without_a_package() {
    let package = "org.apache.hadoop.hbase.regionserver.throttle.";
    for (name, limits) in [
        ("PressureAwareCompactionThroughputController", Some(true)),
        ("NoLimitThroughputController", Some(false)),
        ("PressureAwareFlushThroughputController", None),
        ("", None),
    ] {
        assert_eq!(CompactionThrottle::parse(name), limits, "{name}");
        assert_eq!(CompactionThrottle::parse(&format!("{package}{name}")), limits, "{name}");
    }
    assert_eq!(FlushThrottle::parse("PressureAwareFlushThroughputController"), Some(true));
    assert_eq!(FlushThrottle::parse("PressureAwareCompactionThroughputController"), None);
}
