//! English words that change inside: `bought` belongs to `buy` as `painted` to `paint`, and no ending tells it.

use std::sync::LazyLock;

/// Each word with its forms. Those that are words of their own as often (`bit`, `rose`, `led`) are left out.
const WORDS: &str = "\
    arise arose arisen, awake awoke awoken, bear borne, beat beaten, become became, begin began begun, \
    bend bent, bite bitten, bleed bled, blow blew blown, break broke broken, breed bred, bring brought, \
    build built, burn burnt, buy bought, catch caught, child children, choose chose chosen, come came, \
    creep crept, deal dealt, dig dug, draw drew drawn, dream dreamt, drink drank drunk, drive drove driven, \
    eat ate eaten, fall fell fallen, feed fed, feel felt, fight fought, find found, flee fled, \
    fly flew flown, foot feet, forbid forbade forbidden, forget forgot forgotten, forgive forgave forgiven, \
    freeze froze frozen, get got gotten, give gave given, go went gone goes, goose geese, grow grew grown, \
    half halves, hang hung, hear heard, hide hid hidden, hold held, keep kept, kneel knelt, knife knives, \
    know knew known, lay laid, leap leapt, learn learnt, leave left, lend lent, lose lost, make made, \
    man men, mean meant, meet met, mistake mistook mistaken, mouse mice, overcome overcame, pay paid, \
    person people, prove proven, rebuild rebuilt, rewrite rewrote rewritten, ride rode ridden, \
    ring rang rung, rise risen, run ran, say said, see saw seen, seek sought, sell sold, send sent, \
    sew sewn, shake shook shaken, shelf shelves, shine shone, shoot shot, show shown, shrink shrank shrunk, \
    sing sang sung, sink sank sunk, sit sat, sleep slept, slide slid, speak spoke spoken, speed sped, \
    spend spent, spin spun, stand stood, steal stole stolen, stick stuck, sting stung, strike struck, \
    string strung, strive strove striven, swear swore sworn, sweep swept, swell swollen, swim swam swum, \
    swing swung, take took taken, teach taught, tear tore torn, tell told, think thought, \
    throw threw thrown, tooth teeth, undergo underwent undergone, understand understood, \
    undertake undertook undertaken, wake woke woken, wear wore worn, weave wove woven, weep wept, \
    wife wives, win won, withdraw withdrew withdrawn, wolf wolves, woman women, write wrote written";

/// Each form with its word, in ascending order of the forms.
static FORMS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let of_word = |entry: &'static str| {
        let (word, forms) = entry.split_once(' ').expect("a word is followed by its forms");
        forms.split(' ').map(move |form| (form, word))
    };
    let mut forms: Vec<_> = WORDS.split(", ").flat_map(of_word).collect();
    forms.sort_unstable();
    forms
});

/// The word whose form this is, in small letters; the same where none is known.
pub(super) fn word_of(form: &str) -> &str {
    FORMS.binary_search_by_key(&form, |(form, _)| *form).map_or(form, |at| FORMS[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_form_belongs_to_two_words_and_no_word_is_a_form() {
        assert!(FORMS.is_sorted_by(|a, b| a.0 < b.0));
        assert!(FORMS.iter().all(|(_, word)| word_of(word) == *word));
    }
}
