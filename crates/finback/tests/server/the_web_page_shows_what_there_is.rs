//! The web page of the real server: its tables and rows, within limits, and the level of its log.

use crate::client::Client;
use crate::running_server::Place;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

fn ask(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let (head, body) = request.split_once("\n\n").unwrap_or((request, ""));
    let length = body.len();
    write!(
        stream,
        "{head}\r\nHost: localhost\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn get(address: SocketAddr, target: &str) -> String {
    let answer = ask(address, &format!("GET {target} HTTP/1.1"));
    assert!(answer.starts_with("HTTP/1.1 200 "), "{target}: {answer}");
    answer
}

/// Where the link to the next rows leads.
fn next_rows(page: &str) -> Option<String> {
    let link = page.split("<a rel=\"next\" href=\"").nth(1)?;
    Some(link.split('"').next()?.replace("&amp;", "&"))
}

#[tokio::test]
async fn tables_and_rows_are_shown_on_both_ports() {
    let place = Place::new();
    let server = place.start();
    let client = Client::of(&server).await;
    let table = client.create_table("t").await;
    for row in ["<u>", "a", "b"] {
        table.put(row, b"v & w").await.unwrap();
    }
    for address in [server.master_info(), server.regionserver_info()] {
        let overview = get(address, "/");
        assert!(overview.contains("href=\"/table?name=t\"") && overview.contains("Serving"), "{overview}");
        assert!(get(address, "/tables").contains("hbase:meta"));
        let of_table = get(address, "/table.jsp?name=t");
        assert!(
            of_table.contains("<dt>Written</dt><dd>3</dd>") && of_table.contains("1 open of 1"),
            "{of_table}"
        );
        let region = of_table.split("/region?name=").nth(1).unwrap().split('"').next().unwrap();
        assert!(get(address, &format!("/region?name={region}")).contains("<h1>Region <code>"));
        let rows = get(address, "/rows?table=t&rows=2");
        assert!(
            rows.contains("<code>&lt;u&gt;</code>") && rows.contains("v &amp; w") && !rows.contains("<u>"),
            "{rows}"
        );
        let more = get(address, &next_rows(&rows).unwrap());
        assert!(more.contains("<code>b</code>") && next_rows(&more).is_none(), "{more}");
    }
    for (target, status) in
        [("/rows?table=none", 404), ("/rows?table=t&column=none:q", 400), ("/table?name=none", 404)]
    {
        let answer = ask(server.master_info(), &format!("GET {target} HTTP/1.1"));
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{target}: {answer}");
    }
    server.stop();
}

#[tokio::test]
async fn a_page_of_large_rows_is_small() {
    let place = Place::new();
    let server = place.start();
    let client = Client::of(&server).await;
    let table = client.create_table("t").await;
    let value = vec![b'x'; 3 << 20];
    for row in ["1", "2", "3"] {
        table.put(row, &value).await.unwrap();
    }
    let mut target = Some("/rows?table=t".to_owned());
    let mut pages = 0;
    while let Some(wanted) = target {
        let page = get(server.master_info(), &wanted);
        assert!(page.len() < 20_000 && page.contains("3 MiB"), "{} bytes: {page}", page.len());
        pages += 1;
        target = next_rows(&page).filter(|_| pages < 10);
    }
    assert!((3..=4).contains(&pages), "{pages}");
    server.stop();
}

#[tokio::test]
async fn the_longest_keys_can_be_browsed() {
    let place = Place::new();
    let server = place.start();
    let client = Client::of(&server).await;
    let table = client.create_table("t").await;
    for last in ["1", "2", "3"] {
        // 32,767 bytes.
        table.put(&("é".repeat(16_383) + last), b"v").await.unwrap();
    }
    let link = |page: &str, before: &str| {
        let link = page.split(before).nth(1).unwrap().split("href=\"").nth(1).unwrap();
        link.split('"').next().unwrap().replace("&amp;", "&")
    };
    // From page to page, and within a prefix.
    for target in ["/rows?table=t&rows=1", "/rows?table=t&rows=1&prefix=1&start=%5CxC3%5CxA9"] {
        let mut target = Some(target.to_owned());
        let mut ends = String::new();
        while let Some(wanted) = target {
            let page = get(server.master_info(), &wanted);
            let shown = page.split("<li><h2>").nth(1).unwrap().split("</code>").next().unwrap();
            let alone = get(server.master_info(), &link(&page, "<li><h2>"));
            assert!(shown.len() > 4 * 32_766 && alone.contains(shown), "{} bytes", alone.len());
            ends.extend(shown.chars().last());
            target = next_rows(&page);
        }
        assert_eq!(ends, "123");
    }
    server.stop();
}

#[test]
fn nothing_of_the_cluster_is_shown_under_the_name_of_another_site() {
    let place = Place::new();
    let server = place.start_with(&["listen.info-name=proxy.example"]);
    let status = |target: &str, host: &str| {
        let mut stream = TcpStream::connect(server.master_info()).unwrap();
        write!(stream, "GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split(' ').nth(1).unwrap().to_owned()
    };
    for target in
        ["/", "/regions", "/tables", "/tasks", "/slow", "/dump", "/conf", "/conf?format=json", "/logLevel"]
    {
        assert_eq!(status(target, "evil.example"), "403", "{target}");
        assert_eq!(status(target, "proxy.example:80"), "200", "{target}");
    }
    for target in ["/metrics", "/jmx"] {
        assert_eq!(status(target, "collector.example"), "200", "{target}");
    }
    server.stop();
}

#[test]
fn settings_have_an_origin_and_the_level_of_the_log_changes() {
    let place = Place::new();
    let server = place.start_with(&["hbase.regionserver.handler.count=7"]);
    let settings = get(server.master_info(), "/conf?format=json");
    let line = settings.lines().find(|line| line.contains("\"value\":\"7\"")).unwrap_or(&settings);
    assert!(line.contains("handler") && line.contains("\"resource\":\"-D"), "{line}");

    let form = "HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded";
    let change = |more: &str, filter: &str| {
        ask(server.regionserver_info(), &format!("POST /logLevel {form}{more}\n\nfilter={filter}"))
    };
    assert!(change("\r\nOrigin: http://evil.example", "trace").starts_with("HTTP/1.1 403 "));
    assert!(change("", "nonsense").starts_with("HTTP/1.1 400 "));
    assert!(get(server.master_info(), "/logLevel").contains("<code id=\"filter-now\">info</code>"));
    assert!(change("", "info,finback_web%3Ddebug").starts_with("HTTP/1.1 303 "));
    assert!(get(server.master_info(), "/logLevel").contains(">info,finback_web=debug</code>"));
    // What is logged is written by a thread of its own: all of it, before the process ends.
    let ended = server.stop();
    assert!(ended.stderr.contains("the levels of the log were changed"), "{ended:?}");
}
