use super::*;
use std::io::{Read, Write};
use std::net::TcpListener;

#[test]
fn tasks_are_a_table_and_none_are_a_sentence() {
    let none = table(&[], "general", 0, &TimeZone::UTC);
    assert_eq!(none, ["0 tasks as of: 1970-01-01 00:00:00", "No general tasks currently running."]);
    let task = Task {
        host: "a.host.with.a.long.name".into(),
        start_ms: 1_000,
        state: "RUNNING".into(),
        description: "Flushing t".into(),
        status: "half".into(),
        status_ms: 4_000,
    };
    let shown = table(&[task], "all", 65_000, &TimeZone::UTC);
    assert_eq!(
        shown,
        [
            "1 tasks as of: 1970-01-01 00:01:05",
            "+-----------------+---------------------+----------+------------+---------------------------------+",
            "| Host            | Start Time          | State    | Descrip... | Status                          |",
            "+-----------------+---------------------+----------+------------+---------------------------------+",
            "| a.host.with.... | 1970-01-01 00:00:01 | RUNNING  | Flushing t | half (since 61 seconds ago)     |",
            "+-----------------+---------------------+----------+------------+---------------------------------+",
        ]
    );
}

/// The tasks that a server tells which answers so.
fn told(answer: &'static str) -> Result<Vec<Task>> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = [0; 1024];
        let length = stream.read(&mut request).unwrap();
        stream.write_all(answer.as_bytes()).unwrap();
        String::from_utf8_lossy(&request[..length]).into_owned()
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let tasks = runtime.block_on(tasks_of("127.0.0.1", port, "rpc"));
    assert!(server.join().unwrap().starts_with("GET /rs-status?format=json&filter=rpc HTTP/1.0\r\n"));
    tasks
}

#[test]
fn pages_are_read_and_what_is_none_is_refused() {
    let page = "HTTP/1.1 200 OK\r\nA: b\r\n\r\n[{\"description\":\"d\",\"status\":\"s\",\"state\":\"WAITING\",\"starttimems\":7,\
                \"statustimems\":-1,\"more\":[]},{\"description\":\"e\"}]";
    let tasks = told(page).unwrap();
    let shown: Vec<_> =
        tasks.iter().map(|task| (&*task.description, task.start_ms, task.status_ms)).collect();
    assert_eq!(shown, [("e", -1, -1), ("d", 7, 7)]);
    for (answer, problem) in [
        ("", "no HTTP"),
        ("HTTP/1.1 404 Not Found\r\n\r\n[]", "no such page"),
        ("HTTP/1.1 200 OK\r\n\r\n<html>", "no list of tasks"),
        ("SSH-2.0\r\n\r\n", "no such page"),
    ] {
        let error = told(answer).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains(problem), "{answer}: {error}");
    }
}
