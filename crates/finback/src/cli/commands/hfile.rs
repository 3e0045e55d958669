//! `finback hfile`

mod verification;

use crate::cli::arguments::Arguments;
use crate::cli::file_kind::FileKind;
use crate::cli::local_file::LocalFile;
use crate::cli::settings::{self, CONFIG, SETTING};
use crate::cli::stop::{EXIT_FAILED, EXIT_INTERRUPTED, Stop};
use crate::cli::table::{Command, Count, Kind, Operand, Opt};
use finback_cell::from_string_binary;
use finback_fs::{FileSystem, LocalFileSystem};
use finback_inspect::{HFilePrinter, HFilePrinterOptions, InspectError, MobFiles, store_files_of_region};
use std::io::{BufWriter, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

pub(super) const COMMAND: Command = Command {
    name: "hfile",
    summary: "prints and verifies store files, ours or HBase's",
    about: "
Takes the options of HBase's HFilePrettyPrinter (hbase hfile) and prints what that prints. With -v, and no option that
prints more, it goes through all cells and counts them.

With --verify it looks at the whole of each file, and of all store files under each directory: every block with its
checksums, the order of the cells, the index, the Bloom filters, the trailer, and whether rows are those of the region that
the file lies in. It names every damage with its block and offset, and goes on to the end.

Files of a server that runs may be looked at: they never change.",
    operands: &[Operand {
        name: "FILE",
        kind: Kind::File,
        count: Count::Any,
        meaning: "A store file; with --verify also a directory.",
    }],
    options: &[
        Opt::long_flag("verify", "Verifies all of each file, and of all under each directory."),
        Opt::flag('v', "verbose", "Says which file is read and how many cells it has."),
        Opt::flag('m', "printmeta", "Prints what the file says of itself: trailer, file info, Bloom filters."),
        Opt::flag('e', "printkey", "Prints keys."),
        Opt::flag('p', "printkv", "Prints keys, values and tags."),
        Opt::value('w', "seekToRow", ("ROW", Kind::Text), "Only this row, with \\x00 and the like for bytes."),
        Opt::flag('b', "printblocks", "Prints the root of the block index."),
        Opt::flag('h', "printblockheaders", "Prints the header of every block."),
        Opt::flag('s', "stats", "Prints statistics: lengths of keys, values and rows."),
        Opt::flag('d', "details", "Prints statistics, with counts by range."),
        Opt::flag('k', "checkrow", "Checks the order of the rows."),
        Opt::flag('a', "checkfamily", "Checks that cells are of the family that the path names."),
        Opt::flag('i', "checkMobIntegrity", "Checks that the files of large values are there that cells lead to."),
        Opt::value('f', "file", ("FILE", Kind::File), "A store file. The same as FILE without an option."),
        Opt::value(
            'r',
            "region",
            ("REGION", Kind::Text),
            "All store files of a region: its name, as in 'hbase:meta,,1', or its directory.",
        ),
        Opt::long_value(
            "data",
            ("DIR", Kind::Directory),
            "The root directory in which -r and -i look. Short for -D data=DIR.",
        ),
        CONFIG,
        SETTING,
    ],
    examples: &[
        ("finback hfile -m /data/data/default/t1/*/f/*", "what each file of the family f says of itself"),
        ("finback hfile -p -w 'row\\x00\\x01' FILE", "the cells of one row"),
        ("finback hfile -s --region /data/data/default/t1/0d1f…", "statistics of all files of a region"),
        ("finback hfile --verify /data", "verifies every store file of a root directory, the archive's too"),
    ],
    exit_codes: &[
        (1, "A file cannot be read, is damaged, or a check found something."),
        (130, "Ctrl-C ended it before the end."),
    ],
    more: None,
    run,
};

fn run(arguments: &Arguments) -> Result<ExitCode, Stop> {
    let fs: Arc<dyn FileSystem> = Arc::new(LocalFileSystem);
    let files = files(arguments, &fs)?;
    if arguments.has("verify") {
        let paths: Vec<PathBuf> = files.into_iter().map(|file| file.path).collect();
        return verification::run(&fs, &paths, arguments.has("verbose"));
    }
    let options = options(arguments, &fs)?;
    if let Some(directory) = files.iter().find(|file| file.path.is_dir()) {
        let path = directory.path.display();
        return Err(Stop::Failed(format!("{path} is a directory; finback hfile --verify takes those")));
    }
    let (mut out, mut err) = (BufWriter::new(std::io::stdout().lock()), std::io::stderr().lock());
    let mut printer = HFilePrinter::new(options, &mut out, &mut err);
    let printed = files.iter().try_for_each(|LocalFile { path, name }| {
        let opened = fs.open(path).map_err(|source| InspectError::Io { path: path.clone(), source });
        let printed = opened.and_then(|file| printer.print(file, name));
        printed.map_err(|error| FileKind::StoreFile.explain(path, error.into()))
    });
    let warnings = match printed {
        Ok(()) => printer.finish()?,
        Err(error) => {
            // What was printed before comes before what went wrong.
            out.flush()?;
            return Err(error);
        }
    };
    out.flush()?;
    Ok(if warnings == 0 { ExitCode::SUCCESS } else { ExitCode::from(EXIT_FAILED) })
}

/// The files that are named, by whichever option.
fn files(arguments: &Arguments, fs: &Arc<dyn FileSystem>) -> Result<Vec<LocalFile>, Stop> {
    let mut files: Vec<LocalFile> = arguments.values("file").map(LocalFile::of).collect::<Result<_, _>>()?;
    if let Some(region) = arguments.text("region")? {
        let is_directory = fs.metadata(region.as_ref()).is_ok_and(|found| found.is_dir);
        let root = if is_directory { PathBuf::new() } else { root(arguments)? };
        let found = store_files_of_region(fs, &root, &region)?;
        if arguments.has("verbose") {
            println_region(&found)?;
        }
        files.extend(found.files.into_iter().map(|path| LocalFile { name: path.clone(), path }));
    }
    for operand in arguments.operands() {
        files.push(LocalFile::of(operand)?);
    }
    if files.is_empty() && arguments.value("region").is_none() {
        return Err(arguments.combination("finback hfile needs a FILE, or --region REGION").into());
    }
    Ok(files)
}

fn println_region(region: &finback_inspect::RegionFiles) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "region dir -> {}", region.directory.display())?;
    writeln!(out, "Number of region files found -> {}", region.files.len())?;
    for (number, file) in region.files.iter().enumerate() {
        writeln!(out, "Found file[{}] -> {}", number + 1, file.display())?;
    }
    Ok(())
}

fn options(arguments: &Arguments, fs: &Arc<dyn FileSystem>) -> Result<HFilePrinterOptions, Stop> {
    let row = arguments.value("seekToRow").map(|row| from_string_binary(row.as_bytes()));
    if row.as_ref().is_some_and(Vec::is_empty) {
        return Err(arguments.combination("--seekToRow needs a row that is not empty").into());
    }
    let mob_files = match arguments.has("checkMobIntegrity") {
        true => Some(MobFiles::new(Arc::clone(fs), root(arguments)?)),
        false => None,
    };
    Ok(HFilePrinterOptions {
        verbose: arguments.has("verbose"),
        keys: arguments.has("printkey") || arguments.has("printkv"),
        values: arguments.has("printkv"),
        meta: arguments.has("printmeta"),
        block_index: arguments.has("printblocks"),
        block_headers: arguments.has("printblockheaders"),
        statistics: arguments.has("stats") || arguments.has("details"),
        ranges: arguments.has("details"),
        check_rows: arguments.has("checkrow"),
        check_families: arguments.has("checkfamily"),
        row,
        mob_files,
    })
}

/// The root directory, as a server finds it.
fn root(arguments: &Arguments) -> Result<PathBuf, Stop> {
    match arguments.path("data") {
        Some(data) => Ok(data.to_owned()),
        None => Ok(settings::load(&settings::sources(arguments)?.of_a_server())?.config.data_dir),
    }
}

/// The exit code of a verification.
fn exit_code(is_sound: bool, was_interrupted: bool) -> ExitCode {
    match (was_interrupted, is_sound) {
        (true, _) => ExitCode::from(EXIT_INTERRUPTED),
        (false, true) => ExitCode::SUCCESS,
        (false, false) => ExitCode::from(EXIT_FAILED),
    }
}
