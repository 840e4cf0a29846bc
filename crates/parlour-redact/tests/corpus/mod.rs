//! A corpus of texts with and without secrets, and the recall and false alarms over it.
#![allow(
    unreachable_pub,
    clippy::panic,
    reason = "the evaluation includes this module too, and a malformed text is a defect"
)]

pub mod samples;
pub mod texts;

use std::collections::BTreeMap;

use parlour_redact::Redactor;

/// The result of a measurement.
pub struct Measured {
    /// For each group of texts with secrets: how many were redacted, of how many.
    pub groups: BTreeMap<&'static str, (usize, usize)>,
    /// Texts with a secret left, after redaction.
    pub missed: Vec<String>,
    /// Harmless texts that were changed, before and after redaction.
    pub alarms: Vec<(String, String)>,
    /// The number of harmless texts.
    pub negatives: usize,
}

impl Measured {
    /// The share of texts with secrets of which nothing is left.
    pub fn recall(&self) -> f64 {
        let (found, all) = self.groups.values().fold((0, 0), |sum, group| (sum.0 + group.0, sum.1 + group.1));
        found as f64 / all.max(1) as f64
    }
}

/// Measures the rules over the whole corpus.
pub fn measure(redactor: &Redactor) -> Measured {
    let mut measured = Measured { groups: BTreeMap::new(), missed: Vec::new(), alarms: Vec::new(), negatives: 0 };
    for positive in texts::positives() {
        let text = redactor.redact(&visible(&positive.text)).text;
        let group = measured.groups.entry(positive.group).or_default();
        group.1 += 1;
        match positive.secrets.iter().any(|secret| is_left(&text, secret)) {
            true => measured.missed.push(format!("{} → {text}", positive.text)),
            false => group.0 += 1,
        }
    }
    for text in texts::negatives() {
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

/// Characters of a secret in a row that must not be left.
const PIECE: usize = 10;

/// Whether a text still contains a secret or ten characters of it, not counting its marks.
pub fn is_left(text: &str, secret: &str) -> bool {
    let is_mark = |inside: &str| inside.rsplit_once(' ').is_some_and(|(_, number)| number.parse::<u32>().is_ok());
    let without = |piece: &str| match piece.split_once(']') {
        Some((inside, rest)) if is_mark(inside) => rest.to_owned(),
        _ => format!("[{piece}"),
    };
    let text: String = text.split('[').map(without).collect();
    let chars: Vec<char> = secret.chars().collect();
    chars.windows(PIECE.min(chars.len()).max(1)).any(|piece| text.contains(&piece.iter().collect::<String>()))
}
