//! The two forms of Zstandard. An HBase writes and reads one of them: that of the class in its configuration.

use crate::{StreamCodec, ZSTD_MAGIC};

/// The form of a stream of Zstandard (`hbase.io.compress.zstd.codec`). Both are read here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum ZstdForm {
    /// A bare frame, as Hadoop's native `ZStandardCodec` writes it: HBase's default.
    #[default]
    Frame,
    /// Frames as chunks of Hadoop's block framing, as HBase's own `ZstdCodec` writes them.
    Chunks,
}

impl ZstdForm {
    /// The form of what a Java class writes; none if it is no codec of Zstandard that is known.
    pub fn of_class(class: &str) -> Option<Self> {
        match StreamCodec::of_class(class)? {
            StreamCodec::Zstd => Some(Self::Frame),
            StreamCodec::ZstdChunks => Some(Self::Chunks),
            StreamCodec::Gzip | StreamCodec::Zlib | StreamCodec::Snappy | StreamCodec::Lz4 => None,
        }
    }

    /// The form of a stream, which must be one of Zstandard.
    pub fn of_stream(stream: &[u8]) -> Self {
        // Of nothing there are no frames.
        let is_bare = stream.is_empty() || stream.starts_with(&ZSTD_MAGIC);
        if is_bare { Self::Frame } else { Self::Chunks }
    }
}
