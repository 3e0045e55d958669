//! Namespaces.

use super::{Admin, Nonces, malformed};
use crate::error::Result;
use finback_cell::{TableDescriptor, TableName};
use finback_proto::{convert, pb};

/// A namespace and its settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamespaceDescriptor {
    /// Its name.
    pub name: String,
    /// Its settings, such as `hbase.namespace.quota.maxtables`.
    pub configuration: Vec<(String, String)>,
}

impl NamespaceDescriptor {
    /// A namespace without settings.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), configuration: Vec::new() }
    }

    fn to_message(&self) -> pb::NamespaceDescriptor {
        convert::namespace_descriptor(&self.name, &self.configuration)
    }

    fn of_message(method: &'static str, message: &pb::NamespaceDescriptor) -> Result<Self> {
        let (name, configuration) = convert::decode_namespace(message).map_err(malformed(method))?;
        Ok(Self { name, configuration })
    }
}

impl Admin {
    /// Creates a namespace.
    ///
    /// # Errors
    /// As of all operations; `NamespaceExistException`.
    pub async fn create_namespace(&self, namespace: &NamespaceDescriptor) -> Result<()> {
        let Nonces { group: nonce_group, nonce } = self.nonces();
        let namespace_descriptor = namespace.to_message();
        let question = pb::CreateNamespaceRequest { namespace_descriptor, nonce_group, nonce };
        let answer: pb::CreateNamespaceResponse = self.ask_master("CreateNamespace", &question).await?;
        self.done("CreateNamespace", answer.proc_id).await
    }

    /// Changes the settings of a namespace.
    ///
    /// # Errors
    /// As of all operations; `NamespaceNotFoundException`.
    pub async fn modify_namespace(&self, namespace: &NamespaceDescriptor) -> Result<()> {
        let Nonces { group: nonce_group, nonce } = self.nonces();
        let namespace_descriptor = namespace.to_message();
        let question = pb::ModifyNamespaceRequest { namespace_descriptor, nonce_group, nonce };
        let answer: pb::ModifyNamespaceResponse = self.ask_master("ModifyNamespace", &question).await?;
        self.done("ModifyNamespace", answer.proc_id).await
    }

    /// Deletes a namespace, which must have no tables.
    ///
    /// # Errors
    /// As of all operations; `NamespaceNotFoundException`, `ConstraintException`.
    pub async fn delete_namespace(&self, name: &str) -> Result<()> {
        let Nonces { group: nonce_group, nonce } = self.nonces();
        let question = pb::DeleteNamespaceRequest { namespace_name: name.to_owned(), nonce_group, nonce };
        let answer: pb::DeleteNamespaceResponse = self.ask_master("DeleteNamespace", &question).await?;
        self.done("DeleteNamespace", answer.proc_id).await
    }

    /// A namespace and its settings.
    ///
    /// # Errors
    /// As of all operations; `NamespaceNotFoundException`.
    pub async fn namespace(&self, name: &str) -> Result<NamespaceDescriptor> {
        let question = pb::GetNamespaceDescriptorRequest { namespace_name: name.to_owned() };
        let answer: pb::GetNamespaceDescriptorResponse =
            self.ask_master("GetNamespaceDescriptor", &question).await?;
        NamespaceDescriptor::of_message("GetNamespaceDescriptor", &answer.namespace_descriptor)
    }

    /// All namespaces.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn namespaces(&self) -> Result<Vec<NamespaceDescriptor>> {
        const METHOD: &str = "ListNamespaceDescriptors";
        let answer: pb::ListNamespaceDescriptorsResponse =
            self.ask_master(METHOD, &pb::ListNamespaceDescriptorsRequest {}).await?;
        answer.namespace_descriptor.iter().map(|one| NamespaceDescriptor::of_message(METHOD, one)).collect()
    }

    /// The tables of a namespace.
    ///
    /// # Errors
    /// As of all operations; `NamespaceNotFoundException`.
    pub async fn tables_of_namespace(&self, name: &str) -> Result<Vec<TableName>> {
        const METHOD: &str = "ListTableNamesByNamespace";
        let question = pb::ListTableNamesByNamespaceRequest { namespace_name: name.to_owned() };
        let answer: pb::ListTableNamesByNamespaceResponse = self.ask_master(METHOD, &question).await?;
        answer.table_name.iter().map(|name| TableName::try_from(name).map_err(malformed(METHOD))).collect()
    }

    /// The tables of a namespace, with what they are.
    ///
    /// # Errors
    /// As of all operations; `NamespaceNotFoundException`.
    pub async fn descriptors_of_namespace(&self, name: &str) -> Result<Vec<TableDescriptor>> {
        const METHOD: &str = "ListTableDescriptorsByNamespace";
        let question = pb::ListTableDescriptorsByNamespaceRequest { namespace_name: name.to_owned() };
        let answer: pb::ListTableDescriptorsByNamespaceResponse = self.ask_master(METHOD, &question).await?;
        answer
            .table_schema
            .iter()
            .map(|one| TableDescriptor::try_from(one).map_err(malformed(METHOD)))
            .collect()
    }
}
