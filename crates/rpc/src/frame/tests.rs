use super::*;

fn buffer(bytes: &[u8]) -> FrameBuffer {
    FrameBuffer { bytes: BytesMut::from(bytes) }
}

#[test]
fn all_whole_frames_are_taken() {
    let mut frames = buffer(b"\0\0\0\x02ab\0\0\0\0\0\0\0\x03c");
    assert_eq!(frames.next(9), Next::Frame(Bytes::from_static(b"ab")));
    assert_eq!(frames.next(9), Next::Frame(Bytes::new()));
    assert_eq!(frames.next(9), Next::Partial { missing: 2 });
    assert_eq!(frames.partial(), "c");
}

#[test]
fn lengths_that_lie_are_found_out() {
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
fn the_buffer_doubles_as_a_frame_arrives() {
    let mut frames = buffer(&[&[0x00, 0xff, 0xff, 0xff][..], &vec![0; 1 << 20]].concat());
    let Next::Partial { missing } = frames.next(usize::MAX) else { panic!("not partial") };
    let room = frames.room_wanted(missing);
    assert!(room == 0 || room <= frames.len(), "{room}");
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
