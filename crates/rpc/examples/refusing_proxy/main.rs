//! Stands between HBase clients and a server, and answers calls with any exception that this crate has: for tests that a
//! client reacts to each of them as it should.
//!
//!     refusing_proxy PORT...
//!
//! Listens on each PORT of [`FRONTS`], two addresses of this machine, and passes on to the same PORT of [`BACK`]; the server
//! there is to tell its clients the first of them as its host name. What is to be refused is said on a port of its own,
//! which is printed first: see [`control`]. Ends when standard input does.

mod control;
mod relay;
mod script;

use script::Script;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use tokio::net::TcpListener;

/// Where clients connect; the second one is for a region that has moved.
const FRONTS: [Ipv4Addr; 2] = [Ipv4Addr::new(127, 0, 0, 2), Ipv4Addr::new(127, 0, 0, 3)];
/// Where the server is.
const BACK: Ipv4Addr = Ipv4Addr::LOCALHOST;

#[tokio::main]
async fn main() -> io::Result<()> {
    let script = Arc::new(Script::default());
    for port in std::env::args().skip(1) {
        let port: u16 = port.parse().map_err(io::Error::other)?;
        for front in FRONTS {
            let listener = TcpListener::bind((front, port)).await?;
            let back = SocketAddr::new(IpAddr::V4(BACK), port);
            tokio::spawn(relay::listen(listener, front, back, Arc::clone(&script)));
        }
    }
    let control = TcpListener::bind((BACK, 0)).await?;
    println!("{}", control.local_addr()?.port());
    tokio::spawn(control::listen(control, script));
    // Standard input belongs to whoever started this, and ends with it.
    tokio::task::spawn_blocking(|| io::copy(&mut io::stdin().lock(), &mut io::sink())).await??;
    Ok(())
}
