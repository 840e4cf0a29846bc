//! The receipt of a pack as text: totals, sections and the outcome of each candidate.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use parlour_core::{
    author::{Author, AuthorType},
    context::{ContextFormat, Level, OmissionReason, Reason, Receipt, ReceiptItem, Section, SectionTotal, SubjectType},
};

use crate::{
    output::{plain::one_line, style::Style, table::Table},
    resolve::ChannelLabels,
};

#[cfg(test)]
mod tests;

/// The width of a bar for the whole budget.
const BAR_CELLS: u64 = 20;
const TEXT_CHARS_MAX: usize = 60;

pub(crate) fn receipt(style: Style, labels: &ChannelLabels, receipt: &Receipt) -> String {
    let parts = [totals(receipt), sections(style, receipt), items(style, labels, &receipt.items), notes(receipt)];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn totals(receipt: &Receipt) -> String {
    let Receipt { budget, used, frame, counting, .. } = receipt;
    let how = if counting.is_exact {
        format!("counted with {}", one_line(&counting.encoding))
    } else {
        "an upper bound; the exact count may be lower".to_owned()
    };
    format!("{used} of {budget} tokens, {frame} of them for framing; {how}.\n")
}

fn sections(style: Style, receipt: &Receipt) -> String {
    if receipt.sections.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&["section", "tokens", "of the budget", "shown", "omitted"]);
    for SectionTotal { section, tokens, shown, left_out } in &receipt.sections {
        let bar = bar(*tokens, receipt.budget);
        table.row(&[section_word(*section), &tokens.to_string(), &bar, &shown.to_string(), &left_out.to_string()]);
    }
    table.render(style)
}

/// A bar with at least one cell for a value above zero.
fn bar(tokens: u64, budget: u64) -> String {
    let least = u64::from(tokens > 0);
    let cells = (tokens.saturating_mul(BAR_CELLS) / budget.max(1)).clamp(least, BAR_CELLS);
    (0..BAR_CELLS).map(|cell| if cell < cells { '█' } else { '·' }).collect()
}

pub(crate) fn items(style: Style, labels: &ChannelLabels, items: &[ReceiptItem]) -> String {
    if items.is_empty() {
        return "No candidates: the agent cannot read anything that is relevant here.\n".to_owned();
    }
    let mut table = Table::new(&["outcome", "tokens", "score", "why", "from", "place", "what"]);
    for item in items {
        table.row(&[
            outcome_word(item),
            &item.tokens.to_string(),
            &item.score.to_string(),
            &reason_words(&item.reasons),
            &author_words(item.from.as_ref()),
            &location(labels, item),
            &what(item),
        ]);
    }
    table.render(style)
}

/// The conversation and number of an item, or its type.
fn location(labels: &ChannelLabels, item: &ReceiptItem) -> String {
    let Some(conversation) = &item.conversation_id else { return subject_word(item.subject_type).to_owned() };
    let number = item.seq.map(|seq| format!(" {seq}")).unwrap_or_default();
    labels.of(conversation) + &number
}

/// The start of the text, or the id.
fn what(item: &ReceiptItem) -> String {
    let text = one_line(&item.text);
    let mut shown: String = text.chars().take(TEXT_CHARS_MAX).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    if shown.is_empty() {
        shown.clone_from(&item.id);
    }
    if let Some(other) = &item.same_as {
        shown += &format!(" (as {other})");
    }
    match item.redactions {
        0 => shown,
        1 => shown + " (1 secret redacted)",
        count => shown + &format!(" ({count} secrets redacted)"),
    }
}

fn subject_word(subject: SubjectType) -> &'static str {
    match subject {
        SubjectType::Project => "project",
        SubjectType::Agent => "agent",
        SubjectType::Task => "task",
        SubjectType::Artifact => "file",
        SubjectType::Message => "message",
        SubjectType::Summary => "summary",
    }
}

/// Redactions, removed characters and unlisted candidates.
fn notes(receipt: &Receipt) -> String {
    let mut lines = String::new();
    if !receipt.redactions.is_empty() {
        let kinds = receipt.redactions.iter().map(|one| format!("{} × {}", one.count, one_line(&one.kind)));
        lines += &format!("Redacted: {}.\n", kinds.collect::<Vec<_>>().join(", "));
    }
    match receipt.invisible {
        0 => {}
        1 => lines += "1 invisible character removed.\n",
        count => lines += &format!("{count} invisible characters removed.\n"),
    }
    match receipt.unlisted {
        0 => {}
        1 => lines += "1 more omitted candidate is not listed.\n",
        count => lines += &format!("{count} more omitted candidates are not listed.\n"),
    }
    lines
}

/// Formats: name on the command line, name in the API, value.
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

/// Parses a format by its name on the command line or in the API.
pub(crate) fn format() -> impl TypedValueParser<Value = ContextFormat> {
    let find = |text: String| FORMATS.iter().find(|(word, name, _)| [*word, *name].contains(&text.as_str()));
    let values = FORMATS.map(|(word, name, _)| PossibleValue::new(word).alias(name));
    PossibleValuesParser::new(values).map(move |text| find(text).map(|(_, _, format)| *format).unwrap_or_default())
}

pub(crate) fn format_word(format: ContextFormat) -> &'static str {
    FORMATS.iter().find(|(_, _, known)| *known == format).map_or("pack", |(word, _, _)| word)
}

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

/// The level of an item, or the reason of its omission.
pub(crate) fn outcome_word(item: &ReceiptItem) -> &'static str {
    match (item.level, item.left_out) {
        (Some(level), _) => level_word(level),
        (None, Some(why)) => left_out_word(why),
        (None, None) => "omitted",
    }
}

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
        OmissionReason::Irrelevant => "– less relevant",
        OmissionReason::SenderQuota => "– sender quota",
        OmissionReason::ThreadQuota => "– thread quota",
        OmissionReason::TrustQuota => "– trust quota",
        OmissionReason::Duplicate => "– duplicate",
        OmissionReason::Summarised => "– summarised",
        OmissionReason::Told => "– already shown",
        OmissionReason::Empty => "– empty",
    }
}

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

/// The name of the author, with its type unless it is a person.
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
    let details: Vec<&str> = [sort, &system].into_iter().filter(|word| !word.is_empty()).collect();
    if details.is_empty() { from.name.clone() } else { format!("{} ({})", from.name, details.join(", ")) }
}
