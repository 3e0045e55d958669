//! Tables: what there is, and changes of it.

use super::{Admin, Nonces, malformed, named};
use crate::connection::IntoTableName;
use crate::error::{Error, Result};
use bytes::Bytes;
use finback_cell::{ColumnFamilyDescriptor, TableDescriptor, TableName};
use finback_proto::pb;
use finback_rpc::exceptions;
pub use pb::table_state::State as TableState;

/// Which tables are meant.
#[derive(Debug, Clone, Default)]
pub struct TablePattern {
    /// A regular expression of Java's, which the whole name must match.
    pub regex: Option<String>,
    /// Whether HBase's own tables are among them.
    pub include_system: bool,
}

impl TablePattern {
    /// All tables but HBase's own.
    pub fn all() -> Self {
        Self::default()
    }

    /// Tables whose names match a regular expression of Java's.
    pub fn matching(regex: impl Into<String>) -> Self {
        Self { regex: Some(regex.into()), include_system: false }
    }

    /// Includes HBase's own tables.
    #[must_use]
    pub fn with_system_tables(mut self) -> Self {
        self.include_system = true;
        self
    }
}

/// A change of a table whose request and answer have no more than its name and its procedure.
macro_rules! by_name {
    ($self:ident, $table:ident, $method:literal, $request:ident, $response:ident) => {{
        let Nonces { group: nonce_group, nonce } = $self.nonces();
        let table_name = (&named($table)?).into();
        let question = pb::$request { table_name, nonce_group, nonce };
        let answer: pb::$response = $self.ask_master($method, &question).await?;
        $self.done($method, answer.proc_id).await
    }};
}

/// What HBase's clients refuse before they ask: its master answers so that one would ask again.
fn check_names(families: &[ColumnFamilyDescriptor]) -> Result<()> {
    families.iter().try_for_each(ColumnFamilyDescriptor::check_name).map_err(Error::Argument)
}

impl Admin {
    /// Creates a table, with regions that begin at these keys besides the first.
    ///
    /// # Errors
    /// As of all operations; `TableExistsException`, `NamespaceNotFoundException`.
    pub async fn create_table<K: AsRef<[u8]>>(
        &self,
        table: &TableDescriptor,
        split_keys: impl IntoIterator<Item = K>,
    ) -> Result<()> {
        check_names(&table.families)?;
        let Nonces { group: nonce_group, nonce } = self.nonces();
        let mut split_keys: Vec<Bytes> =
            split_keys.into_iter().map(|key| Bytes::copy_from_slice(key.as_ref())).collect();
        split_keys.sort();
        let question = pb::CreateTableRequest { table_schema: table.into(), split_keys, nonce_group, nonce };
        let answer: pb::CreateTableResponse = self.ask_master("CreateTable", &question).await?;
        self.done("CreateTable", answer.proc_id).await?;
        self.shared.locator.forget(&table.name);
        Ok(())
    }

    /// Deletes a table, which must be disabled.
    ///
    /// # Errors
    /// As of all operations; `TableNotFoundException`, `TableNotDisabledException`.
    pub async fn delete_table(&self, table: impl IntoTableName) -> Result<()> {
        let table = named(table)?;
        let which = &table;
        by_name!(self, which, "DeleteTable", DeleteTableRequest, DeleteTableResponse)?;
        self.shared.locator.forget(&table);
        Ok(())
    }

    /// Takes a table into service.
    ///
    /// # Errors
    /// As of all operations; `TableNotFoundException`, `TableNotDisabledException`.
    pub async fn enable_table(&self, table: impl IntoTableName) -> Result<()> {
        by_name!(self, table, "EnableTable", EnableTableRequest, EnableTableResponse)
    }

    /// Takes a table out of service.
    ///
    /// # Errors
    /// As of all operations; `TableNotFoundException`, `TableNotEnabledException`.
    pub async fn disable_table(&self, table: impl IntoTableName) -> Result<()> {
        by_name!(self, table, "DisableTable", DisableTableRequest, DisableTableResponse)
    }

    /// Empties a table, which must be disabled, and enables it; with the regions that it has, or with one.
    ///
    /// # Errors
    /// As of all operations; `TableNotFoundException`, `TableNotDisabledException`.
    pub async fn truncate_table(&self, table: impl IntoTableName, preserve_splits: bool) -> Result<()> {
        let table = named(table)?;
        let Nonces { group: nonce_group, nonce } = self.nonces();
        let (table_name, preserve_splits) = ((&table).into(), Some(preserve_splits));
        let question = pb::TruncateTableRequest { table_name, preserve_splits, nonce_group, nonce };
        let answer: pb::TruncateTableResponse = self.ask_master("truncateTable", &question).await?;
        self.done("truncateTable", answer.proc_id).await?;
        self.shared.locator.forget(&table);
        Ok(())
    }

    /// Makes a table what `table` says, all of it.
    ///
    /// # Errors
    /// As of all operations; `TableNotFoundException`.
    pub async fn modify_table(&self, table: &TableDescriptor) -> Result<()> {
        check_names(&table.families)?;
        let Nonces { group: nonce_group, nonce } = self.nonces();
        let question = pb::ModifyTableRequest {
            table_name: (&table.name).into(),
            table_schema: table.into(),
            nonce_group,
            nonce,
            reopen_regions: Some(true),
        };
        let answer: pb::ModifyTableResponse = self.ask_master("ModifyTable", &question).await?;
        self.done("ModifyTable", answer.proc_id).await
    }

    /// Adds a family to a table.
    ///
    /// # Errors
    /// As of all operations; `TableNotFoundException`, `InvalidFamilyOperationException`.
    pub async fn add_family(&self, table: impl IntoTableName, family: &ColumnFamilyDescriptor) -> Result<()> {
        check_names(std::slice::from_ref(family))?;
        let Nonces { group: nonce_group, nonce } = self.nonces();
        let (table_name, column_families) = ((&named(table)?).into(), family.into());
        let question = pb::AddColumnRequest { table_name, column_families, nonce_group, nonce };
        let answer: pb::AddColumnResponse = self.ask_master("AddColumn", &question).await?;
        self.done("AddColumn", answer.proc_id).await
    }

    /// Makes a family of a table what `family` says, all of it.
    ///
    /// # Errors
    /// As of all operations; `TableNotFoundException`, `InvalidFamilyOperationException`.
    pub async fn modify_family(
        &self,
        table: impl IntoTableName,
        family: &ColumnFamilyDescriptor,
    ) -> Result<()> {
        check_names(std::slice::from_ref(family))?;
        let Nonces { group: nonce_group, nonce } = self.nonces();
        let (table_name, column_families) = ((&named(table)?).into(), family.into());
        let question = pb::ModifyColumnRequest { table_name, column_families, nonce_group, nonce };
        let answer: pb::ModifyColumnResponse = self.ask_master("ModifyColumn", &question).await?;
        self.done("ModifyColumn", answer.proc_id).await
    }

    /// Deletes a family of a table, and its data.
    ///
    /// # Errors
    /// As of all operations; `TableNotFoundException`, `InvalidFamilyOperationException`.
    pub async fn delete_family(&self, table: impl IntoTableName, family: impl AsRef<[u8]>) -> Result<()> {
        let Nonces { group: nonce_group, nonce } = self.nonces();
        let (table_name, column_name) = ((&named(table)?).into(), Bytes::copy_from_slice(family.as_ref()));
        let question = pb::DeleteColumnRequest { table_name, column_name, nonce_group, nonce };
        let answer: pb::DeleteColumnResponse = self.ask_master("DeleteColumn", &question).await?;
        self.done("DeleteColumn", answer.proc_id).await
    }

    /// Changes how a table, or one of its families, keeps track of its files.
    ///
    /// # Errors
    /// As of all operations; `TableNotFoundException`.
    pub async fn modify_store_file_tracker(
        &self,
        table: impl IntoTableName,
        family: Option<&[u8]>,
        tracker: &str,
    ) -> Result<()> {
        let Nonces { group: nonce_group, nonce } = self.nonces();
        let (table_name, dst_sft) = ((&named(table)?).into(), tracker.to_owned());
        let Some(family) = family else {
            const METHOD: &str = "ModifyTableStoreFileTracker";
            let question = pb::ModifyTableStoreFileTrackerRequest { table_name, dst_sft, nonce_group, nonce };
            let answer: pb::ModifyTableStoreFileTrackerResponse = self.ask_master(METHOD, &question).await?;
            return self.done(METHOD, answer.proc_id).await;
        };
        const METHOD: &str = "ModifyColumnStoreFileTracker";
        let family = Bytes::copy_from_slice(family);
        let question =
            pb::ModifyColumnStoreFileTrackerRequest { table_name, family, dst_sft, nonce_group, nonce };
        let answer: pb::ModifyColumnStoreFileTrackerResponse = self.ask_master(METHOD, &question).await?;
        self.done(METHOD, answer.proc_id).await
    }

    /// How many regions of a table have not seen its last change yet, and how many there are.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn alter_status(&self, table: impl IntoTableName) -> Result<(u32, u32)> {
        let question = pb::GetSchemaAlterStatusRequest { table_name: (&named(table)?).into() };
        let answer: pb::GetSchemaAlterStatusResponse =
            self.ask_master("GetSchemaAlterStatus", &question).await?;
        Ok((answer.yet_to_update_regions(), answer.total_regions()))
    }

    /// What a table is.
    ///
    /// # Errors
    /// As of all operations; `TableNotFoundException`.
    pub async fn descriptor(&self, table: impl IntoTableName) -> Result<TableDescriptor> {
        let table = named(table)?;
        let found = self.descriptors_of([&table]).await?.into_iter().next();
        found.ok_or_else(|| {
            Error::refused("GetTableDescriptors", exceptions::table_not_found(table.to_string()))
        })
    }

    /// What tables are; those that do not exist are left out.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn descriptors_of(
        &self,
        tables: impl IntoIterator<Item = &TableName>,
    ) -> Result<Vec<TableDescriptor>> {
        let table_names: Vec<pb::TableName> = tables.into_iter().map(Into::into).collect();
        if table_names.is_empty() {
            return Ok(Vec::new()); // To the master no names are all.
        }
        self.ask_descriptors(pb::GetTableDescriptorsRequest { table_names, ..Default::default() }).await
    }

    /// What tables are.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn descriptors(&self, pattern: &TablePattern) -> Result<Vec<TableDescriptor>> {
        let include_sys_tables = Some(pattern.include_system);
        let regex = pattern.regex.clone();
        self.ask_descriptors(pb::GetTableDescriptorsRequest {
            regex,
            include_sys_tables,
            ..Default::default()
        })
        .await
    }

    async fn ask_descriptors(
        &self,
        question: pb::GetTableDescriptorsRequest,
    ) -> Result<Vec<TableDescriptor>> {
        const METHOD: &str = "GetTableDescriptors";
        let answer: pb::GetTableDescriptorsResponse = self.ask_master(METHOD, &question).await?;
        answer
            .table_schema
            .iter()
            .map(|one| TableDescriptor::try_from(one).map_err(malformed(METHOD)))
            .collect()
    }

    /// The names of tables.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn table_names(&self, pattern: &TablePattern) -> Result<Vec<TableName>> {
        const METHOD: &str = "GetTableNames";
        let question = pb::GetTableNamesRequest {
            regex: pattern.regex.clone(),
            include_sys_tables: Some(pattern.include_system),
            namespace: None,
        };
        let answer: pb::GetTableNamesResponse = self.ask_master(METHOD, &question).await?;
        answer.table_names.iter().map(|name| TableName::try_from(name).map_err(malformed(METHOD))).collect()
    }

    /// Whether there is such a table.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn table_exists(&self, table: impl IntoTableName) -> Result<bool> {
        let table = named(table)?;
        Ok(table.is_meta() || self.state(&table).await?.is_some())
    }

    /// The name of a table, if there is such a table. What asks its regions would otherwise find none, and say that all is done.
    pub(super) async fn existing(&self, table: impl IntoTableName) -> Result<TableName> {
        let table = named(table)?;
        match self.table_exists(&table).await? {
            true => Ok(table),
            false => Err(Error::refused("Get", exceptions::table_not_found(table.to_string()))),
        }
    }

    /// Whether a table is in service, as hbase:meta says.
    ///
    /// # Errors
    /// As of all operations; `TableNotFoundException`.
    pub async fn table_state(&self, table: impl IntoTableName) -> Result<TableState> {
        let table = named(table)?;
        if table.is_meta() {
            return Ok(TableState::Enabled);
        }
        let state = self.state(&table).await?;
        state.ok_or_else(|| Error::refused("Get", exceptions::table_not_found(table.to_string())))
    }

    async fn state(&self, table: &TableName) -> Result<Option<TableState>> {
        let mut retrying = self.shared.retrying("Get", self.timeout);
        loop {
            match retrying.within(self.shared.table_state(table)).await? {
                Ok(state) => return Ok(state),
                Err(failed) => retrying.failed(failed).await?,
            }
        }
    }

    /// Whether a table is enabled and all its regions have servers.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn is_table_available(&self, table: impl IntoTableName) -> Result<bool> {
        let table = named(table)?;
        if !table.is_meta() && self.state(&table).await? != Some(TableState::Enabled) {
            return Ok(false);
        }
        let regions = self.table(&table).regions().await?;
        Ok(!regions.is_empty() && regions.iter().all(|region| region.server().is_some()))
    }
}
