//! A provider's no: found in whichever form it has, and told apart by what can be done about it.

use serde_json::Value;

use super::output::Refused;

/// What a no is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    /// The key.
    Key,
    /// The money behind it.
    Quota,
    /// The model, or the address.
    Model,
    /// The length of the conversation.
    Length,
    /// Too many requests at once.
    Rate,
    /// Too many requests of all customers.
    Load,
    /// A redirect: nobody follows it, for it would carry the key along.
    Elsewhere,
    /// Something that the provider does not like about the request.
    Request,
    /// A fault of the provider.
    Fault,
}

/// Words of the providers for a conversation that is too long.
const LENGTH_WORDS: &[&str] = &[
    "context_length",
    "context length",
    "context size",
    "context window",
    "maximum context",
    "prompt is too long",
    "input is too long",
    "token count exceeds",
    "exceeds the maximum number of tokens",
    "request_too_large",
];
/// Words of the providers for an account without money.
const QUOTA_WORDS: &[&str] = &["insufficient_quota", "billing", "credit balance", "out of credits", "payment required"];
/// Words for a wrong key where the status says something else.
const KEY_WORDS: &[&str] = &["api key not valid", "invalid api key", "incorrect api key", "api_key_invalid"];
/// Words of one sort each for what passes by itself.
const LOAD_WORDS: &[&str] = &["overloaded", "unavailable"];
const RATE_WORDS: &[&str] = &["rate_limit", "resource_exhausted"];

impl Refused {
    /// What it is about.
    pub(super) fn about(&self) -> About {
        let said = format!("{} {}", self.sort, self.message).to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| said.contains(word));
        match self.status {
            Some(402) => About::Quota,
            Some(429) if says(QUOTA_WORDS) && !says(RATE_WORDS) => About::Quota,
            Some(400 | 403) if says(QUOTA_WORDS) => About::Quota,
            Some(401 | 403) => About::Key,
            Some(404) => About::Model,
            Some(429) => About::Rate,
            Some(503 | 529) => About::Load,
            Some(413) => About::Length,
            Some(400 | 422) if says(KEY_WORDS) => About::Key,
            Some(400 | 422 | 500) if says(LENGTH_WORDS) => About::Length,
            Some(300..=399) => About::Elsewhere,
            Some(500..=599) => About::Fault,
            Some(_) => About::Request,
            None => Self::about_words(says),
        }
    }

    /// Inside of a stream there is often no number.
    fn about_words(says: impl Fn(&[&str]) -> bool) -> About {
        let words = [
            (LENGTH_WORDS, About::Length),
            (QUOTA_WORDS, About::Quota),
            (RATE_WORDS, About::Rate),
            (LOAD_WORDS, About::Load),
            (KEY_WORDS, About::Key),
        ];
        words.into_iter().find(|(words, _)| says(words)).map_or(About::Fault, |(_, about)| about)
    }

    /// Whether the same request may succeed a little later.
    pub(super) fn may_pass(&self) -> bool {
        match self.about() {
            About::Rate | About::Load | About::Fault => true,
            About::Request => matches!(self.status, Some(408 | 409)),
            About::Key | About::Quota | About::Model | About::Length | About::Elsewhere => false,
        }
    }
}

/// Finds what a provider says in a body, whether it has the form of an error or not.
pub(super) fn read(body: &[u8]) -> Refused {
    let Ok(json) = serde_json::from_slice::<Value>(body) else {
        return Refused::default();
    };
    // Gemini puts its error into a list when nobody asked for events.
    let json = json.get(0).unwrap_or(&json);
    let error = json.get("error").unwrap_or(json);
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let message = ["message", "detail", "error"].iter().find_map(|field| error.get(field).and_then(text));
    let sorts = ["type", "status", "code"].iter().filter_map(|field| error.get(field).and_then(text));
    Refused {
        status: error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok()),
        sort: sorts.collect::<Vec<_>>().join(" "),
        message: message.or_else(|| text(error)).unwrap_or_default(),
        wait_ms: wait_in_details(error),
    }
}

/// Gemini says in the details how long to wait, for example `17s`.
fn wait_in_details(error: &Value) -> Option<u64> {
    let details = error.get("details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    let seconds: f64 = delay.strip_suffix('s')?.parse().ok()?;
    (0.0..=86_400.0).contains(&seconds).then_some((seconds * 1_000.0) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(status: u16, body: &str) -> About {
        Refused { status: Some(status), ..read(body.as_bytes()) }.about()
    }

    #[test]
    fn the_usual_refusals_are_told_apart() {
        let message = |text: &str| format!(r#"{{"error":{{"message":"{text}"}}}}"#);
        for (status, text, expected) in [
            (401, "no", About::Key),
            (403, "no", About::Key),
            (400, "API key not valid. Please pass a valid API key.", About::Key),
            (404, "no such model", About::Model),
            (400, "This model's maximum context length is 8192 tokens", About::Length),
            (400, "prompt is too long: 210000 tokens", About::Length),
            (413, "big", About::Length),
            (429, "slow down", About::Rate),
            (400, "Your credit balance is too low", About::Quota),
            (402, "pay", About::Quota),
            (503, "busy", About::Load),
            (529, "busy", About::Load),
            (500, "oops", About::Fault),
            (302, "", About::Elsewhere),
            (400, "bad field", About::Request),
        ] {
            assert_eq!(about(status, &message(text)), expected, "{status} {text}");
        }
    }

    #[test]
    fn an_empty_account_is_no_rate_limit() {
        let body = r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}"#;
        assert_eq!(about(429, body), About::Quota);
        let gemini =
            r#"{"error":{"code":429,"message":"Check your plan and billing details","status":"RESOURCE_EXHAUSTED"}}"#;
        assert_eq!(about(429, gemini), About::Rate);
    }

    #[test]
    fn only_what_may_pass_by_itself_is_asked_again() {
        for (status, may_pass) in [
            (408, true),
            (409, true),
            (429, true),
            (500, true),
            (502, true),
            (529, true),
            (400, false),
            (401, false),
            (404, false),
        ] {
            assert_eq!(Refused { status: Some(status), ..Refused::default() }.may_pass(), may_pass, "{status}");
        }
    }

    #[test]
    fn a_sentence_is_found_in_every_form() {
        for body in [
            r#"{"error":{"message":"why","type":"t"}}"#,
            r#"{"type":"error","error":{"type":"t","message":"why"}}"#,
            r#"[{"error":{"code":400,"message":"why","status":"T"}}]"#,
            r#"{"object":"error","message":"why","code":400}"#,
            r#"{"error":"why"}"#,
            r#"{"detail":"why"}"#,
        ] {
            assert_eq!(read(body.as_bytes()).message, "why", "{body}");
        }
        assert_eq!(read(b"<html>"), Refused::default());
    }

    #[test]
    fn an_error_in_a_stream_is_known_by_its_words_or_its_number() {
        let overloaded = read(br#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#);
        assert_eq!((overloaded.about(), overloaded.may_pass()), (About::Load, true));
        let number = read(br#"{"error":{"code":401,"message":"User not found."}}"#);
        assert_eq!(number.about(), About::Key);
        assert_eq!(read(br#"{"error":{"message":"?"}}"#).about(), About::Fault);
    }

    #[test]
    fn a_wait_in_the_details_is_read() {
        let body = |delay: &str| format!(r#"{{"error":{{"details":[{{"x":1}},{{"retryDelay":"{delay}"}}]}}}}"#);
        assert_eq!(read(body("1.5s").as_bytes()).wait_ms, Some(1_500));
        for bad in ["soon", "-1s", "NaNs", "1e99s"] {
            assert_eq!(read(body(bad).as_bytes()).wait_ms, None, "{bad}");
        }
    }
}
