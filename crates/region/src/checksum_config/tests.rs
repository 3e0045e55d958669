use super::*;
use finback_cell::TableName;
use finback_cell::schema::set_entry;
use finback_hfile::WriterOptions;

const ALGORITHM: &str = "hbase.hstore.checksum.algorithm";
const BYTES: &str = "hbase.hstore.bytes.per.checksum";

fn of(of_table: &[(&str, &str)], of_family: &[(&str, &str)]) -> (ChecksumType, usize) {
    let mut table = TableDescriptor::new(TableName::parse(b"t").unwrap());
    of_table.iter().for_each(|(name, value)| set_entry(&mut table.attributes, name, value));
    let mut family = ColumnFamilyDescriptor::with_defaults(b"f");
    of_family.iter().for_each(|(name, value)| set_entry(&mut family.configuration, name, value));
    let config = ChecksumConfig::default().of_store(&table, &family);
    (config.checksum_type, config.bytes_per_checksum)
}

#[test]
fn the_defaults_are_those_of_the_writer() {
    let (config, options) = (ChecksumConfig::default(), WriterOptions::default());
    let of_writer = (options.checksum_type, options.bytes_per_checksum);
    assert_eq!((config.checksum_type, config.bytes_per_checksum), of_writer);
}

#[test]
fn tables_and_families_have_their_own() {
    assert_eq!(of(&[(ALGORITHM, "CRC32"), (BYTES, "512")], &[]), (ChecksumType::Crc32, 512));
    assert_eq!(of(&[(ALGORITHM, "CRC32")], &[(ALGORITHM, "NULL")]), (ChecksumType::Null, 16 << 10));
    assert_eq!([of(&[], &[(BYTES, "33")]).1, of(&[], &[(BYTES, "1048576")]).1], [33, 1 << 20]);
}

#[test]
fn what_makes_no_sense_is_as_if_it_were_not_there() {
    let defaults = of(&[], &[]);
    for algorithm in ["", "MD5", "crc32", "CRC32 C"] {
        assert_eq!(of(&[], &[(ALGORITHM, algorithm)]), defaults, "{algorithm}");
    }
    for bytes in ["", "0", "-1", "32", "1048577", "2147483648", "18446744073709551616", "many"] {
        assert_eq!(of(&[], &[(BYTES, bytes)]), defaults, "{bytes}");
    }
}
