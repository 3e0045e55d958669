//! HBase's root directory: paths, version and id files, table and region descriptors on disk.
