use super::*;
use rustix::net::sockopt;
use std::net::Ipv4Addr;

/// Two minutes cannot be waited for: what the kernel was told can be asked.
#[tokio::test]
async fn the_kernel_looks_after_the_other_end_of_accepted_sockets() {
    let listener = bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let connecting = TcpStream::connect(listener.local_addr().unwrap());
    let (accepted, _client) = tokio::join!(listener.accept(), connecting);
    let (stream, _) = accepted.unwrap();
    assert!(!sockopt::socket_keepalive(&stream).unwrap(), "not by itself");
    prepare(&stream).unwrap();
    assert!(sockopt::socket_keepalive(&stream).unwrap() && stream.nodelay().unwrap());
    assert_eq!(sockopt::tcp_keepidle(&stream).unwrap(), KEEPALIVE_IDLE);
    assert_eq!(sockopt::tcp_keepintvl(&stream).unwrap(), KEEPALIVE_INTERVAL);
    assert_eq!(sockopt::tcp_keepcnt(&stream).unwrap(), KEEPALIVE_COUNT);
    let noticed = KEEPALIVE_IDLE + KEEPALIVE_INTERVAL * KEEPALIVE_COUNT;
    assert!(noticed <= Duration::from_secs(120), "after {noticed:?}");
}

/// The number of the timer that the kernel runs for the server's end of a connection, from `/proc/net/tcp`.
#[cfg(target_os = "linux")]
fn timer_of(server: SocketAddr, client: SocketAddr) -> Option<String> {
    let port = |field: &str| u16::from_str_radix(field.rsplit(':').next()?, 16).ok();
    let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
    table.lines().find_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let ends = (port(fields.get(1)?)?, port(fields.get(2)?)?);
        (ends == (server.port(), client.port())).then(|| fields[5][..2].to_owned())
    })
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_server_prepares_every_connection_so() {
    const KEEPALIVE_TIMER: &str = "02";
    let listener = bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let address = listener.local_addr().unwrap();
    let server = ServerBuilder::default().build();
    let serving = tokio::spawn({
        let server = server.clone();
        async move { server.serve(listener, std::future::pending()).await }
    });
    let client = TcpStream::connect(address).await.unwrap();
    let end = std::time::Instant::now() + Duration::from_secs(20);
    while timer_of(address, client.local_addr().unwrap()).as_deref() != Some(KEEPALIVE_TIMER) {
        assert!(std::time::Instant::now() < end, "no keepalive timer runs");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    serving.abort();
}
