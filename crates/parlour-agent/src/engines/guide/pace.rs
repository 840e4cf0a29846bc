//! The pace of an answer: a few words at a time, so that readers see it grow.

use std::time::Duration;

use tokio::time::sleep;

use crate::engine::{AnswerSink, AnswerStopped};

/// Words that are written at once.
const WORDS_PER_PIECE: usize = 3;
/// The pause after each piece.
const PAUSE: Duration = Duration::from_millis(25);
/// How long all pauses of one text last together, at most.
const PAUSES_MAX: Duration = Duration::from_secs(3);

/// Writes a text in pieces with pauses between them.
pub(super) async fn write(text: &str, out: &mut dyn AnswerSink) -> Result<(), AnswerStopped> {
    let pieces = pieces(text);
    let pause = pause(pieces.len());
    for piece in pieces {
        out.write(piece).await?;
        sleep(pause).await;
    }
    Ok(())
}

fn pause(pieces: usize) -> Duration {
    let share = PAUSES_MAX / u32::try_from(pieces.max(1)).unwrap_or(u32::MAX);
    PAUSE.min(share)
}

/// The text in pieces of a few words, each with the white space after it. Together they are the text.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut start, mut words, mut was_blank) = (0, 0, true);
    for (at, sign) in text.char_indices() {
        let is_blank = sign.is_whitespace();
        if was_blank && !is_blank {
            if words == WORDS_PER_PIECE {
                pieces.push(&text[start..at]);
                (start, words) = (at, 0);
            }
            words += 1;
        }
        was_blank = is_blank;
    }
    if start < text.len() {
        pieces.push(&text[start..]);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_piece_has_a_few_words() {
        assert_eq!(pieces("one two three four\nfive"), ["one two three ", "four\nfive"]);
        assert_eq!(pieces(""), [""; 0]);
    }

    #[test]
    fn a_long_text_takes_no_longer_than_the_longest_wait() {
        assert_eq!(pause(2), PAUSE);
        assert!(pause(10_000) * 10_000 <= PAUSES_MAX);
    }

    proptest! {
        #[test]
        fn the_pieces_are_the_text(text in "(?s).*") {
            prop_assert_eq!(pieces(&text).concat(), text);
        }
    }
}
