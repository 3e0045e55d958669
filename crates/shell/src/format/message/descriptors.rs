//! What the messages of HBase are called, and what is in them.

use crate::value::Value;
use prost::Message;
use prost_types::{DescriptorProto, EnumDescriptorProto, FileDescriptorSet};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Those of this build.
pub(super) static DESCRIPTORS: LazyLock<Descriptors> = LazyLock::new(|| {
    let bytes = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.binpb"));
    // The build has written them.
    let files = FileDescriptorSet::decode(&bytes[..]).unwrap_or_default();
    Descriptors::of(files)
});

/// By their full names, with a point before them.
#[derive(Default)]
pub(super) struct Descriptors {
    messages: HashMap<String, DescriptorProto>,
    enums: HashMap<String, EnumDescriptorProto>,
}

impl Descriptors {
    fn of(files: FileDescriptorSet) -> Self {
        let mut all = Self::default();
        for file in files.file {
            let package = format!(".{}", file.package());
            file.enum_type.into_iter().for_each(|one| all.add_enum(&package, one));
            file.message_type.into_iter().for_each(|one| all.add(&package, one));
        }
        all
    }

    fn add(&mut self, within: &str, mut message: DescriptorProto) {
        let name = format!("{within}.{}", message.name());
        std::mem::take(&mut message.enum_type).into_iter().for_each(|one| self.add_enum(&name, one));
        std::mem::take(&mut message.nested_type).into_iter().for_each(|one| self.add(&name, one));
        self.messages.insert(name, message);
    }

    fn add_enum(&mut self, within: &str, one: EnumDescriptorProto) {
        self.enums.insert(format!("{within}.{}", one.name()), one);
    }

    pub(super) fn message(&self, name: &str) -> Option<&DescriptorProto> {
        self.messages.get(name)
    }

    /// The name of a value of an enum; the number, if it has none.
    pub(super) fn name_of(&self, name: &str, number: i32) -> Value {
        let values = self.enums.get(name).map(|one| &one.value[..]).unwrap_or_default();
        let found = values.iter().find(|value| value.number() == number);
        found.map_or(Value::Int(number.into()), |value| Value::text(value.name()))
    }
}
