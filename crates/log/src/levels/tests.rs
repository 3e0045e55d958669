use super::*;

fn levels(text: &str) -> Levels {
    text.parse().unwrap()
}

#[test]
fn what_is_said_of_a_part_is_said_of_all_below_it() {
    let levels = levels("warn,finback_wal=debug,finback_wal::reader=off");
    assert_eq!(levels.level_of("finback_rpc"), LevelFilter::WARN);
    assert_eq!(levels.level_of("finback_wal"), LevelFilter::DEBUG);
    assert_eq!(levels.level_of("finback_wal::log"), LevelFilter::DEBUG);
    assert_eq!(levels.level_of("finback_wal::reader::block"), LevelFilter::OFF);
    assert_eq!(levels.level_of("finback_walrus"), LevelFilter::WARN);
    assert_eq!(levels.most(), LevelFilter::DEBUG);
}

#[test]
fn levels_are_read_as_they_are_written() {
    for text in ["info", "off", "error,a=trace,a::b=info"] {
        assert_eq!(levels(text).to_string(), text);
    }
    assert_eq!(levels(""), Levels::default());
    assert_eq!(levels(" FATAL , a = ALL ,"), levels("error,a=trace"));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let longest = "a".repeat(LONGEST_TARGET + 1) + "=info";
    for text in ["loud", "=info", "a=", "a=loud", "a b=info", "a\nb=info", longest.as_str()] {
        assert!(text.parse::<Levels>().is_err(), "{text}");
    }
    let many: Vec<_> = (0..=MOST_TARGETS).map(|i| format!("a{i}=info")).collect();
    assert_eq!(many.join(",").parse::<Levels>(), Err(BadLevels::TooManyTargets));
    assert!(many[1..].join(",").parse::<Levels>().is_ok());
}

#[test]
fn a_level_can_be_taken_away_again() {
    let mut levels = levels("info,a=debug");
    levels.set("a", None).unwrap();
    levels.set("b", None).unwrap();
    assert_eq!(levels, Levels::default());
}

#[test]
fn every_level_has_its_name() {
    for name in LEVELS {
        assert_eq!(parse_level(name).unwrap().to_string(), name);
    }
}
