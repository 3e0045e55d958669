use super::*;
use proptest::{collection::vec, prelude::*};

fn put(dictionary: &mut WriteDictionary, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    dictionary.put(bytes, &mut out);
    out
}

fn spelled(bytes: &[u8]) -> Vec<u8> {
    [&[SPELLED_OUT, bytes.len() as u8][..], bytes].concat()
}

#[test]
fn the_least_recently_used_entry_gives_up_its_index() {
    let mut dictionary = WriteDictionary::with_capacity(2);
    assert_eq!(put(&mut dictionary, b"a"), spelled(b"a"));
    assert_eq!(put(&mut dictionary, b"b"), spelled(b"b"));
    assert_eq!(put(&mut dictionary, b"a"), [0, 0]);
    assert_eq!(put(&mut dictionary, b"c"), spelled(b"c"), "takes the index of b");
    assert_eq!(put(&mut dictionary, b"c"), [0, 1]);
    assert_eq!(put(&mut dictionary, b"a"), [0, 0]);
    assert_eq!(put(&mut dictionary, b"b"), spelled(b"b"));
    assert_eq!(dictionary.bytes(), 2);
}

#[test]
fn nothing_is_never_an_entry() {
    let mut dictionary = WriteDictionary::with_capacity(2);
    assert_eq!(put(&mut dictionary, b""), [SPELLED_OUT, 0]);
    assert_eq!(put(&mut dictionary, b""), [SPELLED_OUT, 0]);
    assert_eq!(put(&mut dictionary, b"a"), spelled(b"a"));
    assert_eq!(put(&mut dictionary, b"a"), [0, 0]);
}

#[test]
fn an_index_that_was_not_given_out_has_no_entry() {
    let mut dictionary = ReadDictionary::with_capacity(MANY);
    assert_eq!(dictionary.get(0), None);
    dictionary.add(b"a".to_vec().into());
    assert_eq!(dictionary.get(0).unwrap()[..], b"a"[..]);
    for index in [1, 127, MANY, NONE] {
        assert_eq!(dictionary.get(index), None);
    }
}

#[test]
fn recovered_edits_have_room_for_one_region_and_table() {
    let path = Path::new("/data/ns/t/r/recovered.edits/0000000000000000007");
    let mut small: Dictionaries<WriteDictionary> = Dictionaries::of_file(path);
    let once_each = [(b"a", spelled(b"a")), (b"a", vec![0, 0]), (b"b", spelled(b"b")), (b"a", spelled(b"a"))];
    for (name, expected) in once_each {
        assert_eq!(put(&mut small.region, name), expected);
        assert_eq!(put(&mut small.table, name), expected);
        put(&mut small.row, name);
    }
    assert_eq!(put(&mut small.row, b"b"), [0, 1]);
    assert_eq!(small.bytes(), 1 + 1 + 2);
}

/// The rule, with nothing but a list: most recently used first.
struct Model {
    entries: Vec<Option<Vec<u8>>>,
    order: Vec<usize>,
}

impl Model {
    fn code(&mut self, bytes: &[u8]) -> Option<usize> {
        if let Some(index) = self.entries.iter().position(|entry| entry.as_deref() == Some(bytes)) {
            self.order.retain(|&other| other != index);
            self.order.insert(0, index);
            return Some(index);
        }
        let index = match self.entries.iter().position(Option::is_none) {
            Some(free) => free,
            None => self.order.pop().unwrap(),
        };
        self.entries[index] = Some(bytes.to_vec());
        self.order.insert(0, index);
        None
    }
}

proptest! {
    #[test]
    fn writer_reader_and_rule_agree(words in vec(1u8..40, 0..400), capacity in 1u16..20) {
        let mut writer = WriteDictionary::with_capacity(capacity);
        let mut reader = ReadDictionary::with_capacity(capacity);
        let mut model = Model { entries: vec![None; usize::from(capacity)], order: Vec::new() };
        for word in words {
            let bytes = [word; 3];
            let code = put(&mut writer, &bytes);
            match model.code(&bytes) {
                Some(index) => {
                    prop_assert_eq!(&code[..], &(index as u16).to_be_bytes()[..]);
                    prop_assert_eq!(&reader.get(index as u16).unwrap()[..], &bytes[..]);
                }
                None => {
                    prop_assert_eq!(&code[..], &spelled(&bytes)[..]);
                    reader.add(bytes.to_vec().into());
                }
            }
            prop_assert_eq!(reader.bytes(), writer.bytes());
        }
    }
}
