use super::*;
use crate::mode::Mode;
use crate::model::View;
use crate::readings::tests::two_servers;

#[test]
fn what_is_printed_has_hbases_lines() {
    let mut model = TopModel::new(View::of(Mode::User));
    model.refresh(&two_servers(0), 0);
    model.refresh(&two_servers(3), 3_000);
    let mut out = Vec::new();
    print(&mut out, &model, &mut Widths::default(), "12:34:56").unwrap();
    let expected = "\
finback top - 12:34:56
Version: 2.5.11
Cluster ID: 3f2c
RegionServer(s): 2 total, 2 live, 0 dead
RegionCount: 4 total, 0 rit
Average Cluster Load: 2.00
Aggregate Request/s: 14

USER #CLIENT     #REQ/S    #READ/S   #WRITE/S   #FREAD/S
ann        2        115        110          5          0
bob        1         20          0         20          0

";
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}
