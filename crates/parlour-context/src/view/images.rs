//! No images: their addresses are fetched by whoever shows them.

use std::collections::HashMap;

use super::{
    address,
    brackets::{self, Pair},
    edit::{Edit, Edited},
    links::apart,
    references::{self, label_of},
    tags,
};

/// Images become what they are said to show.
pub(super) fn images(edited: &Edited) -> Vec<Edit> {
    let text = &edited.text;
    let mut edits = if text.contains("![") { in_markdown(edited) } else { Vec::new() };
    if text.contains('<') {
        let shown = |alt: &str| if alt.is_empty() { "[image]".to_owned() } else { format!("[image: {alt}]") };
        edits.extend(
            tags::images(text).into_iter().map(|(range, alt)| (range.clone(), apart(text, range, &shown(alt)))),
        );
    }
    edits.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
    edits
}

fn in_markdown(edited: &Edited) -> Vec<Edit> {
    let text = &edited.text;
    let pairs = brackets::pairs(text);
    let definitions = references::definitions(text);
    let uses = references::uses(text, &pairs, &definitions);
    let closes: Vec<usize> = text.match_indices(']').map(|(at, _)| at).collect();
    let mut edits = Vec::new();
    for (bang, _) in text.match_indices("![") {
        let is_mark = edited.marks.binary_search_by_key(&(bang + 1), |mark| mark.range.start).is_ok();
        let pair = brackets::at(&pairs, bang + 1).filter(|_| !is_mark);
        let found = pair.and_then(|pair| Some((pair, end_of(text, &pairs, pair, &uses)?)));
        match found {
            Some((pair, end)) => edits.extend(replaced(text, pair, end)),
            None if is_taken_for_one(text, &closes, bang + 1) => edits.push((bang + 1..bang + 1, " ".to_owned())),
            None => {}
        }
    }
    // An address that only images have used is of no use any more.
    let mut is_only_shown: HashMap<&str, bool> = HashMap::new();
    for used in &uses {
        *is_only_shown.entry(&used.label).or_insert(true) &= used.is_image;
    }
    let unused = definitions.iter().filter(|definition| is_only_shown.get(definition.label.as_str()) == Some(&true));
    edits.extend(unused.map(|definition| (definition.range.clone(), String::new())));
    edits
}

/// Behind the image whose brackets these are.
fn end_of(text: &str, pairs: &[Pair], pair: Pair, uses: &[references::Use]) -> Option<usize> {
    let next = pair.close + 1;
    if let Some(target) = address::target(text, next) {
        return Some(target.end);
    }
    if let Ok(used) = uses.binary_search_by_key(&pair.open, |used| used.pair.open) {
        return Some(uses[used].end);
    }
    // Without an address it shows nothing; in code, `vec![a][0]` looks the same.
    let is_code = text[..pair.open - 1].ends_with(|sign: char| sign.is_alphanumeric() || sign == '_');
    brackets::at(pairs, next).filter(|_| !is_code).map(|second| second.close + 1)
}

/// The image without its address. What it is said to show stays where it is, with the marks in it.
fn replaced(text: &str, pair: Pair, end: usize) -> Vec<Edit> {
    let bang = pair.open - 1;
    if label_of(&text[pair.open + 1..pair.close]).is_empty() {
        return vec![(bang..end, apart(text, bang..end, "[image]"))];
    }
    vec![
        (bang..pair.open + 1, apart(text, bang..bang, "[image: ")),
        (pair.close + 1..end, apart(text, pair.close + 1..end, "")),
    ]
}

/// Whether a simple reader would take it for an image, though it is none.
fn is_taken_for_one(text: &str, closes: &[usize], open: usize) -> bool {
    let close = closes.get(closes.partition_point(|close| *close < open));
    close.is_some_and(|close| text[close + 1..].starts_with('('))
}
