use super::*;
use crate::readings::tests::{cluster, region, server, two_servers};

fn model(mode: Mode) -> TopModel {
    let mut model = TopModel::new(View::of(mode));
    model.refresh(&two_servers(0), 10_000);
    model.refresh(&two_servers(3), 13_000);
    model
}

fn names(model: &TopModel, field: Field) -> Vec<String> {
    model.records().iter().map(|record| record.value(field).unwrap().to_string()).collect()
}

#[test]
fn before_the_first_answer_there_is_nothing() {
    let mut model = TopModel::new(View::of(Mode::Region));
    assert!(model.summary().is_none() && model.records().is_empty());
    model.reverse();
    model.move_sort_field(true);
    assert!(!model.drill_down(0) && !model.go_back());
}

#[test]
fn the_summary_counts_the_cluster() {
    let model = model(Mode::Region);
    let lines = [
        "Version: 2.5.11",
        "Cluster ID: 3f2c",
        "RegionServer(s): 2 total, 2 live, 0 dead",
        "RegionCount: 4 total, 0 rit",
        "Average Cluster Load: 2.00",
        "Aggregate Request/s: 14",
    ];
    assert_eq!(model.summary().unwrap().lines(), lines);
}

#[test]
fn the_busiest_come_first_unless_it_is_reversed() {
    let mut model = model(Mode::Table);
    assert_eq!(names(&model, Field::Table), ["flowers", "meta", "beds"]);
    model.reverse();
    assert_eq!(names(&model, Field::Table), ["beds", "meta", "flowers"]);
    model.sort_by(Sorting { field: Field::Table, is_ascending: true });
    assert_eq!(names(&model, Field::Table), ["beds", "flowers", "meta"]);
}

#[test]
fn the_sort_field_moves_over_the_fields_that_are_shown() {
    let mut model = model(Mode::Region);
    let fields = model.shown_fields();
    assert_eq!(model.sorting().field, Field::Requests);
    model.move_sort_field(true);
    assert_eq!(model.sorting().field, Field::Reads);
    for _ in &fields {
        model.move_sort_field(false);
    }
    assert_eq!(model.sorting().field, fields[0]);
    for _ in &fields {
        model.move_sort_field(true);
    }
    assert_eq!(Some(&model.sorting().field), fields.last());
}

#[test]
fn filters_narrow_each_other_until_they_are_cleared() {
    let mut model = model(Mode::Region);
    model.add_filter("NAMESPACE==default", false).unwrap();
    assert_eq!(model.records().len(), 2);
    model.add_filter("RS=two", true).unwrap();
    assert_eq!(names(&model, Field::StartKey), ["m"]);
    assert!(model.add_filter("USER==ann", true).is_err());
    assert_eq!(model.filters().len(), 2);
    model.clear_filters();
    assert_eq!(model.records().len(), 4);
}

#[test]
fn every_record_can_be_looked_into() {
    for mode in Mode::ALL {
        let mut model = model(mode);
        let requests = model.records()[0].requests();
        assert!(model.drill_down(0));
        assert_eq!(model.mode(), mode.drill_down());
        assert!(!model.records().is_empty(), "{mode:?}");
        let parts: f64 = model.records().iter().map(Record::requests).sum();
        // What something is made of has as many requests as it; a region is less than its server.
        assert!(if mode == Mode::Region { parts > requests } else { parts == requests }, "{mode:?}");
        assert!(model.go_back());
        assert_eq!((model.mode(), model.filters().len()), (mode, 0));
        assert!(!model.go_back());
    }
}

#[test]
fn a_drill_down_keeps_the_order_where_it_can() {
    let mut model = model(Mode::Region);
    model.sort_by(Sorting { field: Field::StoreFileSize, is_ascending: true });
    model.drill_down(0);
    assert_eq!(model.sorting(), Sorting { field: Field::StoreFileSize, is_ascending: true });
    model.go_back();
    model.sort_by(Sorting { field: Field::StartKey, is_ascending: true });
    model.drill_down(0);
    assert_eq!(model.sorting(), Sorting::default());
}

#[test]
fn filters_on_parts_choose_what_is_summed_up() {
    let mut model = model(Mode::Table);
    model.add_filter("RS==two,16020", false).unwrap();
    assert_eq!(names(&model, Field::Table), ["flowers", "beds"]);
    assert_eq!(names(&model, Field::Reads), ["50", "0"]);
}

#[test]
fn given_fields_come_first_and_alone() {
    let fields = vec![Field::Writes, Field::Table];
    let model = TopModel::new(View { fields: fields.clone(), ..View::of(Mode::Table) });
    assert_eq!(model.shown_fields(), fields);
    assert_eq!(model.columns().len(), Mode::Table.fields().len());
}

#[test]
fn samples_are_taken_of_reports_and_not_of_looks() {
    let mut model = model(Mode::User);
    model.refresh(&two_servers(3), 16_000);
    model.refresh(&two_servers(6), 19_000);
    model.refresh(&two_servers(7), 19_100);
    let samples: Vec<_> =
        model.history().samples().iter().map(|sample| (sample.at_ms, sample.reads)).collect();
    assert_eq!(samples, [(10_000, 0.0), (13_000, 151.0), (19_000, 151.0)]);
    let ann = model.records()[0].key();
    assert_eq!(model.history().of(Mode::User, &ann).collect::<Vec<_>>(), [0.0, 115.0, 115.0]);
}

#[test]
fn servers_that_are_gone_are_shown_no_more() {
    let mut model = model(Mode::RegionServer);
    model.refresh(&cluster(vec![server("two", 1_009_000, vec![region("flowers", "", 1)])]), 22_000);
    assert_eq!(names(&model, Field::RegionServer), ["two,16020"]);
}
