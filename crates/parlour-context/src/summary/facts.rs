//! The facts in a text that can be compared: numbers, quotes and identifiers.

/// A number and its unit: the sign of a currency or percent, if known.
pub(super) type Number = (String, Option<char>);

/// Number words in English, German, French and Spanish, without those that have another meaning, and without one.
const WORDS: &[(&str, u64)] = &[
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("ten", 10),
    ("eleven", 11),
    ("twelve", 12),
    ("thirteen", 13),
    ("fourteen", 14),
    ("fifteen", 15),
    ("sixteen", 16),
    ("seventeen", 17),
    ("eighteen", 18),
    ("nineteen", 19),
    ("twenty", 20),
    ("thirty", 30),
    ("forty", 40),
    ("fifty", 50),
    ("sixty", 60),
    ("seventy", 70),
    ("eighty", 80),
    ("ninety", 90),
    ("dozen", 12),
    ("third", 3),
    ("fourth", 4),
    ("fifth", 5),
    ("sixth", 6),
    ("seventh", 7),
    ("eighth", 8),
    ("ninth", 9),
    ("tenth", 10),
    ("zwei", 2),
    ("drei", 3),
    ("vier", 4),
    ("fünf", 5),
    ("sechs", 6),
    ("sieben", 7),
    ("acht", 8),
    ("neun", 9),
    ("zehn", 10),
    ("elf", 11),
    ("zwölf", 12),
    ("zwanzig", 20),
    ("dreißig", 30),
    ("fünfzig", 50),
    ("deux", 2),
    ("trois", 3),
    ("quatre", 4),
    ("cinq", 5),
    ("sept", 7),
    ("huit", 8),
    ("neuf", 9),
    ("dix", 10),
    ("douze", 12),
    ("quinze", 15),
    ("vingt", 20),
    ("trente", 30),
    ("dos", 2),
    ("tres", 3),
    ("cuatro", 4),
    ("cinco", 5),
    ("seis", 6),
    ("siete", 7),
    ("ocho", 8),
    ("nueve", 9),
    ("diez", 10),
    ("doce", 12),
    ("veinte", 20),
    ("treinta", 30),
];
/// Words that multiply a number.
const FACTORS: &[(&str, u64)] =
    &[("hundred", 100), ("thousand", 1_000), ("million", 1_000_000), ("hundert", 100), ("tausend", 1_000)];
/// Words for what a number counts.
const UNITS: &[(&str, char)] = &[
    ("percent", '%'),
    ("prozent", '%'),
    ("dollar", '$'),
    ("dollars", '$'),
    ("usd", '$'),
    ("euro", '€'),
    ("euros", '€'),
    ("eur", '€'),
    ("pound", '£'),
    ("pounds", '£'),
    ("gbp", '£'),
    ("yen", '¥'),
];
/// Letters that may follow digits without making a name of them.
const ENDINGS: &[&str] = &["st", "nd", "rd", "th", "am", "pm", "h", "er", "e", "s", "min"];

/// A number in a text, with its possible readings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NumberInText {
    pub(super) text: String,
    pub(super) readings: Vec<Number>,
}

/// The numbers of a text in lower case. Digits that are part of a name, such as `v2`, are none.
pub(super) fn numbers(text: &str) -> Vec<NumberInText> {
    let words: Vec<&str> = text.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let mut found = in_words(&words);
    let mut from = 0;
    while let Some(start) = text[from..].find(|sign: char| sign.is_ascii_digit()).map(|at| from + at) {
        let end = digits_end(text, start);
        from = end;
        let is_name = text[..start].ends_with(|sign: char| sign.is_alphanumeric() || sign == '_');
        let letters = text[end..].split(|sign: char| !sign.is_alphanumeric() && sign != '_').next().unwrap_or_default();
        if is_name || !(letters.is_empty() || ENDINGS.contains(&letters)) {
            from += letters.len();
            continue;
        }
        let unit = unit(text[..start].trim_end(), text[end..].trim_start());
        let readings = readings(&text[start..end]).into_iter().map(|value| (value, unit)).collect();
        found.push(NumberInText { text: text[start..end].to_owned(), readings });
    }
    found
}

fn digits_end(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut end = start;
    while is_digit(end) || (matches!(bytes.get(end), Some(b'.' | b',' | b'\'')) && is_digit(end + 1)) {
        end += 1;
    }
    end
}

fn unit(before: &str, after: &str) -> Option<char> {
    let is_sign = |sign: &char| matches!(sign, '%' | '$' | '€' | '£' | '¥');
    let money = before.chars().next_back().filter(|sign| *sign != '%').filter(is_sign);
    let behind = after.chars().next().filter(is_sign);
    let word = after.split(|sign: char| !sign.is_alphanumeric()).next().unwrap_or_default();
    behind.or(money).or_else(|| UNITS.iter().find(|(name, _)| *name == word).map(|(_, sign)| *sign))
}

/// The possible values of digits with dots and commas: `1.234` has two.
fn readings(digits: &str) -> Vec<String> {
    let marks: Vec<char> = digits.chars().filter(|sign| !sign.is_ascii_digit()).collect();
    let joined = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let Some(last) = marks.last() else { return vec![plain(digits, "")] };
    let (whole, part) = digits.rsplit_once(*last).unwrap_or((digits, ""));
    let is_mixed = marks.iter().any(|mark| mark != last);
    if !is_mixed && marks.len() > 1 {
        let is_grouped = digits.split(*last).skip(1).all(|group| group.len() == 3);
        return vec![if is_grouped { plain(&joined(digits), "") } else { digits.to_owned() }];
    }
    let decimal = plain(&joined(whole), part);
    if !is_mixed && part.len() == 3 { vec![plain(&joined(digits), ""), decimal] } else { vec![decimal] }
}

fn plain(whole: &str, part: &str) -> String {
    let (whole, part) = (whole.trim_start_matches('0'), part.trim_end_matches('0'));
    let whole = if whole.is_empty() { "0" } else { whole };
    if part.is_empty() { whole.to_owned() } else { format!("{whole}.{part}") }
}

fn in_words(words: &[&str]) -> Vec<NumberInText> {
    let value = |word: &str| WORDS.iter().find(|(name, _)| *name == word).map(|(_, value)| *value);
    let factor = |word: &str| FACTORS.iter().find(|(name, _)| *name == word).map(|(_, value)| *value);
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let start = at;
        at += 1;
        let is_one =
            matches!(words[start], "one" | "a" | "ein") && words.get(at).is_some_and(|word| factor(word).is_some());
        let Some(mut number) = value(words[start]).or(is_one.then_some(1)) else { continue };
        let next = words.get(at).copied().unwrap_or_default();
        let digit = if next == "one" { Some(1) } else { value(next).filter(|digit| *digit < 10) };
        if let (true, Some(digit)) = (number >= 20 && number.is_multiple_of(10), digit) {
            number += digit;
            at += 1;
        }
        while let Some(times) = words.get(at).and_then(|word| factor(word)) {
            number = number.saturating_mul(times);
            at += 1;
        }
        let after = words.get(at).copied().unwrap_or_default();
        let unit = UNITS.iter().find(|(name, _)| *name == after).map(|(_, sign)| *sign);
        found.push(NumberInText { text: words[start..at].join(" "), readings: vec![(number.to_string(), unit)] });
    }
    found
}

/// Pairs of quotation marks. Single quotes are omitted: most of them are apostrophes.
const QUOTES: &[(char, char)] =
    &[('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('»', '«'), ('`', '`'), ('[', ']'), ('「', '」')];

/// The contents of all quotes, code spans and marks in brackets.
pub(super) fn quotes(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for &(open, close) in QUOTES {
        let mut rest = text;
        while let Some((_, after)) = rest.split_once(open) {
            let Some((inside, behind)) = after.split_once(close) else { break };
            found.push(inside.trim_matches(['.', ',', '!', '?', '`', ' ', '\n']).to_owned());
            rest = behind;
        }
    }
    found.retain(|inside| !inside.is_empty());
    found
}

/// Everything that looks like a URL, a path, a mention or an identifier of a program.
pub(super) fn identifiers(text: &str) -> Vec<String> {
    let chunks = text.split_whitespace().map(trim).filter(|chunk| is_identifier(chunk));
    chunks.map(ToOwned::to_owned).collect()
}

fn trim(chunk: &str) -> &str {
    let chunk = chunk.trim_start_matches(['(', '[', '{', '<', '"', '“', '„', '«', '`', '\'', '*', '-', '•']);
    let chunk = chunk
        .trim_end_matches([')', ']', '}', '>', '"', '”', '“', '»', '`', '\'', '*', '.', ',', ';', ':', '!', '?', '…']);
    chunk.strip_suffix("'s").unwrap_or(chunk)
}

fn is_identifier(chunk: &str) -> bool {
    if chunk.starts_with(['@', '#', '/', '~']) && chunk.len() > 1 {
        return true;
    }
    let signs: Vec<char> = chunk.chars().collect();
    let has = |sign: char| signs.contains(&sign);
    let is_digits = signs.iter().all(|sign| !sign.is_alphabetic());
    if is_digits {
        // Times and dates stand as they are; a range is two numbers, a share one with its sign.
        return has(':') || has('/') || signs.iter().filter(|sign| **sign == '-').count() > 1;
    }
    let between = |mark: char| {
        signs.windows(3).any(|window| window[1] == mark && window[0].is_alphanumeric() && window[2].is_alphanumeric())
    };
    has('_')
        || has('@')
        || has('\\')
        || has('=')
        || chunk.contains("://")
        || chunk.contains("::")
        || between('/') && !matches!(chunk, "and/or" | "he/she" | "und/oder")
        || between('.') && !matches!(chunk, "e.g" | "i.e" | "z.B" | "d.h" | "a.m" | "p.m")
        || has_letters_and_digits(chunk)
        || signs.windows(2).any(|pair| pair[0].is_lowercase() && pair[1].is_uppercase())
}

/// Whether letters and digits are one name, as in `v2` and `PR-12`; `3rd`, `9am` and `40-page` are none.
fn has_letters_and_digits(chunk: &str) -> bool {
    let parts = || chunk.split('-');
    let is_mixed = |part: &str| {
        let letters =
            part.trim_start_matches(|sign: char| sign.is_ascii_digit() || matches!(sign, '.' | ',' | '$' | '€' | '£'));
        let is_number = letters.len() < part.len()
            && matches!(letters, "st" | "nd" | "rd" | "th" | "am" | "pm" | "h" | "%" | "s" | "min" | "");
        let has_digit = part.chars().any(|sign| sign.is_ascii_digit());
        let is_bare =
            part.chars().all(|sign| sign.is_ascii_digit() || matches!(sign, '.' | ',' | '%' | '$' | '€' | '£'));
        has_digit && !is_number && !is_bare && part.chars().any(char::is_alphabetic)
    };
    let has_capital = parts().any(|part| part.chars().any(char::is_uppercase));
    let has_number = parts().any(|part| part.chars().any(|sign| sign.is_ascii_digit()));
    parts().any(is_mixed) || (chunk.contains('-') && has_capital && has_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<String> {
        let shown = |(value, unit): &Number| format!("{value}{}", unit.map(String::from).unwrap_or_default());
        numbers(text).iter().map(|written| written.readings.iter().map(shown).collect::<Vec<_>>().join("|")).collect()
    }

    #[test]
    fn digits_are_parsed_with_any_separator() {
        assert_eq!(values("1,250.50 and 1.250,5 and 1'000'000"), ["1250.5", "1250.5", "1000000"]);
        assert_eq!(values("1.234 or 3.5 or 007"), ["1234|1.234", "3.5", "7"]);
        assert_eq!(values("10:30, the 3rd, 9am"), ["10", "30", "3", "9"]);
        assert_eq!(values("v2 5k a1b2 x_3 1.2.3"), ["1.2.3"]);
    }

    #[test]
    fn number_words_are_parsed() {
        assert_eq!(values("three of twenty five, a hundred, two thousand"), ["3", "25", "100", "2000"]);
        assert_eq!(values("drei, zwölf, cinq, siete"), ["3", "12", "5", "7"]);
        assert!(values("one of a kind").is_empty());
    }

    #[test]
    fn currency_and_percent_are_distinguished() {
        assert_eq!(values("50% or 50 percent, $50 or 50 dollars, 50 €"), ["50%", "50%", "50$", "50$", "50€"]);
    }
}
