//! The commands: PerformanceEvaluation's and YCSB's.

use crate::ycsb::Preset;

/// A command.
#[derive(Debug)]
pub struct PeCommand {
    /// What it is called by.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    pub(crate) kind: Kind,
}

/// In which order rows come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Each client its own range, one row after the other.
    Sequential,
    /// By chance, out of all rows.
    Random,
}

/// What a command does to a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Puts; through a buffer unless told otherwise, or one call for each.
    Write {
        order: Order,
        buffered: bool,
    },
    Delete(Order),
    Read(Order),
    /// One scan by each client, a row at a time.
    Scan,
    /// A scan from a random row on, of 120 rows.
    SeekScan,
    /// A scan of as many rows from a random one on.
    RangeScan(u64),
    /// A scan of everything for one value.
    FilterScan,
    Update(Update),
    MetaWrite,
    MetaRead,
    MetaClean,
    /// YCSB: fills its table.
    YcsbLoad,
    /// YCSB: one of its workloads.
    YcsbRun(Preset),
}

/// What reads, and writes by what it has read. Clients work on the same rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Update {
    Increment,
    Append,
    CheckAndMutate,
    CheckAndPut,
    CheckAndDelete,
}

impl Update {
    /// The qualifier that PerformanceEvaluation uses: the name of its class.
    pub(crate) fn qualifier(self) -> &'static str {
        match self {
            Self::Increment => "IncrementTest",
            Self::Append => "AppendTest",
            Self::CheckAndMutate => "CheckAndMutateTest",
            Self::CheckAndPut => "CheckAndPutTest",
            Self::CheckAndDelete => "CheckAndDeleteTest",
        }
    }
}

impl Kind {
    pub(crate) fn is_ycsb(self) -> bool {
        matches!(self, Self::YcsbLoad | Self::YcsbRun(_))
    }

    /// Whether rows are chosen by chance out of all.
    pub(crate) fn is_random(self) -> bool {
        matches!(
            self,
            Self::Write { order: Order::Random, .. }
                | Self::Delete(Order::Random)
                | Self::Read(Order::Random)
                | Self::SeekScan
                | Self::RangeScan(_)
        )
    }
}

const fn command(name: &'static str, kind: Kind, summary: &'static str) -> PeCommand {
    PeCommand { name, summary, kind }
}

/// All commands: PerformanceEvaluation's by name, then YCSB's.
pub const COMMANDS: &[PeCommand] = &[
    command("append", Kind::Update(Update::Append), "Appends to each row; clients work on the same rows"),
    command("asyncRandomRead", Kind::Read(Order::Random), "The same as randomRead"),
    command(
        "asyncRandomWrite",
        Kind::Write { order: Order::Random, buffered: false },
        "Writes random rows, one call for each",
    ),
    command("asyncScan", Kind::Scan, "The same as scan"),
    command("asyncSequentialRead", Kind::Read(Order::Sequential), "The same as sequentialRead"),
    command(
        "asyncSequentialWrite",
        Kind::Write { order: Order::Sequential, buffered: false },
        "Writes one row after the other, one call for each",
    ),
    command(
        "checkAndDelete",
        Kind::Update(Update::CheckAndDelete),
        "Puts a value, and deletes it if it is there; clients work on the same rows",
    ),
    command(
        "checkAndMutate",
        Kind::Update(Update::CheckAndMutate),
        "Puts a value, and changes the row if it is there; clients work on the same rows",
    ),
    command(
        "checkAndPut",
        Kind::Update(Update::CheckAndPut),
        "Puts a value, and puts it again if it is there; clients work on the same rows",
    ),
    command("cleanMeta", Kind::MetaClean, "Deletes the regions from hbase:meta that metaWrite made up"),
    command(
        "filterScan",
        Kind::FilterScan,
        "Scans the table for a value, once for each row (give --rows=20 or so)",
    ),
    command(
        "increment",
        Kind::Update(Update::Increment),
        "Adds one to each row; clients work on the same rows",
    ),
    command("metaRandomRead", Kind::MetaRead, "Looks random regions up in hbase:meta"),
    command(
        "metaWrite",
        Kind::MetaWrite,
        "Writes made-up regions to hbase:meta; cleanMeta takes them out again",
    ),
    command("randomDelete", Kind::Delete(Order::Random), "Deletes random rows"),
    command("randomRead", Kind::Read(Order::Random), "Reads random rows"),
    command("randomSeekScan", Kind::SeekScan, "Scans 120 rows from a random one on"),
    command("randomWrite", Kind::Write { order: Order::Random, buffered: true }, "Writes random rows"),
    command("scan", Kind::Scan, "Scans, each client its part of the table"),
    command("scanRange10", Kind::RangeScan(10), "Scans 10 rows from a random one on"),
    command("scanRange100", Kind::RangeScan(100), "Scans 100 rows from a random one on"),
    command("scanRange1000", Kind::RangeScan(1000), "Scans 1000 rows from a random one on"),
    command("scanRange10000", Kind::RangeScan(10_000), "Scans 10000 rows from a random one on"),
    command("sequentialDelete", Kind::Delete(Order::Sequential), "Deletes one row after the other"),
    command("sequentialRead", Kind::Read(Order::Sequential), "Reads one row after the other"),
    command(
        "sequentialWrite",
        Kind::Write { order: Order::Sequential, buffered: true },
        "Writes one row after the other",
    ),
    command("ycsbLoad", Kind::YcsbLoad, "YCSB: writes the rows that the workloads use"),
    command("workloadA", Kind::YcsbRun(Preset::A), "YCSB: half reads, half updates; zipfian"),
    command("workloadB", Kind::YcsbRun(Preset::B), "YCSB: 95 % reads, 5 % updates; zipfian"),
    command("workloadC", Kind::YcsbRun(Preset::C), "YCSB: reads; zipfian"),
    command(
        "workloadD",
        Kind::YcsbRun(Preset::D),
        "YCSB: 95 % reads of what was inserted lately, 5 % inserts",
    ),
    command("workloadE", Kind::YcsbRun(Preset::E), "YCSB: 95 % short scans, 5 % inserts; zipfian"),
    command("workloadF", Kind::YcsbRun(Preset::F), "YCSB: half reads, half read-modify-writes; zipfian"),
];

impl PeCommand {
    /// The command of this name; YCSB's may be written in any case.
    pub fn find(name: &str) -> Option<&'static Self> {
        COMMANDS.iter().find(|command| {
            command.name == name || (command.kind.is_ycsb() && command.name.eq_ignore_ascii_case(name))
        })
    }

    /// Whether it is one of YCSB's.
    pub fn is_ycsb(&self) -> bool {
        self.kind.is_ycsb()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        for command in COMMANDS {
            assert_eq!(PeCommand::find(command.name).unwrap().name, command.name);
            assert!(!command.summary.is_empty() && !command.summary.ends_with('.'));
        }
        assert_eq!(PeCommand::find("workloada").unwrap().name, "workloadA");
        assert!(PeCommand::find("RANDOMREAD").is_none());
    }
}
