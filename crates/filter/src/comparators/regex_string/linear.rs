//! Patterns that can be found in time linear in the text: those without look-around, back-references and the like.

use super::{MAX_PROGRAM_BYTES, automaton_walk, engine_words, line_ends};
use regex_automata::nfa::thompson::{self, NFA, WhichCaptures};
use regex_automata::{Input, meta};
use regex_syntax::hir::{Hir, HirKind};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Memory for what the engine learns while matching, in each direction, in bytes; it needs more for large programs.
const MATCHER_BYTES: usize = 512 << 10;
/// The same, for each byte of the program.
const MATCHER_BYTES_PER_BYTE: usize = 4;
/// Deepest nesting in the words of the engine: of groups, and of a few things more in each.
const MAX_NESTING: u32 = 500;

/// Parses a pattern written for the linear engine.
pub(super) fn parse(pattern: &str) -> Result<Hir, String> {
    let mut parser = regex_syntax::ParserBuilder::new().nest_limit(MAX_NESTING).build();
    parser.parse(pattern).map_err(|error| match error {
        regex_syntax::Error::Parse(error) => error.kind().to_string(),
        regex_syntax::Error::Translate(error) => error.kind().to_string(),
        other => other.to_string(),
    })
}

/// The automaton of a pattern, if it is small enough.
pub(super) fn automaton(pattern: &Hir) -> Result<NFA, String> {
    let config =
        thompson::Config::new().nfa_size_limit(Some(MAX_PROGRAM_BYTES)).which_captures(WhichCaptures::None);
    NFA::compiler().configure(config).build_from_hir(pattern).map_err(|error| error.to_string())
}

/// How many classes of characters a pattern names.
pub(super) fn count_classes(pattern: &Hir) -> usize {
    match pattern.kind() {
        HirKind::Class(_) => 1,
        _ => pattern.kind().subs().iter().map(count_classes).sum(),
    }
}

/// A compiled pattern.
pub(super) struct LinearRegex {
    engine: meta::Regex,
    /// For texts in which the engine would find something else.
    automaton: Option<NFA>,
    /// What the engine has learned while matching; nothing before the first text.
    learned: Mutex<Option<Box<meta::Cache>>>,
}

impl LinearRegex {
    /// Compiles what [`parse`] has made.
    pub(super) fn new(pattern: &Hir) -> Result<Self, String> {
        let automaton = automaton(pattern)?;
        let reworded = engine_words::reworded(pattern);
        let config = meta::Config::new()
            .nfa_size_limit(Some(MAX_PROGRAM_BYTES))
            .hybrid_cache_capacity(MATCHER_BYTES + automaton.memory_usage() * MATCHER_BYTES_PER_BYTE)
            .which_captures(WhichCaptures::Implicit);
        let build = |config| {
            let engine = meta::Builder::new().configure(config).build_from_hir(&reworded.hir);
            engine.map_err(|error| error.size_limit().map_or(error.to_string(), too_large))
        };
        // The faster ways need the pattern in reverse as well, which may be twice as large.
        let slower = || build(config.clone().hybrid(false).dfa(false));
        let engine = build(config.clone()).or_else(|_| slower())?;
        Ok(Self {
            engine,
            automaton: (!reworded.in_all_texts).then_some(automaton),
            learned: Mutex::default(),
        })
    }

    /// The memory that the compiled pattern takes before it has matched anything.
    pub(super) fn program_bytes(&self) -> usize {
        self.engine.memory_usage() + self.automaton.as_ref().map_or(0, NFA::memory_usage)
    }

    /// The memory that what it has learned while matching takes.
    pub(super) fn learned_bytes(&self) -> usize {
        self.learned().as_ref().map_or(0, |learned| size_of_val(&**learned) + learned.memory_usage())
    }

    fn learned(&self) -> MutexGuard<'_, Option<Box<meta::Cache>>> {
        self.learned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the pattern is found anywhere in `text`.
    pub(super) fn is_match(&self, text: &str) -> bool {
        match &self.automaton {
            Some(automaton) if !line_ends::is_plain(text) => automaton_walk::finds(automaton, text),
            _ => {
                let mut learned = self.learned();
                let learned = learned.get_or_insert_with(|| Box::new(self.engine.create_cache()));
                self.engine.search_half_with(learned, &Input::new(text).earliest(true)).is_some()
            }
        }
    }
}

fn too_large(limit: usize) -> String {
    format!("compiled, it is larger than {limit} bytes")
}
