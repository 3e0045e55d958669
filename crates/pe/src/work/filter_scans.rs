//! Scans of the whole table for one value.

use super::range_scans::read_all;
use super::{Client, Work, nothing};
use crate::error::Result;
use crate::recorder::Done;
use crate::row_value::Values;
use finback_client::{Comparator, CompareOperator, Filter, Scan};

/// `filterScan`.
pub(crate) struct FilterScans {
    client: Client,
    values: Values,
}

impl FilterScans {
    pub(crate) fn new(client: Client) -> Result<Self> {
        Ok(Self { values: Values::new(&client.options)?, client })
    }

    /// For a value that probably no row has, in the first column of the first family.
    fn scan(&mut self) -> Scan {
        let Self { client, values } = self;
        let value = Comparator::binary(values.next(&mut client.random));
        let (family, options) = (&client.columns.families[0], &client.options);
        let filter = Filter::single_column_value(family, "0", CompareOperator::Equal, value);
        let nothing = options.filter_all.then(nothing);
        let mut scan = Scan::new()
            .caching(options.caching)
            .cache_blocks(options.cache_blocks)
            .read_type(options.read_type);
        if options.add_columns {
            for qualifier in &client.columns.qualifiers {
                scan = scan.column(family, qualifier);
            }
        } else {
            scan = scan.family(family);
        }
        scan.filter(Filter::all([filter].into_iter().chain(nothing)))
    }
}

impl Work for FilterScans {
    async fn step(&mut self, _: u64) -> Result<Option<Done>> {
        let scan = self.scan();
        read_all(&self.client, scan).await.map(Some)
    }
}
