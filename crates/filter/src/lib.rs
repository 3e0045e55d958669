//! HBase's filters and comparators: pure logic over cells.
