//! SIGKILL under concurrent writes, again and again. Clients repeat, with the same nonce, what was not answered.

use crate::client::{Client, counter};
use crate::running_server::{Place, RunningServer};
use std::time::Duration;

const WRITERS: u64 = 4;
const ROUNDS: u64 = 6;
const COUNTER: &str = "counter";

/// What a writer has got answers to.
#[derive(Clone, Debug, Default)]
struct Writer {
    group: u64,
    /// Increments that were acknowledged; the next has the nonce after it, whether it was sent before or not.
    increments: u64,
    /// Puts that were acknowledged.
    puts: u64,
}

impl Writer {
    fn row(&self, put: u64) -> String {
        format!("w{}-{put:06}", self.group)
    }

    /// Writes until the server is gone.
    async fn write(mut self, client: Client) -> Self {
        let table = client.table("t").await;
        loop {
            match table.increment(COUNTER, self.group, self.increments + 1).await {
                Ok(_) => self.increments += 1,
                Err(_) => return self,
            }
            match table.put(&self.row(self.puts), &self.puts.to_be_bytes()).await {
                Ok(()) => self.puts += 1,
                Err(_) => return self,
            }
        }
    }
}

/// A while of writing, and the end of it.
async fn round(server: RunningServer, writers: Vec<Writer>, pause: Duration) -> Vec<Writer> {
    let mut writing = Vec::new();
    for writer in writers {
        let client = Client::of(&server).await;
        writing.push(tokio::spawn(writer.write(client)));
    }
    tokio::time::sleep(pause).await;
    server.kill();
    let mut written = Vec::new();
    for writer in writing {
        written.push(writer.await.unwrap());
    }
    written
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn increments_are_counted_once_and_puts_are_all_there() {
    let place = Place::new();
    let settings = ["hbase.hregion.memstore.flush.size=64k", "hbase.regionserver.hlog.blocksize=64k"];
    let mut writers: Vec<Writer> = (1..=WRITERS).map(|group| Writer { group, ..Writer::default() }).collect();
    let server = place.start_with(&settings);
    Client::of(&server).await.create_table("t").await;
    writers = round(server, writers, Duration::from_millis(200)).await;
    for number in 1..ROUNDS {
        let server = place.start_with(&settings);
        writers = round(server, writers, Duration::from_millis(60 + 37 * number)).await;
    }

    let server = place.start_with(&settings);
    let client = Client::of(&server).await;
    let table = client.table("t").await;
    let mut expected = 0;
    for writer in &writers {
        // The last of each: whether it was carried out before the kill or not, it is now.
        table.increment(COUNTER, writer.group, writer.increments + 1).await.unwrap();
        expected += writer.increments + 1;
        for put in 0..writer.puts {
            let value = table.get(&writer.row(put)).await.unwrap();
            assert_eq!(value.as_deref(), Some(&put.to_be_bytes()[..]), "{}", writer.row(put));
        }
    }
    println!("{expected} increments, {} puts", writers.iter().map(|writer| writer.puts).sum::<u64>());
    let sum = counter(&table.get(COUNTER).await.unwrap().unwrap());
    assert_eq!(sum, i64::try_from(expected).unwrap());
    assert!(writers.iter().all(|writer| writer.increments > 0 && writer.puts > 0), "{writers:?}");
}
