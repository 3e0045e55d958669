use super::*;
use crate::readings::Readings;
use crate::readings::tests::two_servers;
use proptest::prelude::*;

/// Tables with their requests: flowers 180, meta 1, beds 0.
fn taken(filter: &str, ignores_case: bool) -> Vec<String> {
    let mut readings = Readings::default();
    readings.read(&two_servers(0));
    readings.read(&two_servers(3));
    let filter = Filter::parse(filter, Mode::Table, ignores_case).unwrap();
    let mut records = crate::grouping::records(Mode::Table, &readings, false, |_| true);
    records.retain(|record| filter.takes(record));
    let mut names: Vec<_> =
        records.iter().map(|record| record.value(Field::Table).unwrap().to_string()).collect();
    names.sort();
    names
}

#[test]
fn every_operator_does_what_it_says() {
    assert_eq!(taken("TABLE=e", false), ["beds", "flowers", "meta"]);
    assert_eq!(taken("TABLE=me", false), ["meta"]);
    assert_eq!(taken("TABLE==met", false), [""; 0]);
    assert_eq!(taken("TABLE==meta", false), ["meta"]);
    assert_eq!(taken("#REQ/S>1", false), ["flowers"]);
    assert_eq!(taken("#REQ/S>=1", false), ["flowers", "meta"]);
    assert_eq!(taken("#REQ/S<1", false), ["beds"]);
    assert_eq!(taken("#REQ/S<=1", false), ["beds", "meta"]);
    assert_eq!(taken("SF>=20MB", false), ["flowers"]);
    assert_eq!(taken("SF>10240KB", false), ["flowers"]);
    assert_eq!(taken("SF=10mb", false), ["beds", "meta"]);
}

#[test]
fn an_exclamation_mark_turns_a_filter_round() {
    assert_eq!(taken("!TABLE=me", false), ["beds", "flowers"]);
    assert_eq!(taken("!#REQ/S>1", false), ["beds", "meta"]);
    assert_eq!(taken("!TABLE==meta", false), ["beds", "flowers"]);
}

#[test]
fn letters_are_letters_if_case_is_ignored() {
    assert_eq!(taken("TABLE==META", false), [""; 0]);
    assert_eq!(taken("TABLE==META", true), ["meta"]);
    assert_eq!(taken("TABLE=ET", true), ["meta"]);
}

#[test]
fn spaces_around_the_parts_of_a_filter_do_not_matter() {
    assert_eq!(taken(" TABLE == meta ", false), ["meta"]);
    assert_eq!(taken("! TABLE = me", false), ["beds", "flowers"]);
}

#[test]
fn fields_are_found_in_any_case() {
    assert_eq!(taken("namespace==hbase", false), ["meta"]);
}

#[test]
fn what_is_no_filter_says_why() {
    let problem = |text: &str, mode| Filter::parse(text, mode, false).unwrap_err().to_string();
    for text in ["", "!", "TABLE", "=x", "!=x", "==", "<"] {
        assert!(problem(text, Mode::Table).contains("is no filter"), "{text}");
    }
    assert!(problem("USER==ann", Mode::Table).starts_with("Table mode has no field 'USER'"));
    assert!(problem("nothing=1", Mode::User).ends_with("USER, #CLIENT, CLIENT"));
    assert_eq!(problem("#REQ/S>x", Mode::Table), "'x' is no whole number, which #REQ/S is compared with");
    assert_eq!(problem("SF>x", Mode::Table), "'x' is no size such as 10MB, which SF is compared with");
}

#[test]
fn several_filters_are_separated() {
    let texts = |text: &str| -> Vec<String> {
        Filter::parse_all(text, Mode::Region).unwrap().iter().map(ToString::to_string).collect()
    };
    assert_eq!(texts("TABLE==a;!RS=b"), ["TABLE==a", "!RS=b"]);
    assert_eq!(texts("TABLE==a,#REQ/S>1"), ["TABLE==a", "#REQ/S>1"]);
    assert_eq!(texts("RS==host,16020;TABLE=a;"), ["RS==host,16020", "TABLE=a"]);
    assert_eq!(texts("RS==host,16020"), ["RS==host,16020"]);
    assert_eq!(
        texts("LRS==host,16020,170,!TABLE==a, #REQ/S>1,"),
        ["LRS==host,16020,170", "!TABLE==a", "#REQ/S>1"]
    );
    for wrong in ["TABLE==a;b", "TABLE==a,b", "7", ",7"] {
        assert!(Filter::parse_all(wrong, Mode::Region).is_err(), "{wrong}");
    }
}

proptest! {
    #[test]
    fn whatever_is_typed_is_a_filter_or_an_error(text in "!?(TABLE|#REQ/S|SF|LOCALITY|%COMP)?[=<>]{0,3}.{0,8}") {
        if let Ok(filter) = Filter::parse(&text, Mode::Region, false) {
            // As it is shown, it can be typed.
            let again = Filter::parse(&filter.to_string(), Mode::Region, false);
            prop_assert_eq!(again.map(|filter| filter.to_string()), Ok(filter.to_string()));
        }
    }
}
