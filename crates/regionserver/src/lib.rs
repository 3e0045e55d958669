//! Regions served over RPC: scanners with leases, multi, chunked replies.
