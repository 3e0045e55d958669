//! UpdateConfiguration, asked of the region server and of the master.

use crate::client::{Client, connect, create_request};
use crate::running_server::{LONG, Place};
use bytes::Bytes;
use finback_proto::pb;
use finback_rpc::{ChannelExt, RpcException, SocketChannel};

async fn update(admin: &SocketChannel) -> Result<pb::UpdateConfigurationResponse, RpcException> {
    let request = pb::UpdateConfigurationRequest {};
    admin.call_within(LONG, "UpdateConfiguration", &request, Bytes::new()).await.map(|(answer, _)| answer)
}

/// A table that HBase's sanity checks refuse.
fn insane(name: &str) -> pb::CreateTableRequest {
    let mut request = create_request(name);
    let entry = pb::BytesBytesPair { first: "BLOCKSIZE".into(), second: "1".into() };
    let family = &mut request.table_schema.column_families[0];
    family.attributes.retain(|attribute| attribute.first != entry.first);
    family.attributes.push(entry);
    request
}

#[tokio::test]
async fn what_can_be_changed_counts_at_once_and_what_makes_no_sense_changes_nothing() {
    let place = Place::new();
    std::fs::write(place.config(), "").unwrap();
    let server = place.start();
    let client = Client::of(&server).await;
    let create =
        async |name| client.ask_master::<_, pb::CreateTableResponse>("CreateTable", &insane(name)).await;
    assert!(create("a").await.unwrap_err().message.contains("must be between 1K and 16MB"));

    std::fs::write(place.config(), "hbase.table.sanity.checks = false").unwrap();
    assert!(create("b").await.is_err(), "nobody has said that it changed");
    let master = connect(server.master(), "AdminService").await;
    update(&master).await.unwrap();
    create("c").await.unwrap();

    for senseless in ["hbase.table.sanity.checks = perhaps", "hbase.table.sanity.chekcs = false"] {
        std::fs::write(place.config(), senseless).unwrap();
        let refused = update(&master).await.unwrap_err();
        assert!(refused.do_not_retry && refused.message.contains("hbase.table.sanity.che"), "{refused}");
    }
    create("d").await.unwrap();

    std::fs::write(place.config(), "hbase.table.sanity.checks = true\nhbase.master.port = 1").unwrap();
    let region_server = connect(server.regionserver(), "AdminService").await;
    update(&region_server).await.unwrap();
    assert!(create("e").await.is_err());
}

/// The port that the system has chosen stays the one that clients are told.
#[tokio::test]
async fn a_port_that_was_free_to_choose_stays_what_it_is() {
    let place = Place::new();
    std::fs::write(place.config(), "").unwrap();
    let server = place.start();
    let client = Client::of(&server).await;
    let told = async || {
        let request = pb::GetClusterStatusRequest { options: vec![pb::Option::MasterInfoPort.into()] };
        let answer: pb::GetClusterStatusResponse =
            client.ask_master("GetClusterStatus", &request).await.unwrap();
        answer.cluster_status.master_info_port
    };
    let port = Some(i32::from(server.master_info().port()));
    assert_eq!(told().await, port);
    std::fs::write(place.config(), "hbase.table.sanity.checks = false").unwrap();
    update(&connect(server.master(), "AdminService").await).await.unwrap();
    assert_eq!(told().await, port);
}
