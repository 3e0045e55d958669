"""hbase-driver, a client in Python that speaks HBase's own protocol: native.py ZOOKEEPER."""

import sys
import time

from hbasedriver.client.buffered_mutator import BufferedMutator, BufferedMutatorParams
from hbasedriver.client.client import Client
from hbasedriver.common.table_name import TableName
from hbasedriver.filter import PrefixFilter
from hbasedriver.operations.append import Append
from hbasedriver.operations.column_family_builder import ColumnFamilyDescriptorBuilder
from hbasedriver.operations.delete import Delete
from hbasedriver.operations.get import Get
from hbasedriver.operations.increment import CheckAndPut, Increment
from hbasedriver.operations.put import Put
from hbasedriver.operations.row_mutations import RowMutations
from hbasedriver.operations.scan import Scan

from checks import Checks, same

NAME = TableName.value_of(b"default", b"native_table")
client = Client({"hbase.zookeeper.quorum": sys.argv[1]})
admin = client.get_admin()
check = Checks()
if admin.table_exists(NAME):
    if admin.is_table_enabled(NAME):
        admin.disable_table(NAME)
    admin.delete_table(NAME)
families = [ColumnFamilyDescriptorBuilder(name).build() for name in (b"f", b"g")]
admin.create_table(NAME, families, split_keys=[b"p"])
table = client.get_table(b"default", b"native_table")


def value(row, family=b"f", qualifier=b"q"):
    found = table.get(Get(row))
    return found.get(family, qualifier) if found is not None else None


@check("the cluster and the table")
def _():
    same(1, len(admin.list_region_servers()))
    same(True, admin.is_table_enabled(NAME))
    same(2, len(admin.describe_table(NAME).table_schema[0].column_families))


@check("rows are written and read, those with more than 127 bytes too")
def _():
    for size in (1, 100, 5000, 100_000):
        table.put(Put(b"r1").add_column(b"f", b"q", b"x" * size).add_column(b"g", b"y", b"z"))
        same(b"x" * size, value(b"r1"))
    same(b"z", value(b"r1", b"g", b"y"))
    same(False, table.exists(Get(b"nobody")))
    table.delete(Delete(b"r1").add_family(b"g"))
    same(None, value(b"r1", b"g", b"y"))
    table.delete(Delete(b"r1"))
    same(None, value(b"r1"))


@check("scans to the end of the table")
def _():
    parameters = BufferedMutatorParams()
    parameters.write_buffer_periodic_flush = 0
    with BufferedMutator(table, parameters) as mutator:
        for number in range(90):
            mutator.mutate(Put(b"r%02d" % number).add_column(b"f", b"q", b"%d" % number))
    with table.scan(Scan(start_row=b"r").add_family(b"f")) as scanner:
        same(90, sum(1 for _ in scanner))
    with table.scan(Scan(start_row=b"r").set_filter(PrefixFilter(b"r4"))) as scanner:
        same(10, len(scanner.next_batch(50)))


@check("increment, append, conditions, several mutations")
def _():
    same(5, table.increment(Increment(b"n").add_column(b"f", b"n", 5)))
    same(7, table.increment(Increment(b"n").add_column(b"f", b"n", 2)))
    for part in (b"ab", b"cd"):
        table.append(Append(b"n").add_column(b"f", b"a", part))
    same(b"abcd", value(b"n", b"f", b"a"))
    for expected in (True, False):
        condition = CheckAndPut(b"n").set_check(b"f", b"c", None).set_put(Put(b"n").add_column(b"f", b"c", b"1"))
        same(expected, table.check_and_put(condition))
    table.mutate_row(RowMutations(b"n").add(Put(b"n").add_column(b"f", b"m", b"1")).add(Delete(b"n").add_column(b"f", b"c")))
    same((b"1", None), (value(b"n", b"f", b"m"), value(b"n", b"f", b"c")))


@check("the table is altered, disabled and dropped")
def _():
    admin.disable_table(NAME)
    admin.add_column_family(NAME, b"h", max_versions=3)
    # it does not wait
    for _ in range(600):
        families = len(admin.describe_table(NAME).table_schema[0].column_families)
        if families == 3:
            break
        time.sleep(0.1)
    same(3, families)
    same(True, admin.is_table_disabled(NAME))
    admin.delete_table(NAME)
    same(False, admin.table_exists(NAME))


client.close()
check.end()
