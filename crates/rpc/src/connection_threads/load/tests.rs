use super::*;

fn load(busy: u32) -> Load {
    let load = Load::default();
    load.found(Duration::from_micros(busy.into()), Duration::from_millis(1));
    load
}

#[test]
fn a_busy_thread_is_relieved_by_one_that_has_much_less_to_do() {
    assert!(!load(950).is_busy() && load(951).is_busy());
    assert!(load(100).relieves(&load(960)));
    assert!(Load::default().relieves(&load(960)), "of which nothing is known");
    assert!(!load(100).relieves(&load(900)), "it is not busy");
    assert!(!load(600).relieves(&load(960)), "it has nearly as much to do");
    assert_eq!(load(5000).busy(), 1000);
}

#[test]
fn a_thread_goes_on_for_another_until_it_is_busy_itself_or_there_is_little_to_do() {
    assert!(load(600).goes_on_for(&load(600)), "each has a half of it");
    assert!(!load(960).goes_on_for(&load(960)), "it is busy itself");
    assert!(!load(100).goes_on_for(&load(400)), "there is little to do");
}

#[test]
fn a_thread_computes() {
    let before = computed();
    while computed() == before {
        std::hint::black_box([0; 4096]);
    }
    assert!(computed() > before);
}
