//! Changes of one row: [`Put`], [`Delete`], [`Increment`], [`Append`].

mod append;
mod cells;
mod delete;
mod draft;
mod increment;
mod put;

pub use append::Append;
pub use delete::Delete;
use draft::Draft;
pub use increment::Increment;
pub use put::Put;

use crate::error::Result;
use finback_proto::pb;
use finback_rpc::CellPiecesBuilder;

/// A change of one row.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Mutation {
    /// Stores cells.
    Put(Put),
    /// Deletes cells.
    Delete(Delete),
    /// Adds to numbers.
    Increment(Increment),
    /// Appends to values.
    Append(Append),
}

macro_rules! mutation_from {
    ($($name:ident)+) => {
        $(impl From<$name> for Mutation {
            fn from(mutation: $name) -> Self {
                Self::$name(mutation)
            }
        })+
    };
}
mutation_from!(Put Delete Increment Append);

impl Mutation {
    fn draft(&self) -> &Draft {
        match self {
            Self::Put(put) => &put.draft,
            Self::Delete(delete) => &delete.draft,
            Self::Increment(increment) => &increment.draft,
            Self::Append(append) => &append.draft,
        }
    }

    /// The row.
    pub fn row(&self) -> &[u8] {
        self.draft().row()
    }

    /// Bytes that the change takes, about.
    pub fn size(&self) -> usize {
        self.draft().size()
    }

    /// The change as it is to be sent: requests share its cells then, where they would copy them.
    pub(crate) fn sealed(mut self) -> Self {
        match &mut self {
            Self::Put(put) => put.draft.seal(),
            Self::Delete(delete) => delete.draft.seal(),
            Self::Increment(increment) => increment.draft.seal(),
            Self::Append(append) => append.draft.seal(),
        }
        self
    }

    /// Whether a repetition is told from another change by a nonce.
    pub(crate) fn wants_nonce(&self) -> bool {
        matches!(self, Self::Increment(_) | Self::Append(_))
    }

    /// Checks what was put together.
    pub(crate) fn check(&self, max_cell_size: usize) -> Result<()> {
        let may_be_empty = matches!(self, Self::Delete(_));
        self.draft().check(max_cell_size, may_be_empty)
    }

    /// The message; the cells go to `cells`.
    pub(crate) fn to_message(&self, nonce: Option<u64>, cells: &mut CellPiecesBuilder) -> pb::MutationProto {
        use pb::mutation_proto::MutationType;
        let kind = match self {
            Self::Put(_) => MutationType::Put,
            Self::Delete(_) => MutationType::Delete,
            Self::Increment(_) => MutationType::Increment,
            Self::Append(_) => MutationType::Append,
        };
        pb::MutationProto { nonce, ..self.draft().to_message(kind, cells) }
    }
}

/// The methods that all mutations share.
macro_rules! mutation_methods {
    () => {
        /// The row.
        pub fn row(&self) -> &[u8] {
            self.draft.row()
        }

        /// Bytes that the change takes, about.
        pub fn size(&self) -> usize {
            self.draft.size()
        }

        /// When the server answers. Default: as the table says.
        #[must_use]
        pub fn durability(mut self, durability: finback_cell::Durability) -> Self {
            self.draft.durability = durability;
            self
        }

        /// What is told to the server besides: coprocessors read such attributes.
        #[must_use]
        pub fn attribute(mut self, name: &str, value: impl Into<bytes::Bytes>) -> Self {
            self.draft.attribute(name, value.into());
            self
        }
    };
    (stores) => {
        mutation_methods!();

        /// How long the cells are to live.
        #[must_use]
        pub fn ttl(self, ttl: std::time::Duration) -> Self {
            let ms = i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX);
            self.attribute("_ttl", ms.to_be_bytes().to_vec())
        }
    };
    (returns) => {
        mutation_methods!(stores);

        /// Whether the new cells are given back. Default: yes.
        #[must_use]
        pub fn return_results(self, wanted: bool) -> Self {
            self.attribute("_rr_", if wanted { &b"\xff"[..] } else { &b"\x00"[..] })
        }

        /// Builds upon a version with `min <= timestamp < max`, in milliseconds. Default: any.
        #[must_use]
        pub fn time_range(mut self, min: i64, max: i64) -> Self {
            self.draft.time_range = finback_cell::TimeRange { min, max };
            self
        }
    };
}
use mutation_methods;

#[cfg(test)]
mod tests;
