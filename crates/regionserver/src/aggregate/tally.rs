//! What is kept of the rows read, and HBase's answers from it.

use super::interpreter::{Interpreter, Number};
use finback_cell::{Bytes, Cell};
use finback_proto::pb;
use std::cmp::Ordering;

/// Numbers of the rows so far.
pub(super) struct Tally {
    interpreter: Interpreter,
    /// Of a weighted median: the column of the weights, which are no values.
    weight_column: Option<Bytes>,
    max: Option<Number>,
    min: Option<Number>,
    sum: Option<Number>,
    /// Of the squares of what the values of each row come to.
    sum_of_squares: Option<Number>,
    weights: Option<Number>,
    rows: u64,
}

impl Tally {
    /// `weight_column`: of a weighted median.
    pub(super) fn new(interpreter: Interpreter, weight_column: Option<Bytes>) -> Self {
        Self {
            interpreter,
            weight_column,
            max: None,
            min: None,
            sum: None,
            sum_of_squares: None,
            weights: None,
            rows: 0,
        }
    }

    /// Counts a row.
    pub(super) fn row(&mut self, cells: &[Cell<'_>]) {
        self.rows += 1;
        let mut of_row = None;
        for cell in cells {
            let Some(number) = self.interpreter.number(cell.value()) else { continue };
            let is_new =
                |best: &Option<Number>, wanted| best.as_ref().is_none_or(|best| number.order(best) == wanted);
            if is_new(&self.max, Ordering::Greater) {
                self.max = Some(number.clone());
            }
            if is_new(&self.min, Ordering::Less) {
                self.min = Some(number.clone());
            }
            if self.weight_column.as_deref() == Some(cell.qualifier()) {
                add(&mut self.weights, number);
            } else {
                add(&mut of_row, number);
            }
        }
        if let Some(of_row) = of_row {
            add(&mut self.sum_of_squares, of_row.squared());
            add(&mut self.sum, of_row);
        }
    }

    pub(super) fn max(&self) -> pb::AggregateResponse {
        parts(&self.max)
    }

    pub(super) fn min(&self) -> pb::AggregateResponse {
        parts(&self.min)
    }

    pub(super) fn sum(&self) -> pb::AggregateResponse {
        parts(&self.sum)
    }

    /// The number of rows, as eight bytes.
    pub(super) fn row_count(&self) -> pb::AggregateResponse {
        pb::AggregateResponse { first_part: vec![self.row_bytes()], second_part: None }
    }

    /// The sum and the number of rows; nothing without a value.
    pub(super) fn mean(&self) -> pb::AggregateResponse {
        self.with_rows(parts(&self.sum))
    }

    /// The sum, that of the squares, and the number of rows; nothing without a value.
    pub(super) fn deviation(&self) -> pb::AggregateResponse {
        self.with_rows(parts(self.sum.iter().chain(&self.sum_of_squares)))
    }

    /// The sum of the values and that of the weights.
    pub(super) fn median(&self) -> pb::AggregateResponse {
        let sum = self.sum.clone().unwrap_or_else(|| self.interpreter.zero());
        parts([&sum, &self.weights.clone().unwrap_or_else(|| self.interpreter.least())])
    }

    fn with_rows(&self, answer: pb::AggregateResponse) -> pb::AggregateResponse {
        let second_part = (!answer.first_part.is_empty()).then(|| self.row_bytes());
        pb::AggregateResponse { second_part, ..answer }
    }

    fn row_bytes(&self) -> Bytes {
        Bytes::copy_from_slice(&self.rows.to_be_bytes())
    }
}

fn add(sum: &mut Option<Number>, number: Number) {
    *sum = Some(match sum.take() {
        Some(sum) => sum.plus(&number),
        None => number,
    });
}

fn parts<'a>(numbers: impl IntoIterator<Item = &'a Number>) -> pb::AggregateResponse {
    let first_part = numbers.into_iter().map(|number| number.encode().into()).collect();
    pb::AggregateResponse { first_part, second_part: None }
}

#[cfg(test)]
mod tests;
