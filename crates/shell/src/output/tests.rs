use super::*;
use std::cell::RefCell;
use std::rc::Rc;

#[derive(Clone, Default)]
struct Kept(Rc<RefCell<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn written(width: fn() -> usize) -> String {
    let kept = Kept::default();
    let mut output = Output::new(Box::new(kept.clone()), width);
    output.header(&["ROW", "COLUMN+CELL"]).unwrap();
    output.row(&["rose", "column=f:colour, value=red"]).unwrap();
    output.footer(None, false).unwrap();
    output.header(&["TABLE"]).unwrap();
    output.row(&["flowers"]).unwrap();
    output.header(&["PID", "Name", "State"]).unwrap();
    output.footer(Some(0), true).unwrap();
    let bytes = kept.0.borrow().clone();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn without_a_width_lines_are_as_long_as_they_are() {
    assert_eq!(
        written(|| 0),
        "ROW  COLUMN+CELL\n rose column=f:colour, value=red\n1 row(s)\nTABLE\nflowers\n PID Name State\n0 row(s)\n \
         (possible stale results) \n"
    );
}

#[test]
fn with_a_width_lines_are_filled_and_broken() {
    let shown = written(|| 24);
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[0], "ROW     COLUMN+CELL     ");
    assert_eq!(lines[1], " rose   column=f:colour,");
    assert_eq!(lines[2], "         value=red      ");
    assert_eq!(lines[5], format!("{:<24}", "flowers").replace("flowers", "flowers"));
}
