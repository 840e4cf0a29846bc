use std::sync::Arc;

use parlour_core::{
    author::{Author, AuthorType},
    context::{Reason, Section, SubjectType},
    message::Importance,
};
use parlour_redact::Redactor;
use proptest::prelude::*;

use super::*;
use crate::{candidate::ConversationRef, prepared::Prepared};

fn said(seq: u64, name: &str, text: &str) -> Candidate {
    let redactor = Redactor::default();
    Candidate {
        subject_type: SubjectType::Message,
        id: format!("msg_{seq}"),
        section: Section::History,
        conversation: Some(Arc::new(ConversationRef {
            id: "chn_1".parse().expect("id"),
            name: "#one".to_owned(),
            last_seq: 40,
        })),
        seq,
        from: Some(Author { author_type: AuthorType::Person, id: None, name: name.to_owned() }),
        prepared: Arc::new(Prepared::of(text, &redactor)),
        importance: Importance::Normal,
        reasons: vec![Reason::Found],
        distance: 0,
        reply_to: None,
        note: None,
        answer_format: None,
        summarizes: None,
    }
}

fn query(text: &str) -> RankQuery {
    RankQuery { text: text.to_owned(), terms: Terms::of(text), task: Terms::default() }
}

fn best(asked: &str, candidates: &[Candidate]) -> usize {
    shortlist(&rank(&query(asked), candidates, &Weights::default(), &[]), 1)[0]
}

/// Messages that have nothing to do with anything asked here.
fn among_others(some: Vec<Candidate>) -> Vec<Candidate> {
    let others = (20..40).map(|seq| said(seq, "Ben", &format!("lunch menu number {seq} looks fine")));
    some.into_iter().chain(others).collect()
}

#[test]
fn candidates_with_the_words_of_the_query_come_first() {
    let all = among_others(vec![said(1, "Mara", "Hello"), said(9, "Mara", "The canoe leaks at the stern")]);
    assert_eq!(best("where does the canoe leak", &all), 1);
}

#[test]
fn a_neighbour_of_a_match_ranks_before_a_distant_message() {
    let talk = vec![said(1, "Mara", "Where is the canoe?"), said(2, "Ben", "Behind the barn"), said(12, "Ben", "Fine")];
    let all = among_others(talk);
    let scores = rank(&query("canoe"), &all, &Weights::default(), &[]);
    assert!(scores[1] > scores[2]);
    let alone = rank(&query("canoe"), &all, &Weights { neighbours: 0, recency: 0, ..Weights::default() }, &[]);
    assert_eq!(alone[1].to_bits(), alone[2].to_bits());
}

#[test]
fn messages_of_a_named_sender_come_first() {
    let all = among_others(vec![said(3, "Ben", "I bought a canoe"), said(9, "Mara", "I bought a canoe")]);
    assert_eq!(best("what did Mara buy, a canoe", &all), 1);
    assert_eq!(best("what did Ben buy, a canoe", &all), 0);
}

#[test]
fn a_query_for_a_time_prefers_messages_with_a_time() {
    let all =
        among_others(vec![said(3, "Mara", "We sold that canoe then"), said(9, "Mara", "We sold a canoe yesterday")]);
    assert_eq!(best("When did they sell the canoe", &all), 1);
}

#[test]
fn without_matching_words_the_newest_and_most_important_come_first() {
    let mut all: Vec<Candidate> = (1..=40).map(|seq| said(seq, "Ben", "lunch")).collect();
    assert_eq!(best("canoe", &all), 39);
    all[5].importance = Importance::Critical;
    assert_eq!(best("canoe", &all), 5);
}

#[test]
fn the_message_to_answer_does_not_raise_its_neighbours() {
    let mut all = among_others(vec![said(3, "Mara", "The canoe leaks")]);
    let mut current = said(40, "Mara", "canoe canoe canoe");
    current.reasons = vec![Reason::Current];
    all.push(current);
    let scores = rank(&query("canoe"), &all, &Weights::default(), &[]);
    assert!(all[1..21].iter().zip(&scores[1..21]).all(|(_, score)| *score < scores[0]));
}

#[test]
fn nearby_messages_rank_before_those_that_only_share_words() {
    let mut all: Vec<Candidate> = (1..30).map(|seq| said(seq, "Mara", &format!("canoe {seq} leaks"))).collect();
    all.extend([said(30, "Ben", "Not here"), said(31, "Mara", "Which canoe leaks?"), said(32, "Ben", "The green one")]);
    all[30].reasons = vec![Reason::Current];
    let scores = rank(&query("Which canoe leaks?"), &all, &Weights::default(), &[]);
    let usual = scores[..20].iter().copied().fold(0.0, f32::max);
    assert!(scores[29] > usual && scores[31] > usual, "{scores:?}");
}

#[test]
fn a_reranker_outweighs_words_and_its_invalid_scores_are_ignored() {
    let all = among_others(vec![said(3, "Mara", "canoe"), said(9, "Mara", "kayak")]);
    let order = |said: &[(usize, f32)]| shortlist(&rank(&query("canoe"), &all, &Weights::default(), said), 1)[0];
    assert_eq!(order(&[(0, 0.1), (1, 0.9)]), 1);
    assert_eq!(order(&[(0, 0.1), (1, f32::NAN), (99, 1.0)]), 0);
}

#[test]
fn a_signal_with_weight_zero_is_off() {
    let off = Weights { words: 0, neighbours: 0, sender: 0, task: 0, graph: 0, importance: 0, recency: 0 };
    let all = among_others(vec![said(3, "Mara", "canoe")]);
    assert!(rank(&query("canoe of Mara"), &all, &off, &[]).iter().all(|score| *score == 0.0));
}

#[test]
fn words_of_the_task_weigh_less_than_words_of_the_query() {
    let all =
        among_others(vec![said(3, "Mara", "the kayak"), said(9, "Mara", "the canoe"), said(15, "Mara", "the tent")]);
    let asked = RankQuery { task: Terms::of("kayak"), ..query("canoe") };
    let scores = rank(&asked, &all, &Weights { recency: 0, ..Weights::default() }, &[]);
    assert!(scores[1] > scores[0] && scores[0] > scores[2]);
}

#[test]
fn scores_are_not_carried_between_conversations() {
    let elsewhere = |id: &str, candidate: Candidate| {
        let place = ConversationRef { id: id.parse().expect("id"), name: id.to_owned(), last_seq: 40 };
        Candidate { conversation: Some(Arc::new(place)), ..candidate }
    };
    // The same numbers in three conversations; only in the first somebody speaks of the canoe.
    let all: Vec<Candidate> = [
        ("chn_1", said(5, "Mara", "Where is the canoe?")),
        ("chn_2", said(5, "Mara", "Who has the ladder")),
        ("dm_3", said(5, "Mara", "Who has the hammer")),
        ("chn_1", said(6, "Ben", "Behind the barn")),
        ("chn_2", said(6, "Ben", "Behind the barn")),
        ("dm_3", said(6, "Ben", "Behind the barn")),
    ]
    .map(|(id, candidate)| elsewhere(id, candidate))
    .into();
    let scores = rank(&query("canoe"), &all, &Weights::default(), &[]);
    assert!(scores[3] > scores[4]);
    assert_eq!(scores[4].to_bits(), scores[5].to_bits());
}

#[test]
fn with_equal_words_messages_closer_in_the_graph_come_first() {
    let at = |place: &str, distance: u8| {
        let place = ConversationRef { id: place.parse().expect("id"), name: place.to_owned(), last_seq: 9 };
        Candidate { conversation: Some(Arc::new(place)), distance, ..said(9, "Mara", "the canoe leaks") }
    };
    let all = among_others(vec![at("chn_2", 3), at("chn_3", 0), at("thr_4", 1)]);
    let scores = rank(&query("canoe"), &all, &Weights::default(), &[]);
    assert_eq!(shortlist(&scores, 3), [1, 2, 0]);
    let near_but_wrong = Candidate { prepared: said(1, "Mara", "the ladder").prepared, ..at("chn_3", 0) };
    assert_eq!(best("canoe", &among_others(vec![near_but_wrong, at("chn_2", 9)])), 1);
}

#[test]
fn recency_depends_on_the_sequence_number_and_not_on_the_time() {
    // Ids begin with the time at which they were made: here the clock of whoever wrote ran backwards.
    let at = |seq: u64| Candidate { id: format!("msg_{:026}", 99 - seq), ..said(seq, "Ben", "lunch") };
    let all: Vec<Candidate> = [at(7), at(40), at(12)].into();
    assert_eq!(shortlist(&rank(&query("canoe"), &all, &Weights::default(), &[]), 3), [1, 2, 0]);
}

#[test]
fn a_part_of_a_name_identifies_its_owner_unless_it_is_common() {
    let all = among_others(vec![
        said(3, "Professor B", "the canoe leaks"),
        said(9, "Grad E", "the canoe leaks"),
        said(15, "Grad F", "the canoe leaks"),
    ]);
    assert_eq!(best("what did the professor say about the canoe", &all), 0);
    assert_eq!(best("what did Grad F say about the canoe", &all), 2);
}

#[test]
fn words_shared_by_the_best_candidates_raise_others_slightly() {
    let all = among_others(vec![
        said(1, "Mara", "the canoe has a crack in the gunwale"),
        said(8, "Mara", "that canoe gunwale again"),
        said(16, "Ben", "somebody should order wood for the gunwale"),
        said(19, "Ben", "somebody should order paper for the printer"),
    ]);
    let scores = rank(&query("canoe"), &all, &Weights { neighbours: 0, recency: 0, ..Weights::default() }, &[]);
    assert!(scores[2] > scores[3] && scores[1] > scores[2] && scores[0] > scores[2]);
}

/// A talk about a canoe among messages of other things: each as long as the next, or speeches and short answers.
fn talk_among(others: impl Fn(u64) -> String) -> Vec<Candidate> {
    let other = |seq: u64| said(seq, "Ben", &others(seq));
    let talk =
        [said(61, "Mara", "the canoe leaks at its stern"), said(62, "Ben", "tar holds"), said(63, "Mara", "fine")];
    (1..=60).map(other).chain(talk).chain((64..=120).map(other)).collect()
}

fn speech(words: usize) -> String {
    "lunch menu ".repeat(words.div_ceil(2))
}

#[test]
fn with_uneven_lengths_neighbours_get_more_of_a_score() {
    let lift = |all: &[Candidate]| {
        let scores = rank(&query("canoe"), all, &Weights { recency: 0, ..Weights::default() }, &[]);
        scores[62] / scores[60]
    };
    let even = talk_among(|_| speech(6));
    let uneven = talk_among(|seq| speech(if seq.is_multiple_of(8) { 40 } else { 2 }));
    assert!(lift(&uneven) > 1.5 * lift(&even));
}

#[test]
fn scores_are_carried_less_far_over_longer_messages() {
    let lift = |all: &[Candidate]| {
        let scores = rank(&query("canoe"), all, &Weights { recency: 0, ..Weights::default() }, &[]);
        scores[80] / scores[60]
    };
    assert!(lift(&talk_among(|_| speech(8))) > 2.0 * lift(&talk_among(|_| speech(80))));
}

#[test]
fn with_uneven_lengths_a_word_of_one_passage_is_rare() {
    // Both words are in six messages: the one in six that follow each other, the other all over the talk.
    let text = |seq: u64| match seq {
        41..=46 => "the canoe".to_owned(),
        _ if seq % 20 == 7 => "the tar".to_owned(),
        _ => speech(if seq.is_multiple_of(8) { 40 } else { 2 }),
    };
    let all: Vec<Candidate> = (1..=120).map(|seq| said(seq, "Ben", &text(seq))).collect();
    let alone = Weights { neighbours: 0, recency: 0, ..Weights::default() };
    let scores = rank(&query("canoe tar"), &all, &alone, &[]);
    assert!(scores[42] > scores[26]);
}

#[test]
fn other_constants_give_other_scores() {
    let all = among_others(vec![said(3, "Mara", "canoe"), said(9, "Ben", "the canoe")]);
    let by = |constants: &RankConstants| rank_by(&query("Mara canoe"), &all, &Weights::default(), &[], constants);
    assert_eq!(by(&RankConstants::default()), rank(&query("Mara canoe"), &all, &Weights::default(), &[]));
    assert_ne!(by(&RankConstants { named: 0.0, ..RankConstants::default() }), by(&RankConstants::default()));
}

proptest! {
    #[test]
    fn scores_are_finite_and_do_not_depend_on_the_order(
        texts in proptest::collection::vec("[a-d?]{1,3}( [a-d?]{1,3}){0,6}", 1..12), asked in "[a-d ]{0,20}",
    ) {
        let all: Vec<Candidate> = texts.iter().enumerate().map(|(at, text)| said(at as u64 * 3, "Mara", text)).collect();
        let scores = rank(&query(&asked), &all, &Weights::default(), &[]);
        prop_assert!(scores.iter().all(|score| score.is_finite() && *score >= 0.0));
        let turned: Vec<Candidate> = all.iter().rev().cloned().collect();
        let mut again = rank(&query(&asked), &turned, &Weights::default(), &[]);
        again.reverse();
        prop_assert_eq!(scores, again);
    }
}

#[test]
fn a_question_that_stands_alone_needs_the_messages_around_it_less() {
    let asked = |text: &str| {
        let current = Candidate { reasons: vec![Reason::Current], ..said(19, "Mara", text) };
        let all = among_others(vec![said(9, "Ben", "The canoe leaks"), said(18, "Ben", "See you"), current]);
        rank(&query(text), &all, &Weights::default(), &[])[1]
    };
    let question = asked("Where does the old canoe leak today?");
    let statement = asked("The old canoe does leak today.");
    let follow_up = asked("And why?");
    assert!(question < statement && question < follow_up, "{question} {statement} {follow_up}");
}
