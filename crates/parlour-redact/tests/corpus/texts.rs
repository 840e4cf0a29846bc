//! The texts of the corpus: batches in files, and provider tokens in sentences, encoded, or split.
//!
//! Each batch of chat was written before its author looked at the rules again, so that the first run over it shows how the
//! rules do on unknown texts. Afterwards the rules were improved with it. The figures are in `docs/redaction.md`. Texts are
//! separated by lines of `%%`.

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};

use super::samples::{ALNUM, B64, DIGIT, RandomChars, Sample};

/// A text with secrets.
#[derive(Clone, Debug)]
pub struct Positive {
    pub text: String,
    pub secrets: Vec<String>,
    /// The row of the table that it counts for.
    pub group: &'static str,
}

/// Includes batches: a file of texts with secrets, and one of harmless texts.
macro_rules! batches {
    ($($group:literal: $positives:literal $negatives:literal;)+) => {
        const BATCHES: &[(&str, &str, &str)] = &[$((
            $group,
            include_str!(concat!("batches/", $positives, ".txt")),
            include_str!(concat!("batches/", $negatives, ".txt")),
        )),+];
    };
}

batches! {
    "password": "password" "general-harmless";
    "key word": "key-word" "none";
    "hidden or broken": "hidden" "none";
    "personal": "personal" "none";
    "written later": "later" "later-harmless";
    "first batch": "first" "first-harmless";
    "second batch": "second" "second-harmless";
    "third batch": "third" "third-harmless";
    "fourth batch": "fourth" "fourth-harmless";
    "fifth batch": "fifth" "fifth-harmless";
    "sixth batch": "sixth" "sixth-harmless";
    "seventh batch": "seventh" "seventh-harmless";
    "eighth batch": "eighth" "eighth-harmless";
    "ninth batch": "ninth" "ninth-harmless";
    "tenth batch": "tenth" "tenth-harmless";
    "eleventh batch": "eleventh" "eleventh-harmless";
    "twelfth batch": "twelfth" "twelfth-harmless";
    "thirteenth batch": "thirteenth" "thirteenth-harmless";
    "fourteenth batch": "fourteenth" "fourteenth-harmless";
    "fifteenth batch": "fifteenth" "fifteenth-harmless";
    "sixteenth batch": "sixteenth" "sixteenth-harmless";
    "seventeenth batch": "seventeenth" "seventeenth-harmless";
    "eighteenth batch": "eighteenth" "eighteenth-harmless";
    "nineteenth batch": "nineteenth" "nineteenth-harmless";
    // Written while the rules were improved, with the rules in sight.
    "tried": "tried" "tried-harmless";
}

const PROVIDER_TOKENS: &str = include_str!("provider_tokens.txt");
/// Sentences around a provider token; `{}` is replaced by the token.
const TOKEN_SENTENCES: &str = include_str!("token_sentences.txt");

/// All texts with secrets.
pub fn positives() -> Vec<Positive> {
    let mut chars = RandomChars::new(7);
    let mut all = Vec::new();
    let sentences: Vec<&str> = samples_of(TOKEN_SENTENCES).collect();
    for (at, (_, token)) in provider_tokens().enumerate() {
        for turn in 0..3 {
            let secret = made_up(token, &mut chars);
            let text = sentences[(at * 3 + turn * 5) % sentences.len()].replace("{}", &secret);
            all.push(Positive { text, secrets: vec![secret], group: "provider" });
        }
    }
    let hidden = hidden_or_broken(&mut chars).into_iter();
    all.extend(hidden.map(|(text, secret)| Positive { text, secrets: vec![secret], group: "hidden or broken" }));
    let batches = BATCHES.iter().flat_map(|(group, texts, _)| samples_of(texts).map(|text| positive(group, text)));
    all.extend(batches);
    all
}

/// All texts without secrets.
pub fn negatives() -> Vec<String> {
    BATCHES.iter().flat_map(|(_, _, texts)| samples_of(texts)).map(|text| Sample::read(text).text).collect()
}

/// The name and the notation of a token of each provider.
pub fn provider_tokens() -> impl Iterator<Item = (&'static str, &'static str)> {
    PROVIDER_TOKENS.lines().filter_map(|line| line.split_once(": "))
}

/// One token in this notation.
pub fn made_up(token: &str, chars: &mut RandomChars) -> String {
    Sample::read_with(token, chars).text
}

fn samples_of(file: &'static str) -> impl Iterator<Item = &'static str> {
    file.split("%%\n").map(str::trim_end).filter(|text| !text.is_empty())
}

fn positive(group: &'static str, notation: &str) -> Positive {
    let sample = Sample::read(notation);
    assert!(!sample.secrets.is_empty(), "no secret in {notation}");
    let secrets = sample.secrets.iter().map(|range| sample.text[range.clone()].to_owned()).collect();
    Positive { text: sample.text, secrets, group }
}

fn block(kind: &str, chars: &mut RandomChars) -> String {
    let body: Vec<_> = (0..6).map(|_| chars.of(B64, 64)).collect();
    format!("-----BEGIN {kind}PRIVATE KEY-----\n{}\n-----END {kind}PRIVATE KEY-----", body.join("\n"))
}

fn jwt(chars: &mut RandomChars) -> String {
    let head = URL_SAFE_NO_PAD.encode(br#"{"alg":"HS256","typ":"JWT"}"#);
    let claims = URL_SAFE_NO_PAD.encode(format!(r#"{{"sub":"{}"}}"#, chars.of(DIGIT, 10)));
    format!("{head}.{claims}.{}", chars.of(ALNUM, 43))
}

/// Secrets that are encoded, split or in blocks.
fn hidden_or_broken(chars: &mut RandomChars) -> Vec<(String, String)> {
    let mut hidden = Vec::new();
    for kind in ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA "] {
        let block = block(kind, chars);
        let line = block.lines().nth(2).unwrap_or_default().to_owned();
        hidden.push((format!("here is the deploy one:\n{block}\nkeep it safe"), line.clone()));
        hidden.push((format!("cut off in the log:\n{}", &block[..block.len() - 60]), line.clone()));
        hidden.push((
            format!("{{\"type\":\"service_account\",\"private_key\":\"{}\\n\"}}", block.replace('\n', "\\n")),
            line,
        ));
    }
    let signed = jwt(chars);
    hidden.push((format!("token from the browser: {signed}"), signed.clone()));
    hidden.push((format!("Cookie: jwt={signed}"), signed.clone()));
    hidden.push((format!("see {signed}, it is expired"), signed));
    for (_, token) in provider_tokens().step_by(7) {
        let secret = made_up(token, chars);
        hidden.push((format!("it is {} in base64", STANDARD.encode(&secret)), STANDARD.encode(&secret)));
        hidden.push((
            format!("echo {} | base64 -d", URL_SAFE_NO_PAD.encode(format!("token={secret}"))),
            URL_SAFE_NO_PAD.encode(format!("token={secret}")),
        ));
        let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
        hidden.push((format!("hexdump: {hex}"), hex));
        let (head, tail) = secret.split_at(secret.len() - 9);
        hidden.push((format!("wrapped by the terminal:\n{head}\n{tail}\nsorry"), head.to_owned()));
        hidden.push((format!("copied badly: {}\u{200b}{}", &secret[..6], &secret[6..]), secret[6..].to_owned()));
    }
    let basic = STANDARD.encode("bob:Tr0ub4dor&3");
    hidden.push((format!("Authorization: Basic {basic}"), basic.clone()));
    hidden.push((format!("header was 'Basic {basic}'"), basic));
    let (id, key) = (made_up("AK¦IA‹upper 16›", chars), chars.of(B64, 40));
    hidden.push((format!("{id}\n{key}"), key.clone()));
    hidden.push((format!("keys for s3: {id} / {key}"), key.clone()));
    hidden.push((format!("[default]\naws_access_key_id = {id}\naws_secret_access_key = {key}"), key));
    hidden
}
