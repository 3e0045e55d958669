//! Rows of random doubles and booleans, as a column each or as an Avro record.

/// What the values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Values {
    Doubles,
    Booleans,
    /// Doubles and booleans in turn.
    Both,
}

/// How they stand in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Each in a column of its own.
    Separate,
    /// All in one column, as an Avro record.
    Packed,
}

/// What a table has in each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) columns: usize,
    pub(crate) values: Values,
    pub(crate) form: Form,
}

enum Value {
    Double(f64),
    Boolean(bool),
}

/// The key of row `number`: 16 bytes.
pub(crate) fn row(number: u64) -> String {
    format!("user{number:012}")
}

/// A number that looks random: Steele, Lea and Flood's SplitMix64.
pub(crate) fn mixed(number: u64) -> u64 {
    let state = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

impl Shape {
    /// Cells of a row.
    pub(crate) fn cells(&self) -> usize {
        match self.form {
            Form::Separate => self.columns,
            Form::Packed => 1,
        }
    }

    /// Qualifiers and values of row `number`.
    pub(crate) fn columns(&self, number: u64) -> Vec<(String, Vec<u8>)> {
        let values = self.values(number);
        match self.form {
            Form::Separate => {
                let named = values.enumerate();
                named.map(|(column, value)| (format!("field{column:02}"), value.bytes())).collect()
            }
            Form::Packed => {
                // An Avro record is its fields, one behind the other.
                let mut record = Vec::new();
                values.for_each(|value| value.write_avro(&mut record));
                vec![("record".to_owned(), record)]
            }
        }
    }

    fn values(&self, number: u64) -> impl Iterator<Item = Value> {
        let kind = self.values;
        (0..self.columns as u64).map(move |column| {
            let random = mixed(number * 1000 + column);
            match kind {
                Values::Doubles => Value::double(random),
                Values::Booleans => Value::boolean(random),
                Values::Both if column % 2 == 0 => Value::double(random),
                Values::Both => Value::boolean(random),
            }
        })
    }
}

impl Value {
    /// Between 0 and 1, like Java's `Math.random`.
    fn double(random: u64) -> Self {
        Self::Double((random >> 11) as f64 / (1u64 << 53) as f64)
    }

    fn boolean(random: u64) -> Self {
        Self::Boolean(random >> 63 == 1)
    }

    /// As HBase's `Bytes.toBytes` has it.
    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Double(double) => double.to_be_bytes().to_vec(),
            Self::Boolean(boolean) => vec![if *boolean { 0xff } else { 0 }],
        }
    }

    /// As Avro's binary encoding has it.
    fn write_avro(&self, out: &mut Vec<u8>) {
        match self {
            Self::Double(double) => out.extend_from_slice(&double.to_le_bytes()),
            Self::Boolean(boolean) => out.push(u8::from(*boolean)),
        }
    }
}
