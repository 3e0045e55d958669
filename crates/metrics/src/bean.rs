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
    /// Its logs.
    Wal,
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
    /// The process: not HBase's, whose metrics of it are a Java virtual machine's.
    Process,
}

impl Bean {
    /// All of them, in the order in which they are told.
    pub const ALL: [Self; 10] = [
        Self::RegionServer,
        Self::Regions,
        Self::Tables,
        Self::Wal,
        Self::Ipc,
        Self::Memory,
        Self::Users,
        Self::Master,
        Self::AssignmentManager,
        Self::Process,
    ];

    /// Its name, as queries give it.
    pub fn name(self) -> &'static str {
        match self {
            Self::RegionServer => "Hadoop:service=HBase,name=RegionServer,sub=Server",
            Self::Regions => "Hadoop:service=HBase,name=RegionServer,sub=Regions",
            Self::Tables => "Hadoop:service=HBase,name=RegionServer,sub=Tables",
            Self::Wal => "Hadoop:service=HBase,name=RegionServer,sub=WAL",
            Self::Ipc => "Hadoop:service=HBase,name=RegionServer,sub=IPC",
            Self::Memory => "Hadoop:service=HBase,name=RegionServer,sub=Memory",
            Self::Users => "Hadoop:service=HBase,name=RegionServer,sub=Users",
            Self::Master => "Hadoop:service=HBase,name=Master,sub=Server",
            Self::AssignmentManager => "Hadoop:service=HBase,name=Master,sub=AssignmentManager",
            Self::Process => "Finback:name=Process",
        }
    }

    /// What HBase calls its type.
    pub(crate) fn modeler_type(self) -> &'static str {
        match self {
            Self::Process => "Process",
            hbase => hbase.name().split_once(",name=").map_or("", |(_, name)| name),
        }
    }

    /// HBase's tag of the same name, in lower case.
    pub(crate) fn context(self) -> &'static str {
        match self {
            Self::Master | Self::AssignmentManager => "master",
            Self::Process => "process",
            _ => "regionserver",
        }
    }
}
