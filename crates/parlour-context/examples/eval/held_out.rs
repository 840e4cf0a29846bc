//! Recall where the constants were chosen without the conversation that is measured.
//!
//! For each conversation, the constants that are best over the other conversations and one half of the meetings are
//! taken, and it is measured with them; the other half of the meetings the same way. They are taken from a grid around
//! those in use, and once more from settings drawn by rule, where each figure is another: those in use were chosen with
//! all of it in sight, and what lies around them knows it too.

use std::ops::Range;
use std::path::Path;

use parlour_context::rank::{CarryRange, RankConstants};

use super::{
    dialogue::read_locomo,
    qmsum,
    recall::{PreparedDialogue, Ranking, Shares, mean},
    table::{Cell, Table},
};

const TALKS: [u64; 3] = [512, 1_024, 2_048];
const MEETINGS: [u64; 2] = [1_024, 2_048];
/// Settings of the grid and drawn ones: a few where only the way is tested.
const GRID_LEN: usize = if cfg!(debug_assertions) { 4 } else { 109 };
const DRAWN_LEN: usize = if cfg!(debug_assertions) { 4 } else { 400 };
/// The settings of each kind, by their places.
const KINDS: [(&str, Range<usize>); 3] =
    [("in use", 0..1), ("held out", 0..GRID_LEN), ("held out, drawn", GRID_LEN..GRID_LEN + DRAWN_LEN)];

/// For each setting, for each conversation, for each question the shares at each budget.
type RecallByConstants = Vec<Vec<Vec<Vec<Shares>>>>;

/// The table; nothing where a part of the data is not there.
pub(crate) fn table(data: &Path) -> Option<Table> {
    let talks: Vec<PreparedDialogue> = read_locomo(data)?.iter().map(PreparedDialogue::of).collect();
    let meetings: Vec<PreparedDialogue> = qmsum::dialogues(data)?.iter().map(PreparedDialogue::of).collect();
    let settings: Vec<RankConstants> = grid().into_iter().chain(drawn()).collect();
    let talked = measure(&talks, &TALKS, &settings);
    let met = measure(&meetings, &MEETINGS, &settings);
    let about = "recall with constants chosen without what is measured, beside those in use: mean, and least of one";
    let columns = ["set", "constants", "512", "1024", "2048", "least 512", "least 1024", "least 2048"];
    let mut table = Table::new("held_out", about, &columns);
    for (name, kind) in KINDS {
        let chosen = |held: usize| best(&kind, |setting| objective(&talked, &met, setting, held, held % 2));
        table.push(talk_row(name, &talked, chosen));
    }
    for (set, is_fit) in [("meetings, room", false), ("meetings, fit", true)] {
        for (name, kind) in KINDS {
            // A half of the meetings is measured with what the other half chose.
            let chosen = |half: usize| best(&kind, |at| objective(&talked, &met, at, usize::MAX, 1 - half));
            let halves = [chosen(0), chosen(1)];
            table.push(meeting_row(set, name, &met, is_fit, |meeting| halves[meeting % 2]));
        }
    }
    Some(table)
}

/// The constants in use, and all others that differ from them in some of six figures.
fn grid() -> Vec<RankConstants> {
    let usual = RankConstants::default();
    let mut grid = vec![usual.clone()];
    for near in [0.3, 0.42, 0.6] {
        for wide in [0.18, 0.27, 0.4] {
            for rarity in [1.25, 1.5, 1.75] {
                for (named, more, passage_uneven) in
                    [(0.9, 0.05, 1.0), (0.6, 0.05, 1.0), (0.9, 0.1, 1.0), (0.9, 0.05, 0.5)]
                {
                    let near = CarryRange { weight: near, ..usual.near.clone() };
                    let wide = CarryRange { weight: wide, ..usual.wide.clone() };
                    grid.push(RankConstants { near, wide, rarity, named, more, passage_uneven, ..usual.clone() });
                }
            }
        }
    }
    grid.truncate(GRID_LEN);
    grid
}

/// Each figure is one of three or four, far enough apart to matter.
fn drawn() -> Vec<RankConstants> {
    let mut state = 7_u64;
    let mut draw = |figures: &[f32]| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        figures[(state >> 33) as usize % figures.len()]
    };
    let usual = RankConstants::default();
    let mut drawn = |_| RankConstants {
        rarity: draw(&[1.3, 1.5, 1.7]),
        passage_len: draw(&[6.0, 10.0, 15.0]) as u32,
        near: CarryRange {
            weight: draw(&[0.32, 0.42, 0.5]),
            forward: draw(&[1.3, 1.5, 1.7]),
            decay: draw(&[0.5, 0.6, 0.7]),
            ..usual.near
        },
        wide: CarryRange { weight: draw(&[0.2, 0.27, 0.35]), decay: draw(&[0.93, 0.945, 0.96]), ..usual.wide },
        passage_uneven: draw(&[0.4, 0.7, 1.0, 1.3]),
        passage_decay: draw(&[0.65, 0.8, 0.85]),
        more: draw(&[0.0, 0.05, 0.1]),
        more_uneven: draw(&[0.15, 0.25, 0.35]),
        name: draw(&[0.1, 0.2, 0.3]),
        talk: draw(&[0.3, 0.4, 0.6]),
        named: draw(&[0.6, 0.9, 1.1]),
        named_uneven: draw(&[0.2, 0.35, 0.5]),
        even: draw(&[0.3, 0.5, 0.6]),
        uneven: draw(&[0.8, 1.0, 1.3]),
        ..usual.clone()
    };
    (0..DRAWN_LEN).map(&mut drawn).collect()
}

fn measure(all: &[PreparedDialogue], budgets: &[u64], settings: &[RankConstants]) -> RecallByConstants {
    let one =
        |constants: &RankConstants| all.iter().map(|ready| ready.recall(budgets, Ranking::All, constants)).collect();
    settings.iter().map(one).collect()
}

/// The best of these settings; of equal ones the first.
fn best(kind: &Range<usize>, objective: impl Fn(usize) -> f64) -> usize {
    kind.clone().max_by(|a, b| objective(*a).total_cmp(&objective(*b)).then(b.cmp(a))).unwrap_or(0)
}

/// The sum of the means over all conversations but one and one half of the meetings.
fn objective(talked: &RecallByConstants, met: &RecallByConstants, setting: usize, held: usize, half: usize) -> f64 {
    let talks = talked[setting].iter().enumerate().filter(|(talk, _)| *talk != held).flat_map(|(_, talk)| talk);
    let meetings = met[setting].iter().enumerate().filter(|(meeting, _)| meeting % 2 == half).flat_map(|(_, all)| all);
    let turns = (0..TALKS.len()).map(|budget| mean(talks.clone().map(|shares| shares[budget])).turns).sum::<f64>();
    let room = (0..MEETINGS.len()).map(|budget| mean(meetings.clone().map(|shares| shares[budget])).room).sum::<f64>();
    turns / TALKS.len() as f64 + room / MEETINGS.len() as f64
}

fn talk_row(name: &str, talked: &RecallByConstants, setting: impl Fn(usize) -> usize) -> Vec<Cell> {
    let talks: Vec<&Vec<Vec<Shares>>> = (0..talked[0].len()).map(|talk| &talked[setting(talk)][talk]).collect();
    let of = |talk: &[Vec<Shares>], budget: usize| mean(talk.iter().map(|shares| shares[budget])).turns;
    let all: Vec<Vec<Shares>> = talks.iter().flat_map(|talk| talk.iter().cloned()).collect();
    let means = (0..TALKS.len()).map(|budget| Cell::from(of(&all, budget)));
    let least = (0..TALKS.len()).map(|budget| {
        let of_all = talks.iter().filter(|talk| !talk.is_empty()).map(|talk| of(talk, budget));
        Cell::from(of_all.fold(1.0, f64::min))
    });
    ["conversations".into(), name.into()].into_iter().chain(means).chain(least).collect()
}

fn meeting_row(
    set: &str,
    name: &str,
    met: &RecallByConstants,
    is_fit: bool,
    setting: impl Fn(usize) -> usize,
) -> Vec<Cell> {
    let all: Vec<&Vec<Shares>> = (0..met[0].len()).flat_map(|meeting| &met[setting(meeting)][meeting]).collect();
    let means = (0..MEETINGS.len()).map(|budget| {
        let shares = mean(all.iter().map(|shares| shares[budget]));
        Cell::from(if is_fit { shares.fit.unwrap_or(0.0) } else { shares.room })
    });
    // Many meetings have one question only: the least of one says nothing.
    let nothing = || Cell::from("");
    let head = [Cell::from(set), Cell::from(name), nothing()];
    head.into_iter().chain(means).chain([nothing(), nothing(), nothing()]).collect()
}
