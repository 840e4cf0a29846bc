//! Batches of chat, each written before anybody looked at the rules again: the first run over a batch says how the rules do
//! on what they do not know. Afterwards the rules were repaired with it. The figures stand in `docs/redaction.md`.
//!
//! Texts are parted by lines of `%%`. `«…»` holds what must not be left, `‹hex 32›` stands for made-up signs, and `¦` cuts a
//! prefix, so that no scanner of repositories takes it for a secret.

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};

use super::{
    makers::{ALNUM, B64, CAPS, DIGIT, HEX, LOW, Signs, UPPER},
    positives::Positive,
};

/// Name, texts with secrets, texts without.
pub const BATCHES: &[(&str, &str, &str)] = &[
    ("first batch", include_str!("batches/first.txt"), include_str!("batches/first-harmless.txt")),
    ("second batch", include_str!("batches/second.txt"), include_str!("batches/second-harmless.txt")),
    ("third batch", include_str!("batches/third.txt"), include_str!("batches/third-harmless.txt")),
    ("fourth batch", include_str!("batches/fourth.txt"), include_str!("batches/fourth-harmless.txt")),
    ("fifth batch", include_str!("batches/fifth.txt"), include_str!("batches/fifth-harmless.txt")),
    ("sixth batch", include_str!("batches/sixth.txt"), include_str!("batches/sixth-harmless.txt")),
    ("seventh batch", include_str!("batches/seventh.txt"), include_str!("batches/seventh-harmless.txt")),
    ("eighth batch", include_str!("batches/eighth.txt"), include_str!("batches/eighth-harmless.txt")),
    ("ninth batch", include_str!("batches/ninth.txt"), include_str!("batches/ninth-harmless.txt")),
    ("tenth batch", include_str!("batches/tenth.txt"), include_str!("batches/tenth-harmless.txt")),
    ("eleventh batch", include_str!("batches/eleventh.txt"), include_str!("batches/eleventh-harmless.txt")),
    ("twelfth batch", include_str!("batches/twelfth.txt"), include_str!("batches/twelfth-harmless.txt")),
    ("thirteenth batch", include_str!("batches/thirteenth.txt"), include_str!("batches/thirteenth-harmless.txt")),
    ("fourteenth batch", include_str!("batches/fourteenth.txt"), include_str!("batches/fourteenth-harmless.txt")),
    ("fifteenth batch", include_str!("batches/fifteenth.txt"), include_str!("batches/fifteenth-harmless.txt")),
    ("sixteenth batch", include_str!("batches/sixteenth.txt"), include_str!("batches/sixteenth-harmless.txt")),
    ("seventeenth batch", include_str!("batches/seventeenth.txt"), include_str!("batches/seventeenth-harmless.txt")),
    ("eighteenth batch", include_str!("batches/eighteenth.txt"), include_str!("batches/eighteenth-harmless.txt")),
    ("nineteenth batch", include_str!("batches/nineteenth.txt"), include_str!("batches/nineteenth-harmless.txt")),
    // With the rules in sight: what they were tried with while they were repaired.
    ("tried", include_str!("batches/tried.txt"), include_str!("batches/tried-harmless.txt")),
];

/// Every secret of every batch, with its text.
pub fn positives() -> Vec<Positive> {
    BATCHES.iter().flat_map(|(name, texts, _)| texts.split("%%\n").map(|text| positive(name, text))).collect()
}

/// Every harmless text of every batch.
pub fn negatives() -> Vec<String> {
    BATCHES.iter().flat_map(|(_, _, texts)| texts.split("%%\n")).map(|text| filled(text.trim_end())).collect()
}

fn positive(group: &'static str, text: &str) -> Positive {
    let text = filled(text.trim_end());
    let secrets: Vec<String> =
        text.split('«').skip(1).filter_map(|rest| rest.split_once('»')).map(|(secret, _)| secret.to_owned()).collect();
    assert!(!secrets.is_empty(), "no secret in {text}");
    Positive { text: text.replace(['«', '»'], ""), secrets, group }
}

/// A text with its signs made up; the same text has the same signs each time.
fn filled(text: &str) -> String {
    let mut signs = Signs::new(text.bytes().fold(7, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte))));
    let mut pieces = text.split('‹');
    let mut filled = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (what, rest) = piece.split_once('›').unwrap_or_else(|| panic!("an open piece in {text}"));
        filled += &made_up(what, &mut signs);
        filled += rest;
    }
    filled.replace('¦', "")
}

fn made_up(what: &str, signs: &mut Signs) -> String {
    let (name, rest) = what.split_once(' ').unwrap_or((what, ""));
    let url: &str = &[ALNUM, "_-"].concat();
    let alphabet = match name {
        "uuid" => return signs.uuid(),
        "jwt" => return jwt(signs),
        "b64of" => return STANDARD.encode(rest),
        "hexof" => return rest.bytes().map(|byte| format!("{byte:02x}")).collect(),
        "alnum" => ALNUM,
        "upper" => UPPER,
        "caps" => CAPS,
        "hex" => HEX,
        "low" => LOW,
        "b64" => B64,
        "digit" => DIGIT,
        "url" => url,
        other => panic!("no such signs: {other}"),
    };
    signs.of(alphabet, rest.parse().unwrap_or_else(|_| panic!("how many signs: {what}")))
}

fn jwt(signs: &mut Signs) -> String {
    let part = |json: String| URL_SAFE_NO_PAD.encode(json);
    let head = part(r#"{"alg":"RS256","typ":"JWT","kid":"k1"}"#.to_owned());
    let claims = part(format!(r#"{{"iss":"acme","sub":"{}","exp":1799999999}}"#, signs.of(DIGIT, 8)));
    format!("{head}.{claims}.{}", signs.of(ALNUM, 86))
}
