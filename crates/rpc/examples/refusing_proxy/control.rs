//! What a test says: a line each, answered by a line.
//!
//! | line | answer |
//! |---|---|
//! | `refuse TIMES METHOD NEEDLE CLASS MESSAGE` | `ok`: so many calls of METHOD in whose request NEEDLE is get this exception |
//! | `refuse-actions …`, `refuse-regions …` | `ok`: in a Multi, each action, or each region's part, gets it |
//! | `lose TIMES METHOD NEEDLE` | `ok`: they are carried out, and their replies are lost |
//! | `hang-up TIMES METHOD NEEDLE` | `ok`: they end the connection |
//! | `count METHOD NEEDLE [ADDRESS]` | how many there were since `forget`, at all addresses or at one |
//! | `forget` | `ok`: nothing is refused any more, and all counts are 0 |
//! | `classes` | the exceptions that there are |
//!
//! METHOD is a method's name; a Scan is `Scan/open`, `Scan/next`, `Scan/renew` or `Scan/close`. The NEEDLE `*` is in
//! every request.

use crate::script::{self, Fate, Script};
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// Takes orders until the listener fails.
pub(crate) async fn listen(listener: TcpListener, script: Arc<Script>) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(serve(stream, Arc::clone(&script)));
    }
}

async fn serve(stream: TcpStream, script: Arc<Script>) -> std::io::Result<()> {
    let (reader, mut writer) = stream.into_split();
    let mut lines = BufReader::new(reader).lines();
    while let Some(line) = lines.next_line().await? {
        let answer = obey(&line, &script).unwrap_or_else(|| format!("what is {line:?}?"));
        writer.write_all(format!("{answer}\n").as_bytes()).await?;
    }
    Ok(())
}

fn obey(line: &str, script: &Script) -> Option<String> {
    let (order, rest) = line.split_once(' ').unwrap_or((line, ""));
    let mut words = rest.splitn(5, ' ');
    match order {
        "forget" => script.forget(),
        "classes" => return Some(script::classes().join(" ")),
        "count" => {
            let (method, needle) = (words.next()?, words.next()?);
            let front = words.next().map(str::parse).transpose().ok()?;
            return Some(script.count(front, method, needle).to_string());
        }
        _ => {
            let times = words.next()?.parse().ok()?;
            let (method, needle) = (words.next()?, words.next()?);
            let mut exception = || script::exception(words.next()?, words.next().unwrap_or_default());
            let fate = match order {
                "refuse" => Fate::Refused(exception()?),
                "refuse-actions" => Fate::ActionsRefused(exception()?),
                "refuse-regions" => Fate::RegionsRefused(exception()?),
                "lose" => Fate::ReplyLost,
                "hang-up" => Fate::HungUp,
                _ => return None,
            };
            script.add(times, method, needle, fate);
        }
    }
    Some("ok".to_owned())
}
