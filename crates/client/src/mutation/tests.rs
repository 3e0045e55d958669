use super::*;
use finback_cell::{CellType, MutationKind};
use finback_proto::convert::decode_mutation;

fn decoded(mutation: impl Into<Mutation>) -> finback_cell::Mutation {
    let (mutation, mut cells) = (mutation.into(), CellPiecesBuilder::default());
    mutation.check(0).unwrap();
    let message = mutation.to_message(Some(5), &mut cells);
    decode_mutation(message, &mut cells.finish().joined(), 4).unwrap()
}

#[test]
fn what_is_put_together_is_what_a_server_reads() {
    let put = decoded(
        Put::new("r")
            .column("f", "a", "1")
            .column_at("f", "b", 7, "2")
            .ttl(std::time::Duration::from_secs(1)),
    );
    let cells: Vec<_> = put
        .cells
        .iter()
        .map(|cell| (cell.qualifier().to_vec(), cell.timestamp(), cell.value().to_vec()))
        .collect();
    assert_eq!(cells, [(b"a".to_vec(), i64::MAX, b"1".to_vec()), (b"b".to_vec(), 7, b"2".to_vec())]);
    assert_eq!((put.kind, put.ttl_ms), (MutationKind::Put, Some(1000)));

    let delete =
        decoded(Delete::new("r").column_at("f", "q", 3).columns("f", "q").family("g").family_version("h", 4));
    let codes: Vec<_> =
        delete.cells.iter().map(|cell| CellType::from_code(cell.type_code()).unwrap()).collect();
    assert_eq!(
        codes,
        [CellType::Delete, CellType::DeleteColumn, CellType::DeleteFamily, CellType::DeleteFamilyVersion]
    );

    let row = decoded(Delete::new("r").timestamp(9));
    assert!(row.cells.is_empty() && row.timestamp == 9);

    let increment = decoded(Increment::new("r").column("f", "n", -2).return_results(false).time_range(1, 9));
    assert_eq!(increment.cells.iter().next().unwrap().value(), (-2i64).to_be_bytes());
    assert_eq!((increment.return_results, increment.nonce, increment.time_range.max), (false, (4, 5), 9));
}

#[test]
fn what_cannot_be_sent_is_told_when_it_is_to_be_sent() {
    let refused = |mutation: Mutation| mutation.check(100).unwrap_err().to_string();
    assert!(refused(Put::new("").column("f", "q", "v").into()).contains("empty"));
    assert!(refused(Put::new("r").into()).contains("No columns"));
    assert!(refused(Put::new("r").column("f", "q", [0; 200]).into()).contains("too large"));
    assert!(refused(Put::new("r").column([b'f'; 200], "q", "v").into()).contains("family"));
    assert!(refused(Put::new("r").column_at("f", "q", -1, "v").into()).contains("negative"));
    assert!(refused(Put::new([b'r'; 40_000]).column("f", "q", "v").into()).contains("40000"));
}

#[test]
fn what_is_sealed_is_sent_without_a_copy_and_can_be_added_to() {
    let value = [7; 1000];
    let put = Mutation::from(Put::new("r").column("f", "a", value)).sealed();
    let pieces = |put: &Mutation| {
        let mut cells = CellPiecesBuilder::default();
        let message = put.to_message(None, &mut cells);
        (cells.finish().iter().map(|piece| piece.as_ptr()).collect::<Vec<_>>(), message.associated_cell_count)
    };
    assert_eq!(pieces(&put), pieces(&put));
    assert_eq!(pieces(&put).1, Some(1));
    assert_eq!(pieces(&put.clone()), pieces(&put));

    let Mutation::Put(put) = put else { panic!("a put") };
    let (more, expected) = (put.clone().column("f", "b", value), put.size());
    assert_eq!((put.size(), pieces(&more.clone().into()).1), (expected, Some(2)));
    let values = |put: Put| decoded(put).cells.iter().map(|cell| cell.value().to_vec()).collect::<Vec<_>>();
    assert_eq!(values(more), [value, value]);
    assert_eq!(values(put), [value]);
}
