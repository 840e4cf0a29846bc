//! Extractive summaries against those of people.
//!
//! ROUGE-1, -2 and -L as F1 over stemmed words in lower case. A line of a summary is written with the name of its
//! speaker before it, as the dialogue itself is: `Name: text`.

use std::{collections::BTreeMap, fs, path::Path};

use parlour_context::summary::{ExtractWeights, ExtractedLine, SourceText, extract_by};
use rust_stemmers::{Algorithm, Stemmer};
use serde_json::Value;

use super::table::{Cell, Table};

/// Lines of each summary.
const LINES_MAX: usize = 3;
/// Characters of each summary, names not counted: about what the summaries of people have, and half as much again.
const CHARS_MAX: usize = 200;
/// Parts of a set whose means are told apart.
const FOLDS: usize = 5;
/// The sets: dialogues with summaries, one JSON object in each line.
const SETS: &[(&str, &str)] = &[
    ("dialogsum", "dialogsum-dev.jsonl"),
    ("dialogsum test", "dialogsum-test.jsonl"),
    ("samsum", "samsum-test.jsonl"),
    ("samsum dev", "samsum-val.jsonl"),
    ("stand-in", "standin-dialogues.jsonl"),
];

/// The table; nothing where none of the sets is there.
pub(crate) fn table(data: &Path) -> Option<Table> {
    let about = "summaries in verbatim lines against those of people: ROUGE F1, the mean and the lowest of five parts";
    let mut table = Table::new("rouge", about, &["set", "way", "rouge_1", "rouge_2", "rouge_l", "rouge_1_lowest"]);
    let sets = SETS.iter().filter_map(|(name, file)| Some((*name, read(&data.join(file))?)));
    let mut is_there = false;
    for (name, dialogues) in sets {
        is_there = true;
        add_rows(&mut table, name, &dialogues);
    }
    is_there.then_some(table)
}

struct DialogSum {
    turns: Vec<(String, String)>,
    summary: String,
}

fn add_rows(table: &mut Table, set: &str, dialogues: &[DialogSum]) {
    for (way, make) in ways() {
        let stemmer = Stemmer::create(Algorithm::English);
        let figures = dialogues.iter().map(|one| rouge(&make(&one.turns), &one.summary, &stemmer));
        let figures: Vec<[f64; 3]> = figures.collect();
        let lowest = (0..FOLDS.min(figures.len()))
            .map(|fold| mean(figures.iter().skip(fold).step_by(FOLDS))[0])
            .fold(f64::MAX, f64::min);
        let [one, two, longest] = mean(figures.iter());
        let row: [Cell; 6] = [set.into(), way.into(), one.into(), two.into(), longest.into(), lowest.into()];
        table.push(row.to_vec());
    }
}

type SummaryMethod = (&'static str, Box<dyn Fn(&[(String, String)]) -> String>);

/// What is measured: the simplest way, ours, and ours without each sort of sign.
fn ways() -> Vec<SummaryMethod> {
    let usual = ExtractWeights::default;
    let without = [
        ("extract", usual()),
        ("without place", ExtractWeights { place: 0, ..usual() }),
        ("without length", ExtractWeights { length: 0, ..usual() }),
        ("without shared topics", ExtractWeights { shared: 0, ..usual() }),
        ("without leaning words", ExtractWeights { leaning: 0, ..usual() }),
        ("without names", ExtractWeights { names: 0, ..usual() }),
        ("without speakers", ExtractWeights { speakers: 0, ..usual() }),
        ("without repeats", ExtractWeights { repeats: 0, ..usual() }),
        ("without trimming", ExtractWeights { trims: false, ..usual() }),
    ];
    let lead: SummaryMethod =
        ("lead-3", Box::new(|turns| written(turns.iter().take(3).map(|(name, text)| (&**name, &**text)))));
    let ours = without
        .into_iter()
        .map(|(name, signs)| -> SummaryMethod { (name, Box::new(move |turns| ours(turns, &signs))) });
    [lead].into_iter().chain(ours).collect()
}

fn ours(turns: &[(String, String)], signs: &ExtractWeights) -> String {
    let said: Vec<SourceText<'_>> = turns.iter().map(|(name, text)| SourceText { id: "", name, text }).collect();
    let lines = extract_by(&said, LINES_MAX, CHARS_MAX, signs);
    written(lines.iter().map(|ExtractedLine { index, text }| (said[*index].name, text.as_str())))
}

fn written<'a>(lines: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    lines.map(|(name, text)| format!("{name}: {text}\n")).collect()
}

fn read(file: &Path) -> Option<Vec<DialogSum>> {
    let text = fs::read_to_string(file).ok()?;
    let dialogue = |line: &str| {
        let value: Value = serde_json::from_str(line).ok()?;
        let turn =
            |line: &str| line.split_once(':').map(|(name, text)| (name.trim().to_owned(), text.trim().to_owned()));
        let turns = value["dialogue"].as_str()?.lines().filter_map(turn).collect();
        Some(DialogSum { turns, summary: value["summary"].as_str()?.to_owned() })
    };
    text.lines().map(dialogue).collect()
}

fn mean<'a>(figures: impl Iterator<Item = &'a [f64; 3]>) -> [f64; 3] {
    let (mut sum, mut count) = ([0.0; 3], 0.0_f64);
    for figure in figures {
        count += 1.0;
        sum.iter_mut().zip(figure).for_each(|(sum, value)| *sum += value);
    }
    sum.map(|sum| sum / count.max(1.0))
}

/// ROUGE-1, -2 and -L of a summary against that of a person.
fn rouge(summary: &str, reference: &str, stemmer: &Stemmer) -> [f64; 3] {
    let (ours, theirs) = (words(summary, stemmer), words(reference, stemmer));
    let common = |size: usize| {
        let (ours, theirs) = (counts(&ours, size), counts(&theirs, size));
        let both = ours.iter().map(|(words, count)| count.min(theirs.get(words).unwrap_or(&0))).sum();
        f1(both, ours.values().sum(), theirs.values().sum())
    };
    [common(1), common(2), f1(longest_common(&ours, &theirs), ours.len(), theirs.len())]
}

/// Words in lower case; those of more than three letters by their stems.
fn words(text: &str, stemmer: &Stemmer) -> Vec<String> {
    let text = text.to_ascii_lowercase();
    let words = text.split(|sign: char| !sign.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(|word| if word.len() > 3 { stemmer.stem(word).into_owned() } else { word.to_owned() }).collect()
}

fn counts(words: &[String], size: usize) -> BTreeMap<&[String], usize> {
    let mut counts = BTreeMap::new();
    words.windows(size).for_each(|window| *counts.entry(window).or_insert(0) += 1);
    counts
}

fn longest_common(ours: &[String], theirs: &[String]) -> usize {
    let mut row = vec![0; theirs.len() + 1];
    for word in ours {
        let mut corner = 0;
        for (place, other) in theirs.iter().enumerate() {
            let above = row[place + 1];
            row[place + 1] = if word == other { corner + 1 } else { above.max(row[place]) };
            corner = above;
        }
    }
    row[theirs.len()]
}

#[allow(clippy::cast_precision_loss, reason = "words of a summary are few")]
fn f1(both: usize, ours: usize, theirs: usize) -> f64 {
    if both == 0 { 0.0 } else { 2.0 * both as f64 / (ours + theirs) as f64 }
}
