//! Running an automaton over a text in all its states at once: steps in proportion to both, whatever the two are.

use super::line_ends;
use regex_automata::nfa::thompson::{NFA, State};
use regex_automata::util::primitives::StateID;

/// Whether `nfa` finds a match anywhere in `text`, with line ends as Java has them.
pub(super) fn finds(nfa: &NFA, text: &str) -> bool {
    let bytes = text.as_bytes();
    let (mut here, mut next) = (States::of(nfa), States::of(nfa));
    for at in 0..=bytes.len() {
        if text.is_char_boundary(at) && here.enter(nfa, nfa.start_anchored(), bytes, at) {
            return true;
        }
        let Some(byte) = bytes.get(at) else { break };
        for state in here.taking.drain(..) {
            if let Some(target) = after_byte(nfa.state(state), *byte)
                && next.enter(nfa, target, bytes, at + 1)
            {
                return true;
            }
        }
        std::mem::swap(&mut here, &mut next);
    }
    false
}

fn after_byte(state: &State, byte: u8) -> Option<StateID> {
    match state {
        State::ByteRange { trans } => trans.matches_byte(byte).then_some(trans.next),
        State::Sparse(transitions) => transitions.matches_byte(byte),
        State::Dense(transitions) => transitions.matches_byte(byte),
        _ => None,
    }
}

/// The states at one place of the text.
struct States {
    /// Those that take a byte.
    taking: Vec<StateID>,
    /// Of each state of the automaton, one more than the place at which it was entered last.
    entered: Vec<usize>,
    /// To be entered.
    pending: Vec<StateID>,
}

impl States {
    fn of(nfa: &NFA) -> Self {
        Self { taking: Vec::new(), entered: vec![0; nfa.states().len()], pending: Vec::new() }
    }

    /// Enters `first` and what follows from it without taking a byte. Says whether that is a match.
    fn enter(&mut self, nfa: &NFA, first: StateID, text: &[u8], at: usize) -> bool {
        self.pending.push(first);
        while let Some(id) = self.pending.pop() {
            if std::mem::replace(&mut self.entered[id.as_usize()], at + 1) == at + 1 {
                continue;
            }
            match nfa.state(id) {
                State::Match { .. } => return true,
                State::Look { look, next } if line_ends::holds(*look, text, at) => self.pending.push(*next),
                State::Look { .. } | State::Fail => {}
                State::Union { alternates } => self.pending.extend_from_slice(alternates),
                State::BinaryUnion { alt1, alt2 } => self.pending.extend([*alt1, *alt2]),
                State::Capture { next, .. } => self.pending.push(*next),
                State::ByteRange { .. } | State::Sparse(_) | State::Dense(_) => self.taking.push(id),
            }
        }
        false
    }
}
