use super::*;

fn parse_it(bytes: &[u8; 6]) -> Result<Preamble, String> {
    parse(bytes, SocketAddr::from(([1, 2, 3, 4], 5))).map_err(|e| e.to_string())
}

#[test]
fn the_preambles_of_hbase_clients_are_known() {
    assert_eq!(parse_it(b"HBas\0\x50"), Ok(Preamble::Simple));
    assert_eq!(parse_it(b"HBas\0\x51"), Ok(Preamble::Sasl));
    assert_eq!(parse_it(b"HBas\0\x52"), Ok(Preamble::Sasl));
    assert_eq!(parse_it(b"Regist"), Ok(Preamble::Registry));
    assert_eq!(parse_it(b"Securi"), Ok(Preamble::Security));
}

#[test]
fn others_are_answered_with_their_exception() {
    let garbage = parse_it(b"GET / ").unwrap_err();
    assert!(garbage.contains("FatalConnectionException: Expected HEADER=HBas but received HEADER=GET "));
    assert!(garbage.ends_with("from 1.2.3.4:5"), "{garbage}");
    assert!(parse_it(b"HBas\x01\x50").unwrap_err().contains("WrongVersionException"));
    assert!(parse_it(b"HBas\0\0").unwrap_err().contains("BadAuthException"));
}
