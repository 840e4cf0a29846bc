//! Which way of counting a model has, by its name.

use super::{Encoding, bound::Family};

/// How a model's tokens are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// By its own table.
    Exact(Encoding),
    /// By a table that is not its own, raised.
    Bound(Family),
}

/// Who may stand before a model of OpenAI's: whoever else has a model of such a name has made it.
const HOSTS: &[&str] = &["openai", "azure", "azure_ai", "azure-openai", "github", "models"];
/// Models that are counted by `o200k`: these words, and what follows them behind a dash, a dot, a colon or an at sign.
const O200K: &[&str] =
    &["gpt-4o", "gpt-4.1", "gpt-4.5", "gpt-5", "gpt-oss", "chatgpt-4o", "o1", "o3", "o4", "codex-mini"];
/// Models that are counted by `cl100k`.
const CL100K: &[&str] = &["gpt-3.5", "gpt-35", "text-embedding-3", "text-embedding-ada", "davinci-002", "babbage-002"];
/// What follows the name of GPT-4 itself; models of others are called `gpt-4-…` too.
const GPT_4: &[&str] = &["turbo", "vision", "0", "1", "32k"];
/// Words in the names of models whose tables are about as large as OpenAI's.
const LARGE: &[&str] = &["qwen", "deepseek", "llama-3", "llama3", "llama-4", "llama4"];

/// The way for a model. Names come with providers, dates and sizes around them.
pub(super) fn way(model: &str) -> Way {
    let model = model.trim().to_ascii_lowercase();
    match openai(&model) {
        Some(encoding) => Way::Exact(encoding),
        None => Way::Bound(family(&model)),
    }
}

fn openai(model: &str) -> Option<Encoding> {
    let (host, name) = model.rsplit_once('/').map_or((None, model), |(before, name)| (before.rsplit('/').next(), name));
    if host.is_some_and(|host| !HOSTS.contains(&host)) {
        return None;
    }
    let name = name.strip_prefix("openai:").unwrap_or(name);
    let name = name.strip_prefix("ft:").unwrap_or(name);
    let is_any = |names: &[&str]| names.iter().any(|known| rest(name, known).is_some());
    let is_gpt_4 = || rest(name, "gpt-4").is_some_and(|rest| rest.is_empty() || begins_any(rest, GPT_4));
    if is_any(O200K) {
        Some(Encoding::O200k)
    } else if is_any(CL100K) || is_gpt_4() {
        Some(Encoding::Cl100k)
    } else {
        None
    }
}

/// What follows this word in a name; nothing where it goes on as another word.
fn rest<'a>(name: &'a str, word: &str) -> Option<&'a str> {
    let rest = name.strip_prefix(word)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix(['-', '.', ':', '@']) }
}

fn begins_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.starts_with(word))
}

fn family(model: &str) -> Family {
    if model.contains("claude") {
        Family::Claude
    } else if model.contains("gemini") || model.contains("gemma") {
        Family::Gemini
    } else if LARGE.iter().any(|word| model.contains(word)) {
        Family::Large
    } else {
        Family::Unknown
    }
}
