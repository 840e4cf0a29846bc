//! Rerankers that projects of this hub can name: `name address [model=…] [key_env=…|key_file=…]`.

use super::{
    BadSetting, KeyPlace,
    flags::SettingScope,
    providers::{
        Variables,
        entry::{EntryOptions, entry_name, parse_entries},
    },
    sources::SettingSources,
    table::RERANKERS,
};

const EXAMPLE: &str = "fast https://api.cohere.com/v2/rerank model=rerank-v3.5 key_env=COHERE_API_KEY";

/// A configured reranker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RerankerSettings {
    /// The name for projects.
    pub(crate) name: String,
    /// The full URL of its endpoint.
    pub(crate) url: String,
    pub(crate) model: Option<String>,
    pub(crate) key: KeyPlace,
}

impl RerankerSettings {
    pub(super) fn read_all<S: SettingScope>(sources: &SettingSources<'_, S>) -> Result<Vec<Self>, BadSetting> {
        let read = sources.read(&RERANKERS, |text| parse_all(text, &|name| sources.variable(name)))?;
        Ok(read.unwrap_or_default())
    }
}

fn parse_all(text: &str, variables: Variables<'_>) -> Result<Vec<RerankerSettings>, String> {
    let named = |reranker: &RerankerSettings| reranker.name.clone();
    parse_entries(text, "rerankers", EXAMPLE, named, |entry| parse(entry, variables))
}

fn parse(entry: &str, variables: Variables<'_>) -> Result<RerankerSettings, String> {
    let mut words = entry.split_whitespace();
    let name = entry_name(words.next())?.to_owned();
    let mut options = EntryOptions::default();
    for word in words {
        options.take(word)?;
    }
    let key = options.named_key(variables)?.unwrap_or(KeyPlace::Nowhere);
    let EntryOptions { base_url, model, .. } = options;
    let url = base_url.ok_or("its URL (http:// or https://) is missing")?;
    Ok(RerankerSettings { name, url, model, key })
}

#[cfg(test)]
mod tests {
    use parlour_agent::engines::models::Secret;
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Result<Vec<RerankerSettings>, String> {
        parse_all(text, &|name| Ok((name == "MINE").then(|| "mine".to_owned())))
    }

    #[test]
    fn an_entry_contains_the_address_and_the_source_of_the_key() {
        let found = read(&format!("{EXAMPLE}, near http://127.0.0.1:8000/rerank")).expect("two");
        let key = KeyPlace::Variable("COHERE_API_KEY".into(), None);
        let (url, model) = ("https://api.cohere.com/v2/rerank".to_owned(), Some("rerank-v3.5".to_owned()));
        assert_eq!(found[0], RerankerSettings { name: "fast".into(), url, model, key });
        assert_eq!((found[1].name.as_str(), &found[1].model, &found[1].key), ("near", &None, &KeyPlace::Nowhere));
        let mine = read("fast http://localhost/rerank key_env=MINE").expect("one").remove(0);
        assert_eq!(mine.key, KeyPlace::Variable("MINE".into(), Some(Secret::new("mine"))));
    }

    #[test]
    fn an_invalid_entry_is_refused_with_an_example_and_without_the_key() {
        for (text, word) in [
            ("fast", "is missing"),
            ("Fast https://x.example", "entry 1: a name has"),
            ("fast https://x.example, fast https://y.example", "fast: the name is used twice"),
            ("fast https://x.example https://y.example", "twice"),
            ("fast https://x.example key=sk-secret", "API keys are not allowed in settings"),
            ("fast https://x.example sk-secret", "neither a URL nor an option"),
            ("fast https://me:sk-secret@x.example", "user info"),
            ("fast https://x.example key_env=A key_file=b", "either key_env or key_file"),
        ] {
            let reason = read(text).expect_err(text);
            assert!(reason.contains(word) && reason.contains(EXAMPLE) && !reason.contains("sk-secret"), "{reason}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_without_a_panic(text in ".*|[a-z=:/, ]{0,60}") {
            let _ = read(&text);
        }
    }
}
