//! Who may do what: HBase's access control lists.

use super::Admin;
use crate::error::Result;
use finback_proto::pb;

impl Admin {
    /// Gives a user permissions: besides those that it has there, if they are to be `merged`, or instead of them.
    ///
    /// # Errors
    /// As of all operations; `DoNotRetryIOException` where nothing controls access.
    pub async fn grant(&self, permission: pb::UserPermission, merged: bool) -> Result<()> {
        let question =
            pb::GrantRequest { user_permission: permission, merge_existing_permissions: Some(merged) };
        let _: pb::GrantResponse = self.ask_master("Grant", &question).await?;
        Ok(())
    }

    /// Takes permissions from a user.
    ///
    /// # Errors
    /// As of all operations; `DoNotRetryIOException` where nothing controls access.
    pub async fn revoke(&self, permission: pb::UserPermission) -> Result<()> {
        let question = pb::RevokeRequest { user_permission: permission };
        let _: pb::RevokeResponse = self.ask_master("Revoke", &question).await?;
        Ok(())
    }

    /// Permissions of users: those that the message asks for.
    ///
    /// # Errors
    /// As of all operations; `DoNotRetryIOException` where nothing controls access.
    pub async fn user_permissions(
        &self,
        question: &pb::GetUserPermissionsRequest,
    ) -> Result<Vec<pb::UserPermission>> {
        let answer: pb::GetUserPermissionsResponse = self.ask_master("GetUserPermissions", question).await?;
        Ok(answer.user_permission)
    }
}
