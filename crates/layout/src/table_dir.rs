//! A table is created in `.tmp` and becomes valid by one rename.

use std::collections::BTreeSet;

use finback_cell::{RegionInfo, TableDescriptor, TableName};

use crate::{
    Result, RootDir, error::At, region_dir::region_info_file, root_dir::family_component, small_file,
    table_descriptor::first_descriptor_file,
};

impl RootDir {
    /// Creates a table's directory with its descriptor and its regions, all or nothing. Store files of an abandoned
    /// directory of that name go to the archive first.
    ///
    /// # Errors
    /// The storage's; there is then no directory in `data` (or, if only the last sync failed, the complete one).
    pub fn create_table_dir(&self, table: &TableDescriptor, regions: &[RegionInfo]) -> Result<()> {
        let staged = self.staged_table_dir(&table.name);
        self.archive_table_dir(&staged, &table.name)?;
        self.archive_table(&table.name)?;
        let mut files = vec![first_descriptor_file(&staged, table)];
        files.extend(regions.iter().map(|region| region_info_file(&staged, region)));
        let mut dirs: Vec<_> = files.iter().filter_map(|(path, _)| path.parent().map(Into::into)).collect();
        for region in regions {
            let region_dir = staged.join(region.encoded_name());
            dirs.extend(
                table.families.iter().map(|family| region_dir.join(&*family_component(&family.name))),
            );
        }
        dirs.push(self.namespace_dir(table.name.namespace()));
        self.fs().create_dirs_all(&dirs).at(&staged)?;
        small_file::write_all_new(&**self.fs(), &files)?;
        let to = self.table_dir(&table.name);
        self.fs().rename(&staged, &to).at(&to)
    }

    /// The tables that have a directory in `data`, sorted by path.
    ///
    /// # Errors
    /// The storage's.
    pub fn list_tables(&self) -> Result<Vec<TableName>> {
        self.tables_below(&self.data_dir())
    }

    /// The namespaces that have a directory in `data`.
    ///
    /// # Errors
    /// The storage's.
    pub fn list_namespace_dirs(&self) -> Result<Vec<String>> {
        let entries = self.list_if_exists(&self.data_dir())?;
        Ok(entries.into_iter().filter(|entry| entry.is_dir).map(|entry| entry.name).collect())
    }

    /// Makes the directory of a namespace.
    ///
    /// # Errors
    /// The storage's.
    pub fn create_namespace_dir(&self, namespace: &str) -> Result<()> {
        let dir = self.namespace_dir(namespace);
        self.fs().create_dir_all(&dir).at(&dir)
    }

    /// Removes the directory of a namespace if there is nothing in it.
    ///
    /// # Errors
    /// The storage's.
    pub fn remove_namespace_dir(&self, namespace: &str) -> Result<()> {
        let dir = self.namespace_dir(namespace);
        if !self.list_if_exists(&dir)?.is_empty() {
            return Ok(());
        }
        small_file::remove_dir_if_exists(&**self.fs(), &dir)?;
        let data = self.data_dir();
        self.fs().sync_dir(&data).at(&data)
    }

    /// Clears away what a crash left of creations and deletions: everything in `.tmp`, MOB files that were begun, and each directory
    /// in `data` whose table or region is not in `keep` (a table, and the encoded names of its regions), but for those that lay there
    /// when the directory was taken over. Store files found there go to the archive. The tables and regions cleared away are
    /// returned, for the log. Nobody may write files of a table meanwhile.
    ///
    /// # Errors
    /// The storage's; a second call goes on where this one stopped.
    pub fn sweep(
        &self,
        keep: &std::collections::BTreeMap<TableName, BTreeSet<String>>,
    ) -> Result<Vec<String>> {
        let unnamed = self.unnamed_regions()?;
        let mut swept = Vec::new();
        for table in self.tables_below(&self.temp_dir().join("data"))? {
            self.archive_table_dir(&self.staged_table_dir(&table), &table)?;
            swept.push(format!("{table} (not yet created)"));
        }
        self.remove_stale_temporaries()?;
        self.remove_all_temporary_mob_files()?;
        for table in self.list_tables()? {
            let (named, unnamed) = (keep.get(&table), unnamed.get(&table));
            if named.is_none() && unnamed.is_none() {
                self.archive_table(&table)?;
                swept.push(table.to_string());
                continue;
            }
            let is_kept =
                |region: &String| [named, unnamed].into_iter().flatten().any(|kept| kept.contains(region));
            for region in self.list_regions(&table)? {
                if !is_kept(&region) {
                    self.archive_region(&table, &region)?;
                    swept.push(format!("{table} {region}"));
                }
            }
        }
        Ok(swept)
    }

    fn tables_below(&self, dir: &std::path::Path) -> Result<Vec<TableName>> {
        let mut tables = Vec::new();
        for namespace in self.list_if_exists(dir)?.iter().filter(|entry| entry.is_dir) {
            for table in self.list_if_exists(&dir.join(&namespace.name))?.iter().filter(|entry| entry.is_dir)
            {
                // Directories that cannot be tables are not ours.
                tables.extend(TableName::new(namespace.name.as_bytes(), table.name.as_bytes()));
            }
        }
        Ok(tables)
    }

    fn remove_stale_temporaries(&self) -> Result<()> {
        let dir = self.temp_dir();
        for entry in self.list_if_exists(&dir)? {
            if !entry.is_dir && entry.name.starts_with("tableinfo-") {
                small_file::remove_if_exists(&**self.fs(), &dir.join(entry.name))?;
            }
        }
        Ok(())
    }
}
