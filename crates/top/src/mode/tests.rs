use super::*;

#[test]
fn letters_name_modes() {
    for mode in Mode::ALL {
        assert_eq!(Mode::of_letter(mode.letter()), Some(mode));
    }
    assert_eq!(Mode::of_letter('x'), None);
}

#[test]
fn every_mode_can_be_sorted_by_requests() {
    for mode in Mode::ALL {
        assert!(mode.fields().iter().any(|known| known.field == Field::Requests && known.is_shown));
    }
}

#[test]
fn a_drill_down_can_say_which_record_it_is_about() {
    for mode in Mode::ALL {
        for &field in mode.drill_down_fields() {
            assert!(mode.has(field), "{mode:?} has no {field:?}");
            assert!(mode.drill_down().can_filter(field), "{:?} has no {field:?}", mode.drill_down());
        }
    }
}

#[test]
fn fields_are_found_by_their_headings() {
    for field in Field::ALL {
        assert_eq!(Field::named(field.heading()), Some(field));
    }
    assert_eq!(Field::named("#req/s"), Some(Field::Requests));
    // Both are headings, in letters of another case.
    assert_eq!(Field::named("#COMPingCELL"), Some(Field::CompactingCells));
    assert_eq!(Field::named("nothing"), None);
}
