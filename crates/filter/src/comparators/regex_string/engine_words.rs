//! Java's line ends ([`super::line_ends`]) in words of the linear engine.
//!
//! In texts that are plain some mean the same to the engine, and `$` is their end. Where `$` or `\Z` ends the pattern it can
//! be said for all texts: what follows is a line end, and the end.

use regex_syntax::hir::{Hir, HirKind, Look};

/// What [`super::line_ends::BEFORE_LAST`] is parsed to.
const BEFORE_LAST: Look = Look::WordEndHalfAscii;
/// What [`super::line_ends::BEFORE_LAST_LF`] is parsed to.
const BEFORE_LAST_LF: Look = Look::WordStartHalfAscii;
/// [`BEFORE_LAST`] at the end of a pattern, where the line end can be taken. The engine's `$` is not between CR and LF.
const TAKING_LAST: &str = r"(?:(?mR:$)(?:\r\n|[\n\r])?|[\x{85}\x{2028}\x{2029}])\z";
/// [`BEFORE_LAST_LF`] at the end of a pattern.
const TAKING_LAST_LF: &str = r"\n?\z";

/// A pattern in words of the engine.
pub(super) struct Reworded {
    pub(super) hir: Hir,
    /// Whether it finds the same in all texts; otherwise only in those that are plain.
    pub(super) in_all_texts: bool,
}

/// Says in words of the engine what `hir` means.
pub(super) fn reworded(hir: &Hir) -> Reworded {
    let mut in_all_texts = true;
    let hir = reword(hir, true, &mut in_all_texts);
    Reworded { hir, in_all_texts }
}

/// `last`: whether nothing of the pattern follows.
fn reword(hir: &Hir, last: bool, in_all_texts: &mut bool) -> Hir {
    match hir.kind() {
        HirKind::Look(look) => reword_look(*look, last, in_all_texts),
        HirKind::Concat(parts) => {
            let end = parts.len() - 1;
            let parts = parts.iter().enumerate();
            Hir::concat(parts.map(|(at, part)| reword(part, last && at == end, in_all_texts)).collect())
        }
        HirKind::Alternation(ways) => {
            Hir::alternation(ways.iter().map(|way| reword(way, last, in_all_texts)).collect())
        }
        HirKind::Capture(group) => reword(&group.sub, last, in_all_texts),
        HirKind::Repetition(repetition) => {
            let once = repetition.max.is_some_and(|max| max <= 1);
            Hir::repetition(repetition.with(reword(&repetition.sub, last && once, in_all_texts)))
        }
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) => hir.clone(),
    }
}

fn reword_look(look: Look, last: bool, in_all_texts: &mut bool) -> Hir {
    let taking = match look {
        BEFORE_LAST => TAKING_LAST,
        BEFORE_LAST_LF => TAKING_LAST_LF,
        Look::EndLF => return Hir::look(look),
        Look::StartCRLF | Look::StartLF | Look::EndCRLF => {
            *in_all_texts = false;
            return Hir::look(look);
        }
        other => return Hir::look(other),
    };
    match regex_syntax::parse(taking) {
        Ok(taking) if last => taking,
        _ => {
            *in_all_texts = false;
            Hir::look(Look::End)
        }
    }
}
