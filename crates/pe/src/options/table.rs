//! The table of options: from it come the command line's help, its completions, and a table of the documentation.

/// Whose option it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// PerformanceEvaluation's.
    Hbase,
    /// YCSB's.
    Ycsb,
    /// Ours.
    Own,
}

/// An option.
#[derive(Debug, Clone, Copy)]
pub struct PeOption {
    /// As in `--name`.
    pub name: &'static str,
    /// As in `-n`.
    pub short: Option<char>,
    /// What its value is called; none for a flag.
    pub value: Option<&'static str>,
    /// What it does.
    pub meaning: &'static str,
    /// Whose it is.
    pub origin: Origin,
    /// What differs from HBase's, for the documentation; empty if nothing does.
    pub remark: &'static str,
}

const fn flag(name: &'static str, meaning: &'static str) -> PeOption {
    PeOption { name, short: None, value: None, meaning, origin: Origin::Hbase, remark: "" }
}

const fn value(name: &'static str, value: &'static str, meaning: &'static str) -> PeOption {
    PeOption { value: Some(value), ..flag(name, meaning) }
}

const fn own(option: PeOption) -> PeOption {
    PeOption { origin: Origin::Own, ..option }
}

const fn ycsb(short: char, option: PeOption) -> PeOption {
    PeOption { short: Some(short), origin: Origin::Ycsb, ..option }
}

const fn but(option: PeOption, remark: &'static str) -> PeOption {
    PeOption { remark, ..option }
}

/// All options.
pub const OPTIONS: &[PeOption] = &[
    value("rows", "N", "Rows of each client. Default: 1048576."),
    but(
        value(
            "size",
            "GB",
            "All rows together, instead of --rows. With both, randomRead and randomSeekScan read --rows of as many.",
        ),
        "less than 1 is taken as well",
    ),
    value("startRow", "N", "First row of every client. Default: 0, --rows, twice --rows, and so on."),
    value("sampleRate", "PART", "Works on one row out of 1/PART. Default: 1."),
    value("cycles", "N", "Goes over the rows so many times. Default: 1."),
    own(value(
        "duration",
        "SECONDS",
        "Ends after this time, and goes over the rows until then unless --cycles is given.",
    )),
    value("measureAfter", "N", "Leaves out the latencies of the first rows of each client. Default: 0."),
    own(value(
        "rate",
        "PER_SECOND",
        "Begins so many operations a second, all clients together, whether those before are done or not; latency counts from when an operation was due.",
    )),
    PeOption { origin: Origin::Ycsb, ..value("target", "PER_SECOND", "The same as --rate.") },
    own(value("arrivals", "HOW", "Gaps between operations of --rate: even, or poisson. Default: even.")),
    own(value(
        "distribution",
        "NAME",
        "Which rows random commands prefer: uniform, zipfian, scrambled, latest, hotspot, sequential, exponential. Default: uniform.",
    )),
    own(value("seed", "N", "Chooses the same rows and values again. Default: others each time.")),
    but(flag("nomapred", "For HBase's command lines: clients always run in this process."), "always so"),
    but(value("oneCon", "BOOL", "One connection for all clients. Default: false."), "see connCount"),
    but(
        value("connCount", "N", "Connections that clients share. Default: one for each worker."),
        "HBase's default is one for each client: many clients on one connection cost both sides less",
    ),
    own(value(
        "workers",
        "N",
        "Threads that clients run on. Default: a fourth of the processors, but no more than clients or connections.",
    )),
    but(flag("latency", "For HBase's command lines: latencies are always told."), "always so"),
    value("latencyThreshold", "MS", "Counts operations that take as long or longer."),
    but(
        value("period", "N", "For HBase's command lines: progress is told by time."),
        "no effect: progress is told by time",
    ),
    but(
        value("traceRate", "N", "For HBase's command lines: has no effect there either."),
        "no effect, as in HBase",
    ),
    value("valueSize", "BYTES", "Length of a value. Default: 1000."),
    flag("valueRandom", "Lengths of values from 0 to --valueSize, any as often."),
    flag("valueZipf", "Lengths of values from 1 to --valueSize, short ones more often."),
    value("columns", "N", "Columns of each family in a row. Default: 1."),
    value("families", "N", "Families of the table. Default: 1."),
    but(
        value("usetags", "BOOL", "Writes cells with tags. Default: false."),
        "the tags are sent; HBase's client sends them only with another codec",
    ),
    value("numoftags", "N", "Tags of each cell, if --usetags. Default: 1."),
    value("table", "NAME", "The table. Default: TestTable, of YCSB's commands usertable."),
    but(
        value(
            "presplit",
            "N",
            "Regions to create the table with. A table that is there with another number is dropped and created anew.",
        ),
        "a table that is not of PerformanceEvaluation's making is dropped only with --recreate",
    ),
    own(flag(
        "recreate",
        "Drops a table that does not suit, even if it has other families than PerformanceEvaluation's.",
    )),
    value("replicas", "N", "Replicas of each region; with more than one, reads may be stale. Default: 1."),
    value("splitPolicy", "CLASS", "HBase's class of the policy by which regions are split."),
    value("compress", "NAME", "Compression of a new table's files. Default: NONE."),
    value("encryption", "NAME", "Encryption of a new table's files. Default: none."),
    value("bloomFilter", "NAME", "Bloom filter of a new table's files: NONE, ROW, ROWCOL. Default: ROW."),
    value("blockSize", "BYTES", "Block size of a new table's files. Default: 65536."),
    value("blockEncoding", "NAME", "Encoding of a new table's blocks. Default: NONE."),
    value("inmemory", "BOOL", "Prefers a new table's blocks in the cache. Default: false."),
    value(
        "inmemoryCompaction",
        "NAME",
        "In-memory compaction of a new table: NONE, BASIC, EAGER, ADAPTIVE. Default: NONE.",
    ),
    value("autoFlush", "BOOL", "Sends each write at once, instead of many together. Default: false."),
    value("multiPut", "N", "Sends writes N at a time; needs --autoFlush=true."),
    value(
        "bufferSize",
        "BYTES",
        "Writes of a client that are gathered before they are sent. Default: 2 MiB.",
    ),
    value("writeToWAL", "BOOL", "Whether writes go to the log. Default: true."),
    but(
        value("flushCommits", "BOOL", "Flushes the table at the end. Default: false."),
        "HBase's help says so, its code takes the option and does nothing",
    ),
    flag("filterAll", "Has the server filter out all that it reads."),
    value("multiGet", "N", "Reads N rows at a time; of randomRead."),
    value("addColumns", "BOOL", "Names the columns to read, not only families. Default: true."),
    value("randomSleep", "MS", "Sleeps up to so long before each random read."),
    value("caching", "ROWS", "Rows that scans ask for at a time. Default: 30."),
    but(flag("asyncPrefetch", "For HBase's command lines: scans always fetch ahead."), "always so"),
    value("cacheBlocks", "BOOL", "Whether scans put blocks into the server's cache. Default: true."),
    value("scanReadType", "HOW", "How the server is to read for scans: default, stream, pread."),
    but(
        value("commandPropertiesFile", "FILE", "Of commands written in Java, which cannot run here."),
        "refused, with the reason",
    ),
    ycsb(
        'p',
        value(
            "property",
            "NAME=VALUE",
            "A property of YCSB's workloads, such as recordcount=100000. May be given often.",
        ),
    ),
    ycsb('P', value("properties", "FILE", "A file of such properties. May be given often; -p wins.")),
];
