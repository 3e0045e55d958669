//! What the values of cells are: HBase's ColumnInterpreters.

use finback_proto::{Message, pb};
use finback_rpc::{RpcException, exceptions};
use std::cmp::Ordering;

const PACKAGE: &str = "org.apache.hadoop.hbase.client.coprocessor.";

/// How values are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interpreter {
    /// Eight bytes: an integer.
    Long,
    /// Eight bytes: a floating-point number.
    Double,
}

/// A value, or what was made of some.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Long(i64),
    Double(f64),
}

impl Interpreter {
    /// The one with the name of HBase's class.
    pub(super) fn of(class: &str) -> Result<Self, RpcException> {
        match class.strip_prefix(PACKAGE) {
            Some("LongColumnInterpreter") => Ok(Self::Long),
            Some("DoubleColumnInterpreter") => Ok(Self::Double),
            _ => Err(exceptions::do_not_retry(format!("the server has no interpreter {class}"))),
        }
    }

    /// A cell's number. Values of another length have none.
    pub(super) fn number(self, value: &[u8]) -> Option<Number> {
        let bytes: [u8; 8] = value.try_into().ok()?;
        Some(match self {
            Self::Long => Number::Long(i64::from_be_bytes(bytes)),
            Self::Double => Number::Double(f64::from_be_bytes(bytes)),
        })
    }

    pub(super) fn zero(self) -> Number {
        match self {
            Self::Long => Number::Long(0),
            Self::Double => Number::Double(0.0),
        }
    }

    /// What HBase answers for weights that there are not.
    pub(super) fn least(self) -> Number {
        match self {
            Self::Long => Number::Long(i64::MIN),
            // Java's `Double.MIN_VALUE`: the least above 0.
            Self::Double => Number::Double(f64::from_bits(1)),
        }
    }
}

impl Number {
    /// The sum. Integers wrap around, as Java's do.
    pub(super) fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Long(one), Self::Long(other)) => Self::Long(one.wrapping_add(other)),
            (one, other) => Self::Double(one.double() + other.double()),
        }
    }

    pub(super) fn squared(self) -> Self {
        match self {
            Self::Long(number) => Self::Long(number.wrapping_mul(number)),
            Self::Double(number) => Self::Double(number * number),
        }
    }

    /// Java's order: what is no number is greater than all numbers.
    pub(super) fn order(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::Long(one), Self::Long(other)) => one.cmp(&other),
            (one, other) => {
                let (one, other) = (one.double(), other.double());
                one.is_nan()
                    .cmp(&other.is_nan())
                    .then_with(|| if one.is_nan() { Ordering::Equal } else { one.total_cmp(&other) })
            }
        }
    }

    fn double(self) -> f64 {
        match self {
            Self::Long(number) => number as f64,
            Self::Double(number) => number,
        }
    }

    /// The message of HBase's interpreter.
    pub(super) fn encode(self) -> Vec<u8> {
        match self {
            Self::Long(long_msg) => pb::LongMsg { long_msg }.encode_to_vec(),
            Self::Double(double_msg) => pb::DoubleMsg { double_msg }.encode_to_vec(),
        }
    }
}
