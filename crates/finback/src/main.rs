//! The `finback` binary: argument parsing, configuration and wiring only.

fn main() {}
