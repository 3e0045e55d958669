//! The kind of value that only the codec of Zstandard has.

use super::setting::TomlForm;
use super::value::Kind;
use finback_compression::ZstdForm;

/// A Java class that writes Zstandard: what counts of it is the form of its streams.
pub struct ZstdCodec;

impl Kind for ZstdCodec {
    type Value = ZstdForm;
    const UNIT: &'static str = "class";
    const EXPECTED: &'static str = "org.apache.hadoop.io.compress.ZStandardCodec, \
        org.apache.hadoop.hbase.io.compress.zstd.ZstdCodec or \
        org.apache.hadoop.hbase.io.compress.aircompressor.ZstdCodec";
    const FORM: TomlForm = TomlForm::Text;

    fn parse(text: &str) -> Option<ZstdForm> {
        ZstdForm::of_class(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ServerConfig, Sources};

    const HBASES_NAME: &str = "hbase.io.compress.zstd.codec";

    fn load(pairs: &[(&str, &str)]) -> Result<ServerConfig, String> {
        let overrides = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let loaded = ServerConfig::load(&Sources { overrides, ..Sources::default() });
        loaded.map(|loaded| loaded.config).map_err(|error| error.to_string())
    }

    fn classes() -> Vec<&'static str> {
        ZstdCodec::EXPECTED.split([',', ' ']).filter(|word| word.contains('.')).collect()
    }

    #[test]
    fn hadoops_codec_writes_frames_and_hbases_codecs_write_chunks() {
        let forms: Vec<_> = classes().into_iter().map(ZstdCodec::parse).collect();
        assert_eq!(forms, [Some(ZstdForm::Frame), Some(ZstdForm::Chunks), Some(ZstdForm::Chunks)]);
        assert_eq!(load(&[]).unwrap().zstd_codec, ZstdForm::Frame);
        for name in [HBASES_NAME, "compression.zstd-codec"] {
            assert_eq!(load(&[(name, classes()[1])]).unwrap().zstd_codec, ZstdForm::Chunks, "{name}");
        }
    }

    #[test]
    fn another_class_is_refused_with_those_that_there_are() {
        let others = [
            "",
            "zstd",
            "ZStandardCodec",
            "org.apache.hadoop.hbase.io.compress.zstd.zstdcodec",
            "org.apache.hadoop.io.compress.SnappyCodec",
            "com.example.ZstdCodec",
        ];
        for other in others {
            let refused = load(&[(HBASES_NAME, other)]).unwrap_err();
            assert!(refused.contains(HBASES_NAME) && refused.contains(other), "{refused}");
            assert!(classes().into_iter().all(|class| refused.contains(class)), "{refused}");
        }
    }
}
