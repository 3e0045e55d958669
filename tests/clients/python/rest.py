"""HBase's REST gateway, asked over HTTP: rest.py URL."""

import base64
import json
import sys
import urllib.error
import urllib.request

from checks import Checks, same

URL = sys.argv[1]
TABLE = "/rest_table"
JSON = "application/json"
BINARY = "application/octet-stream"


def ask(method, path, body=None, content=JSON, accept=JSON):
    """Status, location and body of the answer; what is JSON is read."""
    url = path if path.startswith("http") else URL + path
    data = json.dumps(body).encode() if isinstance(body, dict) else body
    request = urllib.request.Request(url, data=data, method=method, headers={"Accept": accept, "Content-Type": content})
    try:
        with urllib.request.urlopen(request, timeout=120) as reply:
            text = reply.read()
            is_json = text and reply.headers.get("Content-Type", "").startswith(JSON)
            return reply.status, reply.headers.get("Location"), json.loads(text) if is_json else text
    except urllib.error.HTTPError as error:
        return error.code, None, error.read()


def code(text):
    return base64.b64encode(text.encode()).decode()


def rows(*rows):
    """Rows of (key, {column: value}), as the gateway wants them."""
    cells = lambda columns: [{"column": code(column), "$": code(value)} for column, value in columns]
    return {"Row": [{"key": code(key), "Cell": cells(columns)} for key, columns in rows]}


def found(answer):
    status, _, body = answer
    same(200, status)
    decode = lambda text: base64.b64decode(text).decode()
    return [(decode(row["key"]), decode(cell["column"]), decode(cell["$"])) for row in body["Row"] for cell in row["Cell"]]


check = Checks()
ask("DELETE", TABLE + "/schema")
ask("DELETE", "/namespaces/rest_ns")


@check("the cluster")
def _():
    status, _, body = ask("GET", "/status/cluster")
    same((200, 1, 0), (status, len(body["LiveNodes"]), len(body["DeadNodes"])))
    same(200, ask("GET", "/version/cluster", accept="text/plain")[0])


@check("a table is made, described and listed")
def _():
    same(404, ask("GET", TABLE + "/schema")[0])
    same(201, ask("PUT", TABLE + "/schema", {"name": "rest_table", "ColumnSchema": [{"name": "f", "VERSIONS": "3"}]})[0])
    family = ask("GET", TABLE + "/schema")[2]["ColumnSchema"][0]
    same(("f", "3"), (family["name"], family["VERSIONS"]))
    same(200, ask("POST", TABLE + "/schema", {"name": "rest_table", "ColumnSchema": [{"name": "g"}]})[0])
    same(2, len(ask("GET", TABLE + "/schema")[2]["ColumnSchema"]))
    same(1, len(ask("GET", TABLE + "/regions")[2]["Region"]))
    same(True, {"name": "rest_table"} in ask("GET", "/")[2]["table"])


@check("rows are written and read")
def _():
    same(200, ask("PUT", TABLE + "/any", rows(*(("row-%d" % i, [("f:q", "v%d" % i), ("g:q", "w")]) for i in range(10))))[0])
    same([("row-3", "f:q", "v3"), ("row-3", "g:q", "w")], found(ask("GET", TABLE + "/row-3")))
    same(b"v4", ask("GET", TABLE + "/row-4/f:q", accept=BINARY)[2])
    same(404, ask("GET", TABLE + "/nobody")[0])
    same(2, len(found(ask("GET", TABLE + "/multiget/f:q?row=row-1&row=row-2"))))
    same(200, ask("PUT", TABLE + "/row-4/f:q", b"\x00\xff", content=BINARY)[0])
    same(b"\x00\xff", ask("GET", TABLE + "/row-4/f:q", accept=BINARY)[2])
    same(2, len(ask("GET", TABLE + "/row-4/f:q?v=5")[2]["Row"][0]["Cell"]))


@check("conditions, increments and appends")
def _():
    wrong = rows(("row-5", [("f:q", "new"), ("f:q", "not v5")]))
    same(304, ask("PUT", TABLE + "/row-5?check=put", wrong)[0])
    same(200, ask("PUT", TABLE + "/row-5?check=put", rows(("row-5", [("f:q", "new"), ("f:q", "v5")])))[0])
    same(b"new", ask("GET", TABLE + "/row-5/f:q", accept=BINARY)[2])
    same(200, ask("PUT", TABLE + "/row-5?check=delete", rows(("row-5", [("f:q", "new")])))[0])
    same(200, ask("POST", TABLE + "/counter?check=increment", rows(("counter", [("f:n", "5")])))[0])
    same((5).to_bytes(8, "big"), ask("GET", TABLE + "/counter/f:n", accept=BINARY)[2])
    for part in ("ab", "cd"):
        same(200, ask("POST", TABLE + "/counter?check=append", rows(("counter", [("f:a", part)])))[0])
    same(b"abcd", ask("GET", TABLE + "/counter/f:a", accept=BINARY)[2])


@check("scanners, with and without state")
def _():
    filter = {"type": "PrefixFilter", "value": code("row-")}
    scanner = '<Scanner batch="4"><column>%s</column><filter>%s</filter></Scanner>' % (code("g:q"), json.dumps(filter))
    status, location, _ = ask("PUT", TABLE + "/scanner", scanner.encode(), content="text/xml")
    same(201, status)
    cells, status = 0, 200
    while status == 200:
        status, _, body = ask("GET", location)
        cells += sum(len(row["Cell"]) for row in body["Row"]) if status == 200 else 0
    same((204, 10), (status, cells))
    same(200, ask("DELETE", location)[0])
    same(3, len(found(ask("GET", TABLE + "/*?startrow=row-6&endrow=row-9&column=f:q"))))
    same(2, len(found(ask("GET", TABLE + "/row-*?column=f:q&limit=2"))))


@check("deletes")
def _():
    same(200, ask("DELETE", TABLE + "/row-1/f:q")[0])
    same([("row-1", "g:q", "w")], found(ask("GET", TABLE + "/row-1")))
    same(200, ask("DELETE", TABLE + "/row-1")[0])
    same(404, ask("GET", TABLE + "/row-1")[0])


@check("namespaces")
def _():
    same(201, ask("POST", "/namespaces/rest_ns", {"properties": {"k": "v"}})[0])
    same({"k": "v"}, ask("GET", "/namespaces/rest_ns")[2]["properties"])
    same(True, "rest_ns" in ask("GET", "/namespaces")[2]["Namespace"])
    same(200, ask("DELETE", "/namespaces/rest_ns")[0])


@check("the table is dropped")
def _():
    same(200, ask("DELETE", TABLE + "/schema")[0])
    same(404, ask("GET", TABLE + "/exists")[0])


check.end()
