//! English words that stand in almost every text and say nothing of what it is about.

/// In ascending order. Words that ask (`who`, `when`) are here too: what is asked for rarely holds them.
const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "am", "an", "and", "any", "are", "as", "at", "be", "been", "being", "but", "by", "can",
    "could", "did", "do", "does", "doing", "don't", "for", "from", "had", "has", "have", "having", "he", "her", "hers",
    "him", "his", "how", "i", "i'd", "i'll", "i'm", "i've", "if", "in", "into", "is", "it", "it's", "its", "just",
    "me", "my", "of", "on", "or", "our", "ours", "she", "should", "so", "than", "that", "that's", "the", "their",
    "theirs", "them", "then", "there", "these", "they", "this", "those", "to", "too", "us", "was", "we", "were",
    "what", "when", "where", "which", "while", "who", "whom", "whose", "why", "with", "would", "you", "your", "yours",
];

/// Whether the word, in small letters, is one of them.
pub(super) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_in_order_and_in_small_letters() {
        assert!(STOP_WORDS.is_sorted());
        assert!(STOP_WORDS.iter().all(|word| word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'\'')));
    }
}
