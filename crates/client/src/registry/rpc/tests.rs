use super::*;
use finback_rpc::{Call, Outcome, Server, Service};
use tokio::net::TcpListener;

/// A server that names these.
struct Names(Vec<pb::ServerName>);

impl Service for Names {
    fn name(&self) -> &'static str {
        "ClientMetaService"
    }

    fn call(&self, call: Call) -> Outcome {
        let master = |name: &pb::ServerName| pb::GetMastersResponseEntry {
            server_name: name.clone(),
            is_active: true,
        };
        match call.method.as_str() {
            "GetBootstrapNodes" => {
                Outcome::message(&pb::GetBootstrapNodesResponse { server_name: self.0.clone() })
            }
            _ => Outcome::message(&pb::GetMastersResponse {
                master_servers: self.0.iter().map(master).collect(),
            }),
        }
    }
}

async fn naming(names: Vec<pb::ServerName>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let server = Server::builder().service(Arc::new(Names(names))).build();
    tokio::spawn(async move { server.serve(listener, std::future::pending()).await });
    address
}

fn named(host: &str, port: u32) -> pb::ServerName {
    pb::ServerName { host_name: host.to_owned(), port: Some(port), start_code: Some(1) }
}

async fn refreshed(node: String, masters: bool) -> Vec<String> {
    let config = ClientConfig::bootstrap("127.0.0.1:1");
    let servers = Arc::new(Servers::new(&config));
    let known = Known { nodes: vec!["old:1".into()], refreshed: Instant::now(), next: 0 };
    let known = Arc::new(Mutex::new(known));
    // The first one is not there.
    let nodes = vec!["127.0.0.1:1".to_owned(), node];
    refresh(servers, nodes, Arc::clone(&known), masters, Duration::from_secs(20)).await;
    known.lock().nodes.clone()
}

#[tokio::test]
async fn the_servers_that_a_server_names_are_asked_from_then_on() {
    let names = vec![named("a", 5), named("", 6), named("b", 70_000), named("c", 7)];
    for masters in [true, false] {
        assert_eq!(refreshed(naming(names.clone()).await, masters).await, ["a:5", "c:7"]);
    }
    assert_eq!(refreshed(naming(vec![named("x", 1); 1000]).await, false).await.len(), MAX_NODES);
}

#[tokio::test]
async fn an_answer_without_servers_leaves_what_is_known() {
    assert_eq!(refreshed(naming(Vec::new()).await, false).await, ["old:1"]);
}

#[tokio::test]
async fn questions_begin_with_another_server_each_time_and_end_with_the_configured() {
    let config = ClientConfig::bootstrap("a:1,b:2");
    let registry =
        RpcRegistry::new(vec!["a:1".into(), "b:2".into()], false, &config, &Arc::new(Servers::new(&config)));
    assert_eq!(registry.in_turn(), ["a:1", "b:2"]);
    assert_eq!(registry.in_turn(), ["b:2", "a:1"]);
    registry.known.lock().nodes = vec!["c:3".into()];
    assert_eq!(registry.in_turn(), ["c:3", "a:1", "b:2"]);
}
