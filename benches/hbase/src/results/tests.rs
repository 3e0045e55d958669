use super::*;

fn measured(round: u32, product: Product, client: Option<Client>, micros: f64) -> Measurement {
    let figures = BTreeMap::from([(Figure::CpuMicros, micros), (Figure::P999, 3.5)]);
    Measurement { round, product, client, what: "get".to_owned(), figures }
}

fn results() -> Results {
    Results {
        conditions: vec![("machine".to_owned(), "two cores".to_owned())],
        measurements: vec![
            measured(1, Product::Finback, Some(Client::Java), 10.0),
            measured(2, Product::Finback, Some(Client::Java), 14.0),
            measured(1, Product::HBaseHsync, None, 80.0),
        ],
    }
}

#[test]
fn what_is_kept_comes_back() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("results.json");
    results().write(&path).unwrap();
    assert_eq!(Results::read(&path).unwrap(), results());
}

#[test]
fn a_file_of_another_making_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("results.json");
    std::fs::write(&path, r#"{"conditions": [], "measurements": [{"round": 1}]}"#).unwrap();
    assert!(Results::read(&path).unwrap_err().to_string().contains("no results"));
}

#[test]
fn a_spread_is_over_the_rounds_of_one_server_and_one_client() {
    let spread = results().spread(Product::Finback, Some(Client::Java), "get", Figure::CpuMicros).unwrap();
    assert_eq!((spread.median, spread.count), (12.0, 2));
    assert_eq!(results().spread(Product::Finback, None, "get", Figure::CpuMicros), None);
    assert_eq!(results().spread(Product::Finback, Some(Client::Java), "put", Figure::CpuMicros), None);
    assert_eq!(results().rounds(), 2);
}
