//! What is known of a record: HBase's fields, by the headings of their columns.

/// A field of a record. The names are those of HBase's `hbtop`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Field {
    /// The region's full name.
    RegionName,
    /// The namespace.
    Namespace,
    /// The table, without its namespace.
    Table,
    /// When the region was made, as its name says.
    StartCode,
    /// The number of the replica; empty for the region itself.
    ReplicaId,
    /// The region's encoded name.
    Region,
    /// The server, as `host,port`.
    RegionServer,
    /// The server, as `host,port,startcode`.
    LongRegionServer,
    /// Reads and writes per second.
    Requests,
    /// Reads per second.
    Reads,
    /// Rows per second that a filter dropped.
    FilteredReads,
    /// Writes per second.
    Writes,
    /// Size of the store files.
    StoreFileSize,
    /// Size of what is in the store files.
    UncompressedSize,
    /// Number of store files.
    StoreFiles,
    /// Size of the memstores.
    MemstoreSize,
    /// Share of the bytes that lie where the region is.
    Locality,
    /// First row of the region.
    StartKey,
    /// Cells that compactions under way have to go through.
    CompactingCells,
    /// Cells that they have gone through.
    CompactedCells,
    /// The share of it.
    CompactionProgress,
    /// When all files were last compacted.
    LastMajorCompaction,
    /// Number of regions.
    Regions,
    /// Memory that the server uses.
    UsedHeap,
    /// The user.
    User,
    /// Memory that it may use.
    MaxHeap,
    /// Number of clients.
    Clients,
    /// Number of users.
    Users,
    /// The client's host.
    Client,
}

/// What kind of value a field has: how it is compared, and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldType {
    /// Text, in the order of its bytes.
    Text,
    /// A whole number.
    Number,
    /// Bytes.
    Size,
    /// A part of one.
    Ratio,
    /// A part of a hundred.
    Percent,
}

impl Field {
    /// All fields, in HBase's order.
    pub const ALL: [Self; 29] = [
        Self::RegionName,
        Self::Namespace,
        Self::Table,
        Self::StartCode,
        Self::ReplicaId,
        Self::Region,
        Self::RegionServer,
        Self::LongRegionServer,
        Self::Requests,
        Self::Reads,
        Self::FilteredReads,
        Self::Writes,
        Self::StoreFileSize,
        Self::UncompressedSize,
        Self::StoreFiles,
        Self::MemstoreSize,
        Self::Locality,
        Self::StartKey,
        Self::CompactingCells,
        Self::CompactedCells,
        Self::CompactionProgress,
        Self::LastMajorCompaction,
        Self::Regions,
        Self::UsedHeap,
        Self::User,
        Self::MaxHeap,
        Self::Clients,
        Self::Users,
        Self::Client,
    ];

    /// Heading, meaning, type.
    fn description(self) -> (&'static str, &'static str, FieldType) {
        use FieldType::{Number, Percent, Ratio, Size, Text};
        match self {
            Self::RegionName => ("RNAME", "Region Name", Text),
            Self::Namespace => ("NAMESPACE", "Namespace Name", Text),
            Self::Table => ("TABLE", "Table Name", Text),
            Self::StartCode => ("SCODE", "Start Code", Text),
            Self::ReplicaId => ("REPID", "Replica ID", Text),
            Self::Region => ("REGION", "Encoded Region Name", Text),
            Self::RegionServer => ("RS", "Short Region Server Name", Text),
            Self::LongRegionServer => ("LRS", "Long Region Server Name", Text),
            Self::Requests => ("#REQ/S", "Request Count per second", Number),
            Self::Reads => ("#READ/S", "Read Request Count per second", Number),
            Self::FilteredReads => ("#FREAD/S", "Filtered Read Request Count per second", Number),
            Self::Writes => ("#WRITE/S", "Write Request Count per second", Number),
            Self::StoreFileSize => ("SF", "StoreFile Size", Size),
            Self::UncompressedSize => ("USF", "Uncompressed StoreFile Size", Size),
            Self::StoreFiles => ("#SF", "Number of StoreFiles", Number),
            Self::MemstoreSize => ("MEMSTORE", "MemStore Size", Size),
            Self::Locality => ("LOCALITY", "Block Locality", Ratio),
            Self::StartKey => ("SKEY", "Start Key", Text),
            Self::CompactingCells => ("#COMPingCELL", "Compacting Cell Count", Number),
            Self::CompactedCells => ("#COMPedCELL", "Compacted Cell Count", Number),
            Self::CompactionProgress => ("%COMP", "Compaction Progress", Percent),
            Self::LastMajorCompaction => ("LASTMCOMP", "Last Major Compaction Time", Text),
            Self::Regions => ("#REGION", "Region Count", Number),
            Self::UsedHeap => ("UHEAP", "Used Heap Size", Size),
            Self::User => ("USER", "User Name", Text),
            Self::MaxHeap => ("MHEAP", "Max Heap Size", Size),
            Self::Clients => ("#CLIENT", "Client Count", Number),
            Self::Users => ("#USER", "User Count", Number),
            Self::Client => ("CLIENT", "Client Hostname", Text),
        }
    }

    /// The heading of its column, by which it is also called on command lines and in filters.
    pub fn heading(self) -> &'static str {
        self.description().0
    }

    /// What it is, in a few words.
    pub fn meaning(self) -> &'static str {
        self.description().1
    }

    /// What kind of value it has.
    pub fn kind(self) -> FieldType {
        self.description().2
    }

    /// Whether it stands at the left of its column: all names, but not the number of a replica.
    pub fn is_left_justified(self) -> bool {
        self.kind() == FieldType::Text && self != Self::ReplicaId
    }

    /// The field with this heading, in letters of any case if no other way is right.
    pub fn named(heading: &str) -> Option<Self> {
        let exact = Self::ALL.into_iter().find(|field| field.heading() == heading);
        exact.or_else(|| Self::ALL.into_iter().find(|field| field.heading().eq_ignore_ascii_case(heading)))
    }
}
