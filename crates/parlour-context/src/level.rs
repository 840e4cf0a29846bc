//! One text at several lengths. Every length is made of the text's own words, and says where something is missing.

mod cuts;
mod extract;
mod head_tail;
mod one_line;
mod pieces;
#[cfg(test)]
mod tests;

use parlour_core::context::Level;

use self::cuts::Cuts;
use crate::{prepared::Prepared, rank::RankQuery};

/// All lengths, the longest first.
pub const LEVELS: [Level; 5] = [Level::Full, Level::HeadTail, Level::Extract, Level::OneLine, Level::Handle];

/// What stands where something is missing.
pub(crate) const GAP: &str = "…";
/// A text of no more characters has no shorter length than itself.
const CHARS_LEAST: usize = 60;

/// As which length a text at this length is shown. Where its view has left something out, all that is there to be shown
/// is not all of it.
pub fn shown_as(prepared: &Prepared, level: Level) -> Level {
    if level == Level::Full && prepared.is_cut { Level::HeadTail } else { level }
}

/// The text at this length; nothing where this length would not be shorter than the one before, or says nothing.
///
/// Of a handle there is no text: that there is something, and how it is fetched, is the frame's to say. A mark of
/// something that was taken out is never cut in two, nor is what readers see as one sign.
pub fn at_level(prepared: &Prepared, level: Level, query: &RankQuery) -> Option<String> {
    match level {
        Level::Full => full(prepared),
        Level::Handle => Some(String::new()),
        _ => texts(prepared, query, level).pop().and_then(|(last, text)| (last == level).then_some(text)),
    }
}

/// The beginning and the end of a text in about so many characters, for what must be shown and is too long; nothing where
/// that would not be shorter than all of it.
pub fn head_and_tail(prepared: &Prepared, chars_max: usize) -> Option<String> {
    head_tail::within(&Cuts::of(prepared), chars_max)
}

/// The text at all lengths that it has, the longest first; each is shorter than the one before. For whoever needs
/// several of them: it costs no more than the shortest alone.
pub fn levels(prepared: &Prepared, query: &RankQuery) -> Vec<(Level, String)> {
    texts(prepared, query, Level::Handle)
}

/// The lengths up to this one.
fn texts(prepared: &Prepared, query: &RankQuery, shortest: Level) -> Vec<(Level, String)> {
    let mut texts: Vec<(Level, String)> = full(prepared).into_iter().map(|text| (Level::Full, text)).collect();
    let chars = prepared.text.chars().count();
    if !texts.is_empty() && chars > CHARS_LEAST && shortest > Level::Full {
        shorten(&mut texts, prepared, query, chars, shortest);
    }
    if shortest == Level::Handle {
        texts.push((Level::Handle, String::new()));
    }
    texts
}

fn full(prepared: &Prepared) -> Option<String> {
    (!prepared.text.trim().is_empty()).then(|| prepared.text.clone())
}

fn shorten(
    texts: &mut Vec<(Level, String)>,
    prepared: &Prepared,
    query: &RankQuery,
    mut chars_before: usize,
    shortest: Level,
) {
    let cuts = Cuts::of(prepared);
    let mut push = |level: Level, make: &dyn Fn(usize) -> Option<String>| {
        if level > shortest {
            return;
        }
        let Some(text) = make(chars_before - 1) else { return };
        let chars = text.chars().count();
        if chars < chars_before {
            chars_before = chars;
            texts.push((level, text));
        }
    };
    push(Level::HeadTail, &|chars_max| head_tail::of(&cuts, chars_max));
    if shortest == Level::HeadTail {
        return;
    }
    let pieces = pieces::of(&cuts);
    push(Level::Extract, &|chars_max| extract::of(&cuts, &pieces, query, chars_max));
    push(Level::OneLine, &|chars_max| one_line::of(&cuts, &pieces, chars_max));
}
