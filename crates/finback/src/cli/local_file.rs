//! Files as HBase's tools name them: paths, or URIs of the local file system.

use super::stop::Stop;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// A file of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LocalFile {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// How HBase's tools call it: `file:/path` for any `file:` URI, else as it was given.
    pub(crate) name: PathBuf,
}

impl LocalFile {
    /// Understands what was given.
    pub(crate) fn of(given: &OsStr) -> Result<Self, Stop> {
        let bytes = given.as_bytes();
        if let Some(rest) = bytes.strip_prefix(b"file:").filter(|rest| rest.starts_with(b"/")) {
            // `file:///path` and `file:/path` are the same.
            let rest = rest.strip_prefix(b"//").unwrap_or(rest);
            let path = PathBuf::from(OsStr::from_bytes(rest));
            let mut name = OsStr::new("file:").to_owned();
            name.push(&path);
            return Ok(Self { path, name: name.into() });
        }
        let is_uri = bytes.windows(3).position(|window| window == b"://").is_some_and(|at| {
            at > 0 && bytes[..at].iter().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte))
        });
        if is_uri {
            let given = given.to_string_lossy();
            return Err(Stop::Failed(format!(
                "cannot read {given}: only files of this machine; copy it here"
            )));
        }
        Ok(Self { path: given.into(), name: given.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_of_local_files_are_paths_and_others_are_refused() {
        for (given, path, name) in [
            ("a/b", "a/b", "a/b"),
            ("/a", "/a", "/a"),
            ("file:/a/b", "/a/b", "file:/a/b"),
            ("file:///a/b", "/a/b", "file:/a/b"),
            ("file:a", "file:a", "file:a"),
            ("a b://c", "a b://c", "a b://c"),
        ] {
            let file = LocalFile { path: path.into(), name: name.into() };
            assert_eq!(LocalFile::of(OsStr::new(given)).unwrap(), file);
        }
        let error = LocalFile::of(OsStr::new("hdfs://h:9000/x")).unwrap_err().to_string();
        assert!(error.contains("cannot read hdfs://h:9000/x: only files of this machine"), "{error}");
    }
}
