//! The layouts of all messages, generated from the `.proto` files.

use super::{Field, Kind, Layout, MAX_FIELDS, Measured};

macro_rules! layout {
    ($layout:ident, [$($field:expr,)*]) => {
        static $layout: Layout = Layout { fields: checked(&[$($field),*]) };
    };
    ($layout:ident, $name:literal, $message:ty, [$($field:expr,)*]) => {
        layout! { $layout, [$($field,)*] }

        impl Measured for $message {
            const NAME: &'static str = $name;
            const LAYOUT: &'static Layout = &$layout;
        }
    };
}

const fn checked(fields: &'static [Field]) -> &'static [Field] {
    assert!(fields.len() <= MAX_FIELDS);
    fields
}

include!(concat!(env!("OUT_DIR"), "/layouts.rs"));
