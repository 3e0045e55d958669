//! Cells of `get` and `scan`.

use super::{descriptor, time};
use crate::error::{Result, ShellError};
use finback_client::{Bytes, Cell, CellType, RegionInfo, StringBinary, messages};
use finback_proto::Message;
use jiff::tz::TimeZone;
use std::collections::HashMap;

/// The bytes before a protobuf message in hbase:meta.
const MAGIC: &[u8] = b"PBUF";

/// How the cells of one command are written.
pub(crate) struct CellFormat {
    pub(crate) zone: TimeZone,
    pub(crate) is_meta: bool,
    /// Characters of a cell, at most. `MAXLENGTH`
    pub(crate) max_length: Option<usize>,
    /// How everything is written: a method of HBase's `Bytes`. `FORMATTER`
    pub(crate) formatter: Option<String>,
    /// How values of columns are written: `COLUMN => 'f:q:toInt'`.
    pub(crate) converters: HashMap<(Vec<u8>, Vec<u8>), String>,
}

impl CellFormat {
    pub(crate) fn key(&self, row: &[u8]) -> Result<String> {
        converted(row, self.formatter.as_deref().unwrap_or("toStringBinary"))
    }

    /// `f:q`
    pub(crate) fn column(&self, cell: &Cell<'_>) -> Result<String> {
        Ok(format!("{}:{}", self.key(cell.family())?, self.key(cell.qualifier())?))
    }

    /// `timestamp=…, value=…`
    pub(crate) fn cell(&self, cell: &Cell<'_>) -> Result<String> {
        let at = time::local_date_time(cell.timestamp(), &self.zone);
        if self.is_meta
            && let Some(value) = meta_value(cell)
        {
            return Ok(format!("timestamp={at}, value={value}"));
        }
        let shown = match CellType::from_code(cell.type_code()) {
            Some(kind) if kind != CellType::Put => format!("timestamp={at}, type={kind:?}"),
            _ => format!("timestamp={at}, value={}", self.value(cell)?),
        };
        Ok(match self.max_length {
            Some(length) => shown.chars().take(length).collect(),
            None => shown,
        })
    }

    fn value(&self, cell: &Cell<'_>) -> Result<String> {
        let of_column = match self.converters.is_empty() {
            true => None,
            false => self.converters.get(&(cell.family().to_vec(), cell.qualifier().to_vec())),
        };
        let converter = of_column.or(self.formatter.as_ref()).map_or("toStringBinary", String::as_str);
        converted(cell.value(), converter)
    }
}

/// What HBase's shell spells out of hbase:meta.
fn meta_value(cell: &Cell<'_>) -> Option<String> {
    let (family, qualifier) = (cell.family(), cell.qualifier());
    if family != b"info" {
        return None;
    }
    match qualifier {
        b"serverstartcode" => Some(i64::from_be_bytes(cell.value().try_into().ok()?).to_string()),
        b"regioninfo" | b"splitA" | b"splitB" => Some(region_info(cell.value())),
        qualifier if qualifier.starts_with(b"merge") => Some(region_info(cell.value())),
        _ => None,
    }
}

fn region_info(value: &[u8]) -> String {
    let message = value.strip_prefix(MAGIC).and_then(|bytes| messages::RegionInfo::decode(bytes).ok());
    let region = message.and_then(|message| RegionInfo::try_from(&message).ok());
    region.map_or_else(String::new, |region| descriptor::region(&region))
}

/// A method of HBase's `Bytes`, applied.
fn converted(bytes: &[u8], method: &str) -> Result<String> {
    let method = method.strip_prefix("c(org.apache.hadoop.hbase.util.Bytes).").unwrap_or(method);
    let problem = |wanted: usize| {
        ShellError::argument(format!(
            "{method} needs {wanted} bytes; {} are there: {}",
            bytes.len(),
            StringBinary(&Bytes::copy_from_slice(bytes))
        ))
    };
    macro_rules! number {
        ($type:ty) => {{
            let size = size_of::<$type>();
            let first =
                bytes.get(..size).and_then(|first| first.try_into().ok()).ok_or_else(|| problem(size))?;
            <$type>::from_be_bytes(first)
        }};
    }
    Ok(match method {
        "toStringBinary" => StringBinary(bytes).to_string(),
        "toString" => String::from_utf8_lossy(bytes).into_owned(),
        "toHex" => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        "toInt" => number!(i32).to_string(),
        "toLong" => number!(i64).to_string(),
        "toShort" => number!(i16).to_string(),
        "toFloat" => format!("{:?}", number!(f32)),
        "toDouble" => format!("{:?}", number!(f64)),
        "toBoolean" => (number!(u8) != 0).to_string(),
        other => {
            return Err(ShellError::argument(format!(
                "there is no converter {other}; known are toStringBinary, toString, toHex, toInt, toLong, toShort, \
                 toFloat, toDouble, toBoolean"
            )));
        }
    })
}
