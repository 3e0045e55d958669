use super::*;

fn asked(pairs: &[(&str, Value)]) -> Result<SetQuotaRequest> {
    let pairs = pairs.iter().map(|(key, value)| (Value::text(key), value.clone())).collect();
    request(&mut Options::of(Value::Hash(pairs))?)
}

fn text(pairs: &[(&str, &str)]) -> Result<SetQuotaRequest> {
    let pairs: Vec<_> = pairs.iter().map(|(key, value)| (*key, Value::text(value))).collect();
    asked(&pairs)
}

#[test]
fn limits_of_requests_have_a_number_a_unit_and_a_time() {
    let of = |limit: &str, kind: &str| {
        let quota =
            text(&[("TYPE", "THROTTLE"), ("USER", "u"), ("THROTTLE_TYPE", kind), ("LIMIT", limit)]).unwrap();
        let throttle = quota.throttle.unwrap();
        let timed = throttle.timed_quota.unwrap();
        (throttle.r#type(), timed.soft_limit(), timed.time_unit())
    };
    assert_eq!(of("10req/sec", "REQUEST"), (ThrottleType::RequestNumber, 10, TimeUnit::Seconds));
    assert_eq!(of("5K/min", "WRITE"), (ThrottleType::WriteSize, 5 << 10, TimeUnit::Minutes));
    assert_eq!(of("3CU/day", "READ"), (ThrottleType::ReadCapacityUnit, 3, TimeUnit::Days));
    for wrong in
        ["", "x", "10", "req/sec", "10req/week", "10x/sec", "100/sec", "0req/sec", "99999999999999p/sec"]
    {
        let quota = text(&[("TYPE", "THROTTLE"), ("USER", "u"), ("LIMIT", wrong)]);
        assert!(quota.unwrap_err().to_string().starts_with("Invalid throttle limit"), "{wrong}");
    }
}

#[test]
fn a_quota_has_an_owner_and_nothing_else() {
    let failed = |pairs: &[(&str, &str)]| text(pairs).unwrap_err().to_string();
    assert_eq!(failed(&[("USER", "u"), ("LIMIT", "1req/sec")]), "Expected TYPE argument");
    assert!(failed(&[("TYPE", "THROTTLE"), ("LIMIT", "1req/sec")]).starts_with("One of USER, TABLE"));
    let more = [("TYPE", "THROTTLE"), ("USER", "u"), ("LIMIT", "1req/sec"), ("MORE", "x")];
    assert_eq!(failed(&more), "Unexpected arguments: MORE");
    let server = [("TYPE", "THROTTLE"), ("REGIONSERVER", "x"), ("LIMIT", "1req/sec"), ("SCOPE", "CLUSTER")];
    assert!(failed(&server).contains("must be MACHINE"));
    assert_eq!(text(&server[..3]).unwrap().region_server(), "all");
    for owner in ["USER", "TABLE", "NAMESPACE"] {
        let two = [("TYPE", "THROTTLE"), (owner, "o"), ("REGIONSERVER", "all"), ("LIMIT", "1req/sec")];
        assert_eq!(failed(&two), "Unexpected arguments: REGIONSERVER");
    }
}

#[test]
fn limits_of_space_name_what_is_not_possible_beyond_them() {
    let quota = text(&[("TYPE", "SPACE"), ("TABLE", "t"), ("LIMIT", "2G"), ("POLICY", "NO_WRITES")]).unwrap();
    let space = quota.space_limit.unwrap().quota.unwrap();
    assert_eq!((space.soft_limit(), space.violation_policy()), (2 << 30, SpaceViolationPolicy::NoWrites));
    assert!(quota.table_name.is_some() && quota.namespace.is_none());
    let removed = text(&[("TYPE", "SPACE"), ("NAMESPACE", "n"), ("LIMIT", "NONE")]).unwrap();
    assert!(removed.space_limit.unwrap().quota.unwrap().remove());
    let both = [("TYPE", "SPACE"), ("NAMESPACE", "n"), ("TABLE", "t"), ("LIMIT", "NONE")];
    assert!(text(&both).unwrap_err().to_string().starts_with("Only one of"));
    assert!(text(&[both[0], both[3]]).unwrap_err().to_string().starts_with("One of TABLE or NAMESPACE"));
    for owner in ["USER", "REGIONSERVER"] {
        let two = [("TYPE", "SPACE"), ("TABLE", "t"), (owner, "o"), ("LIMIT", "NONE")];
        assert_eq!(text(&two).unwrap_err().to_string(), format!("Unexpected arguments: {owner}"));
    }
    let user = asked(&[("USER", Value::text("u")), ("GLOBAL_BYPASS", Value::Bool(true))]).unwrap();
    assert!(user.bypass_globals());
}
