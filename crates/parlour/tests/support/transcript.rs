//! Commands with what they showed, as in a terminal, without what differs from run to run.

use super::Hub;

impl Hub {
    /// Runs commands one after another and writes down what was seen.
    pub(crate) fn transcript(&self, lines: &[&str]) -> String {
        let mut text = String::new();
        for line in lines {
            let run = self.run(line);
            text += &format!("$ parlour {line}\n{}{}", run.stdout, run.stderr);
            if run.code != Some(0) {
                text += &format!("[exit code {:?}]\n", run.code.unwrap_or(-1));
            }
            text.push('\n');
        }
        let text = text.replace(&self.url, "http://HUB");
        // The port is chosen at random; commands for another address contain it too.
        let port = self.url.rsplit(':').next().unwrap_or_default();
        steady(&text.replace(&format!(":{port}"), ":PORT"))
    }
}

/// Splits a line into words; single quotation marks hold a word together.
pub(crate) fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (place, part) in line.split('\'').enumerate() {
        if place % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// The text with the digits of ids, tokens and moments replaced by zeros.
pub(crate) fn steady(text: &str) -> String {
    let mut steady = String::new();
    let mut rest = text;
    while let Some(sign) = rest.chars().next() {
        let (shown, length) = steady_start(rest).unwrap_or_else(|| (sign.to_string(), sign.len_utf8()));
        steady += &shown;
        rest = &rest[length..];
    }
    steady
}

/// What stands for the start of the text, and how much of it, if that differs from run to run.
fn steady_start(text: &str) -> Option<(String, usize)> {
    let word = &text[..text.find(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_').unwrap_or(text.len())];
    if word.starts_with("eyJ") {
        let is_of_token = |sign: char| sign.is_ascii_alphanumeric() || "_-.".contains(sign);
        return Some(("SIGNED".to_owned(), text.find(|sign| !is_of_token(sign)).unwrap_or(text.len())));
    }
    if let Some((prefix, tail)) = word.rsplit_once('_') {
        let is_secret = prefix.starts_with("parlour") && tail.len() == 64;
        let is_id = (2..=3).contains(&prefix.len()) && tail.len() == 26;
        if is_secret || is_id {
            // Of the same length, so that tables stay in line.
            return Some((format!("{prefix}_{}", "0".repeat(tail.len())), word.len()));
        }
    }
    let moment = text.get(.."0000-00-00 00:00".len())?;
    let is_moment = moment.bytes().map(|byte| if byte.is_ascii_digit() { b'0' } else { byte }).eq(*b"0000-00-00 00:00");
    is_moment.then(|| ("0000-00-00 00:00".to_owned(), moment.len()))
}

/// Snapshots without the code that made them: a transcript names its commands itself.
pub(crate) fn snapshots() -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_omit_expression(true);
    settings
}

#[test]
fn variable_values_are_replaced_by_values_of_the_same_length() {
    let text = "msg_01M7GNNDSEETW8PXQ150QCA526  2026-11-15 22:36  msg_7 ü";
    assert_eq!(steady(text), "msg_00000000000000000000000000  0000-00-00 00:00  msg_7 ü");
    let token = format!("PARLOUR_TOKEN=parlour_{}", "0f".repeat(32));
    assert_eq!(steady(&token), token.replace('f', "0"));
    assert_eq!(steady("TOKEN=eyJh.eyJz.a-b_c\nNext"), "TOKEN=SIGNED\nNext");
}

#[test]
fn quoted_words_stay_together() {
    assert_eq!(words("post general 'Hello @Coder' --json"), ["post", "general", "Hello @Coder", "--json"]);
}
