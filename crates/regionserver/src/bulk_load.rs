//! The calls of a bulk load, as HBase's SecureBulkLoadManager answers them.
//!
//! A client asks for a staging directory, whose path is its token; names HFiles to each region; and has the directory removed
//! in the end. HBase moves the files through the staging directory, where they are out of the client's reach. Here a region
//! takes them into a directory of its own: nothing but the name of the staging directory is ever used.

use crate::exceptions::exception;
use crate::handlers::{before_deadline, permit_before_deadline};
use crate::server::RegionServer;
use finback_cell::TableName;
use finback_fs::Metadata;
use finback_layout::{RootDir, new_store_file_name};
use finback_proto::pb;
use finback_region::{BulkLoadFile, BulkLoadOptions, Region, RegionError};
use finback_rpc::{Call, Reply, RpcException, exceptions};
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

mod repeats;

pub(crate) use repeats::Repeats;
use repeats::{Admission, Answer, LoadGuard, LoadKey, is_repetition};

/// Loads at a time: each keeps a thread, and its region's flush, waiting for the disk.
pub(crate) const LOADS_AT_ONCE: usize = 4;

/// Longest part of a user's name that becomes part of a directory's.
const MAX_USER_LENGTH: usize = 64;

/// Answers `PrepareBulkLoad`: makes `staging/<user>__<table>__<random>`.
pub(crate) async fn prepare(server: Arc<RegionServer>, call: Call) -> Result<Reply, RpcException> {
    let request: pb::PrepareBulkLoadRequest = call.decode()?;
    if let Some(region) = &request.region {
        server.regions.find(region)?;
    }
    let table = TableName::try_from(&request.table_name)
        .map_err(|error| exceptions::do_not_retry(error.to_string()))?;
    let user = plain(&call.connection.user);
    let root = server.root().clone();
    let made = blocking(move || {
        let random = new_store_file_name().map_err(|error| exceptions::io(error.to_string()))?;
        let table = table.to_string().replace(':', "_");
        let directory = absolute(&root.staging_dir())?.join(format!("{user}__{table}__{random}"));
        root.fs().create_dir_all(&directory).map_err(|error| io(&directory, &error))?;
        Ok(directory)
    });
    let directory = made.await?;
    Ok(Reply::new(&pb::PrepareBulkLoadResponse { bulk_token: format!("file:{}", directory.display()) }))
}

/// Answers `BulkLoadHFile`: all files of the request, or none. Files that have rows of other regions are no error but an
/// answer, after which the client looks where the regions are now. A client that asks again gets the answer to the first call
/// (see [`repeats`]).
pub(crate) async fn load(server: Arc<RegionServer>, call: Call) -> Result<Reply, RpcException> {
    let mut request: pb::BulkLoadHFileRequest = call.decode()?;
    let region = server.regions.find(&request.region)?;
    request.family_path.sort_unstable_by(|a, b| (&a.family, &a.path).cmp(&(&b.family, &b.path)));
    let key = LoadKey::of(region.encoded_name(), &request);
    let loaded = match before_deadline(&call, server.bulk_loads.admit(&key)).await? {
        Admission::Proceed(guard) => first(&server, &call, region, request, guard).await?,
        Admission::Answered(answer) => answer?,
    };
    Ok(Reply::new(&pb::BulkLoadHFileResponse { loaded }))
}

/// A load that is not under way.
async fn first(
    server: &RegionServer,
    call: &Call,
    region: Arc<Region>,
    request: pb::BulkLoadHFileRequest,
    guard: LoadGuard,
) -> Answer {
    // Who has stopped waiting has sent the request again: that call takes the place of this one.
    let _turn = permit_before_deadline(&server.bulk_load_turns, call).await?;
    let root = server.root().clone();
    let loaded = blocking({
        let region = Arc::clone(&region);
        move || carry_out(&root, &region, &request, guard)
    });
    let loaded = loaded.await?;
    server.scheduler.bulk_loaded(&region);
    Ok(loaded)
}

/// The guard ends with the work, whether anybody waits for that or not.
fn carry_out(
    root: &RootDir,
    region: &Region,
    request: &pb::BulkLoadHFileRequest,
    mut guard: LoadGuard,
) -> Answer {
    let answer = load_files(root, region, request, &mut guard);
    guard.answer(answer.clone());
    answer
}

fn load_files(
    root: &RootDir,
    region: &Region,
    request: &pb::BulkLoadHFileRequest,
    guard: &mut LoadGuard,
) -> Answer {
    let mut cluster_ids = request.cluster_ids.clone();
    if let Ok(own) = root.cluster_id() {
        if cluster_ids.contains(&own) {
            // Replication has come full circle.
            return Ok(true);
        }
        cluster_ids.push(own);
    }
    let files = files_of(root, request)?;
    let has_token = request.bulk_token.is_some();
    if guard.earlier().is_some_and(|earlier| is_repetition(earlier, look_at(root, &files), has_token)) {
        tracing::info!(region = %region.encoded_name(), files = files.len(), "a bulk load that was done is asked for again");
        return Ok(true);
    }
    // Before the load: a file that comes in the place of another meanwhile is another one to the next request.
    let found: std::io::Result<Vec<Metadata>> = look_at(root, &files).collect();
    // Snapshots and tables made of them may need what is in the archive, which goes from there when nobody does.
    let archive = resolved(&root.archive_dir())?;
    let has_archived = files.iter().any(|file| is_below(&file.path, &archive));
    let options = BulkLoadOptions {
        // Without a token it is a client of old, which says itself whether it wants one.
        assign_sequence_id: has_token || request.assign_seq_num(),
        keep_source: request.copy_file() || has_archived,
        replicate: request.replicate(),
        cluster_ids,
    };
    match region.bulk_load(&files, &options) {
        Ok(_) => {
            found.into_iter().for_each(|files| guard.loaded(files));
            Ok(true)
        }
        Err(error @ RegionError::OutsideRegion { .. }) => {
            tracing::warn!(region = %region.encoded_name(), %error, "a bulk load has to be split");
            Ok(false)
        }
        Err(error) => Err(exception(&error)),
    }
}

/// What the files are now.
fn look_at(root: &RootDir, files: &[BulkLoadFile]) -> impl Iterator<Item = std::io::Result<Metadata>> {
    files.iter().map(|file| root.fs().metadata(&file.path))
}

/// Answers `CleanupBulkLoad`: removes the staging directory, which may be gone.
pub(crate) async fn clean_up(server: Arc<RegionServer>, call: Call) -> Result<Reply, RpcException> {
    let request: pb::CleanupBulkLoadRequest = call.decode()?;
    let root = server.root().clone();
    blocking(move || {
        let directory = local_path(&request.bulk_token)?;
        // A token is what a client says: nothing else must go.
        if directory.parent() != Some(&absolute(&root.staging_dir())?) {
            let refused = format!("{} is no staging directory", request.bulk_token);
            return Err(exceptions::do_not_retry(refused));
        }
        match root.fs().remove_dir_all(&directory) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(io(&directory, &error)),
            _ => Ok(()),
        }
    })
    .await?;
    Ok(Reply::new(&pb::CleanupBulkLoadResponse {}))
}

/// The files of a request. What is in the directories of tables belongs to a region, and may be copied at most.
fn files_of(root: &RootDir, request: &pb::BulkLoadHFileRequest) -> Result<Vec<BulkLoadFile>, RpcException> {
    let data = resolved(&root.data_dir())?;
    let file = |named: &pb::bulk_load_h_file_request::FamilyPath| {
        let path = local_path(&named.path)?;
        if is_below(&path, &data) && !request.copy_file() {
            let refused = format!("{} belongs to a table: it can be copied, and not moved", named.path);
            return Err(exceptions::do_not_retry(refused));
        }
        Ok(BulkLoadFile { family: named.family.to_vec(), path })
    };
    request.family_path.iter().map(file).collect()
}

/// The path that Hadoop writes as `file:/path`, `file:///path` or `/path`.
fn local_path(text: &str) -> Result<PathBuf, RpcException> {
    let refuse = || exceptions::do_not_retry(format!("{text} is no path on the file system of this server"));
    let path = match text.strip_prefix("file:") {
        Some(rest) if rest.starts_with("///") => &rest[2..],
        // What follows would be a host.
        Some(rest) if rest.starts_with("//") => return Err(refuse()),
        Some(rest) => rest,
        None => text,
    };
    let path = PathBuf::from(path);
    let is_plain = |part: Component<'_>| matches!(part, Component::RootDir | Component::Normal(_));
    if path.is_absolute() && path.components().all(is_plain) { Ok(path) } else { Err(refuse()) }
}

/// Whether a file is in a directory that was [resolved], by whatever links its path leads there.
fn is_below(path: &Path, directory: &Path) -> bool {
    path.starts_with(directory) || resolved(path).is_ok_and(|path| path.starts_with(directory))
}

/// Without symbolic links, if the file system of the process has it.
fn resolved(path: &Path) -> Result<PathBuf, RpcException> {
    std::fs::canonicalize(path).or_else(|_| absolute(path))
}

fn absolute(path: &Path) -> Result<PathBuf, RpcException> {
    std::path::absolute(path).map_err(|error| io(path, &error))
}

/// A user's name as a part of a file's.
fn plain(user: &str) -> String {
    let keep = |c: char| if c.is_ascii_alphanumeric() || "-_.@".contains(c) { c } else { '_' };
    user.chars().take(MAX_USER_LENGTH).map(keep).collect()
}

fn io(path: &Path, error: &std::io::Error) -> RpcException {
    exceptions::io(format!("{}: {error}", path.display()))
}

/// Does what may wait for the disk, on a thread that may.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, RpcException> + Send + 'static,
) -> Result<T, RpcException> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(exceptions::io(format!("a bulk load panicked: {error}"))))
}

#[cfg(test)]
mod tests {
    use super::{is_below, local_path, plain, resolved};
    use std::path::Path;

    #[test]
    fn paths_are_read_as_hadoop_writes_them() {
        for text in ["/a/b c%20", "file:/a/b c%20", "file:///a/b c%20"] {
            assert_eq!(local_path(text).unwrap(), Path::new("/a/b c%20"), "{text}");
        }
        for text in ["", "a/b", "hdfs://host/a", "file://host/a", "file:a", "/a/../b", "s3a:/b", "file:"] {
            let refused = local_path(text).unwrap_err();
            assert_eq!(refused.simple_class(), "DoNotRetryIOException", "{text}");
        }
    }

    #[test]
    fn links_hide_no_file_of_a_table() {
        let temporary = tempfile::tempdir().unwrap();
        let (disk, link) = (temporary.path().join("disk"), temporary.path().join("link"));
        std::fs::create_dir_all(disk.join("data")).unwrap();
        std::fs::create_dir_all(disk.join("client")).unwrap();
        for name in ["data/stored", "client/own"] {
            std::fs::write(disk.join(name), b"").unwrap();
        }
        std::os::unix::fs::symlink(&disk, &link).unwrap();
        // Whichever of the two the root directory is called by.
        for root in [&disk, &link] {
            let data = resolved(&root.join("data")).unwrap();
            for named in [&disk, &link] {
                assert!(is_below(&named.join("data/stored"), &data), "{named:?} of {root:?}");
                assert!(!is_below(&named.join("client/own"), &data), "{named:?} of {root:?}");
            }
        }
    }

    #[test]
    fn names_of_users_stay_within_the_directory() {
        assert_eq!(plain("some.user@REALM"), "some.user@REALM");
        assert_eq!(plain("../../etc"), ".._.._etc");
        assert_eq!(plain(&"u".repeat(1000)).len(), 64);
    }
}
