//! What the filters of HBase's filter language are given (`createFilterFromArguments`).

use super::Filter;
use crate::comparator::{Comparator, CompareOperator};

/// The filters that the language knows.
pub(super) const NAMES: [&str; 19] = [
    "ColumnCountGetFilter",
    "ColumnPaginationFilter",
    "ColumnPrefixFilter",
    "ColumnRangeFilter",
    "ColumnValueFilter",
    "DependentColumnFilter",
    "FamilyFilter",
    "FirstKeyOnlyFilter",
    "InclusiveStopFilter",
    "KeyOnlyFilter",
    "MultipleColumnPrefixFilter",
    "PageFilter",
    "PrefixFilter",
    "QualifierFilter",
    "RowFilter",
    "SingleColumnValueExcludeFilter",
    "SingleColumnValueFilter",
    "TimestampsFilter",
    "ValueFilter",
];

/// An argument.
#[derive(Debug)]
pub(super) enum Argument {
    /// In quotes: bytes.
    Quoted(Vec<u8>),
    /// Without: a number, a boolean, an operator.
    Bare(String),
}

type Read<T> = Result<T, String>;

/// The filter of that name.
pub(super) fn filter(name: &str, arguments: &[Argument]) -> Read<Filter> {
    let list = Arguments(arguments);
    Ok(match name {
        "ColumnCountGetFilter" => Filter::column_count(list.counted(&[1])?.int(0)?),
        "ColumnPaginationFilter" => {
            let list = list.counted(&[2])?;
            Filter::column_pagination(list.int(0)?, list.int(1)?)
        }
        "ColumnPrefixFilter" => Filter::column_prefix(list.counted(&[1])?.quoted(0)?),
        "ColumnRangeFilter" => {
            let list = list.counted(&[4])?;
            let bound = |at| Ok::<_, String>((list.quoted(at)?, list.boolean(at + 1)?));
            let (min, max) = (bound(0)?, bound(2)?);
            Filter::column_range(
                Some(min).filter(|(column, _)| !column.is_empty()),
                Some(max).filter(|(column, _)| !column.is_empty()),
            )
        }
        "ColumnValueFilter" => {
            let list = list.counted(&[4])?;
            let (operator, comparator) = list.comparison(2)?;
            Filter::column_value(list.quoted(0)?, list.quoted(1)?, operator, comparator)
        }
        "DependentColumnFilter" => {
            let list = list.counted(&[2, 3, 5])?;
            let drop = arguments.len() > 2 && list.boolean(2)?;
            let compared = (arguments.len() == 5).then(|| list.unrestricted_comparison(3)).transpose()?;
            Filter::dependent_column(list.quoted(0)?, list.quoted(1)?, drop, compared)
        }
        "FirstKeyOnlyFilter" => list.counted(&[0]).map(|_| Filter::first_key_only())?,
        "InclusiveStopFilter" => Filter::inclusive_stop(list.counted(&[1])?.quoted(0)?),
        "KeyOnlyFilter" => {
            let list = list.counted(&[0, 1])?;
            Filter::key_only(!arguments.is_empty() && list.boolean(0)?)
        }
        "MultipleColumnPrefixFilter" => {
            let prefixes: Vec<&[u8]> = (0..arguments.len()).map(|at| list.quoted(at)).collect::<Read<_>>()?;
            Filter::column_prefixes(prefixes)
        }
        "PageFilter" => Filter::page(list.counted(&[1])?.long(0)?),
        "PrefixFilter" => Filter::prefix(list.counted(&[1])?.quoted(0)?),
        "RowFilter" | "FamilyFilter" | "QualifierFilter" | "ValueFilter" => {
            let (operator, comparator) = list.counted(&[2])?.comparison(0)?;
            match name {
                "RowFilter" => Filter::row(operator, comparator),
                "FamilyFilter" => Filter::family(operator, comparator),
                "QualifierFilter" => Filter::qualifier(operator, comparator),
                _ => Filter::value(operator, comparator),
            }
        }
        "SingleColumnValueFilter" | "SingleColumnValueExcludeFilter" => {
            let list = list.counted(&[4, 6])?;
            let (operator, comparator) = list.comparison(2)?;
            let (if_missing, latest) =
                if arguments.len() == 6 { (list.boolean(4)?, list.boolean(5)?) } else { (false, true) };
            let (family, qualifier) = (list.quoted(0)?, list.quoted(1)?);
            let make = match name {
                "SingleColumnValueFilter" => Filter::single_column_value_with,
                _ => Filter::single_column_value_exclude,
            };
            make(family, qualifier, operator, comparator, if_missing, latest)
        }
        "TimestampsFilter" => {
            let timestamps: Vec<i64> = (0..arguments.len()).map(|at| list.long(at)).collect::<Read<_>>()?;
            Filter::timestamps(timestamps)
        }
        _ => return Err(format!("not supported; known are {}", NAMES.join(", "))),
    })
}

#[derive(Clone, Copy)]
struct Arguments<'a>(&'a [Argument]);

impl<'a> Arguments<'a> {
    fn counted(self, allowed: &[usize]) -> Read<Self> {
        match allowed.contains(&self.0.len()) {
            true => Ok(self),
            false => {
                let allowed: Vec<String> = allowed.iter().map(ToString::to_string).collect();
                Err(format!("expected {} arguments but got {}", allowed.join(" or "), self.0.len()))
            }
        }
    }

    fn quoted(self, at: usize) -> Read<&'a [u8]> {
        match self.0.get(at) {
            Some(Argument::Quoted(bytes)) => Ok(bytes),
            _ => Err(format!("argument {} must be in quotes", at + 1)),
        }
    }

    fn bare(self, at: usize) -> Read<&'a str> {
        match self.0.get(at) {
            Some(Argument::Bare(text)) => Ok(text),
            _ => Err(format!("argument {} must not be in quotes", at + 1)),
        }
    }

    fn long(self, at: usize) -> Read<i64> {
        let text = self.bare(at)?;
        text.parse().map_err(|_| format!("{text:?} is no number"))
    }

    fn int(self, at: usize) -> Read<i32> {
        let text = self.bare(at)?;
        text.parse().map_err(|_| format!("{text:?} is no number of 32 bits"))
    }

    fn boolean(self, at: usize) -> Read<bool> {
        match self.bare(at)? {
            text if text.eq_ignore_ascii_case("true") => Ok(true),
            text if text.eq_ignore_ascii_case("false") => Ok(false),
            text => Err(format!("{text:?} is neither true nor false")),
        }
    }

    fn operator(self, at: usize) -> Read<CompareOperator> {
        Ok(match self.bare(at)? {
            "<" => CompareOperator::Less,
            "<=" => CompareOperator::LessOrEqual,
            "=" => CompareOperator::Equal,
            "!=" => CompareOperator::NotEqual,
            ">=" => CompareOperator::GreaterOrEqual,
            ">" => CompareOperator::Greater,
            text => return Err(format!("{text:?} is none of <, <=, =, !=, >= and >")),
        })
    }

    fn comparator(self, at: usize) -> Read<Comparator> {
        let text = self.quoted(at)?;
        let colon = text.iter().position(|&byte| byte == b':');
        let colon = colon.ok_or("a comparator is written 'type:value'")?;
        let (kind, value) = (&text[..colon], &text[colon + 1..]);
        let as_text = || String::from_utf8_lossy(value);
        Ok(match kind {
            b"binary" => Comparator::binary(value),
            b"binaryprefix" => Comparator::binary_prefix(value),
            b"regexstring" => Comparator::regex(&as_text()),
            b"regexstringnocase" => Comparator::regex_ignoring_case(&as_text()),
            b"substring" => Comparator::substring(&as_text()),
            _ => {
                let kind = String::from_utf8_lossy(kind);
                let known = "binary, binaryprefix, regexstring, regexstringnocase, substring";
                return Err(format!("no comparator {kind:?}; known are {known}"));
            }
        })
    }

    fn unrestricted_comparison(self, at: usize) -> Read<(CompareOperator, Comparator)> {
        Ok((self.operator(at)?, self.comparator(at + 1)?))
    }

    fn comparison(self, at: usize) -> Read<(CompareOperator, Comparator)> {
        let (operator, comparator) = self.unrestricted_comparison(at)?;
        let equality = matches!(operator, CompareOperator::Equal | CompareOperator::NotEqual);
        match comparator.only_matches() && !equality {
            true => Err("regexstring and substring can only be used with = and !=".to_owned()),
            false => Ok((operator, comparator)),
        }
    }
}
