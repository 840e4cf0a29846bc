//! Budgets kept over many random packs.

use std::{path::Path, sync::OnceLock};

use parlour_context::{
    candidate::Candidate,
    pack::{BudgetTooSmall, BuiltPack, PackOptions, build},
    tokens::Tokenizer,
};
use parlour_core::{
    context::{ContextFormat, Reason, Section, SubjectType},
    message::Importance,
};

use super::{
    chat::{SeededRng, author, card, message, place, query, request},
    table::{Cell, Table},
};

/// Packs that are made unless `--packs` says otherwise; the stand-in set makes do with fewer.
const PACKS: u64 = 5_000;
/// The same for tests.
const PACKS_FEW: u64 = 400;
/// Sets of candidates that the packs are made of.
const POOLS: u64 = 400;
const POOLS_FEW: u64 = 40;
/// The most that a pack may cost here.
const BUDGET_MAX: u64 = 4_096;
/// One of each way of counting.
const MODELS: &[&str] = &["gpt-4o", "gpt-4", "claude-sonnet-4", "gemini-2.0-flash", "no-such-model"];

static WANTED: OnceLock<u64> = OnceLock::new();

/// Has so many packs made. The first word counts.
#[allow(dead_code, reason = "tests make do with few")]
pub(crate) fn want_packs(packs: u64) {
    WANTED.get_or_init(|| packs);
}

/// The table.
#[allow(clippy::unnecessary_wraps, reason = "all tables are made alike")]
pub(crate) fn table(data: &Path) -> Option<Table> {
    let is_small = data.ends_with("standin");
    let (packs, pools) = if is_small { (PACKS_FEW, POOLS_FEW) } else { (PACKS, POOLS) };
    let packs = WANTED.get().copied().unwrap_or(packs);
    let pools: Vec<Vec<Candidate>> = (0..pools).map(|seed| pool(&mut SeededRng(seed))).collect();
    let mut rows: Vec<Row> = MODELS.iter().map(|model| Row { model, ..Row::default() }).collect();
    let mut dice = SeededRng(9);
    for _ in 0..packs {
        let row = &mut rows[dice.below(MODELS.len() as u64) as usize];
        let pool = &pools[dice.below(pools.len() as u64) as usize];
        row.add(&mut dice, pool);
    }
    let columns =
        ["counted for", "packs", "overruns", "refused", "full packs", "share used", "below .97", "least used"];
    let mut table = Table::new(
        "budget",
        "random packs, budgets of 0 to 4,096 tokens; share used of those that had more to say than they could",
        &columns,
    );
    for row in rows {
        table.push(row.cells());
    }
    Some(table)
}

#[derive(Default)]
struct Row {
    model: &'static str,
    packs: u64,
    overruns: u64,
    refused: u64,
    full: u64,
    share: f64,
    below: u64,
    least: f64,
}

impl Row {
    fn add(&mut self, dice: &mut SeededRng, pool: &[Candidate]) {
        let tokenizer = Tokenizer::for_model(self.model);
        let budget = match dice.below(10) {
            0 => dice.below(3),
            1..=3 => dice.below(300),
            _ => dice.below(BUDGET_MAX + 1),
        };
        let start = dice.below(pool.len() as u64) as usize;
        let end = start + dice.below((pool.len() - start) as u64 + 1) as usize;
        self.packs += 1;
        match random_pack(dice, &tokenizer, budget, &pool[start..end]) {
            Ok(made) => self.measure(&tokenizer, budget, &made),
            Err(BudgetTooSmall { needed, .. }) => {
                self.refused += 1;
                self.overruns += u64::from(needed <= budget);
            }
        }
    }

    fn measure(&mut self, tokenizer: &Tokenizer, budget: u64, made: &BuiltPack) {
        let used = tokenizer.count(&made.text);
        self.overruns += u64::from(used > budget || made.receipt.used != used);
        if budget < 256 || !has_more(made) {
            return;
        }
        let share = used as f64 / budget as f64;
        self.least = if self.full == 0 { share } else { self.least.min(share) };
        self.full += 1;
        self.share += share;
        self.below += u64::from(share < 0.97);
    }

    fn cells(self) -> Vec<Cell> {
        let counts = [self.packs, self.overruns, self.refused, self.full].map(Cell::from);
        let share = self.share / (self.full.max(1) as f64);
        [Cell::from(self.model)]
            .into_iter()
            .chain(counts)
            .chain([share.into(), self.below.into(), self.least.into()])
            .collect()
    }
}

/// Whether there was enough to say: something was left out, or shortened, for want of room alone.
pub(crate) fn has_more(made: &BuiltPack) -> bool {
    use parlour_core::context::OmissionReason;
    let left = |item: &&parlour_core::context::ReceiptItem| item.left_out == Some(OmissionReason::NoRoom);
    made.receipt.items.iter().filter(left).count() >= 5
}

fn random_pack(
    dice: &mut SeededRng,
    tokenizer: &Tokenizer,
    budget: u64,
    candidates: &[Candidate],
) -> Result<BuiltPack, BudgetTooSmall> {
    let formats = [ContextFormat::Pack, ContextFormat::Pack, ContextFormat::Injection, ContextFormat::OpenaiChat];
    let notices = [dice.sentence()];
    let asked = query(&dice.sentence());
    let request = PackOptions {
        format: formats[dice.below(4) as usize],
        notices: if dice.below(4) == 0 { &notices } else { &[] },
        command: if dice.below(4) == 0 { Some("parlour --as coder") } else { None },
        ..request(candidates, &asked, tokenizer, budget)
    };
    let made = build(&request)?;
    // Every third is followed by another one, about something else.
    if dice.below(3) > 0 {
        return Ok(made);
    }
    let asked = query(&dice.sentence());
    build(&PackOptions { query: &asked, previous: Some(&made.receipt), ..request })
}

/// Candidates of all sorts.
fn pool(dice: &mut SeededRng) -> Vec<Candidate> {
    let mut pool = vec![
        card(Section::Project, SubjectType::Project, "prj_1", &dice.sentence()),
        card(Section::Task, SubjectType::Task, "tsk_1", &dice.text()),
        card(Section::Artifacts, SubjectType::Artifact, "art_1", &dice.text()),
    ];
    let places = 1 + dice.below(4);
    for number in 0..places {
        let last = dice.below(200);
        let place = place(number, last);
        let mut seq = 0;
        for _ in 0..last.min(80) {
            seq += 1 + dice.below(3) / 2;
            let text = dice.text();
            let mut said = message(&place, seq, author(dice.below(12)), &text);
            if number == 0 {
                said.section = Section::History;
            }
            said.reasons = match dice.below(30) {
                0 => vec![Reason::Mention, Reason::Unread],
                1..=6 => vec![Reason::Unread],
                7 if dice.below(8) == 0 => vec![Reason::Blocking, Reason::Unread],
                _ => vec![Reason::Recent],
            };
            if dice.below(10) == 0 {
                said.importance = Importance::Critical;
            }
            said.note = (dice.below(30) == 0).then(|| dice.text());
            pool.push(said);
        }
    }
    pool
}
