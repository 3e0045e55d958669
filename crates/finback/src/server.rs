//! Runs a standalone server in this process until it is told to stop.

use std::process::ExitCode;
use std::sync::Arc;

use finback_zk::{Responder, Tree};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::config::ServerConfig;

/// Runs until SIGTERM or SIGINT. What goes wrong is told on standard error, in one line.
pub fn run(config: ServerConfig) -> ExitCode {
    tracing_subscriber::fmt().with_writer(std::io::stderr).init();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    match runtime.and_then(|runtime| runtime.block_on(serve(config))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("finback: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(config: ServerConfig) -> std::io::Result<()> {
    let address = (config.zookeeper_address.as_str(), config.zookeeper_port);
    let listener = TcpListener::bind(address).await?;
    println!("ZooKeeper responder: {}", listener.local_addr()?);
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let stopped = async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    };
    Responder::new(Arc::new(Tree::new())).serve(listener, stopped).await;
    Ok(())
}
