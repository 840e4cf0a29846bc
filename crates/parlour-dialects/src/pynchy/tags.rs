//! The two marks that pynchy reads in the answers of its model.
//!
//! They are for output of a model that pynchy itself has started: when its histories are taken over, and on the surface
//! that speaks its protocol, before an answer becomes a message. What somebody posts is never read for them, or else
//! anybody could speak as the host. Reading takes time in proportion to the text.

const THOUGHT: (&str, &str) = ("<internal>", "</internal>");
const HOST: (&str, &str) = ("<host>", "</host>");

/// What an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer<'a> {
    /// It stands wholly inside `<host>…</host>` and is to become a host message with this text.
    Host(&'a str),
    /// It is an answer like any other.
    Text(&'a str),
}

/// An answer without what stands in `<internal>…</internal>`, and without blanks around it.
///
/// Where such a thought is not closed it reaches to the end: an answer that was cut in the middle of a thought shows
/// nothing of it.
pub fn strip_internal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    each_part(text, |part| {
        if let TagPart::Text(said) = part {
            out.push_str(said);
        }
    });
    out.trim().to_owned()
}

/// An answer with what stands in `<internal>…</internal>` shown as `🧠 _thought_`; blank thoughts are left out.
pub fn show_internal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    each_part(text, |part| match part {
        TagPart::Text(said) => out.push_str(said),
        TagPart::Thought(thought) if thought.trim().is_empty() => {}
        TagPart::Thought(thought) => out.extend(["🧠 _", thought.trim(), "_"]),
    });
    out.trim().to_owned()
}

/// Tells a host message from another answer. Only one pair of marks around the whole text makes one; blanks may stand
/// around it.
pub fn split_host(text: &str) -> Answer<'_> {
    let inner = text.trim().strip_prefix(HOST.0).and_then(|rest| rest.strip_suffix(HOST.1));
    match inner.filter(|inner| !inner.contains(HOST.0) && !inner.contains(HOST.1)) {
        Some(inner) => Answer::Host(inner.trim()),
        None => Answer::Text(text),
    }
}

enum TagPart<'a> {
    Text(&'a str),
    Thought(&'a str),
}

fn each_part<'a>(text: &'a str, mut tell: impl FnMut(TagPart<'a>)) {
    let mut rest = text;
    while let Some((said, inner)) = rest.split_once(THOUGHT.0) {
        tell(TagPart::Text(said));
        let (thought, after) = inner.split_once(THOUGHT.1).unwrap_or((inner, ""));
        tell(TagPart::Thought(thought));
        rest = after;
    }
    tell(TagPart::Text(rest));
}
