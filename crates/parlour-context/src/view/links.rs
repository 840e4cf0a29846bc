//! Few links: addresses are long, and each is a way out.

use std::{collections::HashMap, ops::Range, sync::LazyLock};

use parlour_core::limits;
use regex::Regex;

use super::{
    address,
    brackets::{self, Pair},
    edit::{Edit, Edited},
    references::{self, Use, label_of},
    tags,
};

/// Stands where an address stood.
const MORE: &str = "[more links]";

/// A sign of an address: most signs, the mark of something that was taken out, and the numbers of a host.
const SIGN: &str = r"(?:[^\s<>\x22'`\[\]()]|\[[a-z0-9-]{1,40} [0-9]{1,6}\]|\[[0-9a-f:.]{2,45}\])";

/// Addresses that say how they lead anywhere.
static WHOLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(&format!(
        r"(?i)<[a-z][a-z0-9+.-]{{1,30}}:[^\s<>:][^\s<>]*>|(?:[a-z][a-z0-9+.-]{{1,30}}://|\bwww\.|\b(?:mailto|tel|sms|sip|magnet|javascript|vbscript):){SIGN}+",
    ))
    .ok()
});

/// `//host/path`. It matches no more than what leads anywhere, for what it takes is not looked at again.
static RELATIVE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    const PART: &str = "[a-z0-9-]+";
    Regex::new(&format!(
        r"(?i)(?:^|[^\p{{Alphabetic}}\p{{N}}:/])(?P<link>//(?:{PART}(?:\.{PART})*/{SIGN}*|{PART}(?:\.{PART})+(?:[:?\x23]{SIGN}*|(?P<host>))))",
    ))
    .ok()
});

/// A link, and what is left of it where it is one too many.
struct Link {
    range: Range<usize>,
    /// The label under which its address is said.
    label: Option<String>,
    is_definition: bool,
    without: Vec<Edit>,
}

impl Link {
    fn new(range: Range<usize>, without: Vec<Edit>) -> Self {
        Self { range, label: None, is_definition: false, without }
    }

    /// A link that becomes something else as a whole.
    fn replaced(text: &str, range: Range<usize>, new: &str) -> Self {
        let new = apart(text, range.clone(), new);
        Self::new(range.clone(), vec![(range, new)])
    }
}

/// Links beyond the first few lose their address and keep their text. A label with its address and its first use are one.
pub(super) fn links(edited: &Edited) -> Vec<Edit> {
    let text = &edited.text;
    if !text.contains([':', '[', '<', '/']) && !text.contains("www.") && !text.contains("WWW.") {
        return Vec::new();
    }
    let mut counted = Counted::default();
    let mut edits: Vec<Edit> =
        found(text).into_iter().filter(|link| !counted.stays(link)).flat_map(|link| link.without).collect();
    edits.sort_by_key(|(range, _)| range.start);
    edits
}

#[derive(Default)]
struct Counted {
    count: usize,
    /// For each label whether it stays, and whether its address and a use were seen.
    labels: HashMap<String, (bool, [bool; 2])>,
}

impl Counted {
    fn stays(&mut self, link: &Link) -> bool {
        let Some(label) = &link.label else { return self.is_room() };
        let place = usize::from(link.is_definition);
        match self.labels.get_mut(label) {
            Some((false, _)) => false,
            Some((true, seen)) if !seen[place] => {
                seen[place] = true;
                true
            }
            Some(_) => self.is_room(),
            None => {
                let is_room = self.is_room();
                let mut seen = [false; 2];
                seen[place] = true;
                self.labels.insert(label.clone(), (is_room, seen));
                is_room
            }
        }
    }

    fn is_room(&mut self) -> bool {
        self.count += 1;
        self.count <= limits::CONTEXT_LINKS_MAX
    }
}

/// All links, in their order; none stands in another.
fn found(text: &str) -> Vec<Link> {
    let pairs = if text.contains('[') { brackets::pairs(text) } else { Vec::new() };
    let definitions = references::definitions(text);
    let uses = references::uses(text, &pairs, &definitions);
    let labels = references::labels(&definitions);
    let used = |used: Use| without_use(text, used, |label| labels.contains(label));
    let mut links: Vec<Link> = uses.into_iter().filter(|used| !used.is_image).map(used).collect();
    links.extend(pairs.iter().filter_map(|pair| inline(text, *pair)));
    links.extend(definitions.iter().map(|definition| Link {
        label: Some(definition.label.clone()),
        is_definition: true,
        ..Link::replaced(text, definition.range.clone(), MORE)
    }));
    if text.contains('<') {
        let anchors = tags::anchors(text).into_iter();
        links.extend(anchors.map(|tag| Link::replaced(text, tag.range, &format!("<{}>", tag.name))));
    }
    links.extend(bare(text));
    links.sort_by_key(|link| (link.range.start, std::cmp::Reverse(link.range.end)));
    let mut behind = 0;
    links.retain(|link| {
        let is_apart = link.range.start >= behind;
        behind = if is_apart { link.range.end } else { behind };
        is_apart
    });
    links
}

/// A use of a label. Its text loses its brackets where it would be a label itself.
fn without_use(text: &str, used: Use, is_label: impl Fn(&str) -> bool) -> Link {
    let Pair { open, close } = used.pair;
    let is_own = is_label(&label_of(&text[open + 1..close]));
    let (range, without) = if is_own {
        // What stood on a bracket must not come to stand on a letter.
        let new = |at: usize| if text[at..].starts_with(|sign: char| !sign.is_ascii()) { " " } else { "" };
        let end = if new(used.end).is_empty() { apart(text, close..used.end, "") } else { " ".to_owned() };
        (open..used.end, vec![(open..open + 1, new(open + 1).to_owned()), (close..used.end, end)])
    } else {
        let rest = close + 1..used.end;
        (rest.clone(), vec![(rest.clone(), apart(text, rest, ""))])
    };
    Link { label: Some(used.label), ..Link::new(range, without) }
}

/// `[text](address)`, where it leads anywhere.
fn inline(text: &str, pair: Pair) -> Option<Link> {
    let target = address::target(text, pair.close + 1)?;
    let is_index = text[..pair.open].ends_with(|sign: char| sign.is_alphanumeric() || matches!(sign, '_' | ')' | ']'));
    let to = &text[target.to.clone()];
    let is_link = if is_index { address::surely_leads(to) } else { address::leads(to) };
    is_link.then(|| Link::replaced(text, pair.close + 1..target.end, ""))
}

/// Addresses that stand for themselves. Those in another one are passed over later.
fn bare(text: &str) -> impl Iterator<Item = Link> + '_ {
    let whole = WHOLE.iter().flat_map(|whole| whole.find_iter(text)).map(|found| found.range());
    let relative = RELATIVE.iter().flat_map(|relative| relative.captures_iter(text)).filter_map(|groups| {
        let link = groups.name("link")?.range();
        (groups.name("host").is_none() || is_host_alone(&text[link.end..])).then_some(link)
    });
    whole.chain(relative).map(|range| Link::replaced(text, range, MORE))
}

/// Whether a host ends before this: comments in code begin the same way.
fn is_host_alone(rest: &str) -> bool {
    rest.starts_with(['<', '>', '"', '\'', '`', '[', ']', ')'])
        || rest.trim_start().len() < rest.len()
        || rest.is_empty()
}

/// With a blank to each side where it would otherwise make a link of its neighbours.
pub(super) fn apart(text: &str, range: Range<usize>, new: &str) -> String {
    let before = if text[..range.start].ends_with([']', '!']) && new.starts_with('[') { " " } else { "" };
    let after = if text[range.end..].starts_with(['(', '[', ':']) { " " } else { "" };
    format!("{before}{new}{after}")
}
