//! The example of this crate, run.

#[allow(dead_code)] // Its main function.
#[path = "../../examples/embedded.rs"]
mod embedded;

#[test]
fn reads_what_it_wrote() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(embedded::write_and_read(dir.path()).unwrap(), "hello=world");
}
