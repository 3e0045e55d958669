//! Peers: the clusters that this one replicates to.

use super::Admin;
use crate::error::Result;
use finback_proto::pb;

/// Where a peer is, and what is replicated to it.
pub use pb::ReplicationPeer as PeerConfig;
/// A peer: its id, whether it is enabled, its configuration.
pub use pb::ReplicationPeerDescription as PeerDescription;

impl Admin {
    /// Adds a peer, enabled or not.
    ///
    /// # Errors
    /// As of all operations; `DoNotRetryIOException` for a configuration that makes no sense.
    pub async fn add_replication_peer(&self, id: &str, config: PeerConfig, enabled: bool) -> Result<()> {
        use pb::replication_state::State;
        let state = if enabled { State::Enabled } else { State::Disabled };
        let question = pb::AddReplicationPeerRequest {
            peer_id: id.to_owned(),
            peer_config: config,
            peer_state: pb::ReplicationState { state: state.into() },
        };
        let answer: pb::AddReplicationPeerResponse = self.ask_master("AddReplicationPeer", &question).await?;
        self.done("AddReplicationPeer", answer.proc_id).await
    }

    /// Removes a peer, and what was not sent to it yet.
    ///
    /// # Errors
    /// As of all operations; `ReplicationPeerNotFoundException`.
    pub async fn remove_replication_peer(&self, id: &str) -> Result<()> {
        let question = pb::RemoveReplicationPeerRequest { peer_id: id.to_owned() };
        let answer: pb::RemoveReplicationPeerResponse =
            self.ask_master("RemoveReplicationPeer", &question).await?;
        self.done("RemoveReplicationPeer", answer.proc_id).await
    }

    /// Goes on with replication to a peer, from where it was disabled.
    ///
    /// # Errors
    /// As of all operations; `ReplicationPeerNotFoundException`.
    pub async fn enable_replication_peer(&self, id: &str) -> Result<()> {
        let question = pb::EnableReplicationPeerRequest { peer_id: id.to_owned() };
        let answer: pb::EnableReplicationPeerResponse =
            self.ask_master("EnableReplicationPeer", &question).await?;
        self.done("EnableReplicationPeer", answer.proc_id).await
    }

    /// Stops replication to a peer; what is written meanwhile waits for it.
    ///
    /// # Errors
    /// As of all operations; `ReplicationPeerNotFoundException`.
    pub async fn disable_replication_peer(&self, id: &str) -> Result<()> {
        let question = pb::DisableReplicationPeerRequest { peer_id: id.to_owned() };
        let answer: pb::DisableReplicationPeerResponse =
            self.ask_master("DisableReplicationPeer", &question).await?;
        self.done("DisableReplicationPeer", answer.proc_id).await
    }

    /// The configuration of a peer.
    ///
    /// # Errors
    /// As of all operations; `ReplicationPeerNotFoundException`.
    pub async fn replication_peer(&self, id: &str) -> Result<PeerConfig> {
        let question = pb::GetReplicationPeerConfigRequest { peer_id: id.to_owned() };
        let answer: pb::GetReplicationPeerConfigResponse =
            self.ask_master("GetReplicationPeerConfig", &question).await?;
        Ok(answer.peer_config)
    }

    /// Gives a peer another configuration.
    ///
    /// # Errors
    /// As of all operations; `ReplicationPeerNotFoundException`.
    pub async fn update_replication_peer(&self, id: &str, config: PeerConfig) -> Result<()> {
        let question = pb::UpdateReplicationPeerConfigRequest { peer_id: id.to_owned(), peer_config: config };
        let answer: pb::UpdateReplicationPeerConfigResponse =
            self.ask_master("UpdateReplicationPeerConfig", &question).await?;
        self.done("UpdateReplicationPeerConfig", answer.proc_id).await
    }

    /// All peers.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn replication_peers(&self) -> Result<Vec<PeerDescription>> {
        let question = pb::ListReplicationPeersRequest { regex: None };
        let answer: pb::ListReplicationPeersResponse =
            self.ask_master("ListReplicationPeers", &question).await?;
        Ok(answer.peer_desc)
    }
}
