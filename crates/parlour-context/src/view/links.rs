//! Links and images: the first few links keep their URL, images become their description.
//!
//! URLs are long, a link can exfiltrate data, and an image is fetched by the client that renders it.

use std::{collections::HashMap, ops::Range, sync::LazyLock};

use parlour_core::limits;
use regex::Regex;

use crate::view::{
    Edit, Edited, compile, html,
    markdown::{self, BracketPair, LinkReference, label_of},
};

/// Replaces a URL that was dropped.
const MORE: &str = "[more links]";

/// A character of a URL: most characters, a redaction mark, or an IPv6 host.
const SIGN: &str = r"(?:[^\s<>\x22'`\[\]()]|\[[a-z0-9-]{1,40} [0-9]{1,6}\]|\[[0-9a-f:.]{2,45}\])";

/// URLs with a scheme, or starting with `www.`.
pub(super) static WHOLE: LazyLock<Regex> = LazyLock::new(|| {
    compile(&format!(
        r"(?i)<[a-z][a-z0-9+.-]{{1,30}}:[^\s<>:][^\s<>]*>|(?:[a-z][a-z0-9+.-]{{1,30}}://|\bwww\.|\b(?:mailto|tel|sms|sip|magnet|javascript|vbscript):){SIGN}+",
    ))
});

/// `//host/path`. It matches only URLs, because matched text is not examined again.
pub(super) static RELATIVE: LazyLock<Regex> = LazyLock::new(|| {
    const PART: &str = "[a-z0-9-]+";
    compile(&format!(
        r"(?i)(?:^|[^\p{{Alphabetic}}\p{{N}}:/])(?P<link>//(?:{PART}(?:\.{PART})*/{SIGN}*|{PART}(?:\.{PART})+(?:[:?\x23]{SIGN}*|(?P<host>))))",
    ))
});

/// A link, and the edits that drop its URL.
struct FoundLink {
    range: Range<usize>,
    /// The label of a reference link.
    label: Option<String>,
    is_definition: bool,
    without: Vec<Edit>,
}

impl FoundLink {
    fn new(range: Range<usize>, without: Vec<Edit>) -> Self {
        Self { range, label: None, is_definition: false, without }
    }

    /// A link that is replaced as a whole.
    fn replaced(text: &str, range: Range<usize>, new: &str) -> Self {
        let new = separated(text, range.clone(), new);
        Self::new(range.clone(), vec![(range, new)])
    }
}

/// Drops the URLs of all links after the first few and keeps their text. A definition and its first use count as one.
pub(super) fn links(edited: &Edited) -> Vec<Edit> {
    let text = &edited.text;
    if !text.contains([':', '[', '<', '/']) && !text.contains("www.") && !text.contains("WWW.") {
        return Vec::new();
    }
    let mut quota = LinkQuota::default();
    let mut edits: Vec<Edit> =
        found(text).into_iter().filter(|link| !quota.keeps(link)).flat_map(|link| link.without).collect();
    edits.sort_by_key(|(range, _)| range.start);
    edits
}

/// Decides which links keep their URL.
#[derive(Default)]
struct LinkQuota {
    count: usize,
    /// For each label: whether it keeps its URL, and whether its definition and a use were seen.
    labels: HashMap<String, (bool, [bool; 2])>,
}

impl LinkQuota {
    fn keeps(&mut self, link: &FoundLink) -> bool {
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

/// All links, in order, without nested ones.
fn found(text: &str) -> Vec<FoundLink> {
    let pairs = if text.contains('[') { markdown::pairs(text) } else { Vec::new() };
    let definitions = markdown::definitions(text);
    let uses = markdown::uses(text, &pairs, &definitions);
    let labels = markdown::labels(&definitions);
    let used = |used: LinkReference| without_use(text, used, |label| labels.contains(label));
    let mut links: Vec<FoundLink> = uses.into_iter().filter(|used| !used.is_image).map(used).collect();
    links.extend(pairs.iter().filter_map(|pair| inline(text, *pair)));
    links.extend(definitions.iter().map(|definition| FoundLink {
        label: Some(definition.label.clone()),
        is_definition: true,
        ..FoundLink::replaced(text, definition.range.clone(), MORE)
    }));
    if text.contains('<') {
        let anchors = html::anchors(text).into_iter();
        links.extend(anchors.map(|tag| FoundLink::replaced(text, tag.range, &format!("<{}>", tag.name))));
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

/// The edits of a reference link. Its text loses its brackets when it is a defined label itself.
fn without_use(text: &str, used: LinkReference, is_label: impl Fn(&str) -> bool) -> FoundLink {
    let BracketPair { open, close } = used.pair;
    let is_own = is_label(&label_of(&text[open + 1..close]));
    let (range, without) = if is_own {
        // A combining mark after a bracket must not attach to a letter.
        let new = |at: usize| if text[at..].starts_with(|sign: char| !sign.is_ascii()) { " " } else { "" };
        let end = if new(used.end).is_empty() { separated(text, close..used.end, "") } else { " ".to_owned() };
        (open..used.end, vec![(open..open + 1, new(open + 1).to_owned()), (close..used.end, end)])
    } else {
        let rest = close + 1..used.end;
        (rest.clone(), vec![(rest.clone(), separated(text, rest, ""))])
    };
    FoundLink { label: Some(used.label), ..FoundLink::new(range, without) }
}

/// `[text](URL)`.
fn inline(text: &str, pair: BracketPair) -> Option<FoundLink> {
    let target = markdown::target(text, pair.close + 1)?;
    let is_index = text[..pair.open].ends_with(|sign: char| sign.is_alphanumeric() || matches!(sign, '_' | ')' | ']'));
    let to = &text[target.to.clone()];
    let is_link = if is_index { markdown::is_certainly_url(to) } else { markdown::is_url(to) };
    is_link.then(|| FoundLink::replaced(text, pair.close + 1..target.end, ""))
}

/// Bare URLs. The caller drops those inside another link.
fn bare(text: &str) -> impl Iterator<Item = FoundLink> + '_ {
    let whole = WHOLE.find_iter(text).map(|found| found.range());
    let relative = RELATIVE.captures_iter(text).filter_map(|groups| {
        let link = groups.name("link")?.range();
        (groups.name("host").is_none() || is_host_alone(&text[link.end..])).then_some(link)
    });
    whole.chain(relative).map(|range| FoundLink::replaced(text, range, MORE))
}

/// Whether `//host` ends here: comments in code start the same way.
fn is_host_alone(rest: &str) -> bool {
    rest.starts_with(['<', '>', '"', '\'', '`', '[', ']', ')'])
        || rest.trim_start().len() < rest.len()
        || rest.is_empty()
}

/// The replacement, with spaces where it would otherwise form a link with its neighbours.
pub(super) fn separated(text: &str, range: Range<usize>, new: &str) -> String {
    let before = if text[..range.start].ends_with([']', '!']) && new.starts_with('[') { " " } else { "" };
    let after = if text[range.end..].starts_with(['(', '[', ':']) { " " } else { "" };
    format!("{before}{new}{after}")
}

/// Replaces images by their description.
pub(super) fn images(edited: &Edited) -> Vec<Edit> {
    let text = &edited.text;
    let mut edits = if text.contains("![") { in_markdown(edited) } else { Vec::new() };
    if text.contains('<') {
        let shown = |alt: &str| if alt.is_empty() { "[image]".to_owned() } else { format!("[image: {alt}]") };
        edits.extend(
            html::images(text).into_iter().map(|(range, alt)| (range.clone(), separated(text, range, &shown(alt)))),
        );
    }
    edits.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
    edits
}

fn in_markdown(edited: &Edited) -> Vec<Edit> {
    let text = &edited.text;
    let pairs = markdown::pairs(text);
    let definitions = markdown::definitions(text);
    let uses = markdown::uses(text, &pairs, &definitions);
    let closes: Vec<usize> = text.match_indices(']').map(|(at, _)| at).collect();
    let mut edits = Vec::new();
    for (bang, _) in text.match_indices("![") {
        let is_mark = edited.marks.binary_search_by_key(&(bang + 1), |mark| mark.range.start).is_ok();
        let pair = markdown::pair_at(&pairs, bang + 1).filter(|_| !is_mark);
        let found = pair.and_then(|pair| Some((pair, image_end(text, &pairs, pair, &uses)?)));
        match found {
            Some((pair, end)) => edits.extend(without_url(text, pair, end)),
            None if looks_like_image(text, &closes, bang + 1) => edits.push((bang + 1..bang + 1, " ".to_owned())),
            None => {}
        }
    }
    // A definition that only images used is dropped.
    let mut is_only_shown: HashMap<&str, bool> = HashMap::new();
    for used in &uses {
        *is_only_shown.entry(&used.label).or_insert(true) &= used.is_image;
    }
    let unused = definitions.iter().filter(|definition| is_only_shown.get(definition.label.as_str()) == Some(&true));
    edits.extend(unused.map(|definition| (definition.range.clone(), String::new())));
    edits
}

/// The offset after the image with these brackets.
fn image_end(text: &str, pairs: &[BracketPair], pair: BracketPair, uses: &[markdown::LinkReference]) -> Option<usize> {
    let next = pair.close + 1;
    if let Some(target) = markdown::target(text, next) {
        return Some(target.end);
    }
    if let Ok(used) = uses.binary_search_by_key(&pair.open, |used| used.pair.open) {
        return Some(uses[used].end);
    }
    // In code, `vec![a][0]` looks like an image with a label.
    let is_code = text[..pair.open - 1].ends_with(|sign: char| sign.is_alphanumeric() || sign == '_');
    markdown::pair_at(pairs, next).filter(|_| !is_code).map(|second| second.close + 1)
}

/// The edits that drop the URL of an image. Its description stays in place, with its redaction marks.
fn without_url(text: &str, pair: BracketPair, end: usize) -> Vec<Edit> {
    let bang = pair.open - 1;
    if label_of(&text[pair.open + 1..pair.close]).is_empty() {
        return vec![(bang..end, separated(text, bang..end, "[image]"))];
    }
    vec![
        (bang..pair.open + 1, separated(text, bang..bang, "[image: ")),
        (pair.close + 1..end, separated(text, pair.close + 1..end, "")),
    ]
}

/// Whether a simple parser would read it as an image, although it is none.
fn looks_like_image(text: &str, closes: &[usize], open: usize) -> bool {
    let close = closes.get(closes.partition_point(|close| *close < open));
    close.is_some_and(|close| text[close + 1..].starts_with('('))
}
