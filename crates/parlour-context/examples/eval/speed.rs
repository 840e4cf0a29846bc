//! What ranking, finding duplicates and whole packs cost beside a plain pass over the same words.

use std::path::Path;
use std::time::Instant;

use parlour_context::{
    candidate::Candidate,
    dedupe::duplicates,
    pack::{BuiltPack, PackOptions, build},
    rank::{RankQuery, rank, shortlist},
    terms::Terms,
    tokens::{Encoding, Tokenizer},
};
use parlour_core::{
    context::{Reason, Receipt, Weights},
    limits,
};

use super::{chat::request, dialogue::Dialogue, recall::PreparedDialogue, table::Table};

/// How often each is measured; the quickest counts: whatever else the machine does only adds to it.
const ROUNDS: usize = if cfg!(debug_assertions) { 3 } else { 101 };
const ASKED: &str = "When did Vera move the cedar ledger from the harbour cluster to the granite archive?";
/// What the pack before was asked.
const ASKED_BEFORE: &str = "Is the lamp of the harbour archive mended, and who has told Tomas about the ledger?";
/// What a pack may cost.
const PACK_TOKENS: u64 = 1_024;

/// The table. It needs no data: the messages are made up by rule, and are the same every time.
pub(crate) fn table(_data: &Path) -> Option<Table> {
    let mut candidates = PreparedDialogue::of(&made_up()).candidates;
    candidates.last_mut()?.reasons = vec![Reason::Current];
    let (query, query_before) = (query(ASKED), query(ASKED_BEFORE));
    let order = {
        let scores = rank(&query, &candidates, &Weights::default(), &[]);
        shortlist(&scores, scores.len())
    };
    let all: Vec<&Candidate> = candidates.iter().collect();
    let about = "the quickest of many rounds over the most candidates that there may be, as ratios to one pass over their words; packs of 1,024 tokens";
    let mut table = Table::new("speed", about, &["step", "candidates", "ratio to a pass", "microseconds here"]);
    let pass = quickest(|| plain_pass(&candidates));
    let before = pack(&query_before, &candidates, None).receipt;
    let steps = [
        ("a pass", pass),
        ("rank", quickest(|| rank(&query, &candidates, &Weights::default(), &[]).len() as u64)),
        ("dedupe", quickest(|| duplicates(&all, &order).len() as u64)),
        ("pack", quickest(|| pack(&query, &candidates, None).receipt.used)),
        ("pack after another", quickest(|| pack(&query, &candidates, Some(&before)).receipt.used)),
    ];
    for (name, time) in steps {
        table.push(vec![
            name.into(),
            (candidates.len() as u64).into(),
            (time / pass).into(),
            (time.round() as u64).into(),
        ]);
    }
    Some(table)
}

fn query(asked: &str) -> RankQuery {
    RankQuery { text: asked.to_owned(), terms: Terms::of(asked), task: Terms::of("granite archive, second part") }
}

/// A whole pack of the usual size.
fn pack(query: &RankQuery, candidates: &[Candidate], previous: Option<&Receipt>) -> BuiltPack {
    let tokenizer = Tokenizer::by(Encoding::O200k);
    let made = build(&PackOptions { previous, ..request(candidates, query, &tokenizer, PACK_TOKENS) });
    made.expect("the budget is large enough")
}

/// Looks at every word once.
fn plain_pass(candidates: &[Candidate]) -> u64 {
    let counts = candidates.iter().flat_map(|candidate| &candidate.prepared.terms.counts);
    counts.fold(0, |sum: u64, (term, count)| sum.wrapping_add(u64::from(*term) * u64::from(*count)))
}

/// In microseconds.
fn quickest(mut work: impl FnMut() -> u64) -> f64 {
    let mut once = || {
        let begin = Instant::now();
        std::hint::black_box(work());
        begin.elapsed().as_secs_f64() * 1e6
    };
    (0..ROUNDS).map(|_| once()).fold(f64::MAX, f64::min)
}

/// Messages of 5 to 40 words, some words much commoner than others.
fn made_up() -> Dialogue {
    let words: Vec<String> =
        (0..2_000).map(|number| format!("{}{number}", ["stone", "river", "paper", "lamp"][number % 4])).collect();
    let known = ["vera", "cedar", "ledger", "harbour", "cluster", "granite", "archive", "moved", "yesterday"];
    let mut state = 1_u64;
    let mut next = |most: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % most
    };
    let mut turn = |_| {
        let text: Vec<&str> = (0..5 + next(36))
            .map(|_| match next(12) {
                0 => known[next(known.len())],
                _ => words[next(words.len()).min(next(words.len()))].as_str(),
            })
            .collect();
        (["Vera", "Coder", "Tomas", "Writer"][next(4)].to_owned(), text.join(" "))
    };
    Dialogue { turns: (0..limits::CONTEXT_CANDIDATES_MAX).map(&mut turn).collect(), questions: Vec::new() }
}
