//! Fuzz targets: every dialect takes any bytes, never panics, and what it accepts means the same when read again.

use parlour_core::{Timestamp, fuzz::Target};

use crate::{Dialect, Scene, decode_line, encode_line, mojibake};

/// The parsers of the dialects.
pub const TARGETS: &[Target] = &[
    ("native", |bytes| round(Dialect::Native, bytes)),
    ("zen", |bytes| round(Dialect::Zen, bytes)),
    ("a2a", |bytes| round(Dialect::A2a, bytes)),
    ("tkr", |bytes| round(Dialect::Tkr, bytes)),
    ("tkr-legacy", |bytes| round(Dialect::TkrLegacy, bytes)),
    ("caco", |bytes| round(Dialect::Caco, bytes)),
    ("jaibber", |bytes| round(Dialect::Jaibber, bytes)),
    ("pynchy", |bytes| round(Dialect::Pynchy, bytes)),
    ("mojibake", |bytes| drop(mojibake::repair(&parlour_core::fuzz::text(bytes)))),
];

/// What a dialect accepts is written in every dialect and read again as the same.
fn round(dialect: Dialect, bytes: &[u8]) {
    let scene = Scene::history(Timestamp::from_millis(1_000));
    let Ok(item) = decode_line(dialect, bytes, &scene) else { return };
    for &other in Dialect::ALL {
        let mut line = Vec::new();
        if encode_line(other, &item, &mut line) {
            let again =
                decode_line(other, &line, &scene).unwrap_or_else(|refusal| unreachable!("{other}: {refusal:?}"));
            assert_eq!(again, item, "{dialect} as {other}: {}", String::from_utf8_lossy(&line));
        }
    }
}
