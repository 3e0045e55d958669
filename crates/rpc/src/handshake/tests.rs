use super::*;

#[test]
fn a_version_is_read_from_its_numbers_or_else_from_its_text() {
    let info = |text: &str, version_major, version_minor| pb::VersionInfo {
        version: text.to_owned(),
        version_major,
        version_minor,
        ..Default::default()
    };
    for (info, expected) in [
        (info("1.4.14", Some(2), Some(6)), (2, 6)),
        (info("1.4.14", None, None), (1, 4)),
        (info("3.0.0-beta-1", Some(2), None), (3, 0)),
        (info("2-SNAPSHOT", None, None), (0, 0)),
        (info("4", None, None), (4, 0)),
        (info("Unknown", None, None), (0, 0)),
        (info("", None, None), (0, 0)),
    ] {
        assert_eq!(version(&info), expected, "{info:?}");
    }
}
