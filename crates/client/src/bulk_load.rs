//! Store files that somebody else has written become a part of a table.

use crate::error::Result;
use crate::table::Table;
use bytes::Bytes;
use finback_proto::{convert, pb};

/// A store file that is to be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BulkLoadFile {
    /// The family whose it is to be.
    pub family: Bytes,
    /// Where the region server finds it: a path of its file system, or a URI.
    pub path: String,
}

impl Table {
    /// Loads store files into the region that has `row`, all or none: one for each family at least has to lie wholly within
    /// that region. The files are moved into the table. False if the region has refused them without a reason, as it does
    /// when one does not fit, or when the client's user must not move the file; what they hold is then where it was.
    ///
    /// Files of several regions are to be cut where regions begin by who writes them ([`Table::regions`] tells).
    ///
    /// # Errors
    /// As of all operations. If no answer has come, the files may be loaded.
    pub async fn bulk_load(&self, row: impl AsRef<[u8]>, files: &[BulkLoadFile]) -> Result<bool> {
        let row = row.as_ref();
        let token = self.prepare_bulk_load(row).await?;
        let loaded = self.load(row, files, &token).await;
        let cleaned = self.clean_up_bulk_load(row, token).await;
        let loaded = loaded?;
        cleaned.map(|()| loaded)
    }

    async fn prepare_bulk_load(&self, row: &[u8]) -> Result<String> {
        let table_name = pb::TableName::from(self.name());
        let call = self.call("PrepareBulkLoad", row, self.write_timeout());
        let request = |location: &crate::RegionLocation| {
            let region = Some(convert::specifier_by_name(location.region()));
            (pb::PrepareBulkLoadRequest { table_name: table_name.clone(), region }, Bytes::new())
        };
        let (answer, _, _) = self.shared().call_region(call, request).await?;
        let answer: pb::PrepareBulkLoadResponse = answer;
        Ok(answer.bulk_token)
    }

    async fn load(&self, row: &[u8], files: &[BulkLoadFile], token: &str) -> Result<bool> {
        let path = |file: &BulkLoadFile| pb::bulk_load_h_file_request::FamilyPath {
            family: file.family.clone(),
            path: file.path.clone(),
        };
        let family_path: Vec<_> = files.iter().map(path).collect();
        let call = self.call("BulkLoadHFile", row, self.write_timeout());
        let request = |location: &crate::RegionLocation| {
            let request = pb::BulkLoadHFileRequest {
                region: convert::specifier_by_name(location.region()),
                family_path: family_path.clone(),
                assign_seq_num: Some(true),
                bulk_token: Some(token.to_owned()),
                copy_file: Some(false),
                ..Default::default()
            };
            (request, Bytes::new())
        };
        let (answer, _, _) = self.shared().call_region(call, request).await?;
        let answer: pb::BulkLoadHFileResponse = answer;
        Ok(answer.loaded)
    }

    async fn clean_up_bulk_load(&self, row: &[u8], token: String) -> Result<()> {
        let call = self.call("CleanupBulkLoad", row, self.write_timeout());
        let request = |location: &crate::RegionLocation| {
            let region = Some(convert::specifier_by_name(location.region()));
            (pb::CleanupBulkLoadRequest { bulk_token: token.clone(), region }, Bytes::new())
        };
        let (answer, _, _) = self.shared().call_region(call, request).await?;
        let _: pb::CleanupBulkLoadResponse = answer;
        Ok(())
    }
}
