//! The source prefixes of Caco: `[applet:slug] text`, `[agent:session] text`, `[scheduler:slug] text`.
//!
//! Caco stores who sent a prompt in front of its text. That can be forged by typing it, so these functions serve
//! trusted imports (`decode`) and prompts for models (`encode`) only; live input never passes through here.

use parlour_core::author::Source;

/// A prompt taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcedText<'a> {
    /// Who sent it.
    pub source: Source,
    /// The applet's, session's or schedule's name; people have none.
    pub identifier: Option<&'a str>,
    /// The text without the prefix.
    pub text: &'a str,
}

/// The prefixes in the order in which Caco tries them.
const PREFIXES: [(&str, Source); 3] =
    [("[applet:", Source::Applet), ("[agent:", Source::Agent), ("[scheduler:", Source::Scheduler)];

/// Reads the first prefix of a stored prompt.
///
/// A prefix counts only at the very start, in lower case and with a name that is not empty; the name ends at the first
/// `]`, and all white space after it belongs to the prefix. Everything else is a person's text.
pub fn decode(prompt: &str) -> SourcedText<'_> {
    PREFIXES.iter().find_map(|(prefix, source)| decode_prefix(prompt, prefix, *source)).unwrap_or(SourcedText {
        source: Source::User,
        identifier: None,
        text: prompt,
    })
}

/// Writes a prompt with its prefix. People's texts stay as they are.
pub fn encode(source: Source, identifier: &str, text: &str) -> String {
    match PREFIXES.iter().find(|(_, known)| *known == source) {
        Some((prefix, _)) => format!("{prefix}{identifier}] {text}"),
        None => text.to_owned(),
    }
}

fn decode_prefix<'a>(prompt: &'a str, prefix: &str, source: Source) -> Option<SourcedText<'a>> {
    let (identifier, text) = prompt.strip_prefix(prefix)?.split_once(']')?;
    let is_named = !identifier.is_empty();
    is_named.then(|| SourcedText { source, identifier: Some(identifier), text: text.trim_start() })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(prompt: &str, source: Source, identifier: Option<&str>, text: &str) {
        assert_eq!(decode(prompt), SourcedText { source, identifier, text }, "{prompt:?}");
    }

    #[test]
    fn each_source_has_its_prefix() {
        check("[applet:file-browser] Show files", Source::Applet, Some("file-browser"), "Show files");
        check("[agent:abc-123] Go on", Source::Agent, Some("abc-123"), "Go on");
        check("[scheduler:daily] Report", Source::Scheduler, Some("daily"), "Report");
        check("Hello", Source::User, None, "Hello");
    }

    #[test]
    fn a_prefix_counts_only_at_the_very_start_and_in_lower_case() {
        for prompt in
            [" [applet:x] a", "a [applet:x] b", "[Applet:x] a", "[applet: no end", "[applet:] a", "[tool:x] a"]
        {
            check(prompt, Source::User, None, prompt);
        }
    }

    #[test]
    fn the_name_may_hold_blanks_and_colons_and_all_white_space_after_it_goes() {
        check("[applet:a b:c]\n\n  x", Source::Applet, Some("a b:c"), "x");
        check("[agent:x][agent:y] z", Source::Agent, Some("x"), "[agent:y] z");
    }

    proptest! {
        #[test]
        fn what_was_encoded_is_decoded(name in "[^\\]]{1,20}", text in "(\\S.{0,40})?") {
            for source in [Source::Applet, Source::Agent, Source::Scheduler] {
                let prompt = encode(source, &name, &text);
                let expected = SourcedText { source, identifier: Some(name.as_str()), text: text.as_str() };
                prop_assert_eq!(decode(&prompt), expected);
            }
        }

        #[test]
        fn no_prompt_panics(prompt in ".{0,60}") {
            decode(&prompt);
        }
    }
}
