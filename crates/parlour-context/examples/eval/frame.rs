//! What the frame costs beside the same quotes written plainly, and whether everything comes back out of it.

use std::path::Path;

use parlour_context::frame::{
    ConversationHeading, FrameEntry, Framed, HubLine, Label, Quote, Quoted, Sender, Tag, parse, render,
};
use parlour_core::context::{Level, Section};

use super::{
    chat::{HOSTILE, SeededRng, author},
    table::Table,
};

/// Tokens of chat in one pack.
const TOKENS: usize = 1_024;
/// Packs of each sort.
const PACKS: u64 = 200;
const PACKS_FEW: u64 = 20;

/// The table.
#[allow(clippy::unnecessary_wraps, reason = "all tables are made alike")]
pub(crate) fn table(data: &Path) -> Option<Table> {
    let packs = if data.ends_with("standin") { PACKS_FEW } else { PACKS };
    let columns = ["packs of", "packs", "cost", "cost of XML", "parsed back", "lines out of frame"];
    let about = "tokens beside the same quotes as `Name: text`; the whole pack is counted, its first line too";
    let mut table = Table::new("frame", about, &columns);
    for (name, is_hostile, gaps) in [("chat", false, 1), ("chat with gaps", false, 3), ("hostile texts", true, 2)] {
        let mut sums = FrameTotals::default();
        for seed in 0..packs {
            sums.add(&framed(&mut SeededRng(seed), is_hostile, gaps));
        }
        let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
        table.push(vec![
            name.into(),
            packs.into(),
            share(sums.framed, sums.plain).into(),
            share(sums.xml, sums.plain).into(),
            share(sums.parsed, packs as usize).into(),
            (sums.out as u64).into(),
        ]);
    }
    Some(table)
}

#[derive(Default)]
struct FrameTotals {
    framed: usize,
    plain: usize,
    xml: usize,
    parsed: usize,
    out: usize,
}

impl FrameTotals {
    fn add(&mut self, framed: &Framed) {
        let count = |text: &str| bpe_openai::o200k_base().count(text);
        let text = render(framed);
        let (mut plain, mut xml) = (String::new(), String::new());
        let mut hub_lines = 1 + framed.entries.len();
        for item in framed.items() {
            let name = item.quote.from.as_ref().map_or("", Label::as_str);
            let (seq, said) = (item.quote.seq, item.quote.text.as_str());
            plain += &format!("{name}: {said}\n");
            xml += &format!("<message id=\"msg_{seq:026}\" from=\"{name}\" type=\"person\">\n{said}\n</message>\n");
            hub_lines -= 1;
        }
        self.framed += count(&text);
        self.plain += count(&plain);
        self.xml += count(&xml);
        self.parsed += usize::from(parse(&text).as_ref() == Ok(framed));
        let unmarked = text.lines().filter(|line| !line.starts_with(['>', '|'])).count();
        self.out += unmarked.abs_diff(hub_lines);
    }
}

/// A pack as it is made of one conversation: with a heading, the senders, and a call that fetches more.
fn framed(dice: &mut SeededRng, is_hostile: bool, gaps: u64) -> Framed {
    let place = ConversationHeading { name: Label::of("#room"), id: None };
    let more = r#"More: channel_history {"channel_id":"room","since":9,"limit":50}"#;
    let mut entries = vec![
        FrameEntry::Hub(HubLine::of("You are \"Coder\".")),
        FrameEntry::Section(Section::History),
        FrameEntry::Conversation(place),
        FrameEntry::Hub(HubLine::of(more)),
    ];
    let (mut seq, mut tokens, mut known) = (60, 0, Vec::new());
    while tokens < TOKENS {
        seq += 1 + dice.below(gaps);
        let said = dice.sentence();
        let text = Quoted::of(&if is_hostile { dice.pick(HOSTILE).to_owned() + &said } else { said });
        let author = author(dice.below(4));
        let label = Label::of(&author.name);
        if !known.contains(&label) {
            known.push(label.clone());
            let system = author.foreign_system().map(Label::of);
            entries.push(FrameEntry::Sender(Sender { label: label.clone(), author_type: author.author_type, system }));
        }
        tokens += bpe_openai::o200k_base().count(text.as_str()) + 2;
        entries.push(FrameEntry::Quote(Quote { seq, from: Some(label), level: Level::Full, text }));
    }
    Framed { tag: Tag::of("agt_1", "2026-11-16", "chn_1"), is_short: false, entries }
}
