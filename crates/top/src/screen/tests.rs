use super::*;
use crate::field::Field;
use crate::readings::tests::{cluster, region, server, two_servers};
use proptest::prelude::*;
use ratatui_core::backend::TestBackend;
use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::terminal::Terminal;
use ratatui_crossterm::crossterm::event::{
    KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

/// The lines of a buffer.
pub(super) fn lines(buffer: &Buffer) -> Vec<String> {
    let area = buffer.area;
    let row = |y| (area.left()..area.right()).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    (area.top()..area.bottom()).map(row).collect()
}

/// A screen on a terminal, which was answered twice.
struct Shown {
    screen: Screen,
    terminal: Terminal<TestBackend>,
    now_ms: u64,
}

impl Shown {
    fn new(mode: Mode, width: u16, height: u16) -> Self {
        Self::with(mode, width, height, Theme::new(true, true))
    }

    fn with(mode: Mode, width: u16, height: u16, theme: Theme) -> Self {
        let mut screen = Screen::new(View::of(mode), Duration::from_secs(3), theme);
        screen.answered(&two_servers(0), 0);
        screen.answered(&two_servers(3), 3_000);
        Self { screen, terminal: Terminal::new(TestBackend::new(width, height)).unwrap(), now_ms: 3_000 }
    }

    fn lines(&mut self) -> Vec<String> {
        let (screen, now) = (&mut self.screen, self.now_ms);
        let draw = |frame: &mut ratatui_core::terminal::Frame<'_>| {
            let area = frame.area();
            if let Some(cursor) = screen.draw(frame.buffer_mut(), area, "12:34:56", now) {
                frame.set_cursor_position(cursor);
            }
        };
        self.terminal.draw(draw).unwrap();
        lines(self.terminal.backend().buffer()).iter().map(|line| line.trim_end().to_owned()).collect()
    }

    fn line(&mut self, row: usize) -> String {
        self.lines().swap_remove(row)
    }

    fn press(&mut self, keys: &str) -> Effect {
        let code = |letter| match letter {
            '\n' => KeyCode::Enter,
            '\x1b' => KeyCode::Esc,
            '\x08' => KeyCode::Backspace,
            '↓' => KeyCode::Down,
            '↑' => KeyCode::Up,
            '→' => KeyCode::Right,
            '←' => KeyCode::Left,
            letter => KeyCode::Char(letter),
        };
        let press = |letter| self.screen.press(KeyEvent::new(code(letter), KeyModifiers::NONE));
        keys.chars().map(press).last().unwrap_or(Effect::Nothing)
    }

    fn control(&mut self, letter: char) -> Effect {
        self.screen.press(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL))
    }

    fn mouse(&mut self, kind: MouseEventKind, column: u16, row: u16) {
        let event = MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE };
        self.screen.mouse(event, self.now_ms);
    }

    fn click(&mut self, column: u16, row: u16) {
        self.lines();
        self.mouse(MouseEventKind::Down(MouseButton::Left), column, row);
    }

    /// What the first field of the chosen record says.
    fn chosen(&self, field: Field) -> String {
        let record = &self.screen.model.records()[self.screen.selection.at()];
        record.value(field).unwrap().to_string()
    }
}

#[test]
fn eighty_columns_show_the_summary_the_last_minutes_and_all_rates() {
    let mut shown = Shown::new(Mode::Region, 80, 24);
    let lines = shown.lines();
    let expected = [
        "finback top - 12:34:56                            reads/s 151  peak 151, 3 s",
        "Version: 2.5.11                                                                █",
        "Cluster ID: 3f2c                                                               █",
        "RegionServer(s): 2 total, 2 live, 0 dead          writes/s 30  peak 30, 3 s",
        "RegionCount: 4 total, 0 rit                                                    █",
        "Average Cluster Load: 2.00                                                     █",
        "Aggregate Request/s: 14                           chosen 120                   █",
        "Region mode, 1-4 of 4, by #REQ/S high to low",
    ];
    assert_eq!(lines[..8], expected);
    assert_eq!(lines[8], "NAMESPACE TABLE   REGION              RS        #REQ/S #READ/S #FREAD/S #WRITE/S");
    assert!(lines[9].starts_with("default   flowers "), "{}", lines[9]);
    assert!(lines[9].ends_with("one,16020    120     100       10       20"), "{}", lines[9]);
    assert!(lines[12].starts_with("garden    beds "), "{}", lines[12]);
    assert_eq!(lines[23].split_once(' ').unwrap().0, "h");
}

#[test]
fn wide_screens_have_bars_beside_each_record() {
    let mut shown = Shown::new(Mode::Table, 140, 24);
    let lines = shown.lines();
    assert!(lines[8].ends_with("MEMSTORE                           LAST MINUTES"), "{}", lines[8]);
    assert!(lines[9].ends_with('█'), "{}", lines[9]);
    assert!(lines[11].ends_with("1.0MB"), "{}", lines[11]);
}

#[test]
fn every_size_of_a_screen_can_be_drawn_in_every_window() {
    for keys in ["", "h", "m", "f", "f→↓", "o", "d", "/x", "R", "→→→→→→→→→→→→→", "o?\n"]
    {
        for (width, height) in
            [(0, 0), (1, 1), (2, 9), (7, 3), (20, 8), (79, 15), (300, 3), (3, 90), (200, 60)]
        {
            let mut shown = Shown::new(Mode::Region, width, height);
            shown.press(keys);
            assert_eq!(shown.lines().len(), usize::from(height));
            shown.press("↓↓");
            shown.control('o');
            shown.lines();
        }
    }
}

#[test]
fn low_screens_keep_room_for_records() {
    let mut shown = Shown::new(Mode::Table, 80, 6);
    let lines = shown.lines();
    assert_eq!(lines[0], "finback top - 12:34:56  2 live, 0 dead, 4 regions, 14 requests/s");
    assert!(lines[2].starts_with("NAMESPACE") && lines[5].starts_with("garden"), "{lines:?}");
}

#[test]
fn modes_are_chosen_by_arrows_or_letters() {
    let mut shown = Shown::new(Mode::Region, 80, 24);
    shown.press("m↓\n");
    assert!(shown.line(7).starts_with("RegionServer mode, 1-2 of 2"));
    shown.press("mu");
    assert!(shown.line(7).starts_with("User mode, 1-2 of 2"));
    shown.press("mq");
    assert!(shown.line(7).starts_with("User mode"));
}

#[test]
fn a_filter_is_typed_shown_and_cleared() {
    let mut shown = Shown::new(Mode::Table, 80, 24);
    shown.press("o");
    assert_eq!(shown.line(7), "add filter #1 (ignoring case) as: [!]FLD?VAL:");
    shown.press("TABLE==FLOWERS\n");
    assert_eq!(shown.line(7), "Table mode, 1-1 of 1, by #REQ/S high to low, TABLE==FLOWERS");
    shown.control('o');
    assert_eq!(shown.line(7), "filters: 'TABLE==FLOWERS'; = clears them");
    shown.press("=");
    assert!(shown.line(7).starts_with("Table mode, 1-3 of 3"));
    // The one of before comes back; with case it finds nothing.
    shown.press("O↑\n");
    assert!(shown.line(7).starts_with("Table mode, 0-0 of 0"));
}

#[test]
fn what_is_typed_is_seen_on_narrow_screens() {
    let mut shown = Shown::new(Mode::Table, 20, 5);
    shown.press("o");
    assert_eq!(shown.line(1), "filter:");
    shown.press("NAMESPACE==hbase");
    assert_eq!(shown.line(1), "filter: PACE==hbase");
    shown.press("\x1bd7");
    assert_eq!(shown.line(1), "delay: 7");
    // Letters that are two columns wide.
    let mut shown = Shown::new(Mode::Table, 20, 5);
    shown.press("o花花花花花花花");
    shown.lines();
    assert_eq!(shown.terminal.get_cursor_position().unwrap(), Position::new(18, 1));
}

#[test]
fn a_long_version_does_not_run_into_the_charts() {
    let mut shown = Shown::new(Mode::Table, 80, 24);
    let mut status = two_servers(6);
    status.hbase_version.as_mut().unwrap().version = "2.".repeat(40);
    shown.screen.answered(&status, 6_000);
    let line = shown.line(1);
    assert_eq!(line[..49].trim_end(), format!("Version: {}", "2.".repeat(20)));
    assert!(!line[49..].contains('2'), "{line}");
}

#[test]
fn what_is_no_filter_or_delay_is_told_until_the_next_key() {
    let mut shown = Shown::new(Mode::Table, 80, 24);
    shown.press("onothing\n");
    assert!(shown.line(7).starts_with("'nothing' is no filter"));
    assert_eq!(shown.press("\x1b"), Effect::Nothing);
    shown.press("dx\n");
    assert_eq!(shown.line(7), "'x' is no number of seconds from 0.1 to 86400");
    shown.press("X");
    assert!(shown.line(7).starts_with("Table mode"));
    shown.press("d0.5\n");
    assert_eq!(shown.screen.delay, Duration::from_millis(500));
    shown.press("d\n");
    assert_eq!(shown.screen.delay, Duration::from_millis(500));
    shown.press("é");
    assert_eq!(shown.line(7), "Unknown command - try 'h' for help");
}

#[test]
fn a_record_is_looked_into_and_left_again() {
    let mut shown = Shown::new(Mode::Namespace, 100, 24);
    shown.press("i");
    assert_eq!(shown.line(7), "Table mode, 1-1 of 1, by #REQ/S high to low, NAMESPACE==default");
    shown.press("i");
    assert!(shown.line(7).starts_with("Region mode, 1-2 of 2"), "{}", shown.line(7));
    shown.press("\x08");
    shown.control('h');
    assert_eq!(shown.line(7), "Namespace mode, 1-3 of 3, by #REQ/S high to low");
}

#[test]
fn the_fields_screen_hides_moves_and_sorts() {
    let mut shown = Shown::new(Mode::User, 100, 24);
    shown.press("f");
    assert_eq!(shown.line(0), "Fields; records are sorted by #REQ/S");
    assert_eq!(shown.line(6), "* #REQ/S       = Request Count per second");
    // Hide the requests, sort by writes, and put them in front.
    shown.press("d↓↓s→↑↑↑↑");
    assert_eq!(shown.line(4), "> * #WRITE/S     = Write Request Count per second");
    shown.press("\nq");
    let lines = shown.lines();
    assert_eq!(lines[7], "User mode, 1-2 of 2, by #WRITE/S high to low");
    assert!(lines[8].starts_with("  #WRITE/S USER #CLIENT    #READ/S   #FREAD/S"), "{}", lines[8]);
    assert!(lines[9].starts_with("        20 bob"), "{}", lines[9]);
}

#[test]
fn the_order_is_changed_by_keys() {
    let mut shown = Shown::new(Mode::Table, 100, 24);
    shown.press("R");
    assert!(shown.line(7).ends_with("by #REQ/S low to high"));
    shown.press(">");
    assert!(shown.line(7).ends_with("by #READ/S low to high"));
    shown.press("<<<<<<R");
    assert!(shown.line(7).ends_with("by NAMESPACE high to low"));
    assert!(shown.line(9).starts_with("hbase "));
}

#[test]
fn searching_goes_to_what_is_typed_and_on() {
    let mut shown = Shown::new(Mode::Region, 100, 24);
    shown.press("/META");
    assert_eq!((shown.line(7).as_str(), shown.chosen(Field::Table).as_str()), ("/META", "meta"));
    shown.press("\n");
    shown.press("/flow\n");
    assert_eq!(shown.chosen(Field::StartKey), "");
    shown.press("n");
    assert_eq!(shown.chosen(Field::StartKey), "m");
    shown.press("n");
    assert_eq!(shown.chosen(Field::StartKey), "");
    shown.press("N");
    assert_eq!(shown.chosen(Field::StartKey), "m");
    shown.press("/nowhere\n");
    assert_eq!(shown.line(7), "nothing here has 'nowhere'");
    // The first one closes the message, the second one ends the search, the third one is meant.
    assert_eq!(shown.press("\x1b"), Effect::Nothing);
    assert_eq!(shown.press("\x1b"), Effect::Nothing);
    assert_eq!(shown.press("\x1b"), Effect::Quit);
}

#[test]
fn the_mouse_chooses_sorts_and_looks_into() {
    let mut shown = Shown::new(Mode::Namespace, 100, 24);
    shown.click(3, 11);
    assert_eq!(shown.chosen(Field::Namespace), "garden");
    shown.now_ms += 2_000;
    shown.click(3, 11);
    assert!(shown.line(7).starts_with("Namespace mode"), "two clicks far apart are two clicks");
    shown.now_ms += 100;
    shown.click(3, 11);
    assert!(shown.line(7).ends_with("NAMESPACE==garden"), "{}", shown.line(7));
    shown.press("\x08");
    shown.click(0, 8);
    assert!(shown.line(7).ends_with("by NAMESPACE high to low"));
    shown.click(0, 8);
    assert!(shown.line(7).ends_with("by NAMESPACE low to high"));
    // Behind the last column, behind the last record, and outside.
    for (column, row) in [(99, 8), (3, 20), (99, 0), (500, 500)] {
        shown.click(column, row);
    }
    assert!(shown.line(7).ends_with("by NAMESPACE low to high"));
    shown.mouse(MouseEventKind::ScrollDown, 3, 11);
    assert_eq!(shown.chosen(Field::Namespace), "hbase");
    shown.press("f");
    shown.click(0, 4);
    shown.press("q");
    assert!(shown.line(8).starts_with("#REGION"));
    shown.press("m");
    shown.click(2, 6);
    assert!(shown.line(7).starts_with("User mode"));
}

#[test]
fn silence_is_told_and_what_is_known_stays() {
    let mut shown = Shown::new(Mode::Table, 80, 24);
    shown.screen.asks(3_000);
    shown.now_ms = 4_000;
    assert!(shown.line(7).starts_with("Table mode"));
    shown.now_ms = 8_000;
    assert_eq!(shown.line(7), "no answer for 5 s");
    shown.screen.failed("Connection refused\x1b[2J");
    shown.screen.asks(9_000);
    shown.now_ms = 15_000;
    assert_eq!(shown.line(7), "no answer for 12 s, trying again: Connection refused?[2J");
    assert!(shown.line(9).contains("flowers"));
    shown.screen.answered(&two_servers(15), 15_000);
    assert!(shown.line(7).starts_with("Table mode"));
}

#[test]
fn before_the_first_answer_it_says_so() {
    let screen = Screen::new(View::of(Mode::Region), Duration::from_secs(3), Theme::new(true, true));
    let mut shown = Shown { screen, terminal: Terminal::new(TestBackend::new(80, 24)).unwrap(), now_ms: 0 };
    assert_eq!(shown.line(7), "asking the master ...");
    shown.press("ihmqfq↓↓GR>n/x\n=X");
    shown.lines();
}

#[test]
fn why_there_are_no_users_is_told() {
    let mut shown = Shown::new(Mode::User, 80, 24);
    shown.screen.answered(&cluster(vec![server("one", 9_000_000, Vec::new())]), 6_000);
    assert_eq!(shown.line(7), "User mode: none yet (Apache HBase: hbase.regionserver.user.metrics.enabled)");
    shown.press("oUSER=x\n");
    assert!(shown.line(7).starts_with("User mode, 0-0 of 0"));
}

#[test]
fn keys_have_effects() {
    let mut shown = Shown::new(Mode::Table, 80, 24);
    assert_eq!(shown.press(" "), Effect::Refresh);
    assert_eq!(shown.press("\n"), Effect::Refresh);
    assert_eq!(shown.press("q"), Effect::Quit);
    assert_eq!(shown.control('c'), Effect::Quit);
    assert_eq!(shown.control('z'), Effect::Suspend);
    assert_eq!(shown.control('l'), Effect::Redraw);
    // In a question they are letters, but for those that are never.
    shown.press("o");
    assert_eq!(shown.press("q "), Effect::Nothing);
    assert_eq!(shown.control('c'), Effect::Quit);
}

#[test]
fn the_help_screen_has_every_key_and_scrolls() {
    let mut shown = Shown::new(Mode::Table, 100, 40);
    shown.press("h");
    let help = shown.lines().join("\n");
    for (key, meaning) in keys::KEYS {
        assert!(help.contains(key) && help.contains(meaning), "{key}");
    }
    let mut low = Shown::new(Mode::Table, 100, 5);
    low.press("?");
    low.lines();
    low.press(&"↓".repeat(100));
    assert_eq!(low.line(4), "double click   look into a record");
    low.press("↑");
    assert_ne!(low.line(4), "double click   look into a record");
    low.press("x");
    assert!(low.line(0).starts_with("finback top"));
}

#[test]
fn without_colours_there_are_none() {
    for has_colors in [true, false] {
        let mut shown = Shown::with(Mode::Region, 160, 24, Theme::new(has_colors, true));
        shown.screen.failed("x");
        shown.press("/meta\n");
        shown.lines();
        let buffer = shown.terminal.backend().buffer();
        let is_colored = buffer.content.iter().any(|cell| cell.fg != Color::Reset || cell.bg != Color::Reset);
        assert_eq!(is_colored, has_colors);
        assert!(buffer.content.iter().any(|cell| cell.modifier.contains(Modifier::REVERSED)));
    }
}

#[test]
fn without_utf8_there_is_nothing_but_ascii() {
    let mut shown = Shown::with(Mode::Region, 160, 24, Theme::new(true, false));
    let text = shown.lines().join("\n");
    assert!(text.is_ascii() && text.contains('#'), "{text}");
}

#[test]
fn fields_that_have_no_room_are_moved_to() {
    let mut shown = Shown::new(Mode::Region, 80, 24);
    shown.press("→→→→");
    assert!(shown.line(8).starts_with("#REQ/S") || shown.line(8).trim_start().starts_with("#REQ/S"));
    assert!(shown.line(8).contains("LOCALITY"));
    shown.screen.press(KeyEvent::new(KeyCode::End, KeyModifiers::NONE));
    assert!(shown.line(8).starts_with("LOCALITY"));
    shown.screen.press(KeyEvent::new(KeyCode::Home, KeyModifiers::NONE));
    assert!(shown.line(8).starts_with("NAMESPACE"));
}

#[test]
fn pages_are_turned() {
    let names = "abcdefghijklmnopqrstuvwxyz";
    let regions = (0..26).map(|at| region("t", &names[at..=at], 0)).collect();
    let mut shown = Shown::new(Mode::Region, 80, 24);
    shown.screen.answered(&cluster(vec![server("one", 9_000_000, regions)]), 20_000);
    let press = |shown: &mut Shown, code| {
        shown.lines();
        shown.screen.press(KeyEvent::new(code, KeyModifiers::NONE));
        shown.line(7).split(", by").next().unwrap().to_owned()
    };
    assert_eq!(press(&mut shown, KeyCode::PageDown), "Region mode, 2-15 of 26");
    assert_eq!(press(&mut shown, KeyCode::PageDown), "Region mode, 13-26 of 26");
    assert_eq!(press(&mut shown, KeyCode::Char('g')), "Region mode, 1-14 of 26");
    assert_eq!(press(&mut shown, KeyCode::Char('G')), "Region mode, 13-26 of 26");
    assert_eq!(press(&mut shown, KeyCode::PageUp), "Region mode, 12-25 of 26");
    assert_eq!(shown.chosen(Field::StartKey), "l");
}

#[test]
fn pasted_text_goes_where_text_is_typed() {
    let mut shown = Shown::new(Mode::Table, 80, 24);
    shown.screen.paste("q");
    shown.press("o");
    shown.screen.paste("TABLE==meta\n");
    shown.press("\n");
    assert!(shown.line(7).starts_with("Table mode, 1-1 of 1"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn whatever_is_pressed_nothing_breaks(
        keys in proptest::collection::vec(
            prop_oneof![
                proptest::sample::select("hmfdRoO<>=i/nNjkgGX \n\x1b\x08↓↑→←ntrsuc#!1é".chars().collect::<Vec<_>>()),
            ],
            0..60
        ),
        clicks in proptest::collection::vec((0u16..90, 0u16..30), 0..10),
        size in (1u16..120, 1u16..40),
    ) {
        let mut shown = Shown::new(Mode::Region, size.0, size.1);
        for (at, key) in keys.iter().enumerate() {
            shown.press(&key.to_string());
            if let Some(&(column, row)) = clicks.get(at) {
                shown.click(column, row);
            }
            shown.lines();
        }
        shown.screen.answered(&two_servers(9), 9_000);
        shown.lines();
        shown.screen.answered(&cluster(Vec::new()), 12_000);
        shown.lines();
    }
}

#[test]
fn what_stays_of_it_is_what_was_shown_but_for_the_keys() {
    let mut shown = Shown::new(Mode::Table, 80, 24);
    let mut wanted = shown.lines();
    assert!(wanted.pop().unwrap().starts_with("h help"));
    wanted.truncate(wanted.iter().rposition(|line| !line.is_empty()).unwrap() + 1);
    shown.press("h");
    assert_eq!(shown.screen.picture((80, 23), "12:34:56", 3_000), wanted);
    assert_eq!(shown.screen.picture((0, 0), "12:34:56", 3_000), Vec::<String>::new());
}

#[test]
fn wide_letters_stay_as_they_are() {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 9, 1));
    buffer.set_string(0, 0, "花 b花", Style::new());
    assert_eq!(line(&buffer, 0), "花 b花");
}
