//! The cell (KeyValue) and its order; rows, families, time ranges, mutations, table schemas. No I/O.
