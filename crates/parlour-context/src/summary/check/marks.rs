//! Quotes and identifiers in a text: what must occur in the sources as it stands.

/// What opens and closes a quote. Single quotes are apostrophes more often than not.
const QUOTES: &[(char, char)] =
    &[('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('»', '«'), ('`', '`'), ('[', ']'), ('「', '」')];

/// The insides of all quotes, code spans and marks in brackets.
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

/// Everything that looks like an address, a path, a mention or the name of something in a program.
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
