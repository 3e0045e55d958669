//! Table descriptors: one in memory for all regions of a table that were opened under the same.

use finback_cell::{TableDescriptor, TableName};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, Weak};

/// The descriptors of open regions.
#[derive(Debug, Default)]
pub(crate) struct Schemas {
    known: Mutex<HashMap<TableName, Weak<TableDescriptor>>>,
}

impl Schemas {
    /// The descriptor of other regions, if it says the same as the one that was read; else that.
    pub(crate) fn share(&self, read: TableDescriptor) -> Arc<TableDescriptor> {
        let mut known = self.known.lock();
        let same = known.get(&read.name).and_then(Weak::upgrade).filter(|known| **known == read);
        same.unwrap_or_else(|| {
            known.retain(|_, table| table.strong_count() > 0);
            let read = Arc::new(read);
            known.insert(read.name.clone(), Arc::downgrade(&read));
            read
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use finback_cell::ColumnFamilyDescriptor;

    #[test]
    fn regions_opened_under_the_same_descriptor_share_it() {
        let schemas = Schemas::default();
        let read = |families: &[&str]| {
            let families = families.iter().map(|name| ColumnFamilyDescriptor::with_defaults(name.as_bytes()));
            let name = TableName::parse(b"t").unwrap();
            schemas.share(TableDescriptor { families: families.collect(), ..TableDescriptor::new(name) })
        };
        let (one, two) = (read(&["f"]), read(&["f"]));
        assert!(Arc::ptr_eq(&one, &two));
        let altered = read(&["f", "g"]);
        assert_eq!((one.families.len(), altered.families.len()), (1, 2));
        assert!(Arc::ptr_eq(&altered, &read(&["f", "g"])));
        drop((one, two, altered));
        assert_eq!(read(&["g"]).families.len(), 1);
        assert_eq!(schemas.known.lock().len(), 1);
    }
}
