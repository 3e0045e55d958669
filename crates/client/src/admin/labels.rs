//! Visibility labels: the service of the table that has them.

use super::Admin;
use crate::coprocessor::ServiceMethod;
use crate::error::{Error, Result};
use bytes::Bytes;
use finback_proto::{Message, pb};
use finback_rpc::RpcException;

const TABLE: &str = "hbase:labels";
const SERVICE: &str = "VisibilityLabelsService";

impl Admin {
    /// Makes labels.
    ///
    /// # Errors
    /// As of all operations; `TableNotFoundException` where there are no labels; for a label that could not be made, why.
    pub async fn add_labels<L: AsRef<[u8]>>(&self, labels: impl IntoIterator<Item = L>) -> Result<()> {
        let label =
            |label: L| pb::VisibilityLabel { label: Bytes::copy_from_slice(label.as_ref()), ordinal: None };
        let question = pb::VisibilityLabelsRequest { vis_label: labels.into_iter().map(label).collect() };
        all_done("addLabels", self.ask_labels("addLabels", &question).await?)
    }

    /// Lets a user see what has these labels, besides what it sees already.
    ///
    /// # Errors
    /// As [`Admin::add_labels`].
    pub async fn set_auths<L: AsRef<[u8]>>(
        &self,
        user: &str,
        labels: impl IntoIterator<Item = L>,
    ) -> Result<()> {
        all_done("setAuths", self.ask_labels("setAuths", &auths(user, labels)).await?)
    }

    /// Lets a user not see any more what has these labels.
    ///
    /// # Errors
    /// As [`Admin::add_labels`].
    pub async fn clear_auths<L: AsRef<[u8]>>(
        &self,
        user: &str,
        labels: impl IntoIterator<Item = L>,
    ) -> Result<()> {
        all_done("clearAuths", self.ask_labels("clearAuths", &auths(user, labels)).await?)
    }

    /// The labels that a user sees.
    ///
    /// # Errors
    /// As of all operations; `TableNotFoundException` where there are no labels.
    pub async fn auths(&self, user: &str) -> Result<Vec<Bytes>> {
        let question = pb::GetAuthsRequest { user: Bytes::copy_from_slice(user.as_bytes()) };
        let answer: pb::GetAuthsResponse = self.ask_labels("getAuths", &question).await?;
        Ok(answer.auth)
    }

    /// The labels that a regular expression matches; without one, all.
    ///
    /// # Errors
    /// As of all operations; `TableNotFoundException` where there are no labels.
    pub async fn labels(&self, regex: Option<&str>) -> Result<Vec<Bytes>> {
        let question = pb::ListLabelsRequest { regex: regex.map(str::to_owned) };
        let answer: pb::ListLabelsResponse = self.ask_labels("listLabels", &question).await?;
        Ok(answer.label)
    }

    async fn ask_labels<Q: Message, A: Message + Default>(
        &self,
        method: &'static str,
        question: &Q,
    ) -> Result<A> {
        let table = self.table(&super::named(TABLE)?);
        table.call_service([], ServiceMethod { service: SERVICE, method }, question).await
    }
}

fn auths<L: AsRef<[u8]>>(user: &str, labels: impl IntoIterator<Item = L>) -> pb::SetAuthsRequest {
    pb::SetAuthsRequest {
        user: Bytes::copy_from_slice(user.as_bytes()),
        auth: labels.into_iter().map(|label| Bytes::copy_from_slice(label.as_ref())).collect(),
    }
}

/// The first failure there is among the answers, one to each label.
fn all_done(method: &'static str, answer: pb::VisibilityLabelsResponse) -> Result<()> {
    match answer.result.into_iter().find_map(|one| one.exception) {
        None => Ok(()),
        Some(failure) => {
            let message = String::from_utf8_lossy(failure.value.as_deref().unwrap_or_default()).into_owned();
            Err(Error::refused(method, RpcException::permanent(failure.name, message)))
        }
    }
}
