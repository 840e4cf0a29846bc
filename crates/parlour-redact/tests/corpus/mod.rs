//! How well secrets are found: a corpus that is made up when it is needed, and a measure over it.
#![allow(
    unreachable_pub,
    clippy::panic,
    reason = "the evaluation includes this module too, and a text that is written wrongly is a defect"
)]

pub mod batches;
pub mod harmless;
pub mod makers;
pub mod positives;
pub mod unseen;

use std::collections::BTreeMap;

use parlour_redact::Redactor;

/// What the corpus shows.
pub struct Measured {
    /// For each group of positives: how many were found, of how many.
    pub groups: BTreeMap<&'static str, (usize, usize)>,
    /// Texts of which something was left.
    pub missed: Vec<String>,
    /// Texts that hold nothing and were changed all the same, with what became of them.
    pub alarms: Vec<(String, String)>,
    /// How many texts hold nothing.
    pub negatives: usize,
}

impl Measured {
    /// The share of positives of which nothing was left.
    pub fn recall(&self) -> f64 {
        let (found, all) = self.groups.values().fold((0, 0), |sum, group| (sum.0 + group.0, sum.1 + group.1));
        found as f64 / all.max(1) as f64
    }
}

/// Measures the rules over the whole corpus.
pub fn measure(redactor: &Redactor) -> Measured {
    let mut measured = Measured { groups: BTreeMap::new(), missed: Vec::new(), alarms: Vec::new(), negatives: 0 };
    for positive in positives::positives() {
        let text = redactor.redact(&visible(&positive.text)).text;
        let group = measured.groups.entry(positive.group).or_default();
        group.1 += 1;
        match positive.secrets.iter().any(|secret| is_left(&text, secret)) {
            true => measured.missed.push(format!("{} → {text}", positive.text)),
            false => group.0 += 1,
        }
    }
    for text in harmless::negatives() {
        measured.negatives += 1;
        let text = visible(&text);
        let changed = redactor.redact(&text).text;
        if changed != text {
            measured.alarms.push((text, changed));
        }
    }
    measured
}

/// A text without zero-width spaces. Callers of the redactor remove invisible characters first.
pub fn visible(text: &str) -> String {
    text.replace('\u{200b}', "")
}

/// How many signs of a secret side by side give too much of it away.
const PIECE: usize = 10;

/// Whether a text still holds a secret, or a long piece of it; the words of marks are none.
pub fn is_left(text: &str, secret: &str) -> bool {
    let is_mark = |inside: &str| inside.rsplit_once(' ').is_some_and(|(_, number)| number.parse::<u32>().is_ok());
    let without = |piece: &str| match piece.split_once(']') {
        Some((inside, rest)) if is_mark(inside) => rest.to_owned(),
        _ => format!("[{piece}"),
    };
    let text: String = text.split('[').map(without).collect();
    let signs: Vec<char> = secret.chars().collect();
    signs.windows(PIECE.min(signs.len()).max(1)).any(|piece| text.contains(&piece.iter().collect::<String>()))
}
