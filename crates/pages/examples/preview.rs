//! The pages with made-up data, to work on how they look: `cargo run -p finback-pages --example preview [PORT]`.

#[path = "../tests/made_up/mod.rs"]
mod made_up;

use finback_metrics::Snapshot;
use finback_pages::Site;
use finback_web::{MetricsPages, WebServer};
use std::sync::Arc;

fn main() -> std::io::Result<()> {
    let port: u16 = std::env::args().nth(1).and_then(|port| port.parse().ok()).unwrap_or(8080);
    tokio::runtime::Runtime::new()?.block_on(async {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
        println!("http://{}/", listener.local_addr()?);
        let site = Site::new(Arc::new(made_up::MadeUp::with("visits")), MetricsPages::new(Snapshot::default));
        WebServer::new(Arc::new(site)).serve(listener, std::future::pending()).await;
        Ok(())
    })
}
