//! Tags: `u16 len | u8 type | value`, where `len` counts the type byte.

/// Tag type of a cell's own time to live: an i64 of milliseconds.
pub const TTL_TAG: u8 = 8;

/// Tag type of a reference: the cell's value tells where its real value is, in a MOB file.
pub const MOB_REFERENCE_TAG: u8 = 5;

/// Tag type of the table, in such a reference, whose MOB file it is.
pub const MOB_TABLE_TAG: u8 = 6;

/// One tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag<'a> {
    /// Type byte.
    pub tag_type: u8,
    /// Value.
    pub value: &'a [u8],
}

/// Iterates over a tags area; stops at the first malformed tag.
pub fn tags(area: &[u8]) -> impl Iterator<Item = Tag<'_>> {
    let mut rest = area;
    std::iter::from_fn(move || {
        let (length, after) = rest.split_first_chunk::<2>()?;
        let (tag, after) = after.split_at_checked(u16::from_be_bytes(*length) as usize)?;
        let (&tag_type, value) = tag.split_first()?;
        rest = after;
        Some(Tag { tag_type, value })
    })
}

/// Whether a tags area is made of whole tags and nothing else.
#[inline]
pub fn are_whole(area: &[u8]) -> bool {
    let size = |tag: Tag<'_>| 2 + 1 + tag.value.len();
    area.is_empty() || tags(area).map(size).sum::<usize>() == area.len()
}

/// The first TTL tag of a tags area, in milliseconds.
#[inline]
pub fn ttl_ms(area: &[u8]) -> Option<i64> {
    if area.is_empty() {
        return None;
    }
    let ttl = tags(area).find(|tag| tag.tag_type == TTL_TAG)?;
    Some(i64::from_be_bytes(ttl.value.try_into().ok()?))
}

/// Appends one tag.
pub fn write_tag(out: &mut Vec<u8>, tag_type: u8, value: &[u8]) {
    out.extend_from_slice(&((value.len() + 1) as u16).to_be_bytes());
    out.push(tag_type);
    out.extend_from_slice(value);
}
