//! Regions: where they are, and what is done with them.

use super::{Admin, Nonces, named};
use crate::connection::IntoTableName;
use crate::error::{Error, Result};
use crate::meta::MetaRegion;
use bytes::Bytes;
use finback_cell::{RegionInfo, ServerName, StringBinary, TableName};
use finback_proto::{convert, pb};
use finback_rpc::exceptions;
use pb::region_specifier::RegionSpecifierType;

impl Admin {
    /// The regions of a table in their order, as hbase:meta tells them; without those that were split.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn regions_of_table(&self, table: impl IntoTableName) -> Result<Vec<MetaRegion>> {
        self.table(&named(table)?).regions().await
    }

    /// The regions that a server has.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn regions_of_server(&self, server: &ServerName) -> Result<Vec<RegionInfo>> {
        const METHOD: &str = "GetOnlineRegion";
        let answer: pb::GetOnlineRegionResponse =
            self.ask_server(server, METHOD, &pb::GetOnlineRegionRequest {}).await?;
        let region = |info: &pb::RegionInfo| RegionInfo::try_from(info).map_err(super::malformed(METHOD));
        answer.region_info.iter().map(region).collect()
    }

    /// What is going on in the regions of a server: of a table, or all.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn region_loads(
        &self,
        server: &ServerName,
        table: Option<&TableName>,
    ) -> Result<Vec<pb::RegionLoad>> {
        let question = pb::GetRegionLoadRequest { table_name: table.map(Into::into) };
        let answer: pb::GetRegionLoadResponse = self.ask_server(server, "GetRegionLoad", &question).await?;
        Ok(answer.region_loads)
    }

    /// A region by its full name or its encoded name. The latter is looked for in all of hbase:meta.
    ///
    /// # Errors
    /// As of all operations; `UnknownRegionException`.
    pub async fn region(&self, name: impl AsRef<[u8]>) -> Result<MetaRegion> {
        let name = name.as_ref();
        let meta = self.table(&TableName::meta());
        let is_it = |region: &MetaRegion| {
            &region.region.name()[..] == name || region.region.encoded_name().as_bytes() == name
        };
        if name == b"hbase:meta,,1" || name == finback_cell::region_info::META_ENCODED_NAME.as_bytes() {
            return meta.regions().await?.into_iter().next().ok_or_else(|| unknown(name));
        }
        if name.contains(&b',') {
            let row = meta.get(crate::Get::new(name).family("info")).await?;
            return row.as_ref().and_then(MetaRegion::of_row).filter(is_it).ok_or_else(|| unknown(name));
        }
        let mut rows = meta.scan(crate::Scan::new().family("info").caching(1000))?;
        while let Some(row) = rows.next().await? {
            if let Some(region) = MetaRegion::of_row(&row).filter(is_it) {
                return Ok(region);
            }
        }
        Err(unknown(name))
    }

    /// Splits a region, at a row or where the server finds it best.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn split_region(&self, region: &RegionInfo, split_row: Option<&[u8]>) -> Result<()> {
        let Nonces { group: nonce_group, nonce } = self.nonces();
        let split_row = split_row.map(Bytes::copy_from_slice);
        let question =
            pb::SplitTableRegionRequest { region_info: region.into(), split_row, nonce_group, nonce };
        let answer: pb::SplitTableRegionResponse = self.ask_master("SplitRegion", &question).await?;
        self.done("SplitRegion", answer.proc_id).await?;
        self.shared.locator.forget(&region.table);
        Ok(())
    }

    /// Splits the region of a table that has this row, there.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn split_table_at(&self, table: impl IntoTableName, row: impl AsRef<[u8]>) -> Result<()> {
        let location = self.table(&named(table)?).region_of(row.as_ref(), true).await?;
        self.split_region(location.region(), Some(row.as_ref())).await
    }

    /// Merges regions that lie beside each other, or, `forcible`, any.
    ///
    /// # Errors
    /// As of all operations; `MergeRegionException`.
    pub async fn merge_regions(&self, regions: &[RegionInfo], forcible: bool) -> Result<()> {
        let Nonces { group: nonce_group, nonce } = self.nonces();
        let region = regions.iter().map(convert::specifier_by_encoded_name).collect();
        let question = pb::MergeTableRegionsRequest { region, forcible: Some(forcible), nonce_group, nonce };
        let answer: pb::MergeTableRegionsResponse = self.ask_master("MergeTableRegions", &question).await?;
        self.done("MergeTableRegions", answer.proc_id).await?;
        regions.iter().for_each(|region| self.shared.locator.forget(&region.table));
        Ok(())
    }

    /// Moves a region, by its encoded name, to a server or to any other.
    ///
    /// # Errors
    /// As of all operations; `UnknownRegionException`.
    pub async fn move_region(&self, encoded_name: &str, server: Option<&ServerName>) -> Result<()> {
        let region = pb::RegionSpecifier {
            r#type: RegionSpecifierType::EncodedRegionName.into(),
            value: Bytes::copy_from_slice(encoded_name.as_bytes()),
        };
        let question = pb::MoveRegionRequest { region, dest_server_name: server.map(Into::into) };
        let _: pb::MoveRegionResponse = self.ask_master("MoveRegion", &question).await?;
        Ok(())
    }

    /// Has a region served.
    ///
    /// # Errors
    /// As of all operations; `UnknownRegionException`.
    pub async fn assign_region(&self, name: impl AsRef<[u8]>) -> Result<()> {
        let question =
            pb::AssignRegionRequest { region: self.by_full_name(name.as_ref()).await?, r#override: None };
        let _: pb::AssignRegionResponse = self.ask_master("AssignRegion", &question).await?;
        Ok(())
    }

    /// A region for calls to the master: HBase's does not know regions by their encoded names there.
    async fn by_full_name(&self, name: &[u8]) -> Result<pb::RegionSpecifier> {
        if !name.contains(&b',') {
            return Ok(convert::specifier_by_name(&self.region(name).await?.region));
        }
        let kind = RegionSpecifierType::RegionName.into();
        Ok(pb::RegionSpecifier { r#type: kind, value: Bytes::copy_from_slice(name) })
    }

    /// Has a region not served any more.
    ///
    /// # Errors
    /// As of all operations; `UnknownRegionException`.
    pub async fn unassign_region(&self, name: impl AsRef<[u8]>) -> Result<()> {
        let question =
            pb::UnassignRegionRequest { region: self.by_full_name(name.as_ref()).await?, force: None };
        let _: pb::UnassignRegionResponse = self.ask_master("UnassignRegion", &question).await?;
        Ok(())
    }

    /// Has the master forget where a region is.
    ///
    /// # Errors
    /// As of all operations; `UnknownRegionException`.
    pub async fn offline_region(&self, name: impl AsRef<[u8]>) -> Result<()> {
        let question = pb::OfflineRegionRequest { region: self.by_full_name(name.as_ref()).await? };
        let _: pb::OfflineRegionResponse = self.ask_master("OfflineRegion", &question).await?;
        Ok(())
    }

    /// Has a server drop blocks of a table's regions from its cache; how many were dropped, and what became of it.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn clear_block_cache(&self, table: impl IntoTableName) -> Result<Vec<pb::CacheEvictionStats>> {
        let regions = self.table(&self.existing(table).await?).regions().await?;
        let mut servers: Vec<&ServerName> = regions.iter().filter_map(MetaRegion::server).collect();
        servers.sort();
        servers.dedup();
        let mut evicted = Vec::new();
        for server in servers {
            let here = regions.iter().filter(|region| region.server() == Some(server));
            let region = here.map(|region| convert::specifier_by_name(&region.region)).collect();
            let question = pb::ClearRegionBlockCacheRequest { region };
            let answer: pb::ClearRegionBlockCacheResponse =
                self.ask_server(server, "ClearRegionBlockCache", &question).await?;
            evicted.push(answer.stats);
        }
        Ok(evicted)
    }
}

fn unknown(name: &[u8]) -> Error {
    Error::refused("locate", exceptions::unknown_region(StringBinary(name).to_string()))
}
