//! How many tokens a text costs a model, at the most that is likely.
//!
//! Every tool has a tokenizer of its own, so this counts for the worst of them: a word costs a token for each three
//! letters, every other visible sign one, and a sign beyond ASCII as many as it has bytes.

/// Letters of a word that make one token.
const LETTERS_PER_TOKEN: usize = 3;

/// Tokens that the text will not exceed.
pub(super) fn tokens(text: &str) -> u64 {
    let (mut count, mut letters) = (0_usize, 0_usize);
    for sign in text.chars() {
        if sign.is_ascii_alphabetic() {
            letters += 1;
            continue;
        }
        count += letters.div_ceil(LETTERS_PER_TOKEN);
        letters = 0;
        // A blank goes with the word that follows it.
        count += if sign == ' ' { 0 } else { sign.len_utf8() };
    }
    (count + letters.div_ceil(LETTERS_PER_TOKEN)) as u64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn texts_are_never_counted_low() {
        // What common tokenizers make of them: 9, 12, 6 and 24 tokens.
        for (text, least) in [
            ("The quick brown fox jumps over the lazy dog.", 10),
            ("parlour answer msg_01 'yes' --ignore", 12),
            ("für Größe", 6),
            ("msg_01M7GNNDSEETW8PXQ150QCA526", 18),
        ] {
            assert!(tokens(text) >= least, "{text}: {}", tokens(text));
        }
        assert_eq!(tokens(""), 0);
    }

    proptest! {
        #[test]
        fn more_text_never_costs_less(one in ".{0,40}", other in ".{0,40}") {
            prop_assert!(tokens(&(one.clone() + &other)) >= tokens(&one));
            prop_assert!(tokens(&one) <= one.len() as u64);
        }
    }
}
