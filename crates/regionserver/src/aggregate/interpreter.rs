//! What the values of cells are: HBase's ColumnInterpreters.

use super::decimal::Decimal;
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
    /// A number with digits behind the point, of any length.
    BigDecimal,
}

/// A value, or what was made of some.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Number {
    Long(i64),
    Double(f64),
    Decimal(Decimal),
}

impl Interpreter {
    /// The one with the name of HBase's class.
    pub(super) fn of(class: &str) -> Result<Self, RpcException> {
        match class.strip_prefix(PACKAGE) {
            Some("LongColumnInterpreter") => Ok(Self::Long),
            Some("DoubleColumnInterpreter") => Ok(Self::Double),
            Some("BigDecimalColumnInterpreter") => Ok(Self::BigDecimal),
            _ => Err(exceptions::do_not_retry(format!("the server has no interpreter {class}"))),
        }
    }

    /// A cell's number, if its value is one.
    pub(super) fn number(self, value: &[u8]) -> Option<Number> {
        let bytes = || value.try_into().ok();
        Some(match self {
            Self::Long => Number::Long(i64::from_be_bytes(bytes()?)),
            Self::Double => Number::Double(f64::from_be_bytes(bytes()?)),
            Self::BigDecimal => Number::Decimal(Decimal::from_value(value)?),
        })
    }

    pub(super) fn zero(self) -> Number {
        match self {
            Self::Long => Number::Long(0),
            Self::Double => Number::Double(0.0),
            Self::BigDecimal => Number::Decimal(Decimal::zero()),
        }
    }

    /// What HBase answers for weights that there are not.
    pub(super) fn least(self) -> Number {
        match self {
            Self::Long => Number::Long(i64::MIN),
            // Java's `Double.MIN_VALUE`: the least above 0.
            Self::Double => Number::Double(f64::from_bits(1)),
            Self::BigDecimal => Number::Decimal(Decimal::least()),
        }
    }
}

impl Number {
    /// The sum. Integers wrap around, as Java's do.
    pub(super) fn plus(self, other: &Self) -> Self {
        match (self, other) {
            (Self::Long(one), Self::Long(other)) => Self::Long(one.wrapping_add(*other)),
            (Self::Decimal(one), Self::Decimal(other)) => Self::Decimal(one.plus(other)),
            (one, other) => Self::Double(one.double() + other.double()),
        }
    }

    pub(super) fn squared(&self) -> Self {
        match self {
            Self::Long(number) => Self::Long(number.wrapping_mul(*number)),
            Self::Double(number) => Self::Double(number * number),
            Self::Decimal(number) => Self::Decimal(number.squared()),
        }
    }

    /// Java's order: what is no number is greater than all numbers.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Long(one), Self::Long(other)) => one.cmp(other),
            (Self::Decimal(one), Self::Decimal(other)) => one.order(other),
            (one, other) => {
                let (one, other) = (one.double(), other.double());
                one.is_nan()
                    .cmp(&other.is_nan())
                    .then_with(|| if one.is_nan() { Ordering::Equal } else { one.total_cmp(&other) })
            }
        }
    }

    /// For numbers of one interpreter, of doubles alone.
    fn double(&self) -> f64 {
        match self {
            Self::Long(number) => *number as f64,
            Self::Double(number) => *number,
            Self::Decimal(_) => f64::NAN,
        }
    }

    /// The message of HBase's interpreter.
    pub(super) fn encode(&self) -> Vec<u8> {
        match self {
            Self::Long(long_msg) => pb::LongMsg { long_msg: *long_msg }.encode_to_vec(),
            Self::Double(double_msg) => pb::DoubleMsg { double_msg: *double_msg }.encode_to_vec(),
            Self::Decimal(number) => {
                pb::BigDecimalMsg { bigdecimal_msg: number.to_value().into() }.encode_to_vec()
            }
        }
    }
}
