//! Each test runs a part in a process of its own, at a terminal of its own: this binary again, told which part by the environment.

use crate::watch::run_screen_with;
use crate::watchdog::PATIENCE;
use crate::{Ending, Mode, Options, Theme, View, terminal::Terminal};
use finback_client::ClientConfig;
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Action, LocalModes, Winsize, tcflow, tcgetattr, tcsetwinsize};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::process::{Child, Command, ExitStatus, exit};
use std::time::{Duration, Instant};

/// Says which part a process is to play.
const PART: &str = "FINBACK_TOP_TEST_PART";
const ENTER: &str = "\x1b[?1049h";
const LEAVE: &str = "\x1b[?1049l";
const BEGIN_FRAME: &str = "\x1b[?2026h";
const END_FRAME: &str = "\x1b[?2026l";
/// A test that waits so long waits for nothing.
const FOREVER: Duration = Duration::from_secs(30);
const A_LITTLE: Duration = Duration::from_millis(5);
/// What it begins with. Behind it the cursor is moved, in place of a space.
const DRAWN: &str = "finback";

/// A process at a terminal.
struct Part {
    process: Child,
    /// What it writes comes out here.
    master: File,
    /// The terminal itself.
    terminal: File,
    told: String,
}

impl Part {
    fn begin(name: &str) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        fcntl_setfl(&master, OFlags::RDWR | OFlags::NONBLOCK).unwrap();
        let path = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        let terminal = File::options().read(true).write(true).open(path).unwrap();
        tcsetwinsize(&terminal, Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let process = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "terminal::tests::a_process_plays_its_part", "--nocapture", "--test-threads=1"])
            .env(PART, name)
            .env("TERM", "xterm-256color")
            .stdin(terminal.try_clone().unwrap())
            .stdout(terminal.try_clone().unwrap())
            .stderr(terminal.try_clone().unwrap())
            .spawn()
            .unwrap();
        Self { process, master: File::from(master), terminal, told: String::new() }
    }

    /// Takes what it has written, or waits a little.
    fn listen(&mut self) {
        let mut bytes = [0; 4096];
        match self.master.read(&mut bytes) {
            Ok(length) => self.told.push_str(&String::from_utf8_lossy(&bytes[..length])),
            Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::sleep(A_LITTLE),
            Err(error) => panic!("{error}"),
        }
    }

    fn wait_for(&mut self, wanted: &str) {
        let since = Instant::now();
        while !self.told.contains(wanted) {
            assert!(since.elapsed() < FOREVER, "{wanted:?} is not in {:?}", self.told);
            self.listen();
        }
    }

    fn send(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.process), signal).unwrap();
    }

    /// How it ends.
    fn end(&mut self) -> ExitStatus {
        let since = Instant::now();
        loop {
            if let Some(status) = self.process.try_wait().unwrap() {
                return status;
            }
            assert!(since.elapsed() < FOREVER, "it does not end");
            self.listen();
        }
    }

    /// Everything that was written, by a process that has ended.
    fn all(&mut self) -> &str {
        // What is behind the end was written behind it.
        rustix::io::write(&self.terminal, b"\nthe end of it").unwrap();
        self.wait_for("the end of it");
        &self.told
    }

    /// Whether the terminal is as it was: lines, echo, and keys that are signals.
    fn is_cooked(&self) -> bool {
        tcgetattr(&self.terminal)
            .unwrap()
            .local_modes
            .contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // It has ended, unless something is wrong.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Watches a cluster that nobody is of, with so much patience with its terminal.
fn watch(iterations: Option<u64>, patience: Duration) -> Ending {
    let config = ClientConfig::masters("127.0.0.1:1");
    let options = Options { view: View::of(Mode::Region), delay: Duration::from_secs(1), iterations };
    let runtime = runtime();
    let ending =
        runtime.block_on(run_screen_with(patience, config, options, Theme::new(false, false))).unwrap();
    runtime.shutdown_background();
    ending
}

#[test]
fn a_process_plays_its_part() {
    match std::env::var(PART).unwrap_or_default().as_str() {
        // The machine may be busy.
        part @ ("watch" | "watch a terminal that hangs") => {
            match watch(None, if part == "watch" { FOREVER } else { PATIENCE }) {
                Ending::Signal(signal) => exit(signal),
                ending => panic!("{ending:?}"),
            }
        }
        "look once" => {
            assert_eq!(watch(Some(1), FOREVER), Ending::Unanswered);
            exit(0);
        }
        "panic" => {
            let _terminal = Terminal::take().unwrap();
            panic!("a mistake was made");
        }
        "panic while drawing" => {
            let mut terminal = Terminal::take().unwrap();
            let _ = terminal.draw(|_| panic!("a mistake was made"));
        }
        "panic while asking" => {
            let _terminal = Terminal::take().unwrap();
            runtime().block_on(async {
                let mut question = Some(tokio::spawn(async { panic!("a mistake was made") }));
                let _ = crate::watch::answer(&mut question).await;
            });
        }
        _ => (),
    }
}

#[test]
fn a_signal_gives_the_terminal_back() {
    for signal in [Signal::TERM, Signal::HUP, Signal::INT, Signal::QUIT] {
        let mut part = Part::begin("watch");
        part.wait_for(ENTER);
        part.wait_for(DRAWN);
        assert!(!part.is_cooked());
        part.send(signal);
        assert_eq!(part.end().code(), Some(signal.as_raw()), "{signal:?}");
        assert!(part.is_cooked(), "{signal:?}");
        assert!(part.all().contains(LEAVE), "{signal:?}");
    }
}

/// The watchdog tells the signal as shells do.
#[test]
fn a_signal_ends_it_though_the_terminal_takes_nothing() {
    for signal in [Signal::TERM, Signal::HUP, Signal::INT, Signal::QUIT] {
        let mut part = Part::begin("watch a terminal that hangs");
        part.wait_for(DRAWN);
        tcflow(&part.terminal, Action::OOff).unwrap();
        part.send(signal);
        assert_eq!(part.end().code(), Some(128 + signal.as_raw()), "{signal:?}");
        assert!(part.is_cooked(), "{signal:?}");
    }
}

#[test]
fn a_panic_is_told_on_a_terminal_that_was_given_back() {
    for name in ["panic", "panic while drawing", "panic while asking"] {
        let mut part = Part::begin(name);
        assert!(!part.end().success(), "{name}");
        assert!(part.is_cooked(), "{name}");
        let told = part.all();
        let (left, panicked) = (told.find(LEAVE).unwrap(), told.find("a mistake was made").unwrap());
        assert!(left < panicked && told.rfind(ENTER) < Some(left), "{name}: {told}");
        assert!(told.rfind(BEGIN_FRAME) <= told.rfind(END_FRAME), "{name}: the terminal waits for a frame");
    }
}

#[test]
fn the_last_look_stays_where_the_shell_goes_on() {
    let mut part = Part::begin("look once");
    assert!(part.end().success());
    assert!(part.is_cooked());
    let told = part.all();
    let (_, left) = told.split_once(LEAVE).unwrap();
    assert!(left.contains("finback top - ") && left.contains("no answer for"), "{told}");
}
