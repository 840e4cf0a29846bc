//! Summaries in successive packs: a summary stays the same while it is valid.

use std::collections::BTreeSet;

use parlour_core::context::{ContextFormat, ContextRequest, ContextRules, RedactionRule, RedactionRules};
use parlour_hub::use_cases::BuiltContext;

use crate::{
    dialogue::{Dialogue, shared_prefix, summaries_shown},
    fixture::ContextFixture,
    scripted, set_rules,
};

/// Turns of a dialogue; its summary is renewed at least once in them.
const TURNS: usize = 30;
/// The share of a pack that must be unchanged on average, by format. With budgets from 900 to 1,500 tokens it is .79 to
/// .83 and .85 to .89; the target is .85 in both.
const SHARED_PREFIX_MIN: [(ContextFormat, f64); 2] = [(ContextFormat::Pack, 0.75), (ContextFormat::Native, 0.82)];

#[tokio::test]
async fn most_of_a_pack_with_a_summary_is_unchanged_in_the_next_turn() {
    for (format, share_min) in SHARED_PREFIX_MIN {
        let mut dialogue = Dialogue::new(format).await;
        let (mut before, mut shares, mut summed) = (dialogue.take_turn().await, Vec::new(), 0);
        for _ in 0..TURNS {
            let after = dialogue.take_turn().await;
            summed += usize::from(!summaries_shown(&after).is_empty());
            shares.push(shared_prefix(&before, &after));
            before = after;
        }
        let mean = shares.iter().sum::<f64>() / shares.len() as f64;
        assert!(mean >= share_min, "{format:?}: {mean} {shares:?}");
        assert!(summed * 2 > TURNS, "{format:?}: {summed} have a summary");
    }
}

#[tokio::test]
async fn a_summary_is_renewed_before_too_many_messages_are_neither_shown_nor_summarised() {
    let mut dialogue = Dialogue::new(ContextFormat::Pack).await;
    let mut ends = BTreeSet::new();
    for turn in 0..TURNS {
        let made = dialogue.take_turn().await;
        let Some(end) = summaries_shown(&made).last().and_then(|sum| sum.seq) else { continue };
        let behind = made.pack.receipt.items.iter().filter(|item| item.seq > Some(end));
        let unseen = behind.filter(|item| item.level.is_none()).count();
        assert!(unseen <= 60, "turn {turn}: {unseen}");
        ends.insert(end);
    }
    assert!((2..5).contains(&ends.len()), "it is made anew, but seldom: {ends:?}");
}

#[tokio::test]
async fn messages_edited_or_removed_between_turns_leave_the_pack() {
    for format in [ContextFormat::Pack, ContextFormat::Native] {
        let mut dialogue = Dialogue::new(format).await;
        let (mut made, mut changed) = (dialogue.take_turn().await, 0);
        for turn in 0..16 {
            // A quoted message, or another one. `Dialogue` checks each pack.
            let quoted = dialogue.quoted(&made).first().copied().filter(|_| turn % 4 != 3);
            changed += usize::from(quoted.is_some());
            let index = quoted.unwrap_or(30 + turn * 3);
            let gone = dialogue.said[index].1.clone().unwrap_or_default();
            match turn % 2 {
                0 => dialogue.edit(index, &format!("The otter {turn} sleeps below the pier, and all is well.")).await,
                _ => dialogue.remove(index).await,
            }
            made = dialogue.take_turn().await;
            assert!(!made.pack.text.contains(gone.trim_end_matches('.')), "{gone}: {}", made.pack.text);
        }
        assert!(changed >= 4, "{changed} were quoted");
    }
}

#[tokio::test]
async fn answered_known_and_searched_messages_are_not_quoted_in_the_summary() {
    let mut dialogue = Dialogue::new(ContextFormat::Pack).await;
    let made = dialogue.take_turn().await;
    let quoted = dialogue.quoted(&made)[0];
    let (id, body) = dialogue.said[quoted].clone();
    let answering = dialogue.pack(&id).await;
    assert!(answering.pack.text.contains("Answer this:\n>"), "{}", answering.pack.text);
    let made = dialogue.take_turn().await;
    let quoted = dialogue.said[dialogue.quoted(&made)[0]].clone();
    let asked = dialogue.post_next().await;
    let ask = ContextRequest { told: vec![quoted.0.clone()], ..dialogue.ask(&asked) };
    let after = dialogue.build(&ask).await.pack.text;
    assert!(!after.contains(quoted.1.expect("said").trim_end_matches('.')), "{after}");
    // The message contains most of its words, so a quoted line is not enough.
    let words: Vec<&str> = body.as_deref().expect("said").split(' ').take(6).collect();
    let asked = dialogue.post_text(&words.join(" ")).await;
    let shown = dialogue.pack(&asked).await;
    assert!(shown.pack.receipt.items.iter().any(|item| item.id == id.as_str() && item.level.is_some()));
}

#[tokio::test]
async fn a_new_redaction_rule_applies_to_the_next_pack() {
    let mut dialogue = Dialogue::new(ContextFormat::Pack).await;
    let made = dialogue.take_turn().await;
    let quoted = dialogue.said[dialogue.quoted(&made)[0]].1.clone().expect("said");
    let word = quoted.split(' ').next().expect("a word").to_owned();
    assert!(made.pack.text.contains(&word));
    let add = vec![RedactionRule { kind: "code".into(), pattern: word.clone() }];
    let redaction = RedactionRules { add, ..RedactionRules::default() };
    set_rules(&dialogue.fixture, ContextRules { redaction, ..ContextRules::default() }).await;
    let asked = dialogue.fixture.say(&dialogue.fixture.mara, "Good morning!").await;
    let fixture = &dialogue.fixture;
    let after = fixture.context(&fixture.coder, &dialogue.ask(&asked)).await.pack;
    assert!(!after.text.contains(&word), "{}", after.text);
}

#[tokio::test]
async fn a_conversation_that_the_agent_lost_has_no_summary() {
    let fixture = ContextFixture::new().await;
    let secret = fixture.test.private_channel(&fixture.mara, &fixture.project, "secret").await;
    fixture.test.hub.add_channel_member(&fixture.mara, &secret, &fixture.coder.member).await.expect("added");
    for number in 1..=40 {
        fixture.test.post(&fixture.mara, &secret, &format!("Whale {number} swims under the third pier.")).await;
    }
    fixture.test.post(&fixture.mara, &secret, "@Coder have you seen them?").await;
    let mut dialogue = Dialogue::on(fixture, ContextFormat::Pack).await;
    let before = dialogue.take_turn().await;
    let after = dialogue.take_turn().await;
    let conversation = Some(secret.clone().into());
    for made in [&before, &after] {
        assert!(summaries_shown(made).iter().any(|sum| sum.conversation_id == conversation), "{}", made.pack.text);
    }
    let fixture = &dialogue.fixture;
    fixture.test.hub.remove_channel_member(&fixture.mara, &secret, &fixture.coder.member).await.expect("removed");
    let gone = dialogue.take_turn().await.pack;
    assert!(!gone.text.contains("pier") && !gone.text.contains("secret"), "{}", gone.text);
}

#[tokio::test]
async fn a_model_summary_is_in_the_next_and_later_packs() {
    let (fixture, _model) = scripted("Mara and Coder", false).await;
    let mut dialogue = Dialogue::on(fixture, ContextFormat::Pack).await;
    let is_written = |made: &BuiltContext| summaries_shown(made).iter().any(|sum| sum.text.contains("Mara and Coder"));
    assert!(!is_written(&dialogue.take_turn().await), "nobody waits for it");
    // First the summaries of spans, then the summary of summaries.
    for _ in 0..2 {
        dialogue.fixture.test.hub.finish_summaries().await;
        assert!(is_written(&dialogue.take_turn().await));
    }
    let mut before = dialogue.take_turn().await;
    for _ in 0..5 {
        let after = dialogue.take_turn().await;
        assert!(is_written(&after) && shared_prefix(&before, &after) > 0.5, "{}", after.pack.text);
        before = after;
    }
}

#[tokio::test]
async fn equal_dialogues_give_equal_packs() {
    let mut dialogues = [Dialogue::new(ContextFormat::Pack).await, Dialogue::new(ContextFormat::Pack).await];
    for _ in 0..8 {
        let mut texts = Vec::new();
        for dialogue in &mut dialogues {
            let made = dialogue.take_turn().await;
            // The first line contains a mark that depends on the reader.
            texts.push(made.pack.text.split_once('\n').map(|(_, rest)| rest.to_owned()));
        }
        assert_eq!(texts[0], texts[1]);
    }
}
