use super::*;

fn arguments(text: &str) -> Arguments {
    Arguments::new(text.split_whitespace().map(str::to_owned))
}

#[test]
fn a_command_then_options_with_and_without_values() {
    let mut arguments = arguments("compare --rounds 4 --quick --only=get,put");
    assert_eq!(arguments.command().as_deref(), Some("compare"));
    assert!(arguments.flag("quick"));
    assert!(!arguments.flag("report"));
    assert_eq!(arguments.value::<u32>("rounds").unwrap(), Some(4));
    assert_eq!(arguments.list("only").unwrap(), Some(vec!["get".to_owned(), "put".to_owned()]));
    assert_eq!(arguments.value::<u32>("rows").unwrap(), None);
    arguments.end().unwrap();
}

#[test]
fn an_option_whose_name_begins_like_another_is_not_it() {
    let mut arguments = arguments("--rounds=2 --rows=5");
    assert_eq!(arguments.command(), None);
    assert_eq!(arguments.value::<u32>("row").unwrap(), None);
    assert_eq!(arguments.value::<u32>("rows").unwrap(), Some(5));
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    assert!(
        arguments("--rows many")
            .value::<u32>("rows")
            .unwrap_err()
            .to_string()
            .contains("--rows cannot be many")
    );
    assert!(
        arguments("--rows").value::<u32>("rows").unwrap_err().to_string().contains("--rows needs a value")
    );
    assert!(arguments("--colour").end().unwrap_err().to_string().contains("--colour"));
}
