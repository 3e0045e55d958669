//! One trait for storage, with a local disk, a strict in-memory one and a faulty one for tests.
