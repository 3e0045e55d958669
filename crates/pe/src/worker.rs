//! A thread with a runtime of its own, its connections, and the clients that share them.
//!
//! One thread drives many clients: what they ask for in one turn goes out in one write, and what comes in one read wakes them
//! all, without a hand-over between threads. Nothing is shared between workers but the counter of YCSB's inserts.

use crate::command::{Kind, Order};
use crate::distribution::{Chooser, Distribution};
use crate::error::{Doing, PeError, Result};
use crate::options::{Options, Rate};
use crate::pace::{NotBegun, Pace, Turn};
use crate::random::Random;
use crate::recorder::Recorder;
use crate::rows::Rows;
use crate::work::{
    Client, Columns, Deletes, FilterScans, MetaCleans, MetaReads, MetaWrites, RangeScans, Reads, Records,
    Scans, Updates, Work, Writes, Ycsb,
};
use crate::ycsb::{Inserted, Plan};
use finback_client::{ClientConfig, Connection, Table};
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// What workers are told to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Control {
    /// To connect, and wait.
    Prepare,
    /// To begin at this moment.
    Go(Instant),
    /// To finish what is under way, and send what was gathered.
    Stop,
    /// To drop everything.
    Abort,
}

/// What all workers have in common.
#[derive(Clone)]
pub(crate) struct Job {
    pub(crate) options: Arc<Options>,
    pub(crate) config: ClientConfig,
    pub(crate) plan: Option<Arc<Plan>>,
    pub(crate) inserted: Inserted,
    pub(crate) seed: u64,
    pub(crate) control: watch::Receiver<Control>,
}

/// One worker's part.
pub(crate) struct Part {
    pub(crate) number: u32,
    pub(crate) workers: u32,
    pub(crate) clients: Range<u32>,
    pub(crate) connections: u32,
    pub(crate) recorder: Recorder,
}

/// How a client has ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Finished {
    pub(crate) client: u32,
    pub(crate) rows: u64,
    pub(crate) took: Duration,
    /// Rows that it would have gone on with; none if there is no end of them.
    left: Option<u64>,
}

/// How a worker's clients have ended.
#[derive(Debug, Default)]
pub(crate) struct Ended {
    pub(crate) finished: Vec<Finished>,
    pub(crate) not_begun: NotBegun,
}

/// An operation that was due no longer before the end is begun: whoever waits for it is not awake in the same moment.
const WAKING: Duration = Duration::from_millis(10);

/// Runs a worker on this thread, until its clients are done.
pub(crate) fn run(job: &Job, part: &Part, ready: &mpsc::Sender<Result<()>>) -> Result<Ended> {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(source) => {
            let error =
                || PeError::Io { doing: "cannot make a runtime".to_owned(), source: source.kind().into() };
            let _ = ready.send(Err(error()));
            return Err(error());
        }
    };
    runtime.block_on(async {
        let tables = match connect(job, part).await {
            Ok(tables) => tables,
            Err(error) => {
                let _ = ready.send(Err(error));
                return Ok(Ended::default());
            }
        };
        let _ = ready.send(Ok(()));
        let mut control = job.control.clone();
        let told = control.wait_for(|control| *control != Control::Prepare).await.map(|told| *told);
        match told {
            Ok(Control::Go(start)) => drive_all(job, part, tables, start).await,
            _ => Ok(Ended::default()),
        }
    })
}

/// Connects, and learns where the regions are, so that the first operations take no longer than others.
async fn connect(job: &Job, part: &Part) -> Result<Vec<(Table, Table)>> {
    let mut tables = Vec::new();
    for _ in 0..part.connections {
        let connection = Connection::open(job.config.clone()).await.doing("connect")?;
        let table = connection.table(job.options.table()).doing("open the table")?;
        table.regions().await.doing("ask for regions")?;
        let meta = connection.table("hbase:meta").doing("open hbase:meta")?;
        tables.push((table, meta));
    }
    Ok(tables)
}

async fn drive_all(job: &Job, part: &Part, tables: Vec<(Table, Table)>, start: Instant) -> Result<Ended> {
    let pace = pace(job, part, start)?;
    let end = job.options.duration.map(|duration| start + duration);
    let columns = Arc::new(Columns::of(&job.options));
    let mut clients = JoinSet::new();
    for (place, number) in part.clients.clone().enumerate() {
        let (table, meta) = &tables[place % tables.len()];
        let client = Client {
            table: table.clone(),
            options: Arc::clone(&job.options),
            random: Random::of_client(job.seed, number.into()),
            recorder: part.recorder.clone(),
            columns: Arc::clone(&columns),
        };
        let driver = Driver {
            number,
            pace: pace.clone(),
            recorder: part.recorder.clone(),
            start,
            end,
            control: job.control.clone(),
        };
        clients.spawn(drive_client(job.clone(), client, meta.clone(), driver));
    }
    let mut finished: Vec<Finished> = Vec::new();
    let mut control = job.control.clone();
    loop {
        tokio::select! {
            client = clients.join_next() => match client {
                None => {
                    // Those that were dropped had rows as well.
                    let all_told = finished.len() == part.clients.len();
                    let left = finished.iter().try_fold(0u64, |sum, client| sum.checked_add(client.left?));
                    let not_begun = pace.not_begun(end, left.filter(|_| all_told));
                    return Ok(Ended { finished, not_begun });
                }
                Some(Ok(client)) => finished.push(client?),
                Some(Err(error)) if error.is_cancelled() => {}
                Some(Err(error)) => {
                    let source = std::io::Error::other(error.to_string());
                    return Err(PeError::Io { doing: "a client is lost".to_owned(), source });
                }
            },
            told = control.changed() => {
                let told = told.map_or(Control::Abort, |()| *control.borrow_and_update());
                if told != Control::Prepare && !matches!(told, Control::Go(_)) {
                    pace.stop();
                }
                if told == Control::Abort {
                    clients.abort_all();
                }
            }
            () = pace.tick() => {}
        }
    }
}

/// The moments at which this worker's clients begin: its part of the rate, between those of the others.
fn pace(job: &Job, part: &Part, start: Instant) -> Result<Pace> {
    let Some(rate) = job.options.pace() else { return Ok(Pace::closed()) };
    let share = f64::from(part.clients.len() as u32) / f64::from(job.options.clients);
    let random = Random::of_client(!job.seed, part.number.into());
    let phase = f64::from(part.number) / f64::from(part.workers);
    Pace::open(Rate { per_second: rate.per_second * share, ..rate }, start, phase, random)
}

/// What brings a client's rows to its work, at their moments.
struct Driver {
    number: u32,
    pace: Pace,
    recorder: Recorder,
    start: Instant,
    end: Option<Instant>,
    control: watch::Receiver<Control>,
}

impl Driver {
    /// Whether nothing is begun any more, not even what was `due` then.
    fn is_over(&self, due: Option<Instant>, now: Instant) -> bool {
        self.end.is_some_and(|end| now >= end && due.is_none_or(|due| now - due > WAKING))
            || matches!(*self.control.borrow(), Control::Stop | Control::Abort)
    }

    async fn drive(self, mut work: impl Work, rows: Rows) -> Result<Finished> {
        let measured = rows.clone();
        let mut done = 0;
        for row in rows {
            let due = match self.pace.turn(self.end).await {
                Turn::Over => break,
                Turn::Now => None,
                Turn::Due(due) => Some(due),
            };
            // Work that never waits, such as writing to a buffer, lets others work as well.
            tokio::task::consume_budget().await;
            let now = Instant::now();
            if self.is_over(due, now) {
                due.into_iter().for_each(|due| self.pace.drop_turn(due, self.end));
                break;
            }
            if let Some(step) = work.step(row).await? {
                // Of rows that are sent together the last one's time counts, as in PerformanceEvaluation.
                self.recorder.done(step, due.unwrap_or(now), now, measured.is_measured(row));
            }
            done += 1;
        }
        let now = Instant::now();
        if let Some(rest) = work.finish().await? {
            // Unmeasured, as in PerformanceEvaluation: it is shorter than the others.
            self.recorder.done(rest, now, now, false);
        }
        let left = measured.in_all().map(|all| all - done);
        Ok(Finished { client: self.number, rows: done, took: self.start.elapsed(), left })
    }
}

/// Which rows a command chooses by chance, if it does, and which is the newest.
fn chooser(options: &Options) -> (Chooser, u64) {
    let total = options.extent().total;
    let distribution = options.distribution.unwrap_or(Distribution::Uniform);
    (distribution.chooser(0, total), total.saturating_sub(1))
}

async fn drive_client(job: Job, client: Client, meta: Table, driver: Driver) -> Result<Finished> {
    let options = Arc::clone(&job.options);
    let rows = Rows::of_client(&options, driver.number);
    let chosen = |order| (order == Order::Random).then(|| chooser(&options));
    match options.command.kind {
        Kind::Write { order, buffered } => {
            driver.drive(Writes::new(client, chosen(order), buffered)?, rows).await
        }
        Kind::Delete(order) => driver.drive(Deletes::new(client, chosen(order)), rows).await,
        Kind::Read(order) => driver.drive(Reads::new(client, chosen(order)), rows).await,
        Kind::Scan => driver.drive(Scans::new(client), rows).await,
        Kind::SeekScan => driver.drive(RangeScans::new(client, chooser(&options), None), rows).await,
        Kind::RangeScan(range) => {
            driver.drive(RangeScans::new(client, chooser(&options), Some(range)), rows).await
        }
        Kind::FilterScan => driver.drive(FilterScans::new(client)?, rows).await,
        Kind::Update(update) => driver.drive(Updates::new(client, update), rows).await,
        Kind::MetaWrite => driver.drive(MetaWrites::new(client, meta), rows).await,
        Kind::MetaRead => driver.drive(MetaReads::new(client, meta), rows).await,
        Kind::MetaClean => driver.drive(MetaCleans::new(client, meta), rows).await,
        Kind::YcsbLoad | Kind::YcsbRun(_) => drive_ycsb(&job, client, driver).await,
    }
}

/// The rows of YCSB's commands, of one client.
pub(crate) fn ycsb_rows(options: &Options, plan: &Plan, client: u32) -> Rows {
    match options.command.kind {
        Kind::YcsbRun(_)
            if options.duration.is_some() && options.properties.text("operationcount").is_none() =>
        {
            Rows::endless(options)
        }
        Kind::YcsbRun(_) => Rows::share(0..plan.operations, client, options.clients, options),
        _ => Rows::share(plan.first..plan.first + plan.operations, client, options.clients, options),
    }
}

async fn drive_ycsb(job: &Job, client: Client, driver: Driver) -> Result<Finished> {
    let Some(plan) = &job.plan else { return Err(PeError::usage("a workload of YCSB's without a plan")) };
    let rows = ycsb_rows(&job.options, plan, driver.number);
    let records = Records::new(client, Arc::clone(plan));
    match job.options.command.kind {
        Kind::YcsbLoad => driver.drive(records, rows).await,
        _ => {
            // As YCSB does: so that what is scrambled stays where it is while records are inserted.
            let inserts = plan.operations as f64 * (plan.shares[2] - plan.shares[1]) * 2.0;
            let expected = match plan.requests {
                Distribution::Scrambled => plan.records.saturating_add(inserts as u64),
                _ => plan.records,
            };
            let chooser = plan.requests.chooser(plan.first, expected);
            driver.drive(Ycsb::new(records, chooser, job.inserted.clone()), rows).await
        }
    }
}

#[cfg(test)]
mod tests;
