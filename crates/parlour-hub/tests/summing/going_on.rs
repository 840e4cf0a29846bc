//! Packs with summaries from turn to turn: what stood for the older part of a talk stays while it holds, and no longer.

use std::collections::BTreeSet;

use parlour_core::context::{ContextFormat, ContextRequest, ContextRules, RedactionRule, RedactionRules};
use parlour_hub::use_cases::BuiltContext;

use crate::{
    scripted, set,
    stage::Stage,
    turns::{Turns, same, sums},
};

/// Turns of a talk; the pack is made anew in them at least once.
const TURNS: usize = 30;
/// The share of a pack that must stay on average. It is .86 in both formats; what is wanted is .85.
const SAME_LEAST: f64 = 0.8;

#[tokio::test]
async fn most_of_a_pack_with_a_summary_stays_from_turn_to_turn() {
    for format in [ContextFormat::Pack, ContextFormat::Native] {
        let mut turns = Turns::new(format).await;
        let (mut before, mut shares, mut summed) = (turns.go_on().await, Vec::new(), 0);
        for _ in 0..TURNS {
            let after = turns.go_on().await;
            summed += usize::from(!sums(&after).is_empty());
            shares.push(same(&before, &after));
            before = after;
        }
        let mean = shares.iter().sum::<f64>() / shares.len() as f64;
        assert!(mean >= SAME_LEAST, "{format:?}: {mean} {shares:?}");
        assert!(summed * 2 > TURNS, "{format:?}: {summed} have a summary");
    }
}

#[tokio::test]
async fn a_summary_is_made_anew_before_too_much_is_neither_shown_nor_summed_up() {
    let mut turns = Turns::new(ContextFormat::Pack).await;
    let mut ends = BTreeSet::new();
    for turn in 0..TURNS {
        let made = turns.go_on().await;
        let Some(end) = sums(&made).last().and_then(|sum| sum.seq) else { continue };
        let behind = made.pack.receipt.items.iter().filter(|item| item.seq > Some(end));
        let unseen = behind.filter(|item| item.level.is_none()).count();
        assert!(unseen <= 60, "turn {turn}: {unseen}");
        ends.insert(end);
    }
    assert!((2..5).contains(&ends.len()), "it is made anew, but seldom: {ends:?}");
}

#[tokio::test]
async fn whatever_is_edited_or_removed_between_turns_is_in_no_pack_any_more() {
    for format in [ContextFormat::Pack, ContextFormat::Native] {
        let mut turns = Turns::new(format).await;
        let (mut made, mut changed) = (turns.go_on().await, 0);
        for turn in 0..16 {
            // Something that is quoted, or something else; each pack is looked through as it is made.
            let quoted = turns.quoted(&made).first().copied().filter(|_| turn % 4 != 3);
            changed += usize::from(quoted.is_some());
            let index = quoted.unwrap_or(30 + turn * 3);
            let gone = turns.said[index].1.clone().unwrap_or_default();
            match turn % 2 {
                0 => turns.edit(index, &format!("The otter {turn} sleeps below the pier, and all is well.")).await,
                _ => turns.remove(index).await,
            }
            made = turns.go_on().await;
            assert!(!made.pack.text.contains(gone.trim_end_matches('.')), "{gone}: {}", made.pack.text);
        }
        assert!(changed >= 4, "{changed} were quoted");
    }
}

#[tokio::test]
async fn what_is_to_be_answered_was_told_or_is_asked_for_is_not_quoted_beside_it() {
    let mut turns = Turns::new(ContextFormat::Pack).await;
    let made = turns.go_on().await;
    let quoted = turns.quoted(&made)[0];
    let (id, body) = turns.said[quoted].clone();
    let answering = turns.pack(&id).await;
    assert!(answering.pack.text.contains("Answer this:\n>"), "{}", answering.pack.text);
    let made = turns.go_on().await;
    let told = turns.said[turns.quoted(&made)[0]].clone();
    let asked = turns.say().await;
    let ask = ContextRequest { told: vec![told.0.clone()], ..turns.ask(&asked) };
    let after = turns.given(&ask).await.pack.text;
    assert!(!after.contains(told.1.expect("said").trim_end_matches('.')), "{after}");
    // Most of its words are asked for: a line of it would not be enough.
    let words: Vec<&str> = body.as_deref().expect("said").split(' ').take(6).collect();
    let asked = turns.say_this(&words.join(" ")).await;
    let shown = turns.pack(&asked).await;
    assert!(shown.pack.receipt.items.iter().any(|item| item.id == id.as_str() && item.level.is_some()));
}

#[tokio::test]
async fn a_new_rule_of_redaction_holds_in_the_next_pack() {
    let mut turns = Turns::new(ContextFormat::Pack).await;
    let made = turns.go_on().await;
    let quoted = turns.said[turns.quoted(&made)[0]].1.clone().expect("said");
    let word = quoted.split(' ').next().expect("a word").to_owned();
    assert!(made.pack.text.contains(&word));
    let add = vec![RedactionRule { kind: "code".into(), pattern: word.clone() }];
    let redaction = RedactionRules { add, ..RedactionRules::default() };
    set(&turns.stage, ContextRules { redaction, ..ContextRules::default() }).await;
    let asked = turns.stage.say(&turns.stage.mara, "Good morning!").await;
    let stage = &turns.stage;
    let after = stage.context(&stage.coder, &turns.ask(&asked)).await.pack;
    assert!(!after.text.contains(&word), "{}", after.text);
}

#[tokio::test]
async fn a_place_that_the_agent_may_no_longer_read_is_summed_up_no_longer() {
    let stage = Stage::new().await;
    let secret = stage.test.private_channel(&stage.mara, &stage.project, "secret").await;
    stage.test.hub.add_channel_member(&stage.mara, &secret, &stage.coder.member).await.expect("added");
    for number in 1..=40 {
        stage.test.post(&stage.mara, &secret, &format!("Whale {number} swims under the third pier.")).await;
    }
    stage.test.post(&stage.mara, &secret, "@Coder have you seen them?").await;
    let mut turns = Turns::on(stage, ContextFormat::Pack).await;
    let before = turns.go_on().await;
    let after = turns.go_on().await;
    let place = Some(secret.clone().into());
    for made in [&before, &after] {
        assert!(sums(made).iter().any(|sum| sum.conversation_id == place), "{}", made.pack.text);
    }
    let stage = &turns.stage;
    stage.test.hub.remove_channel_member(&stage.mara, &secret, &stage.coder.member).await.expect("removed");
    let gone = turns.go_on().await.pack;
    assert!(!gone.text.contains("pier") && !gone.text.contains("secret"), "{}", gone.text);
}

#[tokio::test]
async fn what_a_model_writes_comes_in_with_the_next_pack_and_stays_then() {
    let (stage, _model) = scripted("Mara and Coder", false).await;
    let mut turns = Turns::on(stage, ContextFormat::Pack).await;
    let is_written = |made: &BuiltContext| sums(made).iter().any(|sum| sum.text.contains("Mara and Coder"));
    assert!(!is_written(&turns.go_on().await), "nobody waits for it");
    // The parts of the talk first, then what rolls them up.
    for _ in 0..2 {
        turns.stage.test.hub.finish_summaries().await;
        assert!(is_written(&turns.go_on().await));
    }
    let mut before = turns.go_on().await;
    for _ in 0..5 {
        let after = turns.go_on().await;
        assert!(is_written(&after) && same(&before, &after) > 0.5, "{}", after.pack.text);
        before = after;
    }
}

#[tokio::test]
async fn the_same_talk_gives_the_same_packs() {
    let mut talks = [Turns::new(ContextFormat::Pack).await, Turns::new(ContextFormat::Pack).await];
    for _ in 0..8 {
        let mut texts = Vec::new();
        for talk in &mut talks {
            let made = talk.go_on().await;
            // The first line has a mark of the reader.
            texts.push(made.pack.text.split_once('\n').map(|(_, rest)| rest.to_owned()));
        }
        assert_eq!(texts[0], texts[1]);
    }
}
