//! Numbers as Java's formatters round them.

/// `%2.2f`: the shortest decimal that is the number, rounded half up.
pub(crate) fn two_decimals(number: f64) -> String {
    let shortest = format!("{:.17}", number.abs());
    let shortest =
        [format!("{}", number.abs()), shortest].into_iter().min_by_key(String::len).unwrap_or_default();
    let (whole, fraction) = shortest.split_once('.').unwrap_or((&shortest, ""));
    let digits: Vec<u8> = fraction.bytes().map(|digit| digit - b'0').chain([0, 0, 0]).collect();
    let mut hundredths = whole.parse::<u128>().unwrap_or(u128::MAX / 1000) * 100;
    hundredths += u128::from(digits[0]) * 10 + u128::from(digits[1]) + u128::from(digits[2] >= 5);
    let sign = if number < 0.0 && hundredths > 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", hundredths / 100, hundredths % 100)
}

/// `NumberFormat.getPercentInstance()`: whole percents, rounded half even, thousands apart.
pub(crate) fn percent(share: f64) -> String {
    let digits = format!("{}", (share * 100.0).round_ties_even() as u64);
    let mut text = String::new();
    for (number, digit) in digits.chars().enumerate() {
        if number > 0 && (digits.len() - number).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text + "%"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_rounded_up_as_they_are_written() {
        for (number, text) in [
            (0.0, "0.00"),
            (4.645, "4.65"),
            (42.125, "42.13"),
            (7.744_444, "7.74"),
            (0.995, "1.00"),
            (-1.005, "-1.01"),
            (3000.0, "3000.00"),
            (61.35, "61.35"),
        ] {
            assert_eq!(two_decimals(number), text);
        }
    }

    #[test]
    fn percents_are_whole() {
        for (share, text) in [
            (0.0, "0%"),
            (0.66037, "66%"),
            (0.125, "12%"),
            (1.0, "100%"),
            (12.345, "1,234%"),
            (12345.0, "1,234,500%"),
        ] {
            assert_eq!(percent(share), text);
        }
    }
}
