"""HBase's Thrift gateway (the first interface), asked by happybase: thrift.py HOST PORT."""

import sys

import happybase

from checks import Checks, same

TABLE = "thrift_table"
connection = happybase.Connection(sys.argv[1], int(sys.argv[2]), timeout=120_000)
check = Checks()
if TABLE.encode() in connection.tables():
    connection.delete_table(TABLE, disable=True)
table = connection.table(TABLE)


@check("a table is made and described")
def _():
    connection.create_table(TABLE, {"f": dict(max_versions=3, compression="GZ"), "g": dict()})
    same(True, TABLE.encode() in connection.tables())
    families = table.families()
    same((3, b"GZ"), (families[b"f"]["max_versions"], families[b"f"]["compression"]))
    same(1, len(table.regions()))


@check("rows are written and read")
def _():
    table.put(b"a", {b"f:q": b"old"}, timestamp=5)
    table.put(b"a", {b"f:q": b"new", b"g:x": b"y"})
    same({b"f:q": b"new", b"g:x": b"y"}, table.row(b"a"))
    same({b"g:x": b"y"}, table.row(b"a", columns=[b"g"]))
    same({b"f:q": (b"old", 5)}, table.row(b"a", timestamp=6, include_timestamp=True))
    same([b"new", b"old"], table.cells(b"a", b"f:q"))
    same([(b"a", {b"f:q": b"new", b"g:x": b"y"})], table.rows([b"a", b"nobody"]))


@check("batches")
def _():
    with table.batch(batch_size=70) as batch:
        for i in range(500):
            batch.put(b"r%03d" % i, {b"f:q": b"%d" % i})
    with table.batch(transaction=True) as batch:
        batch.delete(b"r000")
        batch.put(b"r001", {b"g:x": b"z"})
    same({}, table.row(b"r000"))
    same({b"f:q": b"1", b"g:x": b"z"}, table.row(b"r001"))


@check("scans")
def _():
    same(499, sum(1 for _ in table.scan(row_prefix=b"r", batch_size=100)))
    same(100, sum(1 for _ in table.scan(row_start=b"r100", row_stop=b"r200", columns=[b"f"])))
    same([b"r499", b"r498"], [row for row, _ in table.scan(row_prefix=b"r", limit=2, reverse=True)])
    filtered = table.scan(filter=b"PrefixFilter('r00') AND ColumnPrefixFilter('q') AND PageFilter(3)")
    same([b"r001", b"r002", b"r003"], [row for row, _ in filtered])


@check("counters")
def _():
    same(5, table.counter_inc(b"c", b"f:n", 5))
    same(4, table.counter_dec(b"c", b"f:n"))
    same(4, table.counter_get(b"c", b"f:n"))


@check("deletes")
def _():
    table.delete(b"a", columns=[b"g:x"])
    same({b"f:q": b"new"}, table.row(b"a"))
    table.delete(b"a")
    same({}, table.row(b"a"))


@check("the table is disabled, enabled, compacted and dropped")
def _():
    connection.disable_table(TABLE)
    same(False, connection.is_table_enabled(TABLE))
    connection.enable_table(TABLE)
    same(True, connection.is_table_enabled(TABLE))
    connection.compact_table(TABLE, major=True)
    connection.delete_table(TABLE, disable=True)
    same(False, TABLE.encode() in connection.tables())


check.end()
