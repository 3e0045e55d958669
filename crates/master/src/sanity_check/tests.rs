use super::*;
use finback_cell::{TableName, schema::set_entry};

const REFUSE: SanityChecks = SanityChecks { refuse: true, blocking_store_files: 16 };
const WARN: SanityChecks = SanityChecks { refuse: false, ..REFUSE };

fn table(change: impl FnOnce(&mut TableDescriptor)) -> TableDescriptor {
    let mut table = TableDescriptor::new(TableName::parse(b"t").unwrap());
    table.families.push(ColumnFamilyDescriptor::with_defaults(b"f"));
    change(&mut table);
    table
}

fn family(key: &str, value: &str) -> TableDescriptor {
    table(|table| set_entry(&mut table.families[0].attributes, key, value))
}

fn attribute(key: &str, value: &str) -> TableDescriptor {
    table(|table| set_entry(&mut table.attributes, key, value))
}

#[test]
fn replicas_beyond_all_measure_are_refused_whatever_is_switched_off() {
    assert_eq!(check(&attribute("REGION_REPLICATION", "100"), REFUSE), Ok(()));
    let mut table = attribute("REGION_REPLICATION", "2000000000");
    assert_eq!(table.region_replication(), 100);
    set_entry(&mut table.attributes, SWITCH, "false");
    for checks in [REFUSE, WARN] {
        let error = check(&table, checks).unwrap_err();
        assert_eq!(error.message, "Table region replication should be at most 100.");
    }
}

#[test]
fn every_check_has_its_message_and_can_be_switched_off() {
    let cases = [
        (attribute("MAX_FILESIZE", "2097151"), "MAX_FILESIZE for table descriptor"),
        (attribute("MEMSTORE_FLUSHSIZE", "1048575"), "MEMSTORE_FLUSHSIZE for table descriptor"),
        (attribute("REGION_REPLICATION", "0"), "Table region replication should be at least one."),
        (table(|table| table.families.clear()), "Table should have at least one column family."),
        (family("TTL", "0"), "TTL for column family f must be positive."),
        (family("BLOCKSIZE", "1023"), "Block size for column family f  must be between 1K and 16MB."),
        (family("BLOCKSIZE", "16777217"), "Block size for column family f  must be between"),
        (family("MIN_VERSIONS", "-1"), "Min versions for column family f  must be positive."),
        (family("MIN_VERSIONS", "2"), "Min versions for column family f must be less than the Max versions."),
        (family("DFS_REPLICATION", "-1"), "HFile Replication for column family f"),
        (family("REPLICATION_SCOPE", "2"), "Replication scope for column family f is 2 which is invalid."),
        (
            family("IN_MEMORY_COMPACTION", "INVALID"),
            "No enum constant org.apache.hadoop.hbase.MemoryCompactionPolicy.INVALID",
        ),
        (family("COMPRESSION_COMPACT", "LZO"), "Compression algorithm 'lzo' previously failed test."),
        (family("BLOOMFILTER", "ROWPREFIX_FIXED_LENGTH"), "Failed to get bloom filter param"),
        (
            attribute("SPLIT_POLICY", "nonexisting.foo.class"),
            "Unable to load configured region split policy 'nonexisting.foo.class' for table 't'",
        ),
        (attribute("coprocessor$1", "|a.B|1001|"), "Class a.B cannot be loaded Set"),
        (attribute("hbase.regionserver.region.split.policy", "x"), "Unable to load configured region split"),
    ];
    for (mut table, message) in cases {
        let error = check(&table, REFUSE).unwrap_err();
        assert!(error.message.starts_with(message), "{error}");
        assert!(error.message.ends_with("if you want to bypass sanity checks"), "{error}");
        assert_eq!(error.simple_class(), "DoNotRetryIOException");
        assert_eq!(check(&table, WARN), Ok(()));
        set_entry(&mut table.attributes, SWITCH, "false");
        assert_eq!(check(&table, REFUSE), Ok(()), "{message}");
    }
}

#[test]
fn some_checks_cannot_be_switched_off() {
    assert_eq!(check(&family("TTL", "soon"), WARN).unwrap_err().message, "TTL is not a number: \"soon\"");
    assert_eq!(
        check_names(&family("VERSIONS", "0")).unwrap_err().message,
        "Maximum versions must be positive"
    );
}

#[test]
fn what_was_to_be_encrypted_is_refused() {
    for checks in [REFUSE, WARN] {
        let error = check(&family("ENCRYPTION", "AES"), checks).unwrap_err();
        let told =
            "Cipher AES failed test: encryption is disabled on the cluster Set hbase.table.sanity.checks";
        assert!(error.message.starts_with(told), "{error}");
    }
}

#[test]
fn stores_whose_files_are_only_dropped_need_an_age_and_room() {
    let fifo = |settings: &[(&str, &str)]| {
        table(|table| {
            let policy = "org.apache.hadoop.hbase.regionserver.compactions.FIFOCompactionPolicy";
            let key = "hbase.hstore.defaultengine.compactionpolicy.class";
            set_entry(&mut table.families[0].configuration, key, policy);
            for (key, value) in settings {
                set_entry(&mut table.families[0].attributes, key, value);
            }
        })
    };
    let files = ("hbase.hstore.blockingStoreFiles", "1000");
    for (table, message) in [
        (fifo(&[files]), "Default TTL is not supported for FIFO compaction"),
        (fifo(&[("TTL", "10"), ("MIN_VERSIONS", "1"), files]), "MIN_VERSION > 0 is not supported"),
        (fifo(&[("TTL", "10")]), "Blocking file count 'hbase.hstore.blockingStoreFiles' 16 is below"),
    ] {
        assert!(check(&table, WARN).unwrap_err().message.starts_with(message), "{message}");
    }
    assert_eq!(check(&fifo(&[("TTL", "10"), files]), REFUSE), Ok(()));
    let of_server = SanityChecks { blocking_store_files: 1000, ..REFUSE };
    assert_eq!(check(&fifo(&[("TTL", "10")]), of_server), Ok(()));
}

#[test]
fn defaults_and_borders_pass() {
    for good in [
        table(|_| {}),
        attribute("MAX_FILESIZE", "2097152"),
        attribute("MEMSTORE_FLUSHSIZE", "1048576"),
        family("TTL", "FOREVER"),
        family("BLOCKSIZE", "1024"),
        family("BLOCKSIZE", "16777216"),
        family("REPLICATION_SCOPE", "1"),
        family("COMPRESSION", "zstd"),
        family("IN_MEMORY_COMPACTION", "eager"),
        attribute("SPLIT_POLICY", "org.apache.hadoop.hbase.regionserver.SteppingSplitPolicy"),
        attribute("coprocessor$1", "|org.apache.hadoop.hbase.coprocessor.AggregateImplementation|"),
        attribute("coprocessor$1", "no coprocessor, to HBase neither"),
        table(|table| table.families[0].attributes.clear()),
    ] {
        assert_eq!(check(&good, REFUSE), Ok(()));
        assert_eq!(check_names(&good), Ok(()));
    }
}

#[test]
fn family_names_that_are_no_directory_are_refused() {
    for bad in [&b".f"[..], b"a/b", b"a\\b", b"a:b", b"a\nb", b"recovered.edits", b"\xff"] {
        let table = table(|table| table.families[0].name = bytes::Bytes::copy_from_slice(bad));
        assert!(check_names(&table).is_err(), "{}", bad.escape_ascii());
    }
}
