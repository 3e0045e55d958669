use super::*;
use finback_rpc::exceptions;

#[test]
fn a_moved_region_tells_where_it_is() {
    let (server, seq_num) =
        moved_to(&exceptions::region_moved("h.example.org", 16021, 1_700_000_000_000, 7)).unwrap();
    assert_eq!(server.to_string(), "h.example.org,16021,1700000000000");
    assert_eq!(seq_num, 7);
    assert_eq!(
        moved_to(&RpcException::retriable("o.a.h.h.exceptions.RegionMovedException", "somewhere")),
        None
    );
    assert_eq!(
        moved_to(&exceptions::not_serving_region("hostname=h port=1 startCode=2. locationSeqNum=3.")),
        None
    );
}

#[test]
fn locations_stay_when_the_server_is_only_busy() {
    for busy in
        [exceptions::region_too_busy(""), exceptions::call_queue_too_big(""), exceptions::call_dropped("")]
    {
        assert!(!clears_location(&busy), "{busy}");
    }
    for gone in [
        exceptions::not_serving_region(""),
        exceptions::region_opening(""),
        exceptions::connection_closed(""),
        exceptions::io(""),
        exceptions::call_timeout(""),
    ] {
        assert!(clears_location(&gone), "{gone}");
    }
}
