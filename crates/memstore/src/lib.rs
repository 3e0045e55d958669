//! The memstore: active and immutable segments in an arena.
