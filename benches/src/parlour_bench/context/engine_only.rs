//! The engine without a hub: builds packs from prepared candidates.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use parlour_context::{
    candidate::{Candidate, ConversationRef},
    pack::{self, PackOptions},
    prepared::Prepared,
    rank::RankQuery,
    terms::Terms,
    tokens::Tokenizer,
};
use parlour_core::{
    author::Author,
    context::{Reason, Section, SubjectType},
    id::{AgentId, ConversationId},
    message::Importance,
    name::Name,
};
use parlour_redact::Redactor;

use crate::sample_texts::SampleTexts;

/// Packs per round.
const PACKS: usize = if cfg!(debug_assertions) { 2 } else { 50 };
/// The number of authors.
const SENDERS: usize = 8;
/// The model whose tokens are counted.
const MODEL: &str = "gpt-4o";

/// The sorted times of packs that are selected from this many candidates, by round.
pub(super) fn time_packs(candidates: usize, rounds: usize, budget: u64) -> Result<Vec<Vec<Duration>>> {
    let (reader, candidates) = (AgentId::from_bits(1), prepared(candidates)?);
    let mut words = SampleTexts::seeded(7);
    let mut all = Vec::new();
    for _ in 0..rounds {
        let mut times = Vec::new();
        for _ in 0..PACKS {
            let mut text = String::new();
            words.write_body(&mut text);
            let query = RankQuery { terms: Terms::of(&text), task: Terms::default(), text };
            let began = Instant::now();
            make(&reader, &candidates, &query, budget)?;
            times.push(began.elapsed());
        }
        times.sort_unstable();
        all.push(times);
    }
    Ok(all)
}

fn make(reader: &AgentId, candidates: &[Candidate], query: &RankQuery, budget: u64) -> Result<()> {
    let made = pack::build(&PackOptions {
        budget,
        ..PackOptions::new((reader, "Coder"), "2026-11-16", &Tokenizer::for_model(MODEL), query, candidates)
    });
    std::hint::black_box(made.context("make a pack")?);
    Ok(())
}

fn prepared(count: usize) -> Result<Vec<Candidate>> {
    let redactor = Redactor::default();
    let channel: ConversationId = "chn_bench".parse().context("an id")?;
    let conversation = Arc::new(ConversationRef { id: channel, name: "#bench".into(), last_seq: count as u64 });
    let mut words = SampleTexts::seeded(1);
    let senders: Vec<Author> = (0..SENDERS).map(sender).collect::<Result<_>>()?;
    let candidate = |index: usize| {
        let mut text = String::new();
        words.write_body(&mut text);
        Candidate {
            subject_type: SubjectType::Message,
            id: format!("msg_{index:026}"),
            section: Section::History,
            conversation: Some(Arc::clone(&conversation)),
            seq: index as u64 + 1,
            from: Some(senders[index % SENDERS].clone()),
            prepared: Arc::new(Prepared::of(&text, &redactor)),
            importance: Importance::Normal,
            reasons: vec![Reason::Recent],
            distance: 0,
            reply_to: None,
            note: None,
            answer_format: None,
            summarizes: None,
        }
    };
    Ok((0..count).map(candidate).collect())
}

fn sender(number: usize) -> Result<Author> {
    let name = Name::parse(&format!("Sender {number}")).context("a name")?;
    Ok(Author::member(&AgentId::from_bits(number as u128 + 2).into(), &name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_times_of_every_round_are_sorted() {
        let rounds = time_packs(20, 2, 1_024).expect("packs");
        assert_eq!(rounds.iter().map(Vec::len).collect::<Vec<_>>(), [PACKS; 2]);
        assert!(rounds.iter().all(|times| times.is_sorted()));
    }
}
