use super::*;
use crate::readings::Readings;
use crate::readings::tests::{cluster, region, server, two_servers};

fn first_region(mut change: impl FnMut(&mut finback_client::messages::RegionLoad)) -> Record {
    let mut load = region("garden:flowers", "a\x01", 10);
    change(&mut load);
    let mut readings = Readings::default();
    readings.read(&cluster(vec![server("one", 1, vec![load])]));
    readings.regions.remove(0)
}

fn written(record: &Record, field: Field) -> String {
    record.value(field).unwrap().to_string()
}

#[test]
fn a_region_has_every_field_of_its_mode() {
    let region = first_region(|_| ());
    for known in Mode::Region.fields() {
        assert!(region.value(known.field).is_some(), "{:?}", known.field);
    }
    assert_eq!(written(&region, Field::Table), "flowers");
    assert_eq!(written(&region, Field::StartKey), "a\\x01");
    assert_eq!(written(&region, Field::CompactionProgress), "25.00%");
    assert_eq!(written(&region, Field::UncompressedSize), "30.0MB");
    assert_eq!(written(&region, Field::LastMajorCompaction), "");
    assert_eq!(region.value(Field::User), None);
}

#[test]
fn every_record_has_the_fields_of_its_mode_and_no_others() {
    let mut readings = Readings::default();
    readings.read(&two_servers(0));
    for mode in Mode::ALL {
        let records = crate::grouping::records(mode, &readings, false, |_| true);
        assert!(!records.is_empty());
        for (record, field) in records.iter().flat_map(|record| Field::ALL.map(|field| (record, field))) {
            assert_eq!(record.value(field).is_some(), mode.has(field), "{field:?} in {mode:?}");
        }
    }
}

#[test]
fn the_time_of_the_last_major_compaction_is_a_time() {
    let region = first_region(|load| load.last_major_compaction_ts = Some(1_700_000_000_000));
    let time = written(&region, Field::LastMajorCompaction);
    // The zone is the machine's.
    assert!(time.starts_with("2023-11-1") && time.ends_with(":20") && time.len() == 19, "{time}");
    let beyond = first_region(|load| load.last_major_compaction_ts = Some(u64::MAX));
    assert_eq!(written(&beyond, Field::LastMajorCompaction), "");
}

#[test]
fn nothing_to_compact_is_no_progress() {
    let region = first_region(|load| load.total_compacting_k_vs = Some(0));
    assert_eq!(written(&region, Field::CompactionProgress), "0.00%");
}
