use super::*;
use crate::queue::MOST_BYTES;
use parking_lot::Mutex;
use serde_json::Value;
use std::io::Write;

/// Keeps what is written.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Kept {
    fn take(&self) -> String {
        String::from_utf8(std::mem::take(&mut *self.0.lock())).unwrap()
    }
}

fn with_log(levels: &str, format: Format, body: impl FnOnce(&Log, &Kept)) {
    let (log, kept) = (Log::new(levels.parse().unwrap(), format), Kept::default());
    let writer = kept.clone();
    let subscriber = log.subscriber(move || writer.clone());
    tracing::subscriber::with_default(subscriber, || body(&log, &kept));
}

fn speak() {
    tracing::debug!(target: "whale::fin", depth = 7, "dives");
}

#[test]
fn levels_change_while_the_log_is_written() {
    with_log("info", Format::Text, |log, kept| {
        speak();
        assert_eq!(kept.take(), "");
        log.set_level("whale", Some(LevelFilter::DEBUG)).unwrap();
        kept.take();
        speak();
        let line = kept.take();
        assert!(line.contains("DEBUG") && line.contains("whale::fin") && line.contains("depth=7"), "{line}");
        assert!(log.targets().contains(&"whale::fin"));
        log.set_level("whale", None).unwrap();
        kept.take();
        speak();
        assert_eq!(kept.take(), "");
        log.set_level("", Some(LevelFilter::TRACE)).unwrap();
        kept.take();
        speak();
        assert!(kept.take().contains("dives"));
        assert_eq!(log.levels().to_string(), "trace");
    });
}

#[test]
fn a_change_is_told_in_the_log_and_one_that_makes_no_sense_changes_nothing() {
    with_log("info", Format::Text, |log, kept| {
        assert!(log.set_level("no such\nthing", Some(LevelFilter::DEBUG)).is_err());
        assert_eq!((kept.take().as_str(), log.levels()), ("", Levels::default()));
        log.set_level("whale", Some(LevelFilter::DEBUG)).unwrap();
        assert!(kept.take().contains("log level changed"));
    });
}

#[test]
fn a_line_of_json_has_every_field_with_its_type() {
    with_log("trace", Format::Json, |_, kept| {
        let error = io::Error::other("torn \"end\"");
        tracing::warn!(
            target: "whale",
            rows = 7_u64,
            left = -3_i64,
            share = 0.5,
            lost = f64::NAN,
            cold = true,
            who = "a\nb\u{1b}[31m",
            %error,
            shape = ?Some(1),
            "it {}",
            "swims"
        );
        let text = kept.take();
        assert_eq!(text.lines().count(), 1, "{text}");
        let line: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(line["level"], "WARN");
        assert_eq!(line["target"], "whale");
        assert_eq!(line["message"], "it swims");
        let fields = &line["fields"];
        assert_eq!((&fields["rows"], &fields["left"]), (&Value::from(7), &Value::from(-3)));
        assert_eq!((&fields["share"], &fields["cold"]), (&Value::from(0.5), &Value::from(true)));
        assert_eq!(fields["lost"], "NaN");
        assert_eq!(fields["who"], "a\nb\u{1b}[31m");
        assert_eq!(fields["error"], "torn \"end\"");
        assert_eq!(fields["shape"], "Some(1)");
        let time = line["timestamp"].as_str().unwrap();
        assert!(time.len() >= 20 && time.ends_with('Z') && time.as_bytes()[10] == b'T', "{time}");
    });
}

#[test]
fn a_line_without_fields_or_message_is_json_too() {
    with_log("trace", Format::Json, |log, kept| {
        tracing::info!("only words");
        let line: Value = serde_json::from_str(&kept.take()).unwrap();
        assert_eq!(line["message"], "only words");
        assert!(line.get("fields").is_none());
        tracing::info!(only = 1);
        let line: Value = serde_json::from_str(&kept.take()).unwrap();
        assert_eq!((&line["message"], &line["fields"]["only"]), (&Value::from(""), &Value::from(1)));
        log.set_format(Format::Text);
        tracing::info!("only words");
        assert!(serde_json::from_str::<Value>(&kept.take()).is_err());
    });
}

#[test]
fn lines_that_nobody_took_are_counted_in_the_log() {
    let (log, mut queue) = (Log::new(Levels::default(), Format::Text), Queue::default());
    let writer = queue.clone();
    tracing::subscriber::with_default(log.subscriber(move || writer.clone()), || {
        for _ in 0..7 + MOST_BYTES / 1024 {
            queue.write_all(&[b'x'; 1024]).unwrap();
        }
        let mut written = Vec::new();
        queue.write_next(&mut written);
        assert_eq!(written.len(), MOST_BYTES);
        written.clear();
        queue.write_next(&mut written);
        let told = String::from_utf8(written).unwrap();
        assert!(told.contains("WARN") && told.contains("lines=7"), "{told}");
    });
}
