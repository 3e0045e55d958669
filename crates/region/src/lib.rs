//! A region: stores, MVCC, row locks, reads, writes, flush. An embeddable engine with no network.
