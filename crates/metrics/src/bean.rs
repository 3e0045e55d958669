//! HBase's beans: groups of metrics under a name.

/// A bean that a metric is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bean {
    /// The region server.
    RegionServer,
    /// Its regions, each metric of each under a name of its own.
    Regions,
    /// Its tables, in the same way.
    Tables,
    /// How long what its tables are asked for takes.
    TableLatencies,
    /// Its logs.
    Wal,
    /// Its reads and writes of store files.
    Io,
    /// Its RPC server.
    Ipc,
    /// Its memory.
    Memory,
    /// Who asks it.
    Users,
    /// The master.
    Master,
    /// What the master assigns.
    AssignmentManager,
    /// The master's RPC server: the metrics of [`Bean::Ipc`], of another server.
    MasterIpc,
    /// Whether it balances regions.
    Balancer,
    /// Its snapshots.
    Snapshots,
    /// The process: not HBase's, whose metrics of it are a Java virtual machine's.
    Process,
    /// What Java's bean of this name has of a process.
    OperatingSystem,
    /// Likewise.
    Runtime,
    /// Likewise.
    Threading,
}

impl Bean {
    /// All of them, in the order in which they are told.
    pub const ALL: [Self; 18] = [
        Self::RegionServer,
        Self::Regions,
        Self::Tables,
        Self::TableLatencies,
        Self::Wal,
        Self::Io,
        Self::Ipc,
        Self::Memory,
        Self::Users,
        Self::Master,
        Self::AssignmentManager,
        Self::MasterIpc,
        Self::Balancer,
        Self::Snapshots,
        Self::Process,
        Self::OperatingSystem,
        Self::Runtime,
        Self::Threading,
    ];

    /// Its name, as queries give it.
    pub fn name(self) -> &'static str {
        match self {
            Self::RegionServer => "Hadoop:service=HBase,name=RegionServer,sub=Server",
            Self::Regions => "Hadoop:service=HBase,name=RegionServer,sub=Regions",
            Self::Tables => "Hadoop:service=HBase,name=RegionServer,sub=Tables",
            Self::TableLatencies => "Hadoop:service=HBase,name=RegionServer,sub=TableLatencies",
            Self::Wal => "Hadoop:service=HBase,name=RegionServer,sub=WAL",
            Self::Io => "Hadoop:service=HBase,name=RegionServer,sub=IO",
            Self::Ipc => "Hadoop:service=HBase,name=RegionServer,sub=IPC",
            Self::Memory => "Hadoop:service=HBase,name=RegionServer,sub=Memory",
            Self::Users => "Hadoop:service=HBase,name=RegionServer,sub=Users",
            Self::Master => "Hadoop:service=HBase,name=Master,sub=Server",
            Self::AssignmentManager => "Hadoop:service=HBase,name=Master,sub=AssignmentManager",
            Self::MasterIpc => "Hadoop:service=HBase,name=Master,sub=IPC",
            Self::Balancer => "Hadoop:service=HBase,name=Master,sub=Balancer",
            Self::Snapshots => "Hadoop:service=HBase,name=Master,sub=Snapshots",
            Self::Process => "Finback:name=Process",
            Self::OperatingSystem => "java.lang:type=OperatingSystem",
            Self::Runtime => "java.lang:type=Runtime",
            Self::Threading => "java.lang:type=Threading",
        }
    }

    /// What HBase calls its type.
    pub(crate) fn modeler_type(self) -> &'static str {
        match self {
            Self::Process => "Process",
            Self::OperatingSystem => "OperatingSystem",
            Self::Runtime => "Runtime",
            Self::Threading => "Threading",
            hbase => hbase.name().split_once(",name=").map_or("", |(_, name)| name),
        }
    }

    /// Whether it is one of HBase's.
    pub fn is_of_hbase(self) -> bool {
        !matches!(self, Self::Process | Self::OperatingSystem | Self::Runtime | Self::Threading)
    }

    /// HBase's tag of the same name, in lower case. Java's own beans have none.
    pub(crate) fn context(self) -> Option<&'static str> {
        match self {
            Self::Master | Self::AssignmentManager | Self::MasterIpc | Self::Balancer | Self::Snapshots => {
                Some("master")
            }
            Self::Process => Some("process"),
            Self::OperatingSystem | Self::Runtime | Self::Threading => None,
            _ => Some("regionserver"),
        }
    }
}
