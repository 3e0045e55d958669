//! `namespace:qualifier`.

use bytes::Bytes;

/// A table's name. The namespace `default` is left out when written.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TableName {
    namespace: Bytes,
    qualifier: Bytes,
}

/// Why bytes are not a table's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct IllegalName(pub String);

impl TableName {
    /// The namespace of tables without one.
    pub const DEFAULT_NAMESPACE: &'static str = "default";
    /// The namespace of HBase's own tables.
    pub const SYSTEM_NAMESPACE: &'static str = "hbase";

    /// Checks and builds a name from its parts.
    pub fn new(namespace: &[u8], qualifier: &[u8]) -> Result<Self, IllegalName> {
        check_namespace(namespace)?;
        check_qualifier(qualifier)?;
        Ok(Self {
            namespace: Bytes::copy_from_slice(namespace),
            qualifier: Bytes::copy_from_slice(qualifier),
        })
    }

    /// Parses `qualifier` or `namespace:qualifier`.
    pub fn parse(name: &[u8]) -> Result<Self, IllegalName> {
        match name.iter().position(|&byte| byte == b':') {
            Some(at) => Self::new(&name[..at], &name[at + 1..]),
            None => Self::new(Self::DEFAULT_NAMESPACE.as_bytes(), name),
        }
    }

    /// `hbase:meta`.
    pub fn meta() -> Self {
        Self { namespace: Bytes::from_static(b"hbase"), qualifier: Bytes::from_static(b"meta") }
    }

    /// `hbase:namespace`.
    pub fn namespace_table() -> Self {
        Self { namespace: Bytes::from_static(b"hbase"), qualifier: Bytes::from_static(b"namespace") }
    }

    /// The namespace.
    pub fn namespace(&self) -> &str {
        std::str::from_utf8(&self.namespace).unwrap_or_default()
    }

    /// The name inside the namespace.
    pub fn qualifier(&self) -> &str {
        std::str::from_utf8(&self.qualifier).unwrap_or_default()
    }

    /// Whether this is `hbase:meta`.
    pub fn is_meta(&self) -> bool {
        &self.namespace[..] == b"hbase" && &self.qualifier[..] == b"meta"
    }

    /// Whether the table belongs to HBase itself.
    pub fn is_system(&self) -> bool {
        &self.namespace[..] == b"hbase"
    }

    /// The name as in region names and WAL keys: `qualifier` or `namespace:qualifier`.
    pub fn to_bytes(&self) -> Bytes {
        if &self.namespace[..] == b"default" { self.qualifier.clone() } else { Bytes::from(self.to_string()) }
    }
}

impl std::fmt::Display for TableName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if &self.namespace[..] == b"default" {
            f.write_str(self.qualifier())
        } else {
            write!(f, "{}:{}", self.namespace(), self.qualifier())
        }
    }
}

impl std::fmt::Debug for TableName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// Checks a namespace: letters, digits and underscores.
pub fn check_namespace(name: &[u8]) -> Result<(), IllegalName> {
    let shown = name.escape_ascii();
    if name.is_empty() {
        return Err(IllegalName("Namespace name must not be empty".into()));
    }
    // HBase allows any Unicode letter or digit in namespaces.
    let text =
        std::str::from_utf8(name).map_err(|_| IllegalName(format!("Illegal namespace name {shown}")))?;
    match text.chars().find(|c| !(c.is_alphanumeric() || *c == '_')) {
        Some(bad) => Err(IllegalName(format!(
            "Illegal character <{bad}>. Namespaces may only contain 'alphanumeric characters' from any language and digits: {shown}"
        ))),
        None => Ok(()),
    }
}

/// Checks a qualifier: letters, digits, `_`, `-`, `.`, not starting with `.` or `-`.
pub fn check_qualifier(name: &[u8]) -> Result<(), IllegalName> {
    let shown = name.escape_ascii();
    if name.is_empty() {
        return Err(IllegalName("Table qualifier must not be empty".into()));
    }
    if name[0] == b'.' || name[0] == b'-' {
        return Err(IllegalName(format!(
            "Illegal first character <{}>. User-space table qualifiers can only start with 'alphanumeric characters' from any language: {shown}",
            char::from(name[0])
        )));
    }
    let text =
        std::str::from_utf8(name).map_err(|_| IllegalName(format!("Illegal table qualifier {shown}")))?;
    match text.chars().find(|c| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))) {
        Some(bad) => Err(IllegalName(format!(
            "Illegal character code:{}, <{bad}>. User-space table qualifiers may only contain 'alphanumeric characters' and digits: {shown}",
            u32::from(bad)
        ))),
        None => Ok(()),
    }
}
