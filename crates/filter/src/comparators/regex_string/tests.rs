use super::*;

/// Lines `PATTERN FLAGS FOUND...`: what `java.util.regex` finds in each of the inputs of the last line, or `error`
/// where it refuses the pattern. Texts are UTF-16 in hex, `-` for none.
const GOLDEN: &str = include_str!("../../../../../fixtures/hbase-2.5.11/java-regex.txt");

/// Patterns that Java takes and this crate refuses, with the reason in the error.
const UNSUPPORTED: [&str; 0] = [];

fn text(hex: &str) -> String {
    let hex = hex.trim_matches('-');
    let units = (0..hex.len()).step_by(4).map(|at| u16::from_str_radix(&hex[at..at + 4], 16).unwrap());
    String::from_utf16(&units.collect::<Vec<_>>()).unwrap()
}

#[test]
fn patterns_find_what_java_finds() {
    let (lines, inputs) = GOLDEN.trim_end().rsplit_once('\n').unwrap();
    let inputs: Vec<String> = inputs.split(' ').skip(1).map(text).collect();
    let mut wrong = Vec::new();
    for line in lines.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let (pattern, flags) = (text(words[0]), words[1].parse().unwrap());
        let found = match RegexStringComparator::new(&pattern, flags, "UTF-8") {
            Err(error) if words[2] != "error" && !UNSUPPORTED.contains(&pattern.as_str()) => {
                error.to_string()
            }
            Err(_) => continue,
            Ok(regex) => inputs
                .iter()
                .map(|input| if regex.compare_to(input.as_bytes()).unwrap().is_eq() { '1' } else { '0' })
                .collect(),
        };
        if found != words[2] {
            let at = found.bytes().zip(words[2].bytes()).position(|(a, b)| a != b).unwrap_or(0);
            wrong.push(format!(
                "{pattern:?} {flags}: {found}, not {} (input {:?})\n",
                words[2],
                inputs.get(at)
            ));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.concat());
}

#[test]
fn a_pattern_that_backtracks_without_end_is_an_error_and_not_a_no() {
    let regex = RegexStringComparator::new(r"^(?=(a+)+b)c", 0, "UTF-8").unwrap();
    assert!(regex.compare_to(b"aaab").unwrap().is_gt());
    let regex = RegexStringComparator::new(r"^(a|a\b|aa)+\1$(?<!x)", 0, "UTF-8").unwrap();
    let value = [b'a'; 200].iter().chain(b"!").copied().collect::<Vec<u8>>();
    let error = regex.compare_to(&value).unwrap_err();
    assert!(matches!(error, FilterError::RegexSteps { value_bytes: 201, .. }), "{error}");
}

#[test]
fn patterns_that_would_grow_are_refused() {
    for pattern in ["((a{1000}){1000}){1000}", &"(".repeat(5_000), &"[".repeat(5_000), &"a".repeat(70_000)] {
        let error = RegexStringComparator::new(pattern, 0, "UTF-8").err();
        assert!(matches!(error, Some(FilterError::Pattern { .. })), "{}", &pattern[..10]);
    }
}

#[test]
fn bytes_are_decoded_by_charset() {
    let find = |pattern: &str, charset: &str, value: &[u8]| {
        RegexStringComparator::new(pattern, 32, charset).unwrap().compare_to(value).unwrap().is_eq()
    };
    assert!(find("^\u{e9}$", "ISO-8859-1", b"\xe9"));
    assert!(find("^\u{fffd}$", "UTF-8", b"\xe9"));
    assert!(find("^\u{fffd}$", "us-ascii", b"\xe9"));
    assert!(find("^ab$", "UTF-16BE", b"\0a\0b"));
    assert!(find("^ab$", "UTF-16LE", b"a\0b\0"));
    assert!(find("^ab$", "UTF-16", b"\xff\xfea\0b\0"));
    assert!(find("^a\u{fffd}$", "UTF-16", b"\0a\0"));
    assert!(RegexStringComparator::new("a", 0, "EBCDIC").is_err());
}
