use super::*;

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const SPAN: &str = "b7ad6b7169203331";

#[test]
fn a_callers_span_is_read() {
    let sampled = TraceContext::parse(&format!("00-{TRACE}-{SPAN}-01")).unwrap();
    assert_eq!(u128::from_be_bytes(sampled.trace_id), 0x0af7_6519_16cd_43dd_8448_eb21_1c80_319c);
    assert_eq!(u64::from_be_bytes(sampled.span_id), 0xb7ad_6b71_6920_3331);
    assert!(sampled.sampled);
    // Other flags are not ours.
    assert!(!TraceContext::parse(&format!("00-{TRACE}-{SPAN}-fe")).unwrap().sampled);
    let later = TraceContext::parse(&format!("cc-{TRACE}-{SPAN}-01-what-comes"));
    assert_eq!(later, Some(sampled));
    assert_eq!(TraceContext::parse(&format!("cc-{TRACE}-{SPAN}-01")), Some(sampled));
}

#[test]
fn what_makes_no_sense_is_no_parent() {
    let zeros = "0".repeat(32);
    for text in [
        String::new(),
        format!("00-{TRACE}-{SPAN}"),
        format!("00-{TRACE}-{SPAN}-0"),
        format!("00-{TRACE}-{SPAN}-01-more"),
        format!("cc-{TRACE}-{SPAN}-01more"),
        format!("ff-{TRACE}-{SPAN}-01"),
        format!("00-{zeros}-{SPAN}-01"),
        format!("00-{TRACE}-{}-01", &zeros[..16]),
        format!("00-{}-{SPAN}-01", TRACE.to_uppercase()),
        format!("00_{TRACE}-{SPAN}-01"),
        format!("00-{TRACE}-{SPAN}-é"),
        "é".repeat(60),
    ] {
        assert_eq!(TraceContext::parse(&text), None, "{text}");
    }
}
