//! A tiny read-only ZooKeeper responder, so that default HBase clients find a standalone server.
