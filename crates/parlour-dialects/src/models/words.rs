//! What a message says in words: its text, and that there are files with it. Files themselves are never shown.

use parlour_core::message::{Attachment, Message};

use super::{label, texts::trimmed};

/// How much of a file name is shown.
const FILENAME_CHARS_MAX: usize = 200;
/// What stands for data without a text.
const DATA_ALONE: &str = "[A message of structured data, which is not shown.]";

/// The words of the message, trimmed; empty when there is nothing to say.
pub(super) fn of(message: &Message) -> String {
    let body = trimmed(&message.body);
    if message.attachments.is_empty() {
        let has_data_alone = body.is_empty() && message.content.is_some();
        return if has_data_alone { DATA_ALONE.to_owned() } else { body.to_owned() };
    }
    let mut words = body.to_owned();
    for file in &message.attachments {
        words.push_str(if words.is_empty() { "" } else { "\n" });
        words.push_str(&told_file(file));
    }
    words
}

/// Names only: an address could lead the model to a place that nobody has checked.
fn told_file(file: &Attachment) -> String {
    let name: String = label::quote_labels(&file.filename).chars().take(FILENAME_CHARS_MAX).collect();
    let name: String = name.split_whitespace().collect::<Vec<_>>().join(" ");
    let name = if name.is_empty() { "a file without a name" } else { &name };
    format!("[Attached: {name}, {}, {} bytes]", file.media_type, file.size)
}
