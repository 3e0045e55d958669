use super::*;

fn typed(editor: &mut LineEditor, keys: &[KeyCode]) -> String {
    for &key in keys {
        editor.press(KeyEvent::new(key, KeyModifiers::NONE));
    }
    format!("{}|{}", editor.before_cursor(), &editor.text()[editor.before_cursor().len()..])
}

fn controlled(editor: &mut LineEditor, letter: char) {
    editor.press(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL));
}

#[test]
fn letters_go_in_and_out_where_the_cursor_is() {
    use KeyCode::{Backspace, Char, Delete, End, Home, Left, Right};
    let mut editor = LineEditor::default();
    assert_eq!(typed(&mut editor, &[Char('a'), Char('é'), Char('c')]), "aéc|");
    assert_eq!(typed(&mut editor, &[Left, Char('b'), Left, Left]), "a|ébc");
    assert_eq!(typed(&mut editor, &[Delete, Backspace, Backspace]), "|bc");
    assert_eq!(typed(&mut editor, &[End, Right, Delete, Home, Left]), "|bc");
    assert_eq!(typed(&mut editor, &[End, Backspace]), "b|");
}

#[test]
fn lines_of_before_come_back() {
    use KeyCode::{Char, Down, Up};
    let mut editor = LineEditor::new(vec!["one".to_owned(), "two".to_owned()]);
    assert_eq!(typed(&mut editor, &[Char('x'), Up]), "two|");
    assert_eq!(typed(&mut editor, &[Up, Up, Up]), "one|");
    assert_eq!(typed(&mut editor, &[Down, Down, Down]), "|");
    assert_eq!(typed(&mut LineEditor::default(), &[Char('x'), Up, Down]), "x|");
}

#[test]
fn a_line_is_cleared_at_once() {
    let mut editor = LineEditor::default();
    "abcd".chars().for_each(|letter| editor.insert(letter));
    typed(&mut editor, &[KeyCode::Left]);
    controlled(&mut editor, 'k');
    assert_eq!(editor.text(), "abc");
    controlled(&mut editor, 'h');
    assert_eq!(editor.text(), "ab");
    controlled(&mut editor, 'u');
    controlled(&mut editor, 'h');
    assert_eq!(editor.text(), "");
}

#[test]
fn a_line_has_an_end() {
    let mut editor = LineEditor::default();
    (0..MOST_LETTERS + 10).for_each(|_| editor.insert('x'));
    editor.insert('\x1b');
    assert_eq!(editor.text().len(), MOST_LETTERS);
}
