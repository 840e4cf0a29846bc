//! The words of receipts, for people.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use parlour_core::{
    author::{Author, AuthorType},
    context::{ContextFormat, Level, OmissionReason, Reason, ReceiptItem, Section},
};

/// The forms that can be typed, here and in requests.
const FORMATS: [(&str, &str, ContextFormat); 8] = [
    ("pack", "pack", ContextFormat::Pack),
    ("injection", "injection", ContextFormat::Injection),
    ("native", "native", ContextFormat::Native),
    ("openai-chat", "openai_chat", ContextFormat::OpenaiChat),
    ("openai-responses", "openai_responses", ContextFormat::OpenaiResponses),
    ("anthropic", "anthropic", ContextFormat::Anthropic),
    ("gemini", "gemini", ContextFormat::Gemini),
    ("last-20", "last_20", ContextFormat::Last20),
];

/// A form of a pack, also as requests spell it.
pub(crate) fn format() -> impl TypedValueParser<Value = ContextFormat> {
    let find = |text: String| FORMATS.iter().find(|(word, name, _)| [*word, *name].contains(&text.as_str()));
    let values = FORMATS.map(|(word, name, _)| PossibleValue::new(word).alias(name));
    PossibleValuesParser::new(values).map(move |text| find(text).map(|(_, _, format)| *format).unwrap_or_default())
}

/// The form as it is typed.
pub(crate) fn format_word(format: ContextFormat) -> &'static str {
    FORMATS.iter().find(|(_, _, known)| *known == format).map_or("pack", |(word, _, _)| word)
}

/// What a section is called.
pub(crate) fn section_word(section: Section) -> &'static str {
    match section {
        Section::Project => "project",
        Section::Neighbours => "neighbours",
        Section::Task => "task",
        Section::Artifacts => "artifacts",
        Section::Threads => "threads",
        Section::History => "history",
    }
}

/// At which length it is shown, or why it is not.
pub(crate) fn outcome_word(item: &ReceiptItem) -> &'static str {
    match (item.level, item.left_out) {
        (Some(level), _) => level_word(level),
        (None, Some(why)) => left_out_word(why),
        (None, None) => "left out",
    }
}

/// At which length it is shown.
pub(crate) fn level_word(level: Level) -> &'static str {
    match level {
        Level::Full => "full",
        Level::HeadTail => "head and tail",
        Level::Extract => "extract",
        Level::OneLine => "one line",
        Level::Handle => "handle",
    }
}

fn left_out_word(why: OmissionReason) -> &'static str {
    match why {
        OmissionReason::NoRoom => "– no room",
        OmissionReason::Irrelevant => "– matters less",
        OmissionReason::SenderQuota => "– sender's share",
        OmissionReason::ThreadQuota => "– thread's share",
        OmissionReason::TrustQuota => "– share of its sort",
        OmissionReason::Duplicate => "– duplicate",
        OmissionReason::Summarised => "– summarised",
        OmissionReason::Told => "– told before",
        OmissionReason::Empty => "– nothing to show",
    }
}

/// Why it came into question, the strongest first.
pub(crate) fn reason_words(reasons: &[Reason]) -> String {
    reasons.iter().map(|reason| reason_word(*reason)).collect::<Vec<_>>().join(", ")
}

fn reason_word(reason: Reason) -> &'static str {
    match reason {
        Reason::Current => "to answer",
        Reason::Blocking => "blocking",
        Reason::Mention => "mention",
        Reason::Reply => "reply",
        Reason::Unread => "unread",
        Reason::Thread => "thread",
        Reason::Task => "task",
        Reason::Subscribed => "subscribed",
        Reason::Parent => "parent",
        Reason::Peer => "peer",
        Reason::Artifact => "file",
        Reason::Recent => "recent",
        Reason::Found => "found",
    }
}

/// Who wrote it: people by their names alone, everybody else with what they are.
pub(crate) fn author_words(from: Option<&Author>) -> String {
    let Some(from) = from else { return "the hub".to_owned() };
    let sort = match from.author_type {
        AuthorType::Person => "",
        AuthorType::Agent => "agent",
        AuthorType::Applet => "applet",
        AuthorType::Scheduler => "schedule",
        AuthorType::Tool => "tool",
        AuthorType::Host | AuthorType::System => "the hub",
    };
    let system = from.foreign_system().map(|system| format!("from {system}")).unwrap_or_default();
    let told: Vec<&str> = [sort, &system].into_iter().filter(|word| !word.is_empty()).collect();
    if told.is_empty() { from.name.clone() } else { format!("{} ({})", from.name, told.join(", ")) }
}
