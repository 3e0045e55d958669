//! The keys, from which the help screen and the page of documentation are made.

/// Keys of the screen that shows the records, and what they do.
pub const KEYS: &[(&str, &str)] = &[
    ("h ?", "show the keys"),
    ("m", "choose what a line is: namespace, table, region, server, user, client"),
    ("f", "choose fields: which are shown, where, and which one to sort by"),
    ("R", "sort the other way round"),
    ("< >", "sort by the field at the left, or at the right"),
    ("o O", "add a filter that ignores case, or one that does not"),
    ("^o", "show the filters"),
    ("=", "clear the filters"),
    ("i", "look into the chosen record: its tables, regions, server, clients or users"),
    ("Backspace", "go back to where i was pressed"),
    ("/", "search in what is shown; n and N go to the next, or to the one before"),
    ("Up Down j k", "choose a record"),
    ("PgUp PgDn g G", "a page, or to the first or last record"),
    ("Left Right", "move over the fields"),
    ("Home End", "to the first or last field"),
    ("d", "change the time between two looks"),
    ("Space Enter", "look now"),
    ("X", "make columns as narrow as they can be, and close the message"),
    ("^l", "draw the screen anew"),
    ("^z", "stop, until the shell goes on with it"),
    ("q Esc ^c ^\\", "end"),
];

/// What the mouse does.
pub const MOUSE: &[(&str, &str)] = &[
    ("wheel", "choose a record"),
    ("click", "choose a record; on a heading: sort by it, or the other way round"),
    ("double click", "look into a record"),
];

/// Keys of the fields screen.
pub const FIELD_KEYS: &[(&str, &str)] = &[
    ("Up Down", "choose a field"),
    ("d Space", "show it, or hide it"),
    ("s", "sort by it"),
    ("Right", "take it; then Up and Down move it"),
    ("Left Enter", "let it go"),
    ("q Esc", "back"),
];
