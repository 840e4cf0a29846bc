//! Texts that were read in a wrong encoding, and how they are mended.

use serde_json::Value;

/// Mends a text that is UTF-8 read as Mac Roman, Windows-1252 or Latin-1; none when there is nothing to mend.
pub fn repair(_text: &str) -> Option<String> {
    None
}

/// Mends all texts of a value, keys excepted; answers how many there were.
pub fn repair_value(_value: &mut Value) -> usize {
    0
}
