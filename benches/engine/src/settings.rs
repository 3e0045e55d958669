//! What all engines are given alike.

/// Options of a run.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Keys of 16 bytes there can be.
    pub(crate) keys: u64,
    /// Bytes of a value. Half of it is compressible.
    pub(crate) value_bytes: usize,
    /// Bytes of the block cache.
    pub(crate) cache_bytes: usize,
    /// Bytes of writes kept in memory before they are written out.
    pub(crate) write_buffer_bytes: usize,
    /// LZ4, or nothing.
    pub(crate) compress: bool,
    /// Numbers of threads to run with.
    pub(crate) threads: Vec<usize>,
    /// Engines to run.
    pub(crate) engines: Vec<String>,
    /// Workloads to run; none means all.
    pub(crate) workloads: Vec<String>,
    /// Rounds; the median is printed.
    pub(crate) rounds: usize,
    /// Where the databases are put.
    pub(crate) dir: std::path::PathBuf,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            keys: 1_000_000,
            value_bytes: 100,
            cache_bytes: 256 << 20,
            write_buffer_bytes: 64 << 20,
            compress: true,
            threads: vec![1, 2],
            engines: ["finback", "rocksdb", "fjall"].map(str::to_owned).to_vec(),
            workloads: Vec::new(),
            rounds: 1,
            dir: std::env::temp_dir(),
        }
    }
}

/// What the command line may say.
pub(crate) const USAGE: &str = "\
usage: ./dev bench engine [OPTION]...
  --keys N           keys of 16 bytes (1000000)
  --value N          bytes of a value, half of it compressible (100)
  --cache-mb N       block cache (256)
  --buffer-mb N      writes kept in memory (64)
  --compression C    lz4 or none (lz4)
  --threads LIST     (1,2)
  --engines LIST     (finback,rocksdb,fjall)
  --workloads LIST   only these of fill-sequential,overwrite,read-random,read-missing,seek-random,scan
  --rounds N         each measured so often in turn, the median is printed (1)
  --dir DIR          where the databases are put (the system's directory for temporary files)";

impl Settings {
    /// Reads a command line.
    pub(crate) fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut settings = Self::default();
        let mut rest = arguments.iter();
        while let Some(option) = rest.next() {
            let value = rest.next().ok_or_else(|| format!("{option} needs a value\n{USAGE}"))?;
            match option.as_str() {
                "--keys" => settings.keys = number(value)?,
                "--value" => settings.value_bytes = number(value)?,
                "--cache-mb" => settings.cache_bytes = number::<usize>(value)? << 20,
                "--buffer-mb" => settings.write_buffer_bytes = number::<usize>(value)? << 20,
                "--compression" => settings.compress = compression(value)?,
                "--threads" => settings.threads = value.split(',').map(number).collect::<Result<_, _>>()?,
                "--engines" => settings.engines = value.split(',').map(str::to_owned).collect(),
                "--workloads" => settings.workloads = value.split(',').map(str::to_owned).collect(),
                "--rounds" => settings.rounds = number(value)?,
                "--dir" => settings.dir = value.into(),
                _ => return Err(format!("there is no option {option}\n{USAGE}")),
            }
        }
        Ok(settings)
    }

    /// Whether a workload is to be run.
    pub(crate) fn wants(&self, workload: &str) -> bool {
        self.workloads.is_empty() || self.workloads.iter().any(|wanted| wanted == workload)
    }

    /// The same as a command line, for the process that measures one engine.
    pub(crate) fn to_arguments(&self) -> Vec<String> {
        let chosen = (!self.workloads.is_empty()).then(|| ("--workloads", self.workloads.join(",")));
        [
            ("--keys", self.keys.to_string()),
            ("--value", self.value_bytes.to_string()),
            ("--cache-mb", (self.cache_bytes >> 20).to_string()),
            ("--buffer-mb", (self.write_buffer_bytes >> 20).to_string()),
            ("--compression", if self.compress { "lz4" } else { "none" }.to_owned()),
            ("--dir", self.dir.display().to_string()),
        ]
        .into_iter()
        .chain(chosen)
        .flat_map(|(option, value)| [option.to_owned(), value])
        .collect()
    }
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{text} is not a number that fits"))
}

fn compression(text: &str) -> Result<bool, String> {
    match text {
        "lz4" => Ok(true),
        "none" => Ok(false),
        _ => Err(format!("there is no compression {text}; there are lz4 and none")),
    }
}
