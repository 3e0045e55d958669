use crate::cluster::Cluster;
use finback_client::{
    Append, BatchAction, BatchAnswer, CheckAndMutate, Delete, Get, Increment, Mutation, Put, RowMutations,
    Scan,
};

#[tokio::test]
async fn each_at_its_own_place() {
    let cluster = Cluster::start().await;
    let table = cluster.table("t", &["g", "p"]).await;
    let put = |row: &str| Put::new(row).column("f", "q", row);
    table.put_all(["a", "h", "z"].map(put)).await.unwrap();

    let both = [put("b").into(), Increment::new("b").column("f", "n", 3).into()];
    let answers = table
        .batch([
            BatchAction::Get(Get::new("z")),
            put("new").into(),
            BatchAction::Get(Get::new("nothing")),
            put("bad").column("nope", "q", "").into(),
            BatchAction::Exists(Get::new("h")),
            BatchAction::Exists(Get::new("i")),
            Delete::new("a").into(),
            Increment::new("c").column("f", "n", 2).into(),
            BatchAction::RowMutations(RowMutations::new(both).unwrap()),
            BatchAction::CheckAndMutate(CheckAndMutate::if_equals("h", "f", "q", "h").then(put("h"))),
            BatchAction::CheckAndMutate(CheckAndMutate::if_equals("h", "f", "q", "x").then(put("h"))),
            Append::new("x").column("f", "q", "!").into(),
            Put::new("").column("f", "q", "").into(),
        ])
        .await;
    let row = |at: usize| answers[at].as_ref().unwrap().clone().into_row();
    assert_eq!(row(0).unwrap().value("f", "q"), Some(&b"z"[..]));
    assert_eq!((row(1), row(2), row(6)), (None, None, None));
    assert!(answers[3].as_ref().unwrap_err().is("NoSuchColumnFamilyException"), "{:?}", answers[3]);
    assert_eq!(answers[4].as_ref().unwrap(), &BatchAnswer::Exists(true));
    assert_eq!(answers[5].as_ref().unwrap(), &BatchAnswer::Exists(false));
    assert_eq!(row(7).unwrap().counter("f", "n"), Some(2));
    assert_eq!(row(8).unwrap().counter("f", "n"), Some(3));
    let success =
        |at: usize| matches!(answers[at].as_ref().unwrap(), BatchAnswer::Checked(done) if done.success);
    assert!(success(9) && !success(10));
    assert_eq!(row(11).unwrap().value("f", "q"), Some(&b"!"[..]));
    assert!(answers[12].is_err());

    let rows = table.get_all(["z", "a", "new"].map(Get::new)).await.unwrap();
    assert_eq!(rows.iter().map(Option::is_some).collect::<Vec<_>>(), [true, false, true]);
    assert_eq!(table.exists_all(["z", "a"].map(Get::new)).await.unwrap(), [true, false]);
}

#[tokio::test]
async fn more_than_fits_into_a_call() {
    let cluster = Cluster::start().await;
    let table = cluster.table("t", &["5"]).await;
    let value = vec![7; 2 << 10];
    // 12,000 actions and 24 MiB: several calls to one server.
    table.put_all((0..12_000).map(|n| Put::new(format!("{n:05}")).column("f", "q", &value))).await.unwrap();
    let rows = table.get_all((0..12_000).map(|n| Get::new(format!("{n:05}")))).await.unwrap();
    assert!(rows.iter().all(|row| row.as_ref().is_some_and(|row| row.value("f", "q") == Some(&value))));
}

#[tokio::test]
async fn a_buffered_mutator_delivers_everything_and_tells_what_failed() {
    let cluster = Cluster::start().await;
    let table = cluster.table("t", &["5"]).await;
    let options = finback_client::BufferedMutatorOptions {
        buffer_bytes: 4 << 10,
        max_pending_bytes: 16 << 10,
        ..Default::default()
    };
    let buffer = table.buffered_mutator_with(options);
    for number in 0..2000 {
        buffer.mutate(Put::new(format!("{number:04}")).column("f", "q", "v")).await.unwrap();
    }
    buffer.flush().await.unwrap();
    let rows = table.scan(Scan::new()).unwrap().collect(usize::MAX).await.unwrap();
    assert_eq!(rows.len(), 2000);

    buffer.mutate(Put::new("x").column("nope", "q", "v")).await.unwrap();
    buffer.mutate(Delete::new("0000")).await.unwrap();
    let failed = buffer.flush().await.unwrap_err();
    assert_eq!(failed.count, 1);
    let (mutation, error) = &failed.failures[0];
    assert!(matches!(mutation, Mutation::Put(put) if put.row() == b"x"));
    assert!(error.is("NoSuchColumnFamilyException"), "{error}");
    buffer.flush().await.unwrap();
    assert!(!table.exists(Get::new("0000")).await.unwrap());
    // One that is larger than everything that may be pending is sent by itself.
    buffer.mutate(Put::new("large").column("f", "q", vec![0; 100 << 10])).await.unwrap();
    buffer.flush().await.unwrap();
    assert!(table.exists(Get::new("large")).await.unwrap());
}
