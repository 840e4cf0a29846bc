//! The words of sentences, and lists of words with little meaning.

use std::{collections::HashSet, sync::LazyLock};

use rust_stemmers::{Algorithm, Stemmer};

/// A word list, hashed for fast lookups.
type WordSet = LazyLock<HashSet<&'static str>>;

/// Function words, which have no topic.
static FUNCTION_WORDS: WordSet = LazyLock::new(|| {
    HashSet::from([
        // English.
        "a", "about", "all", "also", "am", "an", "and", "any", "are", "aren", "as", "at", "be", "been", "being", "but",
        "by", "bye", "can", "could", "couldn", "did", "didn", "do", "does", "doesn", "don", "fine", "for", "from",
        "get", "go", "going", "good", "got", "had", "has", "have", "he", "hello", "her", "here", "hers", "hey", "hi",
        "him", "his", "how", "i", "if", "in", "is", "isn", "it", "its", "just", "know", "let", "like", "ll", "may",
        "me", "might", "mine", "must", "my", "no", "not", "of", "oh", "ok", "okay", "on", "or", "our", "ours", "out",
        "please", "re", "really", "right", "see", "shall", "she", "should", "so", "some", "sure", "thank", "thanks",
        "that", "the", "their", "theirs", "them", "then", "there", "these", "they", "think", "this", "those", "to",
        "too", "up", "us", "ve", "very", "want", "was", "wasn", "we", "well", "were", "what", "when", "where", "which",
        "who", "whom", "whose", "why", "will", "with", "won", "would", "wouldn", "yeah", "yes", "you", "your", "yours",
        // German.
        "aber", "als", "auch", "auf", "aus", "bei", "bin", "bist", "das", "dass", "dem", "den", "der", "des", "die",
        "doch", "du", "ein", "eine", "einen", "einem", "einer", "er", "es", "für", "habe", "haben", "hast", "hat",
        "ich", "ihr", "im", "ist", "ja", "kann", "mal", "mich", "mir", "mit", "nein", "nicht", "noch", "nur", "oder",
        "schon", "sein", "sich", "sie", "sind", "und", "uns", "von", "vor", "wenn", "wie", "wir", "wird", "zu", "zum",
        "zur", // French, Spanish, Italian, Portuguese.
        "au", "aux", "avec", "ce", "ces", "con", "como", "da", "dans", "de", "del", "di", "do", "du", "el", "elle",
        "en", "est", "et", "eu", "il", "je", "la", "las", "le", "les", "lo", "los", "mais", "mi", "moi", "ne", "nous",
        "o", "on", "os", "ou", "para", "pas", "pero", "por", "pour", "qu", "que", "qui", "se", "si", "sont", "su",
        "sur", "te", "tu", "um", "uma", "un", "una", "une", "vous", "y",
    ])
});

/// Words that refer to the text before, or address the other person.
static LEANING: WordSet = LazyLock::new(|| {
    HashSet::from([
        "because", "did", "don", "had", "have", "he", "her", "his", "i", "it", "must", "my", "not", "our", "she",
        "should", "since", "so", "t", "that", "their", "they", "this", "us", "was", "we", "went", "were", "you",
        "your",
    ])
});

/// Words that begin a sentence which only answers or greets.
static OPENING: WordSet = LazyLock::new(|| {
    HashSet::from([
        "absolutely",
        "afternoon",
        "alright",
        "bye",
        "certainly",
        "cool",
        "evening",
        "exactly",
        "fine",
        "good",
        "goodbye",
        "great",
        "haha",
        "hello",
        "hey",
        "hi",
        "hmm",
        "lol",
        "morning",
        "nice",
        "no",
        "nope",
        "oh",
        "ok",
        "okay",
        "perfect",
        "please",
        "really",
        "right",
        "see",
        "sorry",
        "sure",
        "thank",
        "thanks",
        "welcome",
        "well",
        "wow",
        "yeah",
        "yep",
        "yes",
    ])
});

/// Words of plans and requests.
static REQUESTS: WordSet =
    LazyLock::new(|| HashSet::from(["can", "could", "going", "help", "like", "ll", "need", "want", "will", "would"]));

/// Words for times.
static TIMES: WordSet = LazyLock::new(|| {
    HashSet::from([
        "afternoon",
        "evening",
        "friday",
        "monday",
        "month",
        "morning",
        "night",
        "saturday",
        "sunday",
        "thursday",
        "today",
        "tomorrow",
        "tonight",
        "tuesday",
        "wednesday",
        "week",
        "weekend",
        "year",
    ])
});

/// The words of a text in lower case. What is written without spaces counts by pairs of signs.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut pair_open = false;
    for run in text.split(|sign: char| !sign.is_alphanumeric()).filter(|run| !run.is_empty()) {
        let mut is_new = true;
        for sign in run.chars() {
            let is_dense = is_dense(sign);
            let joins = if is_dense { pair_open } else { !is_new && !ends_dense(&words) };
            match words.last_mut() {
                Some(word) if joins => word.extend(sign.to_lowercase()),
                _ => words.push(sign.to_lowercase().collect()),
            }
            pair_open = is_dense && !joins;
            is_new = false;
        }
        pair_open = false;
    }
    words
}

/// Whether the character belongs to a script without spaces: Han, kana, Thai and the like.
pub(super) fn is_dense(sign: char) -> bool {
    matches!(u32::from(sign), 0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3040..=0x30FF | 0x3400..=0x9FFF
        | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF)
}

fn ends_dense(words: &[String]) -> bool {
    words.last().and_then(|word| word.chars().next_back()).is_some_and(is_dense)
}

/// The topic of a word: its stem; `None` for a function word.
pub(super) fn topic(word: &str, stemmer: &Stemmer) -> Option<String> {
    if word.chars().nth(1).is_none() || FUNCTION_WORDS.contains(word) {
        return None;
    }
    Some(if word.chars().nth(3).is_some() { stemmer.stem(word).into_owned() } else { word.to_owned() })
}

/// The stemmer for topics. English; what it does to other languages is the same on both sides of a comparison.
pub(super) fn stemmer() -> Stemmer {
    Stemmer::create(Algorithm::English)
}

/// How many different words of this text lean on others.
pub(super) fn leaning(words: &[String]) -> usize {
    words.iter().map(String::as_str).filter(|word| LEANING.contains(word)).collect::<HashSet<_>>().len()
}

/// Whether a text only answers or greets, by its first word.
pub(super) fn opens(words: &[String]) -> bool {
    words.first().is_none_or(|word| OPENING.contains(word.as_str()))
}

/// Whether a text contains a plan or a request.
pub(super) fn requests(words: &[String]) -> bool {
    words.iter().any(|word| REQUESTS.contains(word.as_str()))
}

/// Whether a text contains a time.
pub(super) fn times(words: &[String]) -> bool {
    words.iter().any(|word| TIMES.contains(word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_lower_case_and_scripts_without_spaces_are_split_into_pairs() {
        assert_eq!(words("Don't stop: Ärger um 3!"), ["don", "t", "stop", "ärger", "um", "3"]);
        assert_eq!(words("明天下午 tea时间"), ["明天", "下午", "tea", "时间"]);
        assert!(words(" … ").is_empty());
    }

    #[test]
    fn a_topic_is_a_stem_and_function_words_have_none() {
        let stemmer = stemmer();
        assert_eq!(topic("deploying", &stemmer), topic("deploys", &stemmer));
        assert_eq!(topic("the", &stemmer), None);
        assert_eq!(topic("x", &stemmer), None);
        assert_eq!(topic("bus", &stemmer).as_deref(), Some("bus"));
    }
}
