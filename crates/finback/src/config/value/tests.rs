use super::*;

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
    assert_eq!(OptionalCodec::parse("gz"), Some(Some(Compression::Gz)));
    assert_eq!(OptionalCodec::parse("NONE"), Some(None));
    assert!(["lzo", "gzip", ""].iter().all(|text| OptionalCodec::parse(text).is_none()));
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
