//! How Caco shows the call of a tool as text.

use std::borrow::Cow;

/// The text while a tool runs: its name, and below it the command as code.
pub fn tool_start_text(name: &str, command: &str) -> String {
    if command.is_empty() {
        return name.to_owned();
    }
    // A line break would end the code, so that the rest would be read as marks.
    let command = command.replace(['\r', '\n'], " ");
    let ticks = "`".repeat(longest_ticks(&command) + 1);
    let needs_gap = command.starts_with('`') || command.ends_with('`');
    let gap = if needs_gap { " " } else { "" };
    [name, "\n", &ticks, gap, &command, gap, &ticks].concat()
}

/// The text of a tool that has ended: its name, and below it a block with its input and output.
///
/// The block ends where it should, whatever the output holds: its fence is longer than any in it.
pub fn tool_end_text(name: &str, input: &str, output: &str) -> String {
    let fence = "`".repeat(longest_ticks(input).max(longest_ticks(output)).max(2) + 1);
    let mut text = ["*", name, "*\n\n", &fence, &tag(name), "\n"].concat();
    for part in [input, output].into_iter().filter(|part| !part.is_empty()) {
        text.push_str(part);
        if !part.ends_with('\n') {
            text.push('\n');
        }
    }
    text.push_str(&fence);
    text
}

/// The name as it can stand behind a fence: neither a tick nor a line break may.
fn tag(name: &str) -> Cow<'_, str> {
    let is_bad = |sign: char| sign == '`' || sign.is_whitespace();
    if name.contains(is_bad) { name.replace(is_bad, "-").into() } else { name.into() }
}

fn longest_ticks(text: &str) -> usize {
    text.split(|sign| sign != '`').map(str::len).max().unwrap_or_default()
}
