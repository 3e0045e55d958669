use super::*;

fn together(from: &FromHBase, values: &[Option<&str>]) -> Result<Option<String>, usize> {
    let Translate::Together(translate) = from.translate else { panic!("one name for one value") };
    translate(values).map_err(|(at, _)| at)
}

#[test]
fn a_log_is_rolled_at_a_share_of_a_block() {
    let roll = |block, share| together(&ROLL_SIZE, &[block, share]);
    assert_eq!(roll(Some("64k"), None).unwrap().unwrap(), "32768");
    assert_eq!(roll(None, Some("0.25")).unwrap().unwrap(), (64 << 20).to_string());
    assert_eq!(roll(Some("1000"), Some("1")).unwrap().unwrap(), "1000");
    assert_eq!(roll(Some("x"), None), Err(0));
    for senseless in ["0", "1.5", "NaN", "-1", "x"] {
        assert_eq!(roll(None, Some(senseless)), Err(1), "{senseless}");
    }
}

#[test]
fn switches_decide_whether_values_count() {
    let values = |on, codec| together(&VALUE_COMPRESSION, &[on, codec]).unwrap().unwrap();
    assert_eq!(values(Some("true"), None), "gz");
    assert_eq!(values(Some("TRUE"), Some("zstd")), "zstd");
    assert_eq!((values(None, Some("zstd")), values(Some("false"), None)), ("none".into(), "none".into()));
    assert_eq!(together(&VALUE_COMPRESSION, &[Some("1"), None]), Err(0));

    let kept = |on, size| together(&SLOW_CALLS, &[on, size]).unwrap();
    assert_eq!(kept(Some("false"), Some("7")).as_deref(), Some("0"));
    assert_eq!((kept(Some("true"), None), kept(None, Some("7")).as_deref()), (None, Some("7")));
}

#[test]
fn throughput_controllers_go_by_their_names_with_or_without_a_package() {
    let package = "org.apache.hadoop.hbase.regionserver.throttle.";
    let compactions = |class, bound| together(&COMPACTION_THROUGHPUT, &[class, bound]);
    let no_limit = format!("{package}NoLimitThroughputController");
    assert_eq!(compactions(Some(&no_limit), Some("5m")).unwrap().as_deref(), Some("unlimited"));
    let aware = "PressureAwareCompactionThroughputController";
    assert_eq!(compactions(Some(aware), Some("5m")).unwrap().as_deref(), Some("5m"));
    assert_eq!(compactions(None, None).unwrap(), None);
    let of_flushes = "PressureAwareFlushThroughputController";
    assert_eq!(compactions(Some(of_flushes), None), Err(0));
    assert_eq!(compactions(Some(""), None), Err(0));

    let flushes = |class, bound| together(&FLUSH_THROUGHPUT, &[class, bound]).unwrap();
    assert_eq!(flushes(None, Some("5m")), None);
    assert_eq!(flushes(Some(of_flushes), Some("5m")).as_deref(), Some("5m"));
    assert_eq!(flushes(Some(of_flushes), None).as_deref(), Some("100m"));
}

#[test]
fn units_of_hbase_become_finbacks() {
    let each = |from: &FromHBase, text: &str| {
        let Translate::Each(translate) = from.translate else { panic!("not of one value") };
        translate(text).ok()
    };
    assert_eq!(each(&mebibytes(&[]), "10240").as_deref(), Some("10240m"));
    assert_eq!((each(&mebibytes(&[]), "0"), each(&mebibytes(&[]), "0.4")), (None, None));
    assert_eq!(each(&seconds(&[]), "90").as_deref(), Some("90s"));
    assert_eq!(each(&seconds(&[]), "0").as_deref(), Some("0"));
    assert_eq!(each(&seconds(&[]), "-1"), None);
}
