//! A run: the table, the workers, and what they measure from second to second.

use crate::error::{Doing, PeError, Result};
use crate::options::Options;
use crate::progress::{Observer, Progress};
use crate::random::Random;
use crate::recorder::{Measured, Measuring, Recorder};
use crate::report::{Report, Sample, Samples};
use crate::rows::Rows;
use crate::schema::{self, Prepared};
use crate::worker::{self, Control, Ended, Job, Part};
use crate::ycsb::{Inserted, Plan};
use crate::{command::Kind, cpu};
use finback_client::{ClientConfig, Connection};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};
use tokio::sync::watch;

/// How often is looked whether it is over.
const LOOK: Duration = Duration::from_millis(50);
/// How often is told how far it is.
const TELL: Duration = Duration::from_secs(1);
/// Time for the cluster to be found at first.
const PATIENCE_AT_FIRST: Duration = Duration::from_secs(15);
/// Time after Ctrl-C for what is under way to be finished.
const PATIENCE: Duration = Duration::from_secs(3);
/// Workers that are used unless told otherwise: so many processors have one.
const PROCESSORS_OF_WORKER: usize = 4;

/// Does what `options` say to a cluster, and tells what it took.
///
/// # Errors
/// The options make no sense, the cluster is out of reach, or the table does not suit. What fails later ends the run and
/// stands in the report.
pub fn run(options: &Options, config: ClientConfig, observer: &mut dyn Observer) -> Result<Report> {
    let plan = plan(options)?.map(Arc::new);
    let config = configured(config, options);
    let prepared = prepare(options, plan.as_deref(), config.clone())?;
    let (control, told) = watch::channel(Control::Prepare);
    let job = Job {
        options: Arc::new(options.clone()),
        config: config.clone(),
        inserted: Inserted::new(plan.as_ref().map_or(0, |plan| plan.first + plan.records)),
        plan,
        seed: options.seed.unwrap_or_else(Random::any_seed),
        control: told,
    };
    let workers = Workers::start(&job, control)?;
    let mut report = Watched::new(&job, workers, prepared).watch(observer);
    flush_behind(&mut report, || flush(options, config));
    Ok(report)
}

fn plan(options: &Options) -> Result<Option<Plan>> {
    match options.command.kind {
        Kind::YcsbLoad => Plan::read(&options.properties, None).map(Some),
        Kind::YcsbRun(preset) => Plan::read(&options.properties, Some(preset)).map(Some),
        _ => Ok(None),
    }
}

fn configured(mut config: ClientConfig, options: &Options) -> ClientConfig {
    config.cell_tags |= options.use_tags;
    config
}

/// Finds out whether there is a cluster: somebody waits for that, and may have the wrong address.
async fn reach(config: &ClientConfig, patience: Duration) -> Result<()> {
    let config = config.clone().operation_timeout(config.operation_timeout.min(patience));
    Connection::open(config).await.map(|_| ()).doing("connect")
}

fn prepare(options: &Options, plan: Option<&Plan>, config: ClientConfig) -> Result<Prepared> {
    on_a_runtime(async {
        reach(&config, PATIENCE_AT_FIRST).await?;
        let connection = Connection::open(config).await.doing("connect")?;
        schema::prepare(&connection, options, plan).await
    })
}

fn flush(options: &Options, config: ClientConfig) -> Result<()> {
    on_a_runtime(async {
        let connection = Connection::open(config).await.doing("connect")?;
        connection.admin().flush_table(options.table(), None).await.doing("flush the table")
    })
}

/// Flushes behind a run that came to its end. If that fails there still is what was measured.
fn flush_behind(report: &mut Report, flush: impl FnOnce() -> Result<()>) {
    if report.options.flush && report.error.is_none() && !report.interrupted {
        report.error = flush().err();
    }
}

fn on_a_runtime<T>(doing: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(PeError::io("cannot make a runtime"))?.block_on(doing)
}

/// How many workers, and connections, there are.
pub(crate) fn workers_and_connections(options: &Options, processors: usize) -> (u32, u32) {
    let given = if options.one_connection { Some(1) } else { options.connections };
    let usual = u32::try_from(processors / PROCESSORS_OF_WORKER).unwrap_or(u32::MAX).max(1);
    let workers = options.workers.unwrap_or(usual).min(options.clients).min(given.unwrap_or(u32::MAX));
    let connections = given.unwrap_or(workers).min(options.clients);
    (workers, connections)
}

struct Workers {
    control: watch::Sender<Control>,
    threads: Vec<JoinHandle<Result<Ended>>>,
    recorders: Vec<Recorder>,
    measuring: Measuring,
    connections: u32,
}

impl Workers {
    /// Starts them, and waits until all are connected.
    fn start(job: &Job, control: watch::Sender<Control>) -> Result<Self> {
        let options = &job.options;
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let (workers, connections) = workers_and_connections(options, processors);
        let measuring = Measuring {
            operations: crate::report::operations(options.command).len(),
            open_loop: options.rate.is_some(),
            threshold: options.latency_threshold,
            value_sizes: options.value_sizes != crate::options::ValueSize::Fixed,
        };
        let (ready, readiness) = mpsc::channel();
        let mut started =
            Self { control, threads: Vec::new(), recorders: Vec::new(), measuring, connections };
        for number in 0..workers {
            let part_of =
                |all: u32, number: u32| (u64::from(all) * u64::from(number) / u64::from(workers)) as u32;
            let recorder = Recorder::new(measuring);
            let part = Part {
                number,
                workers,
                clients: part_of(options.clients, number)..part_of(options.clients, number + 1),
                connections: part_of(connections, number + 1) - part_of(connections, number),
                recorder: recorder.clone(),
            };
            let (job, ready) = (job.clone(), ready.clone());
            let thread = std::thread::Builder::new()
                .name(format!("worker-{number}"))
                .spawn(move || worker::run(&job, &part, &ready))
                .map_err(PeError::io("cannot start a thread"))?;
            started.threads.push(thread);
            started.recorders.push(recorder);
        }
        drop(ready);
        readiness.iter().take(workers as usize).collect::<Result<()>>()?;
        Ok(started)
    }

    fn are_done(&self) -> bool {
        self.threads.iter().all(JoinHandle::is_finished)
    }

    fn any_is_done(&self) -> bool {
        self.threads.iter().any(JoinHandle::is_finished)
    }
}

/// A run while it is watched.
struct Watched<'a> {
    job: &'a Job,
    workers: Workers,
    prepared: Prepared,
    expected: Option<u64>,
    total: Measured,
    /// What was measured since it was told last.
    recent: Measured,
    spare: Measured,
    samples: Samples,
    ended: Ended,
    error: Option<PeError>,
    interrupted: bool,
}

impl<'a> Watched<'a> {
    fn new(job: &'a Job, workers: Workers, prepared: Prepared) -> Self {
        let none = || Measured::none(workers.measuring);
        let (total, recent, spare) = (none(), none(), none());
        let (samples, ended) = (Samples::default(), Ended::default());
        let expected = expected(job);
        Self {
            job,
            workers,
            prepared,
            expected,
            total,
            recent,
            spare,
            samples,
            ended,
            error: None,
            interrupted: false,
        }
    }

    fn watch(mut self, observer: &mut dyn Observer) -> Report {
        let cpu = cpu::used();
        let began = SystemTime::now();
        let start = Instant::now();
        self.workers.control.send_replace(Control::Go(start));
        let mut told = start;
        let mut stopped_at: Option<Instant> = None;
        while !self.workers.are_done() {
            std::thread::sleep(LOOK.min(self.until_the_end(start)));
            let now = Instant::now();
            if now - told >= TELL {
                self.sample(start, told, now, observer);
                told = now;
            }
            self.interrupted |= observer.is_interrupted();
            if self.workers.any_is_done() {
                self.collect();
            }
            match stopped_at {
                None if self.interrupted || self.error.is_some() => {
                    self.workers.control.send_replace(Control::Stop);
                    stopped_at = Some(now);
                }
                Some(stopped) if now - stopped >= PATIENCE => {
                    self.workers.control.send_replace(Control::Abort);
                }
                _ => {}
            }
        }
        self.collect();
        let took = self.ended.finished.iter().map(|finished| finished.took).max();
        let took = took.filter(|_| self.error.is_none()).unwrap_or_else(|| start.elapsed());
        self.sample(start, told, start + took.max(told - start), observer);
        observer.over();
        self.report(began, took, cpu::used().saturating_sub(cpu))
    }

    /// Short at the beginning, so that a short run does not wait for being looked at.
    fn until_the_end(&self, start: Instant) -> Duration {
        (start.elapsed() / 10).max(Duration::from_millis(1))
    }

    /// Takes the results of threads that have ended.
    fn collect(&mut self) {
        let threads = std::mem::take(&mut self.workers.threads);
        for thread in threads {
            if !thread.is_finished() {
                self.workers.threads.push(thread);
                continue;
            }
            match thread.join() {
                Ok(Ok(ended)) => {
                    self.ended.finished.extend(ended.finished);
                    self.ended.not_begun.add(ended.not_begun);
                }
                Ok(Err(error)) => {
                    self.error.get_or_insert(error);
                }
                Err(_) => {
                    let source = std::io::Error::other("it has panicked");
                    self.error.get_or_insert(PeError::Io { doing: "a worker is lost".to_owned(), source });
                }
            }
        }
    }

    fn sample(&mut self, start: Instant, from: Instant, to: Instant, observer: &mut dyn Observer) {
        for recorder in &self.workers.recorders {
            recorder.take(&mut self.spare);
            self.recent.add(&self.spare);
        }
        self.total.add(&self.recent);
        let sample = Sample::of(&self.recent, from - start, to - start);
        if sample.operations > 0 || sample.seconds > 0.0 {
            self.samples.push(sample);
        }
        observer.told(&Progress {
            elapsed: to - start,
            operations: self.total.operations,
            steps: self.steps(),
            expected: self.expected,
            duration: self.job.options.duration,
            last: sample,
        });
        self.recent = Measured::none(self.workers.measuring);
    }

    /// How many of the rows were worked on: those of lists are sent together.
    fn steps(&self) -> u64 {
        match self.job.options.multi_get > 0 || self.job.options.multi_put > 0 {
            true => self.total.rows + self.total.missing,
            false => self.total.operations,
        }
    }

    fn report(mut self, began: SystemTime, took: Duration, cpu: Duration) -> Report {
        self.ended.finished.sort_by_key(|finished| finished.client);
        Report {
            options: Arc::clone(&self.job.options),
            seed: self.job.seed,
            began,
            took,
            cpu,
            workers: self.workers.recorders.len() as u32,
            connections: self.workers.connections,
            prepared: self.prepared,
            clients: self.ended.finished.iter().map(|finished| (finished.rows, finished.took)).collect(),
            total: self.total,
            samples: self.samples,
            not_begun: self.ended.not_begun,
            interrupted: self.interrupted,
            error: self.error,
        }
    }
}

/// How many rows there are to be worked on, if time does not end it.
fn expected(job: &Job) -> Option<u64> {
    let of_client = |client| match &job.plan {
        Some(plan) => worker::ycsb_rows(&job.options, plan, client).in_all(),
        None => Rows::of_client(&job.options, client).in_all(),
    };
    (0..job.options.clients).map(of_client).try_fold(0u64, |sum, count| sum.checked_add(count?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::PeCommand;

    #[test]
    fn a_worker_takes_four_processors_and_no_more_than_clients_or_connections() {
        let counts = |clients, processors, given: &[(&str, &str)]| {
            let mut options = Options::new(PeCommand::find("randomRead").unwrap());
            options.set_clients(clients).unwrap();
            given.iter().for_each(|(name, value)| options.set(name, value).unwrap());
            workers_and_connections(&options, processors)
        };
        assert_eq!(counts(8, 2, &[]), (1, 1));
        assert_eq!(counts(8, 16, &[]), (4, 4));
        assert_eq!(counts(2, 16, &[]), (2, 2));
        assert_eq!(counts(8, 16, &[("oneCon", "true")]), (1, 1));
        assert_eq!(counts(8, 16, &[("connCount", "8")]), (4, 8));
        assert_eq!(counts(8, 16, &[("connCount", "3")]), (3, 3));
        assert_eq!(counts(8, 2, &[("workers", "2"), ("connCount", "6")]), (2, 6));
    }

    #[test]
    fn a_flush_that_fails_stands_in_the_report_and_none_follows_an_interruption() {
        let refused = || Err(PeError::Table("there is no flush".to_owned()));
        let mut report = crate::report::tests::report();
        Arc::make_mut(&mut report.options).flush = true;
        assert!(report.interrupted);
        flush_behind(&mut report, refused);
        assert!(report.error.is_none());
        report.interrupted = false;
        flush_behind(&mut report, refused);
        let json = report.to_json();
        assert_eq!(json["error"], "there is no flush");
        assert_eq!(json["operations"], 100);
    }

    /// An operation on a cluster that was there has HBase's minutes.
    #[test]
    fn a_cluster_that_is_not_there_is_told_soon_and_with_the_setting_that_names_it() {
        let nobody = ClientConfig::zookeeper("127.0.0.1:1").pause(Duration::from_millis(1));
        let reached = on_a_runtime(reach(&nobody, Duration::from_millis(50)));
        let told = reached.unwrap_err().to_string();
        assert!(told.contains("hbase.zookeeper.quorum") && told.contains("127.0.0.1:1"), "{told}");
    }
}
