//! Quotas.

use super::Admin;
use crate::error::Result;
use finback_proto::pb;

impl Admin {
    /// Sets or removes a quota, as the message says.
    ///
    /// # Errors
    /// As of all operations; `DoNotRetryIOException` where quotas are switched off.
    pub async fn set_quota(&self, quota: &pb::SetQuotaRequest) -> Result<()> {
        let _: pb::SetQuotaResponse = self.ask_master("SetQuota", quota).await?;
        Ok(())
    }

    /// How much space tables take, as far as quotas are kept of it: name and bytes.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn space_quota_sizes(
        &self,
    ) -> Result<Vec<pb::get_space_quota_region_sizes_response::RegionSizes>> {
        let answer: pb::GetSpaceQuotaRegionSizesResponse =
            self.ask_master("GetSpaceQuotaRegionSizes", &pb::GetSpaceQuotaRegionSizesRequest {}).await?;
        Ok(answer.sizes)
    }
}
