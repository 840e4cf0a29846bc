//! A receipt for people: what it costs, by sections, and what became of each candidate.

use parlour_core::context::{Receipt, ReceiptItem, SectionTotal, SubjectType};

use super::words::{author_words, outcome_word, reason_words, section_word};
use crate::{
    output::{plain::one_line, style::Style, table::Table},
    resolve::Labels,
};

/// How many cells of a bar stand for the whole budget.
const BAR_CELLS: u64 = 20;
/// How many characters of a text are shown.
const TEXT_CHARS_MAX: usize = 60;

/// The receipt as text, each line ended by a line break.
pub(crate) fn receipt(style: Style, labels: &Labels, receipt: &Receipt) -> String {
    let parts = [totals(receipt), sections(style, receipt), items(style, labels, &receipt.items), notes(receipt)];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn totals(receipt: &Receipt) -> String {
    let Receipt { budget, used, frame, counting, .. } = receipt;
    let how = if counting.is_exact {
        format!("counted with {}", one_line(&counting.encoding))
    } else {
        "an upper bound, so it may be less and is never more".to_owned()
    };
    format!("{used} of {budget} tokens, {frame} of them for the hub's own words; {how}.\n")
}

fn sections(style: Style, receipt: &Receipt) -> String {
    if receipt.sections.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&["section", "tokens", "of the budget", "shown", "left out"]);
    for SectionTotal { section, tokens, shown, left_out } in &receipt.sections {
        let bar = bar(*tokens, receipt.budget);
        table.row(&[section_word(*section), &tokens.to_string(), &bar, &shown.to_string(), &left_out.to_string()]);
    }
    table.render(style)
}

/// A bar that is never empty where there is something.
fn bar(tokens: u64, budget: u64) -> String {
    let least = u64::from(tokens > 0);
    let cells = (tokens.saturating_mul(BAR_CELLS) / budget.max(1)).clamp(least, BAR_CELLS);
    (0..BAR_CELLS).map(|cell| if cell < cells { '█' } else { '·' }).collect()
}

/// One line for each of them; those that are shown come first.
pub(crate) fn items(style: Style, labels: &Labels, items: &[ReceiptItem]) -> String {
    if items.is_empty() {
        return "Nothing came into question: the agent may read nothing yet that belongs here.\n".to_owned();
    }
    let mut table = Table::new(&["outcome", "tokens", "score", "why", "from", "place", "what"]);
    for item in items {
        table.row(&[
            outcome_word(item),
            &item.tokens.to_string(),
            &item.score.to_string(),
            &reason_words(&item.reasons),
            &author_words(item.from.as_ref()),
            &place(labels, item),
            &what(item),
        ]);
    }
    table.render(style)
}

/// Where it stands, with its number there; else what it is.
fn place(labels: &Labels, item: &ReceiptItem) -> String {
    let Some(conversation) = &item.conversation_id else { return subject_word(item.subject_type).to_owned() };
    let number = item.seq.map(|seq| format!(" {seq}")).unwrap_or_default();
    labels.of(conversation) + &number
}

/// The beginning of what is shown of it, or how it is called.
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
        1 => shown + " (1 secret taken out)",
        count => shown + &format!(" ({count} secrets taken out)"),
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

/// What was taken out, and what is not listed.
fn notes(receipt: &Receipt) -> String {
    let mut lines = String::new();
    if !receipt.redactions.is_empty() {
        let kinds = receipt.redactions.iter().map(|one| format!("{} × {}", one.count, one_line(&one.kind)));
        lines += &format!("Taken out: {}.\n", kinds.collect::<Vec<_>>().join(", "));
    }
    match receipt.invisible {
        0 => {}
        1 => lines += "1 invisible sign was taken out.\n",
        count => lines += &format!("{count} invisible signs were taken out.\n"),
    }
    match receipt.unlisted {
        0 => {}
        1 => lines += "1 more candidate was left out and is not listed.\n",
        count => lines += &format!("{count} more candidates were left out and are not listed.\n"),
    }
    lines
}

#[cfg(test)]
mod tests;
