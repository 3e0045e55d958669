//! Asks the processor for memory that is going to be read: cells lie apart by their values, and the first look at each would
//! wait for memory otherwise.
#![allow(unsafe_code)]

/// Bytes that come at a time.
const LINE: usize = 64;
/// Lines of a slice that are asked for together: of more, a search by halves leaves out too many.
const SEARCHED_LINES: usize = 8;

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

/// Asks for so many bytes from an address on.
#[inline(always)]
pub fn prefetch_bytes(place: *const u8, bytes: usize) {
    (0..bytes).step_by(LINE).for_each(|at| prefetch(place.wrapping_add(at)));
}

/// Asks for what is going to be searched by halves, if it is in few lines: all of them come in the time of one look.
#[inline(always)]
pub fn prefetch_searched<T>(slice: &[T]) {
    let bytes = size_of_val(slice);
    if bytes <= SEARCHED_LINES * LINE {
        prefetch_bytes(slice.as_ptr().cast(), bytes);
    }
}

/// Asks for what is around the beginning of a cell: the bytes just before it, where what lies before ends, and its key, if that is
/// not long.
#[inline(always)]
pub fn prefetch_cell(place: *const u8) {
    prefetch(place.wrapping_sub(1));
    prefetch(place.wrapping_add(LINE - 1));
}
