//! Anyone's bytes on an RPC connection, from the first one or after a good connection header: the server answers in
//! whole frames and closes, and neither panics nor waits for what cannot come.

#![no_main]

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use finback_cell::CellBlock;
use finback_rpc::{Call, Limits, Outcome, Reply, Server, Service};
use libfuzzer_sys::fuzz_target;

/// Longer than anything here takes; the client has ended its side, so the server has nothing to wait for.
const PATIENCE: Duration = Duration::from_secs(8);

/// `HBas`, version 0, simple authentication.
const PREAMBLE: &[u8] = b"HBas\x00\x50";
/// Connection headers: service (field 2), cell block codec (field 3).
const HEADERS: [&[u8]; 2] =
    [b"\x12\x04Echo", b"\x12\x04Echo\x1a\x2borg.apache.hadoop.hbase.codec.KeyValueCodec"];

fuzz_target!(|data: &[u8]| {
    let Some((mode, data)) = data.split_first() else { return };
    let mut sent = Vec::new();
    let header = HEADERS.get(usize::from(*mode % 3));
    if let Some(header) = header {
        sent.extend_from_slice(PREAMBLE);
        sent.extend_from_slice(&u32::try_from(header.len()).unwrap().to_be_bytes());
        sent.extend_from_slice(header);
    }
    sent.extend_from_slice(data);
    let answered = converse(&sent);
    if header.is_some() {
        assert_whole_frames(&answered);
    }
});

/// Sends all, ends the sending side, and returns all that comes back until the server closes.
fn converse(sent: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(server()).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    // The server may close before it has read everything.
    let _ = stream.write_all(sent);
    let _ = stream.shutdown(Shutdown::Write);
    let mut answered = Vec::new();
    match stream.read_to_end(&mut answered) {
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
            panic!("connection still open after {PATIENCE:?}");
        }
        _ => answered,
    }
}

fn assert_whole_frames(mut answered: &[u8]) {
    while !answered.is_empty() {
        let (length, rest) = answered.split_first_chunk().expect("the length of a frame");
        answered = rest.get(u32::from_be_bytes(*length) as usize..).expect("a frame as long as it says");
    }
}

/// Starts the server once for all runs.
fn server() -> SocketAddr {
    static ADDRESS: OnceLock<SocketAddr> = OnceLock::new();
    *ADDRESS.get_or_init(|| {
        let (told, address) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = finback_rpc::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
                told.send(listener.local_addr().unwrap()).unwrap();
                let limits = Limits { max_request_bytes: 1 << 20, ..Limits::default() };
                let server = Server::builder().service(Arc::new(Echo)).limits(limits).build();
                server.serve(listener, std::future::pending()).await;
            });
        });
        address.recv().unwrap()
    })
}

/// Gives back what it was given; waits a moment when the method says so.
struct Echo;

impl Service for Echo {
    fn name(&self) -> &'static str {
        "Echo"
    }

    fn call(&self, call: Call) -> Outcome {
        // Cells come unchecked; a reply must have good ones.
        let cells = CellBlock::parse(call.cells.clone()).map(|block| block.bytes().to_vec());
        let cells = cells.unwrap_or_default();
        let cells = if call.connection.has_codec { cells } else { Vec::new() };
        let reply = Ok(Reply { message: call.param.to_vec(), cells, ..Reply::default() });
        if call.method.as_str().starts_with('p') {
            return Outcome::pending(async {
                tokio::task::yield_now().await;
                reply
            });
        }
        Outcome::Ready(reply)
    }
}
