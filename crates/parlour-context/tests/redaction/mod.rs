//! How well secrets are found: a corpus that is made up when it is needed, and a measure over it.
#![allow(unreachable_pub, reason = "the evaluation includes this module too")]

pub mod corpus;
pub mod harmless;
pub mod makers;
pub mod unseen;

use std::collections::BTreeMap;

use parlour_context::{redact::Redactor, view};

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
    for positive in corpus::positives() {
        let text = redactor.redact(&view::Plain::of(&positive.text).text).text;
        let group = measured.groups.entry(positive.group).or_default();
        group.1 += 1;
        match text.contains(&positive.secret) {
            true => measured.missed.push(format!("{} → {text}", positive.text)),
            false => group.0 += 1,
        }
    }
    for text in harmless::negatives() {
        measured.negatives += 1;
        let changed = redactor.redact(&text).text;
        if changed != text {
            measured.alarms.push((text, changed));
        }
    }
    measured
}
