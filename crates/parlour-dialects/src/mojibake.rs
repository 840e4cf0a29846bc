//! Texts that were read in a wrong encoding, and how they are mended.
//!
//! UTF-8 that somebody read byte by byte as Windows-1252, Latin-1 or Mac Roman shows a few characters for each that was
//! meant: `cafÃ©`, `caf√©`. Such a run of characters is mended when all of it, put back into bytes, is UTF-8. Some right
//! texts would pass that test too, as `„Spaß“` or `l’été`, so [`evidence`] asks in addition whether a person could have
//! written the run. Right texts stay as they are, byte for byte; in doubt, damaged ones do too.

mod evidence;
mod table;

use std::ops::Range;

use serde_json::Value;
use table::Table;

/// How often one text is mended: some were read wrongly more than once.
const ROUNDS: usize = 3;

/// Mends a text that is UTF-8 read as Mac Roman, Windows-1252 or Latin-1; none when there is nothing to mend.
pub fn repair(text: &str) -> Option<String> {
    let mut mended = None;
    for _ in 0..ROUNDS {
        match repair_once(mended.as_deref().unwrap_or(text)) {
            Some(next) => mended = Some(next),
            None => break,
        }
    }
    mended
}

/// Mends all texts of a value, keys excepted; answers how many there were.
pub fn repair_value(value: &mut Value) -> usize {
    match value {
        Value::String(text) => repair(text).map_or(0, |mended| {
            *text = mended;
            1
        }),
        Value::Array(items) => items.iter_mut().map(repair_value).sum(),
        Value::Object(fields) => fields.values_mut().map(repair_value).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

/// What a run of characters would be if it was read in the wrong table.
struct DecodedRun {
    mended: String,
    /// Whether nobody would have written the run itself.
    is_certain: bool,
}

/// A run and its readings, in the order of [`Table::ALL`].
struct SuspectRun {
    place: Range<usize>,
    readings: [Option<DecodedRun>; 2],
}

fn repair_once(text: &str) -> Option<String> {
    let suspects = suspects(text);
    let is_certain = |reading: &&DecodedRun| reading.is_certain;
    // One certain run shows which table was used, and then the doubtful ones of that table are no longer in doubt.
    let was_used = [0, 1].map(|table: usize| {
        suspects.iter().any(|suspect| suspect.readings[table].as_ref().is_some_and(|reading| reading.is_certain))
    });
    let mut out = String::new();
    let mut copied = 0;
    for suspect in &suspects {
        let readings = || suspect.readings.iter().flatten();
        let of_used =
            || [0, 1].into_iter().filter(|table| was_used[*table]).find_map(|table| suspect.readings[table].as_ref());
        if let Some(reading) = readings().find(is_certain).or_else(of_used) {
            out.push_str(&text[copied..suspect.place.start]);
            out.push_str(&reading.mended);
            copied = suspect.place.end;
        }
    }
    (copied > 0).then(|| out + &text[copied..])
}

/// All runs that could be damaged.
fn suspects(text: &str) -> Vec<SuspectRun> {
    let mut suspects = Vec::new();
    let mut end = 0;
    while let Some(offset) = text[end..].find(|sign: char| !sign.is_ascii()) {
        let start = end + offset;
        let length = text[start..].find(|sign: char| sign.is_ascii()).unwrap_or(text.len() - start);
        end = start + length;
        let run = &text[start..end];
        // The neighbours are ASCII, or the run would not end there.
        let around = (text[..start].chars().next_back(), text[end..].chars().next());
        let readings = Table::ALL.map(|table| read(table, run, around));
        if readings.iter().any(Option::is_some) {
            suspects.push(SuspectRun { place: start..end, readings });
        }
    }
    suspects
}

fn read(table: Table, run: &str, around: (Option<char>, Option<char>)) -> Option<DecodedRun> {
    let mut bytes = Vec::new();
    if table == Table::MacRoman && evidence::lacks_its_first_byte(run, around) {
        bytes.push(0xF0);
    }
    for sign in run.chars() {
        bytes.push(table.byte(sign)?);
        // Most right texts are found to be so here, by their first character.
        if matches!(bytes[0], 0x80..=0xC1 | 0xF5..) {
            return None;
        }
    }
    let mended = String::from_utf8(bytes).ok()?;
    let is_certain = evidence::is_certain(table, run, &mended, around);
    Some(DecodedRun { mended, is_certain })
}
