//! Examples and links in the documentation.

use std::fs;
use std::path::{Path, PathBuf};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn trimmed_lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
}

#[test]
fn the_java_example_of_the_readme_is_the_one_that_is_compiled() {
    let readme = read(&repository().join("README.md"));
    let shown = readme.split("```java\n").nth(1).unwrap().split("```").next().unwrap();
    let program = read(&repository().join("examples/java/src/main/java/FirstLight.java"));
    let (shown, program) = (trimmed_lines(shown), trimmed_lines(&program));
    assert!(
        program.windows(shown.len()).any(|lines| lines == shown),
        "FirstLight.java lacks these lines in a row"
    );
}

#[test]
fn relative_links_lead_to_files() {
    let root = repository();
    let mut pages: Vec<PathBuf> =
        ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].iter().map(|name| root.join(name)).collect();
    for directory in ["docs", "docs/formats"] {
        let entries = fs::read_dir(root.join(directory)).unwrap().map(|entry| entry.unwrap().path());
        pages.extend(entries.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    }
    let mut broken = Vec::new();
    for page in pages {
        for link in read(&page).split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
            let is_file = !link.is_empty() && !link.contains("://");
            if is_file && !page.parent().unwrap().join(link).exists() {
                broken.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}
