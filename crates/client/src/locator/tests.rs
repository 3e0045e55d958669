use super::*;
use crate::shared::Shared;

#[test]
fn tables_are_forgotten_that_nobody_has_in_hand() {
    let locator = Shared::new(ClientConfig::bootstrap("h:1")).locator;
    let name = |number: usize| TableName::parse(format!("t{number}").as_bytes()).unwrap();
    let (first, second) = (locator.table(&name(0)), locator.table(&name(1)));
    for number in 2..=2 * MAX_TABLES {
        locator.table(&name(number));
        assert!(locator.tables.read().len() <= MAX_TABLES);
    }
    assert!(Arc::ptr_eq(&first, &locator.table(&name(0))));
    locator.forget(&name(0));
    assert!(Arc::ptr_eq(&first, &locator.table(&name(0))), "it is cleared");
    drop(second);
    locator.forget(&name(1));
    assert!(!locator.tables.read().contains_key(&name(1)));
}
