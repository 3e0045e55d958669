//! Values of the settings of the block cache.

use super::setting::TomlForm;
use super::value::Kind;
use std::path::PathBuf;

/// A file of the local file system, or none.
pub struct OptionalFile;

impl Kind for OptionalFile {
    type Value = Option<PathBuf>;
    const UNIT: &'static str = "path";
    const EXPECTED: &'static str = "the path of a file (beginning with / or ./), file:PATH, or empty";
    const FORM: TomlForm = TomlForm::Text;

    fn canonical(text: &str) -> String {
        Self::parse(text).flatten().map_or_else(String::new, |path| path.to_string_lossy().into_owned())
    }

    fn parse(text: &str) -> Option<Option<PathBuf>> {
        // `offheap` is memory, of which the cache's first tier has its share.
        if text.is_empty() || text == "offheap" {
            return Some(None);
        }
        let schemes = ["file://", "file:", "mmap:", "pmem:"];
        let path = schemes.iter().find_map(|scheme| text.strip_prefix(scheme)).unwrap_or(text);
        let is_path = path.starts_with('/') || path.starts_with("./");
        is_path.then(|| Some(PathBuf::from(path)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_as_hbase_names_it_and_other_engines_are_refused() {
        for (text, path) in
            [("file:/ssd/cache", "/ssd/cache"), ("file:///a/b", "/a/b"), ("/a/b", "/a/b"), ("mmap:/a", "/a")]
        {
            assert_eq!(OptionalFile::parse(text), Some(Some(PathBuf::from(path))), "{text}");
        }
        for none in ["", "offheap"] {
            assert_eq!(OptionalFile::parse(none), Some(None));
        }
        for refused in ["files:/a,/b", "file:", "heap"] {
            assert_eq!(OptionalFile::parse(refused), None, "{refused}");
        }
    }
}
