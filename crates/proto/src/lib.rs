//! HBase's wire messages, from our own .proto files, and their conversion to and from finback-cell.
