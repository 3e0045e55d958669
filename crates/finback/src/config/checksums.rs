//! What the settings say about checksums of blocks.

use super::table::ServerConfig;
use finback_region::ChecksumConfig;

impl ServerConfig {
    /// How files of stores without settings of their own are checked.
    pub fn checksums(&self) -> ChecksumConfig {
        ChecksumConfig {
            checksum_type: self.tables.checksum_algorithm,
            bytes_per_checksum: self.tables.bytes_per_checksum,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Sources;
    use finback_region::ChecksumType;

    fn load(pairs: &[(&str, &str)]) -> Result<ChecksumConfig, String> {
        let overrides = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let loaded = ServerConfig::load(&Sources { overrides, ..Sources::default() });
        loaded.map(|loaded| loaded.config.checksums()).map_err(|error| error.to_string())
    }

    #[test]
    fn the_defaults_of_the_server_are_those_of_the_engine() {
        assert_eq!(load(&[]), Ok(ChecksumConfig::default()));
    }

    #[test]
    fn the_settings_of_hbase_are_read() {
        let given = [("hbase.hstore.checksum.algorithm", "NULL"), ("hbase.hstore.bytes.per.checksum", "512")];
        let expected = ChecksumConfig { checksum_type: ChecksumType::Null, bytes_per_checksum: 512 };
        assert_eq!(load(&given), Ok(expected));
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_its_name_and_value() {
        for (name, value) in [
            ("hbase.hstore.checksum.algorithm", "MD5"),
            ("hbase.hstore.bytes.per.checksum", "0"),
            ("hbase.hstore.bytes.per.checksum", "-16384"),
            ("hbase.hstore.bytes.per.checksum", "2147483648"),
        ] {
            let refused = load(&[(name, value)]).unwrap_err();
            assert!(refused.contains(name) && refused.contains(value), "{refused}");
        }
    }
}
