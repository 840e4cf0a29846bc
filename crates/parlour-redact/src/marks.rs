//! From places to marks: what overlaps becomes one, the same value gets the same number.

use std::{borrow::Cow, collections::BTreeMap, ops::Range, sync::LazyLock};

use regex::Regex;

use super::{Mark, Redacted, again, kinds, scan::Candidate};

/// Digits of a number in a mark.
pub(super) const NUMBER_DIGITS_MAX: usize = 6;

/// Places to take out, with the kind of each.
#[derive(Debug, Default)]
pub(super) struct Places(Vec<Place>);

#[derive(Clone, Debug)]
struct Place {
    range: Range<usize>,
    kind: Cow<'static, str>,
    /// Of two at the same place, the smaller one gives the kind.
    rank: usize,
}

impl Places {
    /// Takes what rules of the hub have found. Those of a project go before them: rank 0.
    pub(super) fn take(&mut self, found: Vec<Candidate>) {
        let place = |one: Candidate| Place { range: one.range, kind: Cow::Borrowed(one.kind), rank: one.rank + 1 };
        self.0.extend(found.into_iter().map(place));
    }

    /// Adds the other places of the secrets that were found.
    pub(super) fn repeat(&mut self, text: &str) {
        let secrets: Vec<&Place> = self.0.iter().filter(|place| !kinds::is_personal(&place.kind)).collect();
        let known: Vec<again::Known<'_>> =
            secrets.iter().map(|place| (place.kind.as_ref(), place.range.clone())).collect();
        let found = again::find(text, &known);
        let places = found.into_iter().map(|(range, first)| Place { range, ..secrets[first].clone() });
        let places: Vec<Place> = places.collect();
        self.0.extend(places);
    }

    /// Adds a place that a rule of a project has found.
    pub(super) fn add(&mut self, range: Range<usize>, kind: &str) {
        self.0.push(Place { range, kind: Cow::Owned(kind.to_owned()), rank: 0 });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text with marks. Marks that are in it already stay, and their numbers are not given again.
    pub(super) fn written(
        self,
        before: &Redacted,
        numbers: &mut Numbers,
        is_known: impl Fn(&str) -> bool,
    ) -> Option<Redacted> {
        let text = &before.text;
        let old = Old::of(text, is_known);
        let places = merged(self.0.into_iter().filter_map(|place| old.outside(place)).collect());
        if places.is_empty() {
            return None;
        }
        numbers.skip(old.next);
        let mut after = Redacted { text: String::with_capacity(text.len()), marks: Vec::with_capacity(places.len()) };
        let mut kept = before.marks.iter().peekable();
        let mut from = 0;
        for place in places {
            let Some(value) = text.get(place.range.clone()) else { continue };
            while let Some(mark) = kept.next_if(|mark| mark.range.start < place.range.end) {
                if mark.range.end <= place.range.start {
                    after.marks.push(mark.moved(from, after.text.len()));
                }
            }
            after.text.push_str(&text[from..place.range.start]);
            let start = after.text.len();
            after.text.push_str(&format!("[{} {}]", place.kind, numbers.of(&place.kind, value)));
            after.marks.push(Mark { kind: place.kind, range: start..after.text.len() });
            from = place.range.end;
        }
        after.marks.extend(kept.map(|mark| mark.moved(from, after.text.len())));
        after.text.push_str(&text[from..]);
        Some(after)
    }
}

impl Mark {
    /// The same mark, when what stood at `from` stands at `to`.
    fn moved(&self, from: usize, to: usize) -> Self {
        Self { kind: self.kind.clone(), range: self.range.start - from + to..self.range.end - from + to }
    }
}

/// The places in the order of the text; those that overlap become one.
fn merged(mut places: Vec<Place>) -> Vec<Place> {
    places.sort_by_key(|place| (place.range.start, place.range.end, place.rank));
    let mut merged: Vec<Place> = Vec::with_capacity(places.len());
    for place in places {
        match merged.last_mut() {
            Some(last) if place.range.start < last.range.end => {
                last.range.end = last.range.end.max(place.range.end);
                if place.rank < last.rank {
                    (last.kind, last.rank) = (place.kind, place.rank);
                }
            }
            _ => merged.push(place),
        }
    }
    merged
}

/// Marks that were in the text before.
struct Old {
    ranges: Vec<Range<usize>>,
    next: BTreeMap<String, usize>,
}

impl Old {
    fn of(text: &str, is_known: impl Fn(&str) -> bool) -> Self {
        static MARK: LazyLock<Option<Regex>> =
            LazyLock::new(|| Regex::new(&format!(r"\[([a-z0-9-]{{1,40}}) ([0-9]{{1,{NUMBER_DIGITS_MAX}}})\]")).ok());
        let mut old = Self { ranges: Vec::new(), next: BTreeMap::new() };
        for groups in MARK.iter().flat_map(|mark| mark.captures_iter(text)) {
            let (_, [kind, number]) = groups.extract();
            if is_known(kind) {
                old.ranges.extend(groups.get(0).map(|whole| whole.range()));
                let next = old.next.entry(kind.to_owned()).or_default();
                *next = number.parse().unwrap_or(0).max(*next);
            }
        }
        old
    }

    /// The place without what of it belongs to a mark: all of it inside of one is none.
    fn outside(&self, mut place: Place) -> Option<Place> {
        let first = self.ranges.partition_point(|mark| mark.end <= place.range.start);
        let end = place.range.end;
        for mark in self.ranges[first..].iter().take_while(|mark| mark.start < end) {
            if mark.start <= place.range.start {
                place.range.start = mark.end;
            } else if mark.end >= place.range.end {
                place.range.end = mark.start;
            }
        }
        (place.range.start < place.range.end).then_some(place)
    }
}

/// The numbers of a text: in the order in which values first come up, for each kind. A value that is found again in a later
/// round has the number that it had.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    next: BTreeMap<String, usize>,
    given: BTreeMap<(String, String), usize>,
}

impl Numbers {
    /// Numbers that are in the text already are not given again.
    fn skip(&mut self, old: BTreeMap<String, usize>) {
        for (kind, number) in old {
            let next = self.next.entry(kind).or_default();
            *next = number.max(*next);
        }
    }

    fn of(&mut self, kind: &str, value: &str) -> usize {
        let next = &mut self.next;
        *self.given.entry((kind.to_owned(), value.to_owned())).or_insert_with(|| {
            let number = next.entry(kind.to_owned()).or_default();
            *number += 1;
            *number
        })
    }
}
