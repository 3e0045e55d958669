use super::*;

fn drawn(width: u16, height: u16, heights: &[f64], has_utf8: bool) -> Vec<String> {
    let area = Rect::new(0, 0, width, height);
    let mut buffer = Buffer::empty(area);
    draw(&mut buffer, area, heights, Theme::new(false, has_utf8), Style::new());
    super::super::tests::lines(&buffer)
}

#[test]
fn as_long_as_there_is_room_each_sample_has_a_bar() {
    let samples = [1.0, 2.0, 3.0];
    assert_eq!(bars(samples.into_iter(), 3, 5), (samples.to_vec(), 1));
    assert_eq!(bars(samples.into_iter(), 3, 3), (samples.to_vec(), 1));
    assert_eq!(bars([0.0; 0].into_iter(), 0, 3), (vec![], 1));
}

#[test]
fn short_of_room_a_bar_is_as_high_as_the_highest_of_its_samples() {
    let samples = [1.0, 5.0, 2.0, 3.0, 4.0, 0.0];
    assert_eq!(bars(samples.into_iter(), 6, 4), (vec![5.0, 3.0, 4.0], 2));
    // One sample later all that were there are in the same bars.
    let samples = [5.0, 2.0, 3.0, 4.0, 0.0, 9.0];
    assert_eq!(bars(samples.into_iter(), 7, 4), (vec![5.0, 3.0, 4.0, 9.0], 2));
}

#[test]
fn there_are_never_more_bars_than_room() {
    for (count, room) in (0u32..70).flat_map(|count| (0..20).map(move |room| (count, room))) {
        let samples: Vec<f64> = (0..count).map(f64::from).collect();
        let (bars, _) = bars(samples.into_iter(), 1000 + u64::from(count), room);
        assert!(bars.len() <= room, "{count} in {room}");
        assert!(
            room == 0 || bars.last().copied() == count.checked_sub(1).map(f64::from),
            "{count} in {room}"
        );
    }
}

#[test]
fn bars_stand_at_the_right_and_fill_their_lines() {
    assert_eq!(drawn(4, 1, &[0.0, 1.0, 8.0], true), ["  ▁█"]);
    assert_eq!(drawn(3, 2, &[4.0, 12.0, 16.0], true), [" ▄█", "▄██"]);
    assert_eq!(drawn(3, 1, &[4.0, 0.001, 8.0], false), ["-_#"]);
    assert_eq!(drawn(3, 1, &[0.0, 0.0, 0.0], true), ["   "]);
    assert_eq!(drawn(2, 1, &[8.0, 4.0, 8.0], true), ["▄█"]);
    assert_eq!(drawn(0, 0, &[1.0], true), [""; 0]);
}

#[test]
fn numbers_and_times_are_short() {
    let numbers =
        [0.0, 0.4, 7.0, 999.4, 999.5, 1234.0, 9_949.0, 9_951.0, 45_678.0, 1e6, 2.3e9, 1e15, f64::MAX];
    let written = numbers.map(short);
    assert_eq!(
        written[..12],
        ["0", "0", "7", "999", "1.0k", "1.2k", "9.9k", "10k", "46k", "1.0M", "2.3G", "1000T"]
    );
    assert!(written[12].ends_with('T'));
    assert_eq!([0, 59_999, 120_000, 7_200_000].map(span), ["0 s", "59 s", "2 min", "2 h"]);
}
