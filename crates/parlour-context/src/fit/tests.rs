use std::{
    cell::{Cell, RefCell},
    collections::BTreeSet,
    sync::Arc,
};

use parlour_core::{
    author::{Author, AuthorType},
    context::{Quotas, Section, SubjectType},
    id::{ChannelId, ConversationId},
    message::Importance,
};
use proptest::prelude::*;

use super::*;
use crate::{
    candidate::{ConversationRef, Trust},
    prepared::Prepared,
};

/// A candidate of a made-up world, with what it costs at each length.
#[derive(Clone, Debug)]
struct Item {
    candidate: Candidate,
    score: f32,
    costs: [Option<u64>; 5],
    same_as: Option<usize>,
}

/// What was decided on each, and what it costs.
struct FitPlan {
    decisions: Vec<Decision>,
    used: u64,
}

fn item(number: usize, sender: &str, place: u128, tokens: u64) -> Item {
    let author_type = if sender.starts_with("agt") { AuthorType::Agent } else { AuthorType::Person };
    let place = ConversationRef {
        id: ConversationId::Channel(ChannelId::from_bits(place)),
        name: format!("#{place}"),
        last_seq: 9_999,
    };
    let candidate = Candidate {
        subject_type: SubjectType::Message,
        id: format!("msg_{number:05}"),
        section: Section::Threads,
        conversation: Some(Arc::new(place)),
        seq: number as u64,
        from: Some(Author { author_type, id: Some(sender.to_owned()), name: sender.to_owned() }),
        prepared: Arc::new(Prepared { tokens, ..Prepared::default() }),
        importance: Importance::default(),
        reasons: vec![Reason::Recent],
        distance: 0,
        reply_to: None,
        note: None,
        answer_format: None,
        summarizes: None,
    };
    let shorter = |part: u64| (tokens > 40).then_some(tokens / part + 5);
    let costs = [Some(tokens + 5), shorter(2), shorter(3), shorter(5), Some(12)];
    Item { candidate, score: 1.0, costs, same_as: None }
}

fn must(mut item: Item, reason: Reason) -> Item {
    item.candidate.reasons = vec![reason];
    item
}

fn at(level: Level) -> usize {
    crate::level::LEVELS.iter().position(|it| *it == level).expect("one of them")
}

fn fit_all(items: &[Item], room: u64, quotas: &Quotas) -> FitPlan {
    fit_asking(items, room, quotas, &Cell::new(0))
}

fn fit_asking(items: &[Item], room: u64, quotas: &Quotas, asked: &Cell<usize>) -> FitPlan {
    fit_with(items, room, quotas, asked, &[])
}

fn fit_keeping(items: &[Item], room: u64, kept: &[(usize, Level)]) -> FitPlan {
    fit_with(items, room, &Quotas::default(), &Cell::new(0), kept)
}

fn fit_with(items: &[Item], room: u64, quotas: &Quotas, asked: &Cell<usize>, kept: &[(usize, Level)]) -> FitPlan {
    let candidates: Vec<&Candidate> = items.iter().map(|item| &item.candidate).collect();
    let scores: Vec<f32> = items.iter().map(|item| item.score).collect();
    let duplicates: Vec<Option<usize>> = items.iter().map(|item| item.same_as).collect();
    let known = RefCell::new(BTreeSet::new());
    let cost = |index: usize, level: Level| {
        asked.set(asked.get() + usize::from(known.borrow_mut().insert((index, level))));
        items[index].costs[at(level)]
    };
    let order = order(&candidates, &scores);
    let field = RankedCandidates::new(&candidates, scores, order, &duplicates, quotas);
    let fitted = fit(&field, &FitOptions { room, kept, cost: &cost });
    let decisions = (0..items.len()).map(|index| fitted.decision(index)).collect();
    FitPlan { decisions, used: fitted.used() }
}

fn no_quotas() -> Quotas {
    Quotas { sender_percent: 100, thread_percent: 100, machine_percent: 100, foreign_percent: 100 }
}

fn cost_of(items: &[Item], decisions: &[Decision], counts: impl Fn(&Candidate) -> bool) -> u64 {
    let cost = |(item, decision): (&Item, &Decision)| match decision {
        Decision::Shown(level) if counts(&item.candidate) => item.costs[at(*level)].expect("only what it has is shown"),
        _ => 0,
    };
    items.iter().zip(decisions).map(cost).sum()
}

#[test]
fn everything_is_shown_in_full_if_it_fits() {
    let items: Vec<Item> = (0..20).map(|number| item(number, "usr_a", 1, 100)).collect();
    let fitted = fit_all(&items, 100_000, &no_quotas());
    assert!(fitted.decisions.iter().all(|decision| *decision == Decision::Shown(Level::Full)));
    assert_eq!(fitted.used, 20 * 105);
}

#[test]
fn mandatory_items_are_shortened_before_they_are_omitted() {
    let items = [must(item(1, "usr_a", 1, 400), Reason::Blocking), must(item(2, "usr_b", 1, 900), Reason::Current)];
    let decisions = |room| fit_all(&items, room, &Quotas::default()).decisions;
    assert_eq!(decisions(2_000), [Decision::Shown(Level::Full), Decision::Shown(Level::Full)]);
    // What is to be answered grows first.
    assert_eq!(decisions(1_000), [Decision::Shown(Level::OneLine), Decision::Shown(Level::Full)]);
    assert_eq!(decisions(24), [Decision::Shown(Level::Handle), Decision::Shown(Level::Handle)]);
    assert_eq!(decisions(13), [Decision::Omitted(OmissionReason::NoRoom), Decision::Shown(Level::Handle)]);
    assert_eq!(decisions(0), [Decision::Omitted(OmissionReason::NoRoom); 2]);
}

#[test]
fn a_duplicate_is_omitted_only_if_another_one_is_shown() {
    let mut items = vec![item(1, "usr_a", 1, 30), item(2, "usr_b", 2, 30), item(3, "usr_c", 3, 30)];
    items[1].same_as = Some(0);
    items[2].same_as = Some(1);
    let decisions = fit_all(&items, 1_000, &no_quotas()).decisions;
    let shown: Vec<bool> = decisions.iter().map(|it| matches!(it, Decision::Shown(_))).collect();
    assert_eq!(shown.iter().filter(|is_shown| **is_shown).count(), 1);
    assert_eq!(decisions.iter().filter(|it| **it == Decision::Omitted(OmissionReason::Duplicate)).count(), 2);
    // The first of them cannot be shown, so another one is.
    items[0].costs = [None; 5];
    assert!(fit_all(&items, 1_000, &no_quotas()).decisions.iter().any(|it| matches!(it, Decision::Shown(_))));
}

#[test]
fn items_without_a_score_are_not_shown_even_with_room() {
    let mut items = vec![item(1, "usr_a", 1, 30), item(2, "usr_a", 1, 30), item(3, "usr_a", 1, 30)];
    items[0].score = 0.0;
    items[1].score = f32::NAN;
    let decisions = fit_all(&items, 1_000, &no_quotas()).decisions;
    let irrelevant = Decision::Omitted(OmissionReason::Irrelevant);
    assert_eq!(decisions, [irrelevant, irrelevant, Decision::Shown(Level::Full)]);
}

#[test]
fn no_source_exceeds_its_quota_while_others_need_the_room() {
    let reasons = |quotas: Quotas, sender: &str| {
        let mut items: Vec<Item> = (0..200).map(|number| item(number, sender, 1, 30)).collect();
        items.extend((200..400).map(|number| item(number, &format!("usr_{number}"), number as u128, 30)));
        for (number, item) in items.iter_mut().enumerate() {
            item.score = if number < 200 { 9.0 } else { 1.0 };
        }
        let fitted = fit_all(&items, 1_000, &quotas);
        let held =
            cost_of(&items, &fitted.decisions, |it| it.conversation.as_ref().is_some_and(|place| place.name == "#1"));
        assert!((266..=300).contains(&held) && fitted.used >= 970, "{held} of {}", fitted.used);
        let mut reasons: Vec<OmissionReason> = fitted.decisions[..200].iter().filter_map(left_out).collect();
        reasons.dedup();
        reasons
    };
    assert_eq!(
        reasons(Quotas { sender_percent: 30, ..no_quotas() }, "usr_a").first(),
        Some(&OmissionReason::SenderQuota)
    );
    assert_eq!(reasons(Quotas { machine_percent: 30, ..no_quotas() }, "agt_a"), [OmissionReason::TrustQuota]);
    assert_eq!(reasons(Quotas { foreign_percent: 30, ..no_quotas() }, "slack:a"), [OmissionReason::TrustQuota]);
}

#[test]
fn a_single_source_may_fill_the_room() {
    for (sender, section) in [("usr_a", Section::Threads), ("agt_a", Section::History), ("slack:a", Section::Threads)] {
        let mut items: Vec<Item> = (0..200).map(|number| item(number, sender, 1, 30)).collect();
        for item in &mut items {
            item.candidate.section = section;
        }
        let quotas = Quotas { sender_percent: 30, thread_percent: 20, machine_percent: 10, foreign_percent: 10 };
        let fitted = fit_all(&items, 1_000, &quotas);
        assert!(fitted.used >= 970, "{sender}: {}", fitted.used);
        let reasons: Vec<OmissionReason> = fitted.decisions.iter().filter_map(left_out).collect();
        assert!(reasons.iter().all(|reason| *reason == OmissionReason::NoRoom), "{sender}: {reasons:?}");
    }
}

fn left_out(decision: &Decision) -> Option<OmissionReason> {
    match decision {
        Decision::Omitted(why) => Some(*why),
        Decision::Shown(_) => None,
    }
}

#[test]
fn the_conversation_to_answer_has_no_thread_quota() {
    let mut items: Vec<Item> = (0..200).map(|number| item(number, "usr_a", 1, 30)).collect();
    for item in &mut items {
        item.candidate.section = Section::History;
    }
    let fitted = fit_all(&items, 1_000, &Quotas { thread_percent: 10, ..no_quotas() });
    assert!(fitted.used >= 970, "{}", fitted.used);
}

#[test]
fn the_room_is_filled_when_a_sender_has_used_its_quota() {
    let mut items: Vec<Item> = (0..500).map(|number| item(number, "usr_loud", 1, 26)).collect();
    items.extend((500..600).map(|number| item(number, "usr_calm", 2, 26)));
    for (number, item) in items.iter_mut().enumerate() {
        item.score = if number < 500 { 9.0 } else { 1.0 };
    }
    let fitted = fit_all(&items, 1_000, &Quotas::default());
    assert!(fitted.used >= 970, "{}", fitted.used);
}

#[test]
fn few_costs_are_computed_for_ten_thousand_candidates() {
    let asked = Cell::new(0);
    let mut items: Vec<Item> = (0..10_000)
        .map(|number| item(number, &format!("usr_{}", number % 7), (number % 11) as u128, 20 + number as u64 % 90))
        .collect();
    for (number, item) in items.iter_mut().enumerate() {
        item.score = 1.0 + ((number * 7_919) % 10_000) as f32;
    }
    let fitted = fit_asking(&items, 1_024, &Quotas::default(), &asked);
    assert!(fitted.used * 100 >= 1_024 * 97, "{}", fitted.used);
    assert!(asked.get() <= 400, "{}", asked.get());
}

#[test]
fn one_item_of_a_cycle_of_duplicates_is_shown() {
    let mut items: Vec<Item> = (0..3).map(|number| item(number, "usr_a", 1, 30)).collect();
    for (number, item) in items.iter_mut().enumerate() {
        item.same_as = Some((number + 1) % 3);
    }
    let decisions = fit_all(&items, 1_000, &no_quotas()).decisions;
    assert_eq!(decisions.iter().filter(|it| matches!(it, Decision::Shown(_))).count(), 1);
}

type Drawn = (usize, u128, u64, u8, u8, Option<[Option<u64>; 5]>, u8);

fn any_items() -> impl Strategy<Value = Vec<Item>> {
    let costs = proptest::array::uniform5(proptest::option::weighted(0.7, 0u64..400));
    let one = (0usize..4, 0u128..3, 0u64..300, 0u8..12, 0u8..4, proptest::option::of(costs), 0u8..3);
    proptest::collection::vec(one, 0..60).prop_map(|all| {
        let item = |(number, (sender, place, tokens, reason, score, costs, section)): (usize, Drawn)| {
            let senders: [&str; 4] = ["usr_a", "usr_b", "agt_c", "slack:d"];
            let mut item: Item = item(number, senders[sender], place, tokens);
            item.score = f32::from(score);
            item.costs = costs.unwrap_or(item.costs);
            item.candidate.section = [Section::Artifacts, Section::Threads, Section::History][usize::from(section)];
            item.candidate.reasons = vec![match reason {
                0 => Reason::Current,
                1 => Reason::Blocking,
                _ => Reason::Unread,
            }];
            item
        };
        all.into_iter().enumerate().map(item).collect()
    })
}

fn any_quotas() -> impl Strategy<Value = Quotas> {
    (1u64..=100, 1u64..=100, 1u64..=100, 1u64..=100).prop_map(|(sender, thread, machine, foreign)| Quotas {
        sender_percent: sender,
        thread_percent: thread,
        machine_percent: machine,
        foreign_percent: foreign,
    })
}

fn shown_mandatory(items: &[Item], fitted: &FitPlan) -> usize {
    let is = |(item, it): &(&Item, &Decision)| item.candidate.is_mandatory() && matches!(it, Decision::Shown(_));
    items.iter().zip(&fitted.decisions).filter(is).count()
}

proptest! {
    #[test]
    fn the_cost_never_exceeds_the_room(items in any_items(), room in 0u64..2_000, quotas in any_quotas()) {
        let fitted = fit_all(&items, room, &quotas);
        prop_assert!(fitted.used <= room);
        prop_assert_eq!(fitted.used, cost_of(&items, &fitted.decisions, |_| true));
    }

    #[test]
    fn no_other_item_is_shown_while_a_mandatory_one_is_omitted(items in any_items(), room in 0u64..600, quotas in any_quotas()) {
        let fitted = fit_all(&items, room, &quotas);
        let is_missing = |(item, it): (&Item, &Decision)| {
            item.candidate.is_mandatory() && *it == Decision::Omitted(OmissionReason::NoRoom)
        };
        if items.iter().zip(&fitted.decisions).any(is_missing) {
            prop_assert_eq!(cost_of(&items, &fitted.decisions, |candidate| !candidate.is_mandatory()), 0);
        }
    }

    #[test]
    fn quotas_hold_while_others_need_the_room(items in any_items(), room in 256u64..2_000, quotas in any_quotas()) {
        // So many small ones of others that there is no room that nobody wants.
        let wanting = (0..400).map(|number| {
            let mut small = item(10_000 + number, &format!("usr_{number}"), 100 + number as u128, 1);
            small.costs = [Some(1), None, None, None, None];
            small.score = 0.5;
            small
        });
        let all: Vec<Item> = items.iter().cloned().chain(wanting.cycle().take(400)).collect();
        let decisions = fit_all(&all, room.min(400), &quotas).decisions;
        let held = |counts: &dyn Fn(&Candidate) -> bool, percent: u64| {
            let must = cost_of(&all, &decisions, |it| it.is_mandatory() && counts(it));
            cost_of(&all, &decisions, counts) <= (room.min(400) * percent / 100).max(must)
        };
        for sender in ["usr_a", "usr_b", "agt_c", "slack:d"] {
            let is = |it: &Candidate| it.from.as_ref().is_some_and(|from| from.id.as_deref() == Some(sender));
            prop_assert!(held(&is, quotas.sender_percent), "{}", sender);
        }
        prop_assert!(held(&|it| it.trust() == Trust::Machine, quotas.machine_percent));
        prop_assert!(held(&|it| it.trust() == Trust::Foreign, quotas.foreign_percent));
    }

    #[test]
    fn retained_items_come_first_in_their_order(items in any_items(), room in 0u64..2_000, count in 0usize..20) {
        let kept: Vec<(usize, Level)> = items.iter().enumerate()
            .filter(|(_, item)| !item.candidate.is_mandatory() && item.costs[0].is_some())
            .map(|(index, _)| (index, Level::Full)).take(count).collect();
        let fitted = fit_keeping(&items, room, &kept);
        prop_assert!(fitted.used <= room);
        let must = shown_mandatory(&items, &fitted);
        prop_assert_eq!(must, shown_mandatory(&items, &fit_all(&items, room, &Quotas::default())));
        let costs = cost_of(&items, &fitted.decisions, Candidate::is_mandatory);
        let sum: u64 = kept.iter().map(|(index, _)| items[*index].costs[0].unwrap_or(0)).sum();
        if costs + sum <= room && must == items.iter().filter(|item| item.candidate.is_mandatory() && item.costs.iter().any(Option::is_some)).count() {
            for (index, level) in kept {
                prop_assert_eq!(fitted.decisions[index], Decision::Shown(level));
            }
        }
    }

    #[test]
    fn many_small_items_fill_the_room(
        tokens in proptest::collection::vec(5u64..20, 300..400), room in 1_000u64..2_000,
    ) {
        let senders = ["usr_a", "usr_b", "usr_c", "agt_d"];
        let small = |(number, tokens): (usize, &u64)| item(number, senders[number % 4], number as u128 % 5, *tokens);
        let items: Vec<Item> = tokens.iter().enumerate().map(small).collect();
        let used = fit_all(&items, room, &Quotas::default()).used;
        prop_assert!(used * 100 >= room * 97, "{} of {}", used, room);
    }

    #[test]
    fn more_room_never_shows_fewer_mandatory_items(items in any_items(), room in 0u64..600, more in 0u64..600) {
        let quotas = Quotas::default();
        let [before, after] = [room, room + more].map(|room| shown_mandatory(&items, &fit_all(&items, room, &quotas)));
        prop_assert!(before <= after);
    }

    #[test]
    fn decisions_do_not_depend_on_the_order_of_candidates(
        (items, shuffled) in any_items().prop_flat_map(|items| {
            let places: Vec<usize> = (0..items.len()).collect();
            (Just(items), Just(places).prop_shuffle())
        }),
        room in 0u64..2_000,
        quotas in any_quotas(),
    ) {
        let other: Vec<Item> = shuffled.iter().map(|place| items[*place].clone()).collect();
        let decisions = fit_all(&items, room, &quotas).decisions;
        let expected: Vec<Decision> = shuffled.iter().map(|place| decisions[*place]).collect();
        prop_assert_eq!(fit_all(&other, room, &quotas).decisions, expected);
    }
}
