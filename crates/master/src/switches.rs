//! Switches that clients may turn. Those of splits, merges, the catalog janitor and the cleaners are obeyed; what the others
//! control does not exist yet. A switch remembers what it was set to, until the next start.

/// The switches, as HBase has them after a first start.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Switches {
    pub(crate) balancer: bool,
    pub(crate) normalizer: bool,
    pub(crate) split: bool,
    pub(crate) merge: bool,
    pub(crate) catalog_janitor: bool,
    pub(crate) cleaner: bool,
    pub(crate) snapshot_cleanup: bool,
}

impl Default for Switches {
    fn default() -> Self {
        Self {
            balancer: true,
            normalizer: true,
            split: true,
            merge: true,
            catalog_janitor: true,
            cleaner: true,
            snapshot_cleanup: true,
        }
    }
}
