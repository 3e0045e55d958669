//! HFile v3: writer, reader, block index, checksums.
