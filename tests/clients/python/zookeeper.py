"""The ZooKeeper port as a ZooKeeper, by kazoo: zookeeper.py HOST:PORT."""

import queue
import sys
import threading
import time

from kazoo import exceptions
from kazoo.client import KazooClient
from kazoo.protocol.states import EventType
from kazoo.security import make_digest_acl

from checks import Checks, same

PATIENCE_S = 60
check = Checks()
clients = [KazooClient(hosts=sys.argv[1], timeout=10) for _ in range(2)]
for each in clients:
    each.start(timeout=PATIENCE_S)
one, other = clients
if one.exists("/kazoo"):
    one.delete("/kazoo", recursive=True)


def refused(wanted, act):
    try:
        act()
    except wanted:
        return
    raise AssertionError("expected " + wanted.__name__)


@check("nodes are made, changed and deleted, by their versions")
def _():
    same("/kazoo", one.create("/kazoo", b"1"))
    refused(exceptions.NodeExistsError, lambda: other.create("/kazoo"))
    same(1, one.set("/kazoo", b"22", version=0).version)
    refused(exceptions.BadVersionError, lambda: other.set("/kazoo", b"3", version=0))
    value, stat = other.get("/kazoo")
    same((b"22", 1, 2), (value, stat.version, stat.data_length))
    one.create("/kazoo/a/b", b"", makepath=True)
    refused(exceptions.NotEmptyError, lambda: other.delete("/kazoo/a"))
    one.delete("/kazoo/a", recursive=True)
    same([], other.get_children("/kazoo"))
    same("/kazoo", one.sync("/kazoo"))
    same(31, one.get_acls("/kazoo")[0][0].perms)


@check("what is HBase's stays as it is, and nobody is kept out")
def _():
    refused(exceptions.NoAuthError, lambda: one.delete("/hbase/master"))
    refused(exceptions.NoAuthError, lambda: one.create("/hbase/more"))
    acl = make_digest_acl("somebody", "secret", all=True)
    refused(exceptions.InvalidACLError, lambda: one.create("/kazoo/mine", acl=[acl]))


@check("transactions are done as a whole or not at all")
def _():
    transaction = one.transaction()
    transaction.create("/kazoo/t", b"1")
    transaction.check("/kazoo", version=99)
    transaction.create("/kazoo/u")
    failed = [type(result) for result in transaction.commit()]
    same([exceptions.RolledBackError, exceptions.BadVersionError, exceptions.RuntimeInconsistency], failed)
    same(None, other.exists("/kazoo/t"))
    transaction = one.transaction()
    transaction.create("/kazoo/t", b"1")
    transaction.set_data("/kazoo/t", b"2")
    transaction.delete("/kazoo/t")
    same("/kazoo/t", transaction.commit()[0])
    same(None, other.exists("/kazoo/t"))


@check("watches fire")
def _():
    events = queue.Queue()
    other.exists("/kazoo/w", watch=events.put)
    one.create("/kazoo/w")
    same(EventType.CREATED, events.get(timeout=PATIENCE_S).type)
    other.get("/kazoo/w", watch=events.put)
    one.set("/kazoo/w", b"x")
    same(EventType.CHANGED, events.get(timeout=PATIENCE_S).type)
    other.get_children("/kazoo", watch=events.put)
    one.delete("/kazoo/w")
    same(EventType.CHILD, events.get(timeout=PATIENCE_S).type)


@check("sequential nodes make a lock, and ephemeral ones go with their session")
def _():
    held, taken = one.Lock("/kazoo/lock", "one"), threading.Event()
    held.acquire(timeout=PATIENCE_S)
    waiter = threading.Thread(target=lambda: other.Lock("/kazoo/lock", "other").acquire(timeout=PATIENCE_S) and taken.set())
    waiter.start()
    until = time.monotonic() + PATIENCE_S
    while len(one.get_children("/kazoo/lock")) < 2 and time.monotonic() < until:
        time.sleep(0.02)
    same(2, len(one.get_children("/kazoo/lock")))
    same(False, taken.wait(0.3))
    # the session ends, and with it the node that holds the lock
    one.stop()
    same(True, taken.wait(PATIENCE_S))
    waiter.join()
    same(1, len(other.get_children("/kazoo/lock")))


other.delete("/kazoo", recursive=True)
for each in clients:
    each.stop()
    each.close()
check.end()
