use super::HashType::{Jenkins, Murmur, Murmur3};

#[test]
fn hashes_are_hbases() {
    for (input, jenkins, murmur, murmur3, murmur_of_murmur) in [
        (&b""[..], 0xdead_beef, 0, 0, 0),
        (b"a", 0x58d6_8708, 0x9268_5f5e, 0x3c25_69b2, 0x5b2b_9c66),
        (b"row-00000", 0x8267_357b, 0x9d9d_5e9a, 0x2a07_61b2, 0x177a_957a),
        (&[0xf0, 0x80, 0xff], 0x94a0_3317, 0x041a_f2e7, 0xca80_3820, 0x53e9_031d),
        (b"user0000", 0x82b9_5bdc, 0x829e_ce81, 0xde2c_639c, 0x4e6d_c3a2),
    ] {
        assert_eq!(Jenkins.hash(input, 0), jenkins, "{input:02x?}");
        assert_eq!(Murmur.hash(input, 0), murmur, "{input:02x?}");
        assert_eq!(Murmur3.hash(input, 0), murmur3, "{input:02x?}");
        assert_eq!(Murmur.hash(input, murmur), murmur_of_murmur, "{input:02x?}");
    }
}
