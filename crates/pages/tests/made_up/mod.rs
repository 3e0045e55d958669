//! A server that is not there: numbers and names that are made up, and hostile ones among them.

use finback_pages::model::{
    Cell, Cluster, Compaction, Identity, Procedure, Process, Refused, Region, Row, RowRange, Rows, Schema,
    Setting, Share, SlowCall, SlowLog, Status, Store, Table, Task, Tasks, Threads, Wal,
};
use finback_pages::{HotRegion, Sample, Source};
use std::sync::Mutex;
use std::time::Instant;

/// What would run in a page that does not escape it.
#[allow(dead_code, reason = "the example shows harmless names")]
pub(crate) const HOSTILE: &str = "<script>alert('1')</script>\"'&<img src=x onerror=alert(2)>";
const NOW_MS: u64 = 1_790_000_000_000;
const MIB: u64 = 1 << 20;

/// The server.
pub(crate) struct MadeUp {
    filter: Mutex<String>,
    /// A name of a table, a row, a family, a file, a value.
    name: &'static str,
    /// Whether rows are nobody's business.
    pub(crate) hides_rows: bool,
    /// Why the master tells nothing.
    pub(crate) master_fails: Option<&'static str>,
}

impl MadeUp {
    /// One in which things have this name.
    pub(crate) fn with(name: &'static str) -> Self {
        Self { filter: Mutex::new("info".to_owned()), name, hides_rows: false, master_fails: None }
    }

    /// What the master tells.
    fn told<T>(&self, what: T) -> Result<T, Refused> {
        match self.master_fails {
            Some(reason) => Err(Refused::Unavailable(reason.to_owned())),
            None => Ok(what),
        }
    }
}

fn table(name: &str, state: &str, regions: u64) -> Table {
    Table { name: name.into(), state: state.into(), families: vec!["d".into(), "meta".into()], regions }
}

impl Source for MadeUp {
    fn shows_rows(&self) -> bool {
        !self.hides_rows
    }

    fn identity(&self) -> Identity {
        Identity {
            version: "0.1.0".into(),
            server: "db1.example,16020,1789900000000".into(),
            start_ms: NOW_MS - 100_000_000,
            now_ms: NOW_MS,
        }
    }

    fn status(&self, _until: Instant) -> Status {
        let share = |name, used, limit| Share { name, used, limit };
        let threads = |name: &str, count, cpu_ms| Threads { name: name.into(), count, cpu_ms };
        Status {
            master: "db1.example,16000,1789900000000".into(),
            cluster_id: "c4a2b8f0-0000-4000-8000-000000000001".into(),
            zookeeper: "127.0.0.1:2181".into(),
            cluster: self.told(Cluster { live: 1, ..Cluster::default() }),
            connections: 42,
            scanners: 7,
            waiting: vec![("priority", 0), ("reads", 2), ("scans", 1), ("writes", 0)],
            memory: vec![
                share("Memstores", Some(412 * MIB), 819 * MIB),
                share("Block cache", Some(790 * MIB), 819 * MIB),
                share("Requests", Some(3 * MIB), 256 * MIB),
                share("Replies", None, 128 * MIB),
            ],
            cache_hits: Some(0.9731),
            wal: Wal { files: 3, bytes: 7 << 30, failures: 0, sync_p99_ns: 890_000 },
            process: Process {
                id: 4711,
                cpu_ms: 7_600_000,
                resident: 1450 * MIB,
                peak_resident: 1700 * MIB,
                memory_limit: 2048 * MIB,
                descriptors: 312,
                most_descriptors: 65_536,
                threads: vec![
                    threads("tokio-rt-worker", 2, 5_000_000),
                    threads("long-calls", 2, 1_900_000),
                    threads("wal", 1, 600_000),
                ],
            },
        }
    }

    fn samples(&self) -> Vec<Sample> {
        let sample = |number: u64| {
            let wave = (number as f32 / 17.0).sin() + 1.3;
            let noise = ((number * 7919) % 13) as f32 / 13.0 + 0.6;
            Sample {
                at_ms: NOW_MS - (330 - number) * 10_000,
                calls: [
                    4000.0 * wave * noise,
                    1500.0 * noise,
                    120.0 * wave,
                    if number > 200 { 300.0 } else { 0.0 },
                ],
                median_us: [Some(90.0 * noise), Some(420.0 * noise), Some(800.0 * wave), None],
                p99_us: [
                    Some(400.0 * noise * wave),
                    Some(1900.0 * noise),
                    Some(5200.0 * wave),
                    (number > 200).then_some(7000.0 * noise),
                ],
                rows_read: 52_000.0 * wave,
                rows_written: 9_000.0 * noise,
                processors: 1.3 * wave * noise / 1.6,
                resident: (1300 + number / 2) * MIB,
                memstores: (number % 120) * 4 * MIB,
                cache: (500 + number).min(790) * MIB,
            }
        };
        (0..=330).map(sample).collect()
    }

    fn hot_regions(&self) -> Vec<HotRegion> {
        let regions = self.regions();
        let hot = |(rank, region): (usize, &Region)| HotRegion {
            encoded_name: region.encoded_name.as_str().into(),
            reads: 41_000.0 / (rank * rank + 1) as f64,
            writes: 7000.0 / (rank + 1) as f64,
        };
        regions.iter().take(8).enumerate().map(hot).collect()
    }

    fn tables(&self, _until: Instant) -> Result<Vec<Table>, Refused> {
        self.told(vec![
            table("events", "ENABLED", 12),
            table("shop:orders", "ENABLED", 4),
            table("old", "DISABLED", 3),
            table(self.name, "ENABLED", 1),
        ])
    }

    fn schema(&self, name: &str, until: Instant) -> Result<Schema, Refused> {
        let table = self.tables(until)?.into_iter().find(|table| table.name == name);
        let table = table.ok_or_else(|| Refused::NotFound(format!("there is no table {name}")))?;
        let attributes = |all: &[(&str, &str)]| -> Vec<(String, String)> {
            all.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect()
        };
        let family = attributes(&[("VERSIONS", "3"), ("COMPRESSION", "ZSTD"), ("BLOOMFILTER", self.name)]);
        Ok(Schema {
            table,
            attributes: attributes(&[("MAX_FILESIZE", "10737418240")]),
            families: vec![("d".into(), family.clone()), ("meta".into(), family)],
        })
    }

    fn regions(&self) -> Vec<Region> {
        let region = |number: u64| {
            let (table, keys) = match number {
                0..12 => {
                    ("events", [format!("user{:04}", number * 800), format!("user{:04}", number * 800 + 800)])
                }
                12..16 => ("shop:orders", [format!("\\x00\\x{number:02}"), String::new()]),
                _ => (self.name, [self.name.to_owned(), String::new()]),
            };
            let [start_key, end_key] = keys;
            let encoded_name = format!("{:032x}", (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            Region {
                name: format!("{table},{start_key},1789900000000.{encoded_name}."),
                table: table.into(),
                encoded_name,
                start_key: if number == 0 { String::new() } else { start_key },
                end_key: if number == 11 { String::new() } else { end_key },
                stores: 2,
                files: 3 + number % 5,
                file_bytes: (800 + 137 * number) * MIB,
                uncompressed_bytes: (2400 + 411 * number) * MIB,
                index_bytes: 3 * MIB,
                memstore_bytes: (number * 17 % 96) * MIB,
                memstore_cells: number * 170_000,
                reads: 12_345_678 / (number + 1),
                filtered_reads: 1234,
                writes: 2_345_678 / (number + 1),
                locality: 1.0,
                compaction: (number == 1).then_some(Compaction { cells: 8_000_000, done: 5_100_000 }),
                compaction_waits: number == 2,
                last_major_ms: NOW_MS - 90_000_000,
                last_flush_ms: NOW_MS - 1_200_000,
                flushed_sequence_id: 88_123,
            }
        };
        (0..17).map(region).collect()
    }

    fn stores(&self, _: &str) -> Result<Vec<Store>, Refused> {
        let files = (0..4).map(|number| (format!("{:032x}", number + 77), (number + 1) * 93 * MIB)).collect();
        Ok(vec![
            Store { family: "d".into(), files, memstore_bytes: 12 * MIB },
            Store { family: self.name.into(), ..Store::default() },
        ])
    }

    fn tasks(&self, _until: Instant) -> Tasks {
        let procedure = |id, class: &str, state: &str, failure: &str| Procedure {
            id,
            class: class.into(),
            state: state.into(),
            owner: "ops".into(),
            submitted_ms: NOW_MS - 90_000,
            updated_ms: NOW_MS - 1000,
            failure: failure.into(),
        };
        Tasks {
            running: vec![Task {
                description: "Compacting d in events,user0800,1789900000000.\n".into(),
                status: "Minor compaction: 5,100,000 of 8,000,000 cells".into(),
                progress: Some(0.6375),
                since_ms: NOW_MS - 74_000,
            }],
            waiting: vec![("Flushes", 0), ("Small compactions", 1), ("Large compactions", 0)],
            procedures: self.told(vec![
                procedure(43, "ModifyTableProcedure", "RUNNABLE", ""),
                procedure(42, "CreateTableProcedure", "ROLLEDBACK", self.name),
            ]),
        }
    }

    fn slow_log(&self) -> SlowLog {
        let call = |number: u64| SlowCall {
            start_ms: NOW_MS - number * 47_000 - 9000,
            took_ms: 1200 + 700 * number,
            waited_ms: 3,
            reply_bytes: 2 * MIB + number,
            method: "Scan".into(),
            client: "10.0.0.7:51234".into(),
            user: "ops".into(),
            region: "events,user0800,1789900000000.".into(),
            details: self.name.into(),
        };
        SlowLog { off: None, calls: (0..9).map(call).collect() }
    }

    fn settings(&self) -> Vec<Setting> {
        let setting = |name: &str, value: &str, default: &str, origin: &str| Setting {
            name: name.into(),
            value: value.into(),
            default: default.into(),
            origin: origin.into(),
            unit: "".into(),
            meaning: "What it does, in a sentence or two that are long enough to be wrapped on a phone."
                .into(),
        };
        vec![
            setting("hbase.regionserver.handler.count", "60", "30", "hbase-site.xml, line 12"),
            setting("hbase.master.port", "16000", "16000", "default"),
            setting("hbase.some.password", "swordfish", "", "environment"),
            setting("hbase.rootdir", self.name, "finback-data", "--data"),
        ]
    }

    fn rows(&self, range: &RowRange, until: Instant) -> Result<Rows, Refused> {
        self.schema(&range.table, until)?;
        let cell = |column: &str, value: &str, value_bytes| Cell {
            column: column.into(),
            timestamp: NOW_MS,
            value: value.into(),
            value_bytes,
            cut: value_bytes > value.len() as u64,
        };
        let row = |number: u32| Row {
            key: if number == 1 { self.name.into() } else { format!("user{number:04}") },
            cells: vec![
                cell("d:name", self.name, self.name.len() as u64),
                cell("d:clicks", "\\x00\\x00\\x00\\x00\\x00\\x00\\x01\\x2C", 33),
                cell("meta:blob", &"\\xFF\\x00ab".repeat(30), 7 * MIB),
            ],
            cut: number == 2,
        };
        Ok(Rows {
            rows: (0..range.rows.min(25)).map(row).collect(),
            next: Some("user0025\\x00".into()),
            out_of_time: false,
            took_us: 1830,
        })
    }

    fn log_filter(&self) -> String {
        self.filter.lock().unwrap().clone()
    }

    fn set_log_filter(&self, filter: &str) -> Result<(), Refused> {
        if filter.contains(' ') {
            return Err(Refused::BadRequest("a filter has no spaces".into()));
        }
        filter.clone_into(&mut self.filter.lock().unwrap());
        Ok(())
    }
}
