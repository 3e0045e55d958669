use super::*;

#[test]
fn each_path_has_its_change() {
    let counts = vec![("get".to_owned(), 1_100), ("put".to_owned(), 990), ("scan".to_owned(), 7)];
    let kept =
        Kept { made_with: String::new(), counts: vec![("put".to_owned(), 1_000), ("get".to_owned(), 1_000)] };
    let table = table(&counts, &kept);
    let words: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(words[1], ["get", "1100", "1000", "+10.00", "%"]);
    assert_eq!(words[2], ["put", "990", "1000", "-1.00", "%"]);
    assert_eq!(words[3], ["scan", "7", "-", "new"]);
}
