//! The coprocessors that a table names: attributes `coprocessor$1` of `path|class|priority|arguments`.

use crate::schema::TableDescriptor;

/// `AggregateService`.
pub const AGGREGATE: &str = "org.apache.hadoop.hbase.coprocessor.AggregateImplementation";
/// `RowCountService`, of HBase's examples.
pub const ROW_COUNT: &str = "org.apache.hadoop.hbase.coprocessor.example.RowCountEndpoint";
/// `MultiRowMutationService`.
pub const MULTI_ROW_MUTATION: &str = "org.apache.hadoop.hbase.coprocessor.MultiRowMutationEndpoint";

/// The classes that there are: these are built in, and no other can be loaded.
pub const BUILT_IN: [&str; 3] = [AGGREGATE, ROW_COUNT, MULTI_ROW_MUTATION];

impl TableDescriptor {
    /// The classes of its coprocessors. As in HBase, attributes that are not of their form name none.
    pub fn coprocessors(&self) -> impl Iterator<Item = &str> {
        self.attributes.iter().filter(|(key, _)| is_key(key)).filter_map(|(_, value)| class_of(value))
    }
}

/// `coprocessor$` and a number, in any case, as HBase's pattern `^coprocessor\$([0-9]+)$` has it.
fn is_key(key: &[u8]) -> bool {
    let prefix = b"coprocessor$";
    let Some((name, number)) = key.trim_ascii().split_at_checked(prefix.len()) else { return false };
    name.eq_ignore_ascii_case(prefix) && !number.is_empty() && number.iter().all(u8::is_ascii_digit)
}

/// As HBase's pattern `(^[^\|]*)\|([^\|]+)\|[\s]*([\d]*)[\s]*(\|.*)?$`: a priority may be missing, its bar may not.
fn class_of(value: &[u8]) -> Option<&str> {
    let mut parts = std::str::from_utf8(value).ok()?.trim().splitn(4, '|');
    let (_path, class, priority) = (parts.next()?, parts.next()?, parts.next()?);
    let is_number = priority.trim().bytes().all(|byte| byte.is_ascii_digit());
    (!class.is_empty() && is_number).then(|| class.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table_name::TableName;

    fn classes(key: &str, value: &str) -> Vec<String> {
        let table = TableDescriptor::new(TableName::parse(b"t").unwrap()).with(key, value);
        table.coprocessors().map(str::to_owned).collect()
    }

    #[test]
    fn a_class_stands_between_the_first_two_bars() {
        for value in ["|a.B|", "|a.B|1001|", "hdfs:///x.jar| a.B | 1001 |k=v,l=w|x", "|a.B|1", " |a.B|| "] {
            assert_eq!(classes("coprocessor$1", value), ["a.B"], "{value}");
        }
        assert_eq!(classes("Coprocessor$12", "|a.B|"), ["a.B"]);
    }

    #[test]
    fn what_is_not_of_the_form_names_no_class() {
        for value in ["", "a.B", "|a.B", "||", "|a.B|high|", "|a.B|-1|"] {
            assert!(classes("coprocessor$1", value).is_empty(), "{value}");
        }
        for key in ["coprocessor", "coprocessor$", "coprocessor$x", "coprocessor$1x", "my coprocessor$1"] {
            assert!(classes(key, "|a.B|").is_empty(), "{key}");
        }
    }
}
