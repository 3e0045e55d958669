//! Asks the processor for memory that is going to be read: cells lie apart by their values, and the first look at each would
//! wait for memory otherwise.
#![allow(unsafe_code)]

/// Bytes that come at a time.
const LINE: usize = 64;

/// Asks for the line of memory that an address is in. A hint: nothing is read, whatever the address is.
#[inline(always)]
pub fn prefetch(place: *const u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: the instruction accesses nothing that the program could see, and no address makes it fail.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(place.cast());
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = place;
}

/// Asks for what is around the beginning of a cell: the bytes just before it, where what lies before ends, and its key, if that is
/// not long.
#[inline(always)]
pub fn prefetch_cell(place: *const u8) {
    prefetch(place.wrapping_sub(1));
    prefetch(place.wrapping_add(LINE - 1));
}
