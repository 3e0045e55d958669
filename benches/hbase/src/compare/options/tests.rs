use super::*;

/// The options of a command line.
pub(in crate::compare) fn options(text: &str) -> Result<Options> {
    let mut arguments = Arguments::new(text.split_whitespace().map(str::to_owned));
    let options = Options::take(&mut arguments)?;
    arguments.end()?;
    Ok(options)
}

#[test]
fn a_quick_run_writes_nothing_into_the_project() {
    assert_eq!(options("").unwrap().out, Some(PathBuf::from("docs")));
    let quick = options("--quick --rows 100").unwrap();
    assert_eq!((quick.rows, quick.rounds, quick.out), (100, 1, None));
}

#[test]
fn what_is_wanted_is_named() {
    let options = options("--servers finback --clients java --only get,steady").unwrap();
    assert_eq!(
        (options.products.as_slice(), options.clients.as_slice()),
        (&[Product::Finback][..], &[Client::Java][..])
    );
    assert!(options.wants("get") && options.wants("steady") && !options.wants("put"));
}

#[test]
fn what_nobody_knows_is_refused_by_name() {
    for (line, told) in
        [("--only gets", "row gets"), ("--servers oracle", "server oracle"), ("--clients go", "client go")]
    {
        assert!(options(line).unwrap_err().to_string().contains(told));
    }
    assert!(options("--fast").is_err());
}
