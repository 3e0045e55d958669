use super::*;

fn buffer(bytes: &[u8]) -> FrameBuffer {
    FrameBuffer { bytes: BytesMut::from(bytes), ..FrameBuffer::of_client() }
}

#[test]
fn all_whole_frames_are_taken() {
    let mut frames = buffer(b"\0\0\0\x02ab\0\0\0\0\0\0\0\x03c");
    assert_eq!((frames.whole_frames(9), frames.whole_frames(1)), (2, 1));
    assert_eq!(frames.next(9), Next::Frame(Bytes::from_static(b"ab")));
    assert_eq!(frames.next(9), Next::Frame(Bytes::new()));
    assert_eq!(frames.next(9), Next::Partial { missing: 2 });
    assert_eq!(frames.front(9), "c");
}

#[test]
fn lengths_that_lie_are_found_out() {
    let lying: [&[u8]; 3] = [b"\0\0\0", b"\0\0\0\x0a", b"\xff\xff\xff\xff"];
    assert!(lying.into_iter().all(|bytes| buffer(bytes).whole_frames(9) == 0));
    assert_eq!(buffer(b"\0\0\0").next(9), Next::Partial { missing: 4 });
    assert_eq!(buffer(b"\0\0\0\x0a").next(9), Next::TooBig { length: 10 });
    assert_eq!(buffer(b"\xff\xff\xff\xff").next(9), Next::Negative);
}

#[test]
fn a_lying_length_does_not_buy_memory() {
    let mut frames = buffer(b"\x0f\xff\xff\xffx");
    for _ in 0..4 {
        let Next::Partial { missing } = frames.next(usize::MAX) else { panic!("not partial") };
        let room = frames.room_wanted(missing);
        assert!(room <= READ_CHUNK, "{room}");
        frames.make_room(room);
    }
    assert!(frames.bytes.capacity() <= 2 * READ_CHUNK, "{}", frames.bytes.capacity());
}

#[test]
fn the_buffer_grows_with_the_frame_that_arrives() {
    let length = 10 << 20;
    let mut frames = buffer(&(length as u32).to_be_bytes());
    let (mut largest_move, mut capacity) = (0, 0);
    let frame = loop {
        let missing = match frames.next(usize::MAX) {
            Next::Partial { missing } => missing,
            Next::Frame(frame) => break frame,
            other => panic!("{other:?}"),
        };
        let before = frames.bytes.capacity();
        frames.make_room(frames.room_wanted(missing));
        capacity = frames.bytes.capacity();
        assert!(capacity <= READ_CHUNK.max(4 * frames.len()) + READ_CHUNK, "{capacity} for {}", frames.len());
        if capacity > before {
            largest_move = largest_move.max(frames.len());
        }
        let arriving = missing.min(capacity - frames.len());
        frames.bytes_mut().extend_from_slice(&vec![7; arriving]);
    };
    assert_eq!(frame.len(), length);
    assert!(capacity < length + length / 8, "{capacity} for a frame of {length}");
    assert!(largest_move < length / 2, "{largest_move} bytes were in memory twice");
}

/// How often the buffer becomes larger, and what it has room for before more than so many bytes have come.
fn moves(frames: &mut FrameBuffer, length: usize, early: usize) -> (usize, usize) {
    frames.bytes_mut().extend_from_slice(&(length as u32).to_be_bytes());
    let (mut moves, mut early_capacity) = (0, 0);
    while let Next::Partial { missing } = frames.next(usize::MAX) {
        let before = frames.bytes.capacity();
        frames.make_room(frames.room_wanted(missing));
        moves += usize::from(frames.bytes.capacity() > before);
        if frames.len() < early {
            early_capacity = frames.bytes.capacity();
        }
        let arriving = missing.min(frames.bytes.capacity() - frames.len());
        frames.bytes_mut().extend_from_slice(&vec![7; arriving]);
    }
    (moves, early_capacity)
}

#[test]
fn frames_of_a_server_as_long_as_before_get_their_memory_at_once() {
    let length = 3 << 20;
    let mut frames = FrameBuffer::of_server();
    assert!(moves(&mut frames, length, 0).0 > 3, "nothing is known of the peer yet");
    assert!(moves(&mut frames, length, 0).0 <= 2);
    assert!(moves(&mut frames, 2 * length, 0).0 > 3, "longer than any before");
}

#[test]
fn frames_of_a_client_as_long_as_before_get_their_memory_when_they_have_begun_to_arrive() {
    let length = 3 << 20;
    let mut frames = FrameBuffer::of_client();
    assert!(moves(&mut frames, length, 0).0 > 3, "nothing is known of the peer yet");
    let (moved, early) = moves(&mut frames, length, READ_CHUNK);
    assert!(moved <= 3, "{moved}");
    assert!(early <= 2 * READ_CHUNK, "{early} bytes for what has not come");
    // However long they were before.
    moves(&mut frames, 4 * MOST_BELIEVED, 0);
    assert!(moves(&mut frames, MOST_BELIEVED, 0).0 <= 3);
    assert!(moves(&mut frames, 4 * MOST_BELIEVED, 0).0 > 3);
}

#[test]
fn the_memory_of_a_large_frame_leaves_with_it() {
    let length = 1 << 20;
    let mut frames = buffer(&[&(length as u32).to_be_bytes()[..], &vec![7; length], b"\0\0"].concat());
    let Next::Frame(frame) = frames.next(usize::MAX) else { panic!("no frame") };
    assert_eq!(frame.len(), length);
    drop(frame);
    frames.make_room(READ_CHUNK);
    assert_eq!(&frames.bytes[..], b"\0\0");
    assert!(frames.bytes.capacity() < LARGE_FRAME, "{}", frames.bytes.capacity());
}

#[test]
fn skipping_takes_no_more_than_there_is() {
    let mut frames = buffer(b"abc");
    assert_eq!(frames.skip(2), 2);
    assert_eq!(frames.skip(2), 1);
}

#[test]
fn of_a_large_frame_only_the_front_is_copied() {
    let frames = buffer(&[&(1u32 << 20).to_be_bytes()[..], &[7; 100_000]].concat());
    assert_eq!(frames.front(1000), vec![7; 1000]);
}

#[test]
fn a_request_that_is_skipped_leaves_no_memory() {
    let mut frames = buffer(&vec![7; 1 << 20]);
    assert_eq!(frames.skip(usize::MAX), 1 << 20);
    frames.make_room(READ_CHUNK);
    assert!(frames.bytes.capacity() <= 2 * READ_CHUNK, "{}", frames.bytes.capacity());
}

#[test]
fn the_memory_of_a_frame_goes_with_it() {
    let mut frames = FrameBuffer::of_client();
    for length in [200 << 10, 1 << 10] {
        frames.make_room(READ_CHUNK);
        frames.bytes_mut().extend_from_slice(&(length as u32).to_be_bytes());
        while let Next::Partial { missing } = frames.next(usize::MAX) {
            frames.make_room(frames.room_wanted(missing));
            let arriving = missing.min(frames.bytes.capacity() - frames.len());
            frames.bytes_mut().extend_from_slice(&vec![7; arriving]);
        }
        assert_eq!(frames.next(usize::MAX), Next::Partial { missing: LENGTH_BYTES });
        // Not even when all of it could be used again.
        frames.make_room(frames.room_wanted(LENGTH_BYTES));
        assert!(frames.bytes.capacity() <= KEPT_BYTES, "{}", frames.bytes.capacity());
    }
}
