//! The tables, as the master knows them, for the pages.

use super::ServerPages;
use super::regions::text;
use finback_cell::{ColumnFamilyDescriptor, TableDescriptor, TableName};
use finback_pages::model::{Refused, Schema, Table};
use finback_proto::pb;
use pb::Option as StatusOption;
use std::collections::{HashMap, HashSet};
use std::time::Instant;

type Attributes = Vec<(String, String)>;

impl ServerPages {
    pub(super) fn all_tables(&self, until: Instant) -> Result<Vec<Table>, Refused> {
        let request = pb::GetClusterStatusRequest { options: vec![StatusOption::TableToRegionsCount.into()] };
        let answer: pb::GetClusterStatusResponse = self.ask_master(until, "GetClusterStatus", &request)?;
        let disabled = self.disabled(until)?;
        let families = self.families();
        let counts = answer.cluster_status.table_region_states_count;
        let tables = counts.iter().filter_map(|one| {
            let name = TableName::try_from(&one.table_name).ok()?.to_string();
            let state = if disabled.contains(&name) { "DISABLED" } else { "ENABLED" };
            Some(Table {
                state: state.to_owned(),
                families: families.get(&name).cloned().unwrap_or_default(),
                // Those that were split are there until nothing refers to them any more; nobody asks for their rows.
                regions: u64::from(
                    one.region_states_count
                        .total_regions
                        .saturating_sub(one.region_states_count.split_regions),
                ),
                name,
            })
        });
        let mut tables: Vec<_> = tables.collect();
        tables.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(tables)
    }

    fn disabled(&self, until: Instant) -> Result<HashSet<String>, Refused> {
        let request = pb::ListTableNamesByStateRequest { is_enabled: false };
        let answer: pb::ListTableNamesByStateResponse =
            self.ask_master(until, "ListTableNamesByState", &request)?;
        let names = answer.table_names.iter().filter_map(|name| TableName::try_from(name).ok());
        Ok(names.map(|name| name.to_string()).collect())
    }

    /// Names of families of tables with open regions.
    fn families(&self) -> HashMap<String, Vec<String>> {
        let mut families = HashMap::new();
        for region in self.sources.region_server.open_regions() {
            let table = region.table();
            families
                .entry(table.name.to_string())
                .or_insert_with(|| table.families.iter().map(|family| text(&family.name)).collect());
        }
        families
    }

    pub(super) fn schema_of(&self, table: &str, until: Instant) -> Result<Schema, Refused> {
        let no_such = || Refused::NotFound(format!("there is no table {table}"));
        let name = TableName::parse(table.as_bytes()).map_err(|_| no_such())?;
        let request = pb::GetTableDescriptorsRequest {
            table_names: vec![pb::TableName::from(&name)],
            include_sys_tables: Some(true),
            ..Default::default()
        };
        let answer: pb::GetTableDescriptorsResponse =
            self.ask_master(until, "GetTableDescriptors", &request)?;
        let schema = answer.table_schema.first().ok_or_else(no_such)?;
        let schema =
            TableDescriptor::try_from(schema).map_err(|error| Refused::Unavailable(error.to_string()))?;
        let regions = self.all_tables(until)?.into_iter().find(|one| one.name == name.to_string());
        let table = Table {
            state: self.state_of(&name, until)?,
            families: schema.families.iter().map(|family| text(&family.name)).collect(),
            regions: regions.map_or(0, |table| table.regions),
            name: name.to_string(),
        };
        Ok(Schema {
            table,
            attributes: attributes(&schema.attributes),
            families: schema.families.iter().map(|family| (text(&family.name), of_family(family))).collect(),
        })
    }

    fn state_of(&self, name: &TableName, until: Instant) -> Result<String, Refused> {
        let request = pb::GetTableStateRequest { table_name: name.into() };
        let answer: pb::GetTableStateResponse = self.ask_master(until, "GetTableState", &request)?;
        Ok(answer.table_state.state().as_str_name().to_owned())
    }
}

fn attributes(entries: &[(finback_cell::Bytes, finback_cell::Bytes)]) -> Attributes {
    entries.iter().map(|(name, value)| (text(name), text(value))).collect()
}

/// What is not HBase's default, as its shell's `describe` has it not either.
fn of_family(family: &ColumnFamilyDescriptor) -> Attributes {
    let defaults = ColumnFamilyDescriptor::with_defaults(&family.name);
    let own = |(name, value): &&(finback_cell::Bytes, finback_cell::Bytes)| {
        !defaults.attributes.iter().any(|(known, default)| known == name && default == value)
    };
    let set: Vec<_> = family.attributes.iter().filter(own).chain(&family.configuration).cloned().collect();
    attributes(&set)
}
