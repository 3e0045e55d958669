use super::*;

#[test]
fn hashes_and_numbers_are_those_of_java() {
    // Printed by Java 17.
    let printed = [
        ("", 0, 0.730967787376657),
        ("a", 97, 0.7222784001762583),
        ("0123456789abcdef0123456789abcdef", -1_783_317_168, 0.7266765104586825),
        ("6c9a1b1f4e2d4a3b9c8d7e6f5a4b3c2d_SeqId_7_", 1_618_132_770, 0.9596598435371072),
    ];
    for (name, hash, number) in printed {
        assert_eq!(hash_code(name), hash, "{name}");
        assert_eq!(first_double(hash), number, "{name}");
    }
}
