//! What the machine itself asks for a call: an echo of as many bytes over a socket, an append that is forced to the disk, a
//! copy. No server can be below it; `docs/performance.md` sets a get, a put and a scanned row beside it.
//!
//! ```text
//! cargo run --release -p finback-rpc --example floor -- [DIRECTORY]
//! ```
//! DIRECTORY is where the file for appends is made (default: the system's directory for temporary files).

use std::env;
use std::error::Error;
use std::fs::{self, File, OpenOptions};
use std::hint::black_box;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Bytes of a request and of its answer, with what they are those of.
const SHAPES: [(&str, usize, usize); 4] = [
    ("get of a row of 1,000 bytes", 130, 1100),
    ("put of a row of 1,000 bytes", 1200, 30),
    ("multi-get of 10", 800, 10_600),
    ("scan, 1,000 rows of 1,000 bytes in a call", 60, 1_060_000),
];
const CONNECTIONS: [usize; 4] = [1, 4, 16, 1000];
/// How long one figure is measured.
const SPAN: Duration = Duration::from_millis(1500);
/// Bytes of a record of the log, with one put and with what forty have written together.
const APPENDS: [usize; 2] = [1100, 44_000];
const COPIED_BYTES: usize = 256 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["serve", kind, request, reply] => serve(kind, request.parse()?, reply.parse()?)?,
        [] => measure(&env::temp_dir())?,
        [directory] => measure(Path::new(directory))?,
        _ => return Err("usage: floor [DIRECTORY]".into()),
    }
    Ok(())
}

fn measure(directory: &Path) -> Result<(), Box<dyn Error>> {
    println!("| echo over a socket of the loopback | connections | server | server CPU µs | per second |");
    println!("|---|---:|---|---:|---:|");
    for (what, request, reply) in SHAPES {
        for connections in CONNECTIONS {
            for kind in ["threads", "tokio", "tokio, alone"] {
                let (cpu_us, rate) = echo(kind, request, reply, connections)?;
                println!("| {what} | {connections} | {kind} | {cpu_us:.2} | {rate:.0} |");
            }
        }
    }
    println!("\n| append and fdatasync | CPU µs | µs |\n|---|---:|---:|");
    for bytes in APPENDS {
        let (cpu_us, wall_us) = append(directory, bytes)?;
        println!("| {bytes} bytes | {cpu_us:.1} | {wall_us:.1} |");
    }
    println!("\ncopy: {:.1} GB/s", copy());
    let pages: Vec<String> = (0..3).map(|_| format!("{:.2} µs", fresh_page_us())).collect();
    println!("a page of memory that is new to the process, three times in turn: {}", pages.join(", "));
    Ok(())
}

/// CPU of the answering process per echo, in microseconds, and echoes per second.
fn echo(kind: &str, request: usize, reply: usize, connections: usize) -> Result<(f64, f64), Box<dyn Error>> {
    let server = Server::start(kind, request, reply)?;
    let streams = (0..connections).map(|_| TcpStream::connect(&server.address));
    let streams = streams.collect::<io::Result<Vec<_>>>()?;
    let begun = Instant::now();
    let before = server.cpu_us()?;
    let clients: Vec<_> = streams
        .into_iter()
        .map(|mut stream| {
            thread::spawn(move || -> io::Result<u64> {
                stream.set_nodelay(true)?;
                let (sent, mut got, mut calls) = (vec![1; request], vec![0; reply], 0);
                while begun.elapsed() < SPAN {
                    stream.write_all(&sent)?;
                    stream.read_exact(&mut got)?;
                    calls += 1;
                }
                Ok(calls)
            })
        })
        .collect();
    let mut calls = 0;
    for client in clients {
        calls += client.join().map_err(|_| "a client panicked")??;
    }
    let wall = begun.elapsed();
    let cpu_us = server.cpu_us()? - before;
    Ok((cpu_us / calls as f64, calls as f64 / wall.as_secs_f64()))
}

/// A process of its own that answers, so that its CPU can be told from that of the clients.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(kind: &str, request: usize, reply: usize) -> Result<Self, Box<dyn Error>> {
        let mut child = Command::new(env::current_exe()?)
            .args(["serve", kind, &request.to_string(), &reply.to_string()])
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        let stdout = child.stdout.take().ok_or("no output")?;
        io::BufRead::read_line(&mut io::BufReader::new(stdout), &mut line)?;
        Ok(Self { child, address: line.trim().to_owned() })
    }

    /// CPU that it has taken, in the nanoseconds of its threads: ticks of a hundredth of a second would be too coarse.
    fn cpu_us(&self) -> io::Result<f64> {
        let mut ns = 0.0;
        for thread in fs::read_dir(format!("/proc/{}/task", self.child.id()))? {
            let told = fs::read_to_string(thread?.path().join("schedstat"))?;
            ns += told.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0);
        }
        Ok(ns / 1e3)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn serve(kind: &str, request: usize, reply: usize) -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("{}", listener.local_addr()?);
    if kind == "tokio, alone" {
        return each_on_its_thread(&listener, request, reply);
    }
    if kind == "tokio" {
        return tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(async {
            listener.set_nonblocking(true)?;
            let listener = tokio::net::TcpListener::from_std(listener)?;
            loop {
                let (mut stream, _) = listener.accept().await?;
                stream.set_nodelay(true)?;
                tokio::spawn(async move {
                    let (mut got, sent) = (vec![0; request], vec![1; reply]);
                    while stream.read_exact(&mut got).await.is_ok() && stream.write_all(&sent).await.is_ok() {
                    }
                });
            }
        });
    }
    for stream in listener.incoming() {
        let mut stream = stream?;
        stream.set_nodelay(true)?;
        // The threads of clients that have gone stay, so that what they took can still be read.
        thread::spawn(move || {
            let (mut got, sent) = (vec![0; request], vec![1; reply]);
            while stream.read_exact(&mut got).is_ok() && stream.write_all(&sent).is_ok() {}
            thread::park();
        });
    }
    Ok(())
}

/// As many threads as processors, each with a runtime of its own, which connections are given to in turn.
fn each_on_its_thread(listener: &TcpListener, request: usize, reply: usize) -> io::Result<()> {
    let threads = thread::available_parallelism()?.get();
    let mut runtimes = Vec::new();
    for _ in 0..threads {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtimes.push(runtime.handle().clone());
        thread::spawn(move || runtime.block_on(std::future::pending::<()>()));
    }
    for (number, stream) in listener.incoming().enumerate() {
        let stream = stream?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        runtimes[number % threads].spawn(async move {
            let Ok(mut stream) = tokio::net::TcpStream::from_std(stream) else { return };
            let (mut got, sent) = (vec![0; request], vec![1; reply]);
            while stream.read_exact(&mut got).await.is_ok() && stream.write_all(&sent).await.is_ok() {}
        });
    }
    Ok(())
}

/// Appends of so many bytes, each forced to the disk: CPU and time of one, in microseconds.
fn append(directory: &Path, bytes: usize) -> Result<(f64, f64), Box<dyn Error>> {
    let path: PathBuf = directory.join(format!("finback-floor-{}", std::process::id()));
    let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
    fs::remove_file(&path)?;
    let record = vec![1; bytes];
    let (begun, before, mut appends) = (Instant::now(), own_cpu_us()?, 0);
    while begun.elapsed() < SPAN {
        file.write_all(&record)?;
        File::sync_data(&file)?;
        appends += 1;
    }
    let wall_us = begun.elapsed().as_secs_f64() * 1e6;
    Ok(((own_cpu_us()? - before) / f64::from(appends), wall_us / f64::from(appends)))
}

fn own_cpu_us() -> io::Result<f64> {
    let told = fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(told.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0) / 1e3)
}

/// Gigabytes a second that one thread copies from memory to memory.
fn copy() -> f64 {
    let (from, mut to) = (vec![1_u8; COPIED_BYTES], vec![0_u8; COPIED_BYTES]);
    let best = (0..5).map(|_| {
        let begun = Instant::now();
        to.copy_from_slice(black_box(&from));
        black_box(&to);
        begun.elapsed().as_secs_f64()
    });
    COPIED_BYTES as f64 / 1e9 / best.fold(f64::INFINITY, f64::min)
}

/// Microseconds that a page of memory costs that the process has not had before; in a virtual machine much more if nobody in it has.
fn fresh_page_us() -> f64 {
    const PAGE_BYTES: usize = 4 << 10;
    const PAGES: usize = 64 << 10;
    let began = Instant::now();
    let mut memory = vec![0_u8; PAGES * PAGE_BYTES];
    memory.iter_mut().step_by(PAGE_BYTES).for_each(|byte| *byte = 1);
    black_box(&memory);
    began.elapsed().as_secs_f64() * 1e6 / PAGES as f64
}
