use finback_compression::Compression;

/// How a log is compressed (`hbase.regionserver.wal.enablecompression`): what was written before in the same file is
/// replaced by a number, see [`crate::dictionary`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WalCompression {
    /// Tags as well (`hbase.regionserver.wal.tags.enablecompression`).
    pub tags: bool,
    /// Values, each with this codec (`hbase.regionserver.wal.value.enablecompression` and
    /// `hbase.regionserver.wal.value.compression.type`).
    pub values: Option<Compression>,
}

impl Default for WalCompression {
    /// HBase's defaults once compression is on.
    fn default() -> Self {
        Self { tags: true, values: None }
    }
}
