use super::*;
use crate::model::{TopModel, View};
use crate::readings::tests::{cluster, region, server, two_servers, user};

fn widths(model: &TopModel) -> Widths {
    let mut widths = Widths::default();
    widths.fit(model.mode(), &model.shown_fields(), model.records());
    widths
}

fn model(mode: Mode) -> TopModel {
    let mut model = TopModel::new(View::of(mode));
    model.refresh(&two_servers(0), 0);
    model.refresh(&two_servers(3), 3_000);
    model
}

fn headings(columns: &[SizedColumn]) -> String {
    columns.iter().map(|&column| heading(column)).collect::<Vec<_>>().join(" ")
}

#[test]
fn columns_are_as_wide_as_hbase_has_them_or_wider() {
    let model = model(Mode::Table);
    let columns = widths(&model).natural(&model.shown_fields());
    assert_eq!(
        headings(&columns),
        "NAMESPACE TABLE   #REGION     #REQ/S    #READ/S #FREAD/S   #WRITE/S            SF     #SF    MEMSTORE"
    );
}

#[test]
fn eighty_columns_have_room_for_all_rates_of_a_region() {
    let model = model(Mode::Region);
    let columns = widths(&model).within(&model.shown_fields(), 80);
    let line = headings(&columns);
    assert!(line.len() <= 80 && line.contains("#REQ/S #READ/S #FREAD/S #WRITE/S"), "{line}");
    let all = widths(&model).within(&model.shown_fields(), 200);
    assert_eq!(all, widths(&model).natural(&model.shown_fields()));
}

#[test]
fn whatever_room_there_is_is_not_exceeded() {
    for mode in Mode::ALL {
        let model = model(mode);
        let (widths, fields) = (widths(&model), model.shown_fields());
        for room in 0..150 {
            let columns = widths.within(&fields, room);
            assert!(total(&columns) <= room, "{mode:?} in {room}");
            assert!(room == 0 || !columns.is_empty(), "{mode:?} in {room}");
        }
    }
}

#[test]
fn columns_grow_and_shrink_only_when_told() {
    let mut model = TopModel::new(View::of(Mode::Table));
    let mut widths = Widths::default();
    let mut table_width = |model: &TopModel, forget: bool| {
        if forget {
            widths.forget();
        }
        widths.fit(model.mode(), &[Field::Table], model.records());
        widths.natural(&[Field::Table])[0].width
    };
    model.refresh(&cluster(vec![server("one", 1, vec![region("a_long_name_of_a_table", "", 0)])]), 1);
    assert_eq!(table_width(&model, false), 22);
    model.refresh(&cluster(vec![server("one", 2, vec![region("short", "", 0)])]), 2);
    assert_eq!(table_width(&model, false), 22);
    assert_eq!(table_width(&model, true), 5);
}

#[test]
fn what_has_no_room_is_cut_and_says_so() {
    let column = |width| SizedColumn { field: Field::Table, width };
    assert_eq!(padded("flowers", column(9)), "flowers  ");
    assert_eq!(padded("flowers", column(7)), "flowers");
    assert_eq!(padded("flowers", column(4)), "flo+");
    assert_eq!(padded("flowers", column(1)), "+");
    assert_eq!(padded("flowers", column(0)), "");
    // Letters that are two columns wide.
    assert_eq!(padded("花花花", column(4)), "花+ ");
    assert_eq!(padded("42", SizedColumn { field: Field::Reads, width: 5 }), "   42");
}

#[test]
fn nothing_that_a_server_sends_moves_the_cursor() {
    let column = SizedColumn { field: Field::User, width: 9 };
    assert_eq!(padded("a\x1b[2Jb\r\n", column), "a?[2Jb?? ");
}

#[test]
fn nothing_that_a_server_sends_turns_text_round_or_hides_in_it() {
    let hidden = ('\u{202a}'..='\u{202e}').chain('\u{2066}'..='\u{2069}').chain('\u{200b}'..='\u{200f}');
    for letter in
        hidden.chain("\u{ad}\u{61c}\u{2028}\u{2029}\u{2060}\u{3164}\u{fe0f}\u{feff}\u{e0041}".chars())
    {
        assert_eq!(printable(&format!("a{letter}b")), "a?b", "{letter:?}");
    }
    for shown in ["größe", "नमस्ते", "花", "שלום", "e\u{301}", "🌷"] {
        assert_eq!(printable(shown), shown);
    }
}

#[test]
fn columns_have_room_for_what_stands_there_instead() {
    let mut model = TopModel::new(View::of(Mode::User));
    let mut one = server("one", 1, Vec::new());
    one.server_load.user_loads = vec![user("a\u{200b}\u{202e}very_very_lengthy_name", &[("10.0.0.1", 1, 0)])];
    model.refresh(&cluster(vec![one]), 1);
    let column = widths(&model).natural(&[Field::User])[0];
    assert_eq!(cell(&model.records()[0], column), "a??very_very_lengthy_name");
}
