//! Calls of services that servers have besides HBase's own.

use crate::admin::Admin;
use crate::error::{Error, Result};
use crate::servers::ServiceName;
use crate::table::Table;
use bytes::Bytes;
use finback_cell::ServerName;
use finback_proto::{Message, pb};

/// What is called: a method of a service.
#[derive(Debug, Clone, Copy)]
pub struct ServiceMethod<'a> {
    /// The name of the service: without its package if that is `hbase.pb`.
    pub service: &'a str,
    /// The name of the method.
    pub method: &'a str,
}

impl Table {
    /// Calls a service of the region that has `row`.
    ///
    /// # Errors
    /// As of all operations; `UnknownProtocolException` where there is no such service.
    pub async fn call_service<Q: Message, A: Message + Default>(
        &self,
        row: impl AsRef<[u8]>,
        what: ServiceMethod<'_>,
        request: &Q,
    ) -> Result<A> {
        Ok(self.call_service_at(row.as_ref(), what, request).await?.0)
    }

    /// Calls a service of each region of the table, one after the other, in their order. Where regions are split meanwhile, what came
    /// of them is called; where they are merged, the new region, of rows of which an old one may have answered already.
    ///
    /// # Errors
    /// The first that there was.
    pub async fn call_service_of_all<Q: Message, A: Message + Default>(
        &self,
        what: ServiceMethod<'_>,
        request: &Q,
    ) -> Result<Vec<A>> {
        let (mut answers, mut row) = (Vec::new(), Bytes::new());
        loop {
            let (answer, end) = self.call_service_at(&row, what, request).await?;
            answers.push(answer);
            if end.is_empty() {
                return Ok(answers);
            }
            row = end;
        }
    }

    /// The answer, and the key at which the region ends that gave it.
    async fn call_service_at<Q: Message, A: Message + Default>(
        &self,
        row: &[u8],
        what: ServiceMethod<'_>,
        request: &Q,
    ) -> Result<(A, Bytes)> {
        let service_call = service_call(row, what, request);
        let call = self.call("ExecService", row, self.write_timeout());
        let (response, _, location) = self
            .shared()
            .call_region(call, |location| {
                let region = location.specifier();
                (pb::CoprocessorServiceRequest { region, call: service_call.clone() }, Bytes::new())
            })
            .await?;
        Ok((answer("ExecService", response)?, location.region().end_key.clone()))
    }
}

impl Admin {
    /// Calls a service of a region server.
    ///
    /// # Errors
    /// As of all operations; `UnknownProtocolException` where there is no such service.
    pub async fn call_server_service<Q: Message, A: Message + Default>(
        &self,
        server: &ServerName,
        what: ServiceMethod<'_>,
        request: &Q,
    ) -> Result<A> {
        const METHOD: &str = "ExecRegionServerService";
        let region = pb::RegionSpecifier {
            r#type: pb::region_specifier::RegionSpecifierType::RegionName.into(),
            value: Bytes::new(),
        };
        let request = pb::CoprocessorServiceRequest { region, call: service_call(&[], what, request) };
        answer(METHOD, self.ask_server_service(ServiceName::Client, server, METHOD, &request).await?)
    }

    /// Calls a service of the master.
    ///
    /// # Errors
    /// As of all operations; `UnknownProtocolException` where there is no such service.
    pub async fn call_master_service<Q: Message, A: Message + Default>(
        &self,
        what: ServiceMethod<'_>,
        request: &Q,
    ) -> Result<A> {
        let region = pb::RegionSpecifier {
            r#type: pb::region_specifier::RegionSpecifierType::RegionName.into(),
            value: Bytes::new(),
        };
        let request = pb::CoprocessorServiceRequest { region, call: service_call(&[], what, request) };
        answer("ExecMasterService", self.ask_master("ExecMasterService", &request).await?)
    }
}

fn service_call<Q: Message>(row: &[u8], what: ServiceMethod<'_>, request: &Q) -> pb::CoprocessorServiceCall {
    pb::CoprocessorServiceCall {
        row: Bytes::copy_from_slice(row),
        service_name: what.service.to_owned(),
        method_name: what.method.to_owned(),
        request: request.encode_to_vec().into(),
    }
}

fn answer<A: Message + Default>(method: &'static str, response: pb::CoprocessorServiceResponse) -> Result<A> {
    let value = response.value.value.unwrap_or_default();
    A::decode(value).map_err(|error| Error::Malformed { method, reason: error.to_string() })
}
