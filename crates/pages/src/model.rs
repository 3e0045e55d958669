//! What the pages show, as plain data. Keys and names of HBase are in the form of its `Bytes.toStringBinary`.

/// Which server it is.
#[derive(Clone, Debug, Default)]
pub struct Identity {
    /// The version of the program.
    pub version: String,
    /// The region server, `host,port,startcode`.
    pub server: String,
    /// When the process was started, ms since the epoch.
    pub start_ms: u64,
    /// The time, ms since the epoch.
    pub now_ms: u64,
}

/// The server, but for its tables and regions.
#[derive(Clone, Debug)]
pub struct Status {
    /// The master, likewise.
    pub master: String,
    /// The cluster's id.
    pub cluster_id: String,
    /// Where ZooKeeper clients find the cluster.
    pub zookeeper: String,
    /// What the master says, or why it does not.
    pub cluster: Result<Cluster, Refused>,
    /// Open connections of clients.
    pub connections: u64,
    /// Open scanners.
    pub scanners: u64,
    /// Calls that wait, by kind.
    pub waiting: Vec<(&'static str, u64)>,
    /// Memory by what it is for.
    pub memory: Vec<Share>,
    /// Hits of the block cache among look-ups, 0 to 1; none without look-ups.
    pub cache_hits: Option<f64>,
    /// The write-ahead logs.
    pub wal: Wal,
    /// The process.
    pub process: Process,
}

/// The cluster, as its master sees it.
#[derive(Clone, Debug, Default)]
pub struct Cluster {
    /// Region servers that live.
    pub live: u64,
    /// Region servers that are dead.
    pub dead: u64,
    /// Regions in transition.
    pub in_transition: Vec<Transition>,
}

/// A region on its way.
#[derive(Clone, Debug, Default)]
pub struct Transition {
    /// Its name.
    pub region: String,
    /// HBase's name of its state.
    pub state: String,
    /// Since when, ms since the epoch.
    pub since_ms: u64,
}

/// Memory for one purpose.
#[derive(Clone, Debug, Default)]
pub struct Share {
    /// What it is for.
    pub name: &'static str,
    /// Bytes in use; none where only the limit is known.
    pub used: Option<u64>,
    /// Bytes that there may be.
    pub limit: u64,
}

/// The write-ahead logs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wal {
    /// Files that are still needed.
    pub files: u64,
    /// Bytes written since the start.
    pub bytes: u64,
    /// Groups of entries that could not be written.
    pub failures: u64,
    /// Syncs took no longer than this, 99 of 100 since the start, ns.
    pub sync_p99_ns: u64,
}

/// The process.
#[derive(Clone, Debug, Default)]
pub struct Process {
    /// Its id.
    pub id: u32,
    /// Processor time of all threads, ms.
    pub cpu_ms: u64,
    /// Memory that is resident, bytes.
    pub resident: u64,
    /// Memory that was resident at most, bytes.
    pub peak_resident: u64,
    /// What the whole process may use, bytes (`memory.limit`).
    pub memory_limit: u64,
    /// Open file descriptors.
    pub descriptors: u64,
    /// File descriptors that it may have.
    pub most_descriptors: u64,
    /// Threads, by name.
    pub threads: Vec<Threads>,
}

/// Threads of one name.
#[derive(Clone, Debug, Default)]
pub struct Threads {
    /// Their name.
    pub name: String,
    /// How many there are.
    pub count: u64,
    /// Processor time of them, ms.
    pub cpu_ms: u64,
}

/// A table in the list.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// With its namespace unless that is `default`.
    pub name: String,
    /// HBase's name of its state.
    pub state: String,
    /// Names of its families.
    pub families: Vec<String>,
    /// Regions that the master knows, open or not.
    pub regions: u64,
}

/// What a table is like.
#[derive(Clone, Debug, Default)]
pub struct Schema {
    /// The table.
    pub table: Table,
    /// Attributes of the table that it sets itself.
    pub attributes: Vec<(String, String)>,
    /// Its families, each with its attributes.
    pub families: Vec<(String, Vec<(String, String)>)>,
}

/// A region that is open.
#[derive(Clone, Debug, Default)]
pub struct Region {
    /// Its table, as [`Table::name`].
    pub table: String,
    /// Its encoded name.
    pub encoded_name: String,
    /// Its whole name.
    pub name: String,
    /// Its first row; empty: from the first one on.
    pub start_key: String,
    /// The row behind its last one; empty: to the last one.
    pub end_key: String,
    /// Families.
    pub stores: u64,
    /// Store files.
    pub files: u64,
    /// Bytes of them.
    pub file_bytes: u64,
    /// Bytes of them before compression and encoding.
    pub uncompressed_bytes: u64,
    /// Bytes of indexes and Bloom filters of them.
    pub index_bytes: u64,
    /// Bytes of the memstores.
    pub memstore_bytes: u64,
    /// Cells in the memstores.
    pub memstore_cells: u64,
    /// Rows read since it was opened.
    pub reads: u64,
    /// Rows that filters dropped.
    pub filtered_reads: u64,
    /// Mutations since it was opened.
    pub writes: u64,
    /// How much of its data is on this machine, 0 to 1.
    pub locality: f64,
    /// A compaction that is under way.
    pub compaction: Option<Compaction>,
    /// Whether one waits.
    pub compaction_waits: bool,
    /// The last compaction of all files, ms since the epoch; 0 without one.
    pub last_major_ms: u64,
    /// The last flush, or the opening, ms since the epoch.
    pub last_flush_ms: u64,
    /// Edits up to this sequence id are in files.
    pub flushed_sequence_id: u64,
}

impl Region {
    /// Rows read and mutations.
    pub fn requests(&self) -> u64 {
        self.reads.saturating_add(self.writes)
    }
}

/// A compaction that is under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compaction {
    /// Cells in its inputs.
    pub cells: u64,
    /// Cells read so far.
    pub done: u64,
}

/// A store of a region.
#[derive(Clone, Debug, Default)]
pub struct Store {
    /// Its family.
    pub family: String,
    /// Its files: names and bytes.
    pub files: Vec<(String, u64)>,
    /// Bytes of its memstore.
    pub memstore_bytes: u64,
}

/// Work that goes on or waits.
#[derive(Clone, Debug)]
pub struct Tasks {
    /// What goes on.
    pub running: Vec<Task>,
    /// How many jobs wait, by kind.
    pub waiting: Vec<(&'static str, u64)>,
    /// Procedures of the master, newest first, or why it does not tell them.
    pub procedures: Result<Vec<Procedure>, Refused>,
}

/// Work that goes on.
#[derive(Clone, Debug, Default)]
pub struct Task {
    /// What is done.
    pub description: String,
    /// How it stands.
    pub status: String,
    /// How far it is, 0 to 1, where that is known.
    pub progress: Option<f64>,
    /// Since when, ms since the epoch; 0 where that is not known.
    pub since_ms: u64,
}

/// A procedure of the master.
#[derive(Clone, Debug, Default)]
pub struct Procedure {
    /// Its id.
    pub id: u64,
    /// Its class in HBase.
    pub class: String,
    /// HBase's name of its state.
    pub state: String,
    /// Who asked for it.
    pub owner: String,
    /// When it was asked for, ms since the epoch.
    pub submitted_ms: u64,
    /// When it last went on, ms since the epoch.
    pub updated_ms: u64,
    /// What it failed with.
    pub failure: String,
}

/// Calls that took long or had large replies.
#[derive(Clone, Debug, Default)]
pub struct SlowLog {
    /// Why there is none, where there is none: a sentence.
    pub off: Option<String>,
    /// The calls, newest first.
    pub calls: Vec<SlowCall>,
}

/// A call that took long or had a large reply.
#[derive(Clone, Debug, Default)]
pub struct SlowCall {
    /// When it began, ms since the epoch.
    pub start_ms: u64,
    /// How long it took, ms.
    pub took_ms: u64,
    /// How long it waited before that, ms.
    pub waited_ms: u64,
    /// Bytes of its reply.
    pub reply_bytes: u64,
    /// The method.
    pub method: String,
    /// Its client's address.
    pub client: String,
    /// Its user.
    pub user: String,
    /// The region that it was for.
    pub region: String,
    /// What was asked for.
    pub details: String,
}

/// A setting.
#[derive(Clone, Debug, Default)]
pub struct Setting {
    /// Its name.
    pub name: String,
    /// Its value, as it would be written.
    pub value: String,
    /// Its value unless told otherwise.
    pub default: String,
    /// Where the value came from.
    pub origin: String,
    /// What the value counts.
    pub unit: String,
    /// What it does.
    pub meaning: String,
}

/// Which rows are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowRange {
    /// The table.
    pub table: String,
    /// The first row; empty: from the first one on.
    pub start: String,
    /// Whether only rows that begin with `start` are wanted.
    pub prefix: bool,
    /// Where to go on among these; empty: at the first.
    pub from: String,
    /// Only this family, or `family:qualifier`; empty: all.
    pub column: String,
    /// Rows at most.
    pub rows: u32,
    /// Cells of a row at most.
    pub cells_per_row: u32,
    /// Versions of a cell at most.
    pub versions: u32,
}

/// Rows that were read.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// The rows, in order.
    pub rows: Vec<Row>,
    /// Where to go on; none at the end.
    pub next: Option<String>,
    /// Whether the time was up before there were as many rows as were wanted.
    pub out_of_time: bool,
    /// How long it took, µs.
    pub took_us: u64,
}

/// A row, or the beginning of one.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Its key.
    pub key: String,
    /// Its cells.
    pub cells: Vec<Cell>,
    /// Whether there may be more cells.
    pub cut: bool,
}

/// A cell.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    /// `family:qualifier`.
    pub column: String,
    /// Its timestamp.
    pub timestamp: u64,
    /// The beginning of its value.
    pub value: String,
    /// Bytes of its whole value.
    pub value_bytes: u64,
    /// Whether `value` is only the beginning.
    pub cut: bool,
}

/// Why something could not be shown or done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// What was asked for makes no sense.
    BadRequest(String),
    /// Who asks is not to have it.
    Forbidden(String),
    /// There is no such thing.
    NotFound(String),
    /// Not now.
    Unavailable(String),
}

impl Refused {
    /// Why, without the full stop.
    #[must_use]
    pub fn why(&self) -> &str {
        match self {
            Self::BadRequest(why) | Self::Forbidden(why) | Self::NotFound(why) | Self::Unavailable(why) => {
                why
            }
        }
    }
}
