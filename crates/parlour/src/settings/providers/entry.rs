//! Entries of the setting `providers`: `name interface [url] [model=…] [key_env=…|key_file=…]`.

use parlour_agent::engines::models::{Interface, Secret};
use parlour_core::{limits, text};

use super::{EXAMPLE, KeyPlace, ProviderSettings, Variables, check_address, is_name, usual_key};

/// Parses a comma-separated list.
pub(super) fn parse_all(text: &str, variables: Variables<'_>) -> Result<Vec<ProviderSettings>, String> {
    let named = |provider: &ProviderSettings| provider.name.clone();
    parse_entries(text, "providers", EXAMPLE, named, |entry| parse(entry, variables))
}

/// Parses a comma-separated list of entries that start with a unique name.
pub(in crate::settings) fn parse_entries<T>(
    text: &str,
    what: &str,
    example: &str,
    name: impl Fn(&T) -> String,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let entries: Vec<_> = text.split(',').map(str::trim).filter(|entry| !entry.is_empty()).collect();
    if entries.len() > limits::PROVIDERS_MAX {
        return Err(format!("at most {} {what} are allowed", limits::PROVIDERS_MAX));
    }
    let mut all: Vec<T> = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let refuse = |reason: String| format!("{}: {reason}; example: `{example}`", title(index, entry));
        let one = parse(entry).map_err(refuse)?;
        if all.iter().any(|other| name(other) == name(&one)) {
            return Err(refuse("the name is used twice".to_owned()));
        }
        all.push(one);
    }
    Ok(all)
}

/// The name of an entry in errors. Only a valid name is repeated; anything else could be an API key.
fn title(index: usize, entry: &str) -> String {
    let name = entry.split_whitespace().next().filter(|word| is_name(word));
    name.map_or_else(|| format!("entry {}", index + 1), ToOwned::to_owned)
}

pub(in crate::settings) fn entry_name(word: Option<&str>) -> Result<&str, String> {
    word.filter(|word| is_name(word)).ok_or_else(|| {
        format!("a name has 1 to {} lower-case letters, digits and dashes, and is not built-in", limits::NAME_CHARS_MAX)
    })
}

fn parse(entry: &str, variables: Variables<'_>) -> Result<ProviderSettings, String> {
    let mut words = entry.split_whitespace();
    let name = entry_name(words.next())?;
    let interface = words.next().and_then(Interface::parse);
    let interface = interface.ok_or("the second word must be openai, anthropic or gemini")?;
    let mut options = EntryOptions::default();
    for word in words {
        options.take(word)?;
    }
    let key = options.key_place(interface, variables)?;
    let EntryOptions { base_url, model, .. } = options;
    Ok(ProviderSettings { name: name.to_owned(), interface, base_url, model, key })
}

/// Options of an entry, in any order, each once.
#[derive(Default)]
pub(in crate::settings) struct EntryOptions {
    pub(in crate::settings) base_url: Option<String>,
    pub(in crate::settings) model: Option<String>,
    key_env: Option<String>,
    key_file: Option<String>,
}

impl EntryOptions {
    pub(in crate::settings) fn take(&mut self, word: &str) -> Result<(), String> {
        if word.starts_with("http://") || word.starts_with("https://") {
            check_address(word)?;
            return set_once(&mut self.base_url, word, "its URL");
        }
        let Some((option, value)) = word.split_once('=') else {
            return Err("a word is neither a URL nor an option such as model=…".to_owned());
        };
        if value.is_empty() {
            return Err("an option has no value".to_owned());
        }
        match option {
            "model" => {
                text::check_line(value, limits::MODEL_CHARS_MAX).map_err(|refusal| format!("model: {refusal}"))?;
                set_once(&mut self.model, value, "model")
            }
            "key_env" => set_once(&mut self.key_env, value, "key_env"),
            "key_file" => set_once(&mut self.key_file, value, "key_file"),
            "key" => Err("API keys are not allowed in settings; use key_env=NAME or key_file=FILE".to_owned()),
            _ => Err("the options are model, key_env and key_file".to_owned()),
        }
    }

    /// The source of the API key. The usual variable is used only with the default URL, so that the key is not sent elsewhere.
    fn key_place(&self, interface: Interface, variables: Variables<'_>) -> Result<KeyPlace, String> {
        match self.named_key(variables)? {
            Some(source) => Ok(source),
            None if self.base_url.is_some() => Ok(KeyPlace::Nowhere),
            None => {
                let key = usual_key(interface, variables).map_err(|error| error.to_string())?;
                let first = interface.key_variables()[0].to_owned();
                Ok(key.unwrap_or(KeyPlace::Variable(first, None)))
            }
        }
    }

    /// The source of the API key in the entry, if any.
    pub(in crate::settings) fn named_key(&self, variables: Variables<'_>) -> Result<Option<KeyPlace>, String> {
        match (&self.key_env, &self.key_file) {
            (Some(_), Some(_)) => Err("use either key_env or key_file, not both".to_owned()),
            (Some(name), None) => {
                let value = variables(name).map_err(|error| error.to_string())?;
                Ok(Some(KeyPlace::Variable(name.clone(), value.as_deref().map(Secret::new))))
            }
            (None, Some(file)) => Ok(Some(KeyPlace::File(file.into()))),
            (None, None) => Ok(None),
        }
    }
}

fn set_once(option: &mut Option<String>, value: &str, what: &str) -> Result<(), String> {
    match option.replace(value.to_owned()) {
        None => Ok(()),
        Some(_) => Err(format!("{what} is given twice")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse_with(text: &str, variables: &[(&str, &str)]) -> Result<Vec<ProviderSettings>, String> {
        let lookup = |name: &str| {
            let found = variables.iter().find(|(key, _)| *key == name);
            Ok(found.map(|(_, value)| (*value).to_owned()))
        };
        parse_all(text, &lookup)
    }

    fn one(text: &str) -> ProviderSettings {
        parse_with(text, &[("ANTHROPIC_API_KEY", "usual"), ("MINE", "mine")]).expect(text).remove(0)
    }

    fn refused(text: &str) -> String {
        parse_with(text, &[]).expect_err(text)
    }

    #[test]
    fn the_words_of_an_entry_may_be_in_any_order() {
        let local = one("local openai model=llama3.2 http://127.0.0.1:11434/v1");
        assert_eq!((local.name.as_str(), local.interface), ("local", Interface::OpenAi));
        assert_eq!(local.base_url.as_deref(), Some("http://127.0.0.1:11434/v1"));
        assert_eq!(local.model.as_deref(), Some("llama3.2"));
        assert_eq!(local.key, KeyPlace::Nowhere);
        assert_eq!(parse_with(" , a openai ,, b gemini,", &[]).expect("two").len(), 2);
    }

    #[test]
    fn the_entry_chooses_the_source_of_its_key() {
        let variable = |name: &str, value| KeyPlace::Variable(name.into(), Some(Secret::new(value)));
        assert_eq!(one("work anthropic key_file=/run/secrets/a").key, KeyPlace::File("/run/secrets/a".into()));
        assert_eq!(one("work anthropic key_env=MINE").key, variable("MINE", "mine"));
        assert_eq!(one("work anthropic key_env=NONE").key, KeyPlace::Variable("NONE".into(), None));
        assert_eq!(one("work anthropic").key, variable("ANTHROPIC_API_KEY", "usual"));
    }

    #[test]
    fn the_default_key_is_used_only_for_the_default_address() {
        assert_eq!(one("work anthropic https://proxy.example").key, KeyPlace::Nowhere);
    }

    #[test]
    fn an_invalid_entry_is_refused_with_an_example() {
        for (text, word) in [
            ("local", "second word"),
            ("local opnai", "openai, anthropic or gemini"),
            ("Local openai", "entry 1: a name has"),
            ("built-in openai", "not built-in"),
            ("a openai, a gemini", "a: the name is used twice"),
            ("a openai ftp://x", "neither a URL nor an option"),
            ("a openai http://", "invalid URL"),
            ("a openai http://x http://y", "its URL is given twice"),
            ("a openai model=", "no value"),
            ("a openai temperature=1", "the options are"),
            ("a openai key_env=A key_file=b", "either key_env or key_file"),
        ] {
            let reason = refused(text);
            assert!(reason.contains(word) && reason.contains(EXAMPLE), "{text}: {reason}");
        }
        let many: Vec<_> = (0..=limits::PROVIDERS_MAX).map(|number| format!("p{number} openai")).collect();
        assert!(refused(&many.join(",")).contains("at most"));
    }

    #[test]
    fn a_misplaced_key_is_not_repeated_in_the_error() {
        for text in [
            "sk-SECRET openai",
            "work sk-secret",
            "work openai sk-secret",
            "work openai key=sk-secret",
            "work openai sk-secret=x",
            "work openai https://me:sk-secret@x.example",
            "work openai https://x.example/?key=sk-secret",
        ] {
            let reason = refused(text);
            assert!(!reason.to_lowercase().contains("sk-secret"), "{text}: {reason}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_without_a_panic(text in ".*|[a-z=:/, ]{0,60}") {
            let _ = parse_with(&text, &[]);
        }
    }
}
