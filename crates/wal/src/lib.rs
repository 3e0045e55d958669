//! HBase's write-ahead log: format, group commit, rolling, splitting, replay.
