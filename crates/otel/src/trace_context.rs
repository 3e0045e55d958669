//! Of which trace a caller says that its call is part: W3C's Trace Context.

/// Length of what version 00 has.
const LENGTH: usize = "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01".len();

/// The caller's span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceContext {
    /// The trace.
    pub trace_id: [u8; 16],
    /// The span in it that the call was made in.
    pub span_id: [u8; 8],
    /// Whether the caller records it.
    pub sampled: bool,
}

impl TraceContext {
    /// Reads a `traceparent`; none if it makes no sense. Of later versions what the first one has counts.
    pub fn parse(traceparent: &str) -> Option<Self> {
        let text = traceparent.as_bytes();
        let ends = match text.get(LENGTH) {
            None => true,
            Some(next) => *next == b'-' && !text.starts_with(b"00"),
        };
        let dashes = [2, 35, 52].iter().all(|at| text.get(*at) == Some(&b'-'));
        if !ends || !dashes {
            return None;
        }
        let [version] = hex::<1>(text, 0)?;
        let (trace_id, span_id, [flags]) = (hex::<16>(text, 3)?, hex::<8>(text, 36)?, hex::<1>(text, 53)?);
        let valid = version != 0xff && trace_id != [0; 16] && span_id != [0; 8];
        valid.then_some(Self { trace_id, span_id, sampled: flags & 1 == 1 })
    }
}

/// So many bytes in lower-case hexadecimal digits.
fn hex<const N: usize>(text: &[u8], from: usize) -> Option<[u8; N]> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let mut bytes = [0; N];
    for (byte, digits) in bytes.iter_mut().zip(text.get(from..from + 2 * N)?.chunks_exact(2)) {
        *byte = digit(digits[0])? << 4 | digit(digits[1])?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests;
