use super::*;

/// Lines `PATTERN FLAGS FOUND...`: what `java.util.regex` finds in each of the inputs of the last line, or `error`
/// where it refuses the pattern. Texts are UTF-16 in hex, `-` for none.
const GOLDEN: &str = include_str!("../../../../../fixtures/hbase-2.5.11/java-regex.txt");
/// The same, of patterns about the ends of lines and words, by Java 17.
const GOLDEN_LINE_ENDS: &str = include_str!("../../../../../fixtures/hbase-2.5.11/java-regex-line-ends.txt");

/// Patterns that Java takes and this crate refuses, with the reason in the error.
const UNSUPPORTED: [&str; 0] = [];

fn text(hex: &str) -> String {
    let hex = hex.trim_matches('-');
    let units = (0..hex.len()).step_by(4).map(|at| u16::from_str_radix(&hex[at..at + 4], 16).unwrap());
    String::from_utf16(&units.collect::<Vec<_>>()).unwrap()
}

#[test]
fn patterns_find_what_java_finds() {
    assert_finds_what_java_finds(GOLDEN);
}

#[test]
fn ends_of_lines_and_words_are_found_where_java_finds_them() {
    assert_finds_what_java_finds(GOLDEN_LINE_ENDS);
}

fn assert_finds_what_java_finds(golden: &str) {
    let (lines, inputs) = golden.trim_end().rsplit_once('\n').unwrap();
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

/// What only backtracking could find in ten times the steps that it may take.
const LONG: usize = 1_100_000;

#[test]
fn ends_of_lines_and_words_take_no_steps_of_backtracking() {
    let x = |count: usize, end: &str| "x".repeat(count) + end;
    let lines = "x\n".repeat(LONG / 2);
    for (pattern, flags, value, found) in [
        (".*foo$", 32, x(1_500, ""), false),
        (".*foo$", 32, x(LONG, "foo\n"), true),
        ("foo$", 0, x(LONG, ""), false),
        ("foo\\Z", 1, x(LONG, "foo\n"), true),
        (r"\bfoo", 0, x(LONG, ""), false),
        (r"\bfoo", 0, x(LONG, " foo"), true),
        (r"\Bfoo\b", 0, x(LONG, "\u{e9}foo"), true),
        ("^foo", 8, x(LONG, ""), false),
        ("^foo", 8, x(LONG, "\u{2028}foo"), true),
        ("(?m)^y*$", 0, x(LONG, "\n"), false),
        ("(?:x|xx)*y$", 8, lines.clone() + "y", true),
        ("x$\n.*^y", 40, lines.clone() + "y\r\n", true),
        ("x$.y", 40, lines + "z", false),
        (r"x\Ry", 0, x(LONG, "\r\ny"), true),
    ] {
        let regex = RegexStringComparator::new(pattern, flags, "UTF-8").unwrap();
        assert!(matches!(regex.regex, Regex::Linear(_)), "{pattern}");
        assert_eq!(regex.compare_to(value.as_bytes()).map(Ordering::is_eq), Ok(found), "{pattern}");
    }
}

/// All texts of up to `length` of the characters that matter to `^`, `$` and `\b`.
fn short_texts(length: usize) -> Vec<String> {
    let mut texts = vec![String::new()];
    for from in 0.. {
        match texts.get(from) {
            Some(text) if text.chars().count() < length => {
                let longer = "a \n\r\u{85}\u{2029}".chars().map(|c| format!("{text}{c}"));
                let longer: Vec<String> = longer.collect();
                texts.extend(longer);
            }
            _ => break,
        }
    }
    texts
}

#[test]
fn the_linear_engine_its_automaton_and_backtracking_find_the_same() {
    let texts = short_texts(4);
    let patterns = [
        "a$",
        "$",
        "a.?$",
        "(a$|.$)",
        "a$.",
        r"\r$",
        r"\s\Z",
        r"$\s",
        "(a$)*",
        "^",
        "^a",
        "^$",
        "^.*$",
        "$^",
        r".\s^",
        r"\ba",
        r"\b$",
        r"^\B",
        r"a\b\s",
        r"(?m)^a$",
        r"(?:^|\s)a\s$",
        r"a\Ra",
        "^a*$",
        "(?-m)a$",
    ];
    for (pattern, flags) in
        patterns.iter().flat_map(|pattern| [0, 1, 8, 9, 32, 40].map(|flags| (pattern, flags)))
    {
        let outline = java_pattern::translate(pattern, flags, Engine::Linear).unwrap();
        let hir = linear::parse(&outline.text).unwrap();
        let (regex, automaton) = (LinearRegex::new(&hir).unwrap(), linear::automaton(&hir).unwrap());
        let translated = java_pattern::translate(pattern, flags, Engine::Backtracking).unwrap();
        let backtracking = BacktrackingRegex::new(&translated.text, &outline, &hir).unwrap();
        for text in &texts {
            let found = backtracking.is_match(text).unwrap();
            assert_eq!(regex.is_match(text), found, "{pattern} {flags} {text:?}");
            assert_eq!(
                automaton_walk::finds(&automaton, text),
                found,
                "{pattern} {flags} {text:?}: automaton"
            );
        }
    }
}

#[test]
fn what_follows_a_quantifier_is_what_java_lets_follow() {
    for pattern in ["a**", "a+*", "a+++", "a*??", "(?x)a* *"] {
        assert!(RegexStringComparator::new(pattern, 0, "UTF-8").is_err(), "{pattern}");
    }
    let find = |pattern: &str, value: &str| {
        RegexStringComparator::new(pattern, 0, "UTF-8").unwrap().compare_to(value.as_bytes()).unwrap().is_eq()
    };
    assert!(find(r"(?x)^a+ +b \z", "aab") && !find(r"(?x)^a+ +a \z", "aaa"), "possessive, behind a blank");
    assert!(find("(?x)a{2} # two\n ?", "aa"), "reluctant, behind a comment");
    assert!(find("^a{2}{3}$", "aa") && !find("^a{2}{3}$", "aaaaaa"), "a count of a count is one of nothing");
}

#[test]
fn patterns_that_would_grow_are_refused() {
    for pattern in ["((a{1000}){1000}){1000}", &"(".repeat(5_000), &"[".repeat(5_000), &"a".repeat(70_000)] {
        let error = RegexStringComparator::new(pattern, 0, "UTF-8").err();
        assert!(matches!(error, Some(FilterError::Pattern { .. })), "{}", &pattern[..10]);
    }
}

#[test]
fn long_counts_and_lists_of_words_are_not_too_much() {
    let words: Vec<String> = (0..300).map(|word| format!("word{word}")).collect();
    let words = words.join("|");
    for (pattern, found) in [
        ("^.{1,4000}$", "x".repeat(4000)),
        ("^(?:[^,]{0,255},){12}", "abc,".repeat(12)),
        (&format!("(?i)^(?!(?:{words})$)"), "word".to_owned()),
        (&format!("(?i)^(?:{words})$"), "WORD7".to_owned()),
    ] {
        let comparator = RegexStringComparator::new(pattern, 0, "UTF-8").unwrap();
        assert!(comparator.compare_to(found.as_bytes()).unwrap().is_eq(), "{}", &pattern[..10]);
    }
}

#[test]
fn look_arounds_that_would_be_large_together_are_refused() {
    for pattern in [
        r"(?!\w{5000})".repeat(5_000),
        r"(?!\w{5000})".repeat(40),
        "(?>a)".repeat(1_000),
        "a++".repeat(1_000),
        format!("(a){}", r"\1".repeat(1_000)),
        format!("(?!x){}", "[ab]*".repeat(5_000)),
        format!("(?!x){}", "a$|".repeat(5_000)),
        format!("(?mi)(?!x){}", "^a".repeat(5_000)),
        r"\pL".repeat(20_000),
    ] {
        let error = RegexStringComparator::new(&pattern, 0, "UTF-8").err();
        assert!(matches!(error, Some(FilterError::Pattern { .. })), "{}", &pattern[..20]);
    }
    for pattern in ["(?!foo)".repeat(40), r"(?!\w{200})".repeat(40), format!("(?!x){}", "[ab]*".repeat(900))]
    {
        assert!(RegexStringComparator::new(&pattern, 0, "UTF-8").is_ok(), "{}", &pattern[..20]);
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

#[test]
fn classes_named_after_methods_of_java_have_their_members() {
    let characters = [
        0x9, 0xb, 0x1c, 0x1f, 0x20, 0x30, 0x41, 0x7f, 0x85, 0xa0, 0xaa, 0x1c5, 0x660, 0x1680, 0x2006, 0x2007,
        0x200b, 0x2028, 0x202f, 0x205f, 0x2167, 0x3000, 0x3007, 0x4e00, 0xb2,
    ];
    // What Java 17 finds.
    for (class, expected) in [
        ("javaWhitespace", "1111100000000110010101000"),
        ("javaLetter", "0000001000110000000000010"),
        ("javaLetterOrDigit", "0000011000111000000000010"),
        ("javaTitleCase", "0000000000010000000000000"),
        ("javaSpaceChar", "0000100001000111011101000"),
        ("javaISOControl", "1111000110000000000000000"),
        ("javaIdeographic", "0000000000000000000000110"),
        ("javaAlphabetic", "0000001000110000000010110"),
        ("javaDigit", "0000010000001000000000000"),
    ] {
        for negated in [false, true] {
            let pattern = format!("^\\{}{{{class}}}$", if negated { 'P' } else { 'p' });
            let comparator = RegexStringComparator::new(&pattern, 0, "UTF-8").unwrap();
            for (character, expected) in characters.into_iter().zip(expected.bytes()) {
                let text = char::from_u32(character).unwrap().to_string();
                let found = comparator.compare_to(text.as_bytes()).unwrap().is_eq();
                assert_eq!(found, (expected == b'1') != negated, "{pattern} {character:x}");
            }
        }
    }
}
