//! Summaries in packs: they replace messages that do not fit.

mod support;

#[path = "context/fixture.rs"]
#[allow(dead_code, reason = "other tests use the rest of the fixture")]
mod fixture;

#[path = "summaries/dialogue.rs"]
mod dialogue;
#[path = "summaries/successive_packs.rs"]
mod successive_packs;

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;
use fixture::{ContextFixture, ask};
use parlour_core::{
    access::Principal,
    context::{
        ContextFormat, ContextRequest, ContextRules, OmissionReason, Receipt, ReceiptItem, RedactionRule,
        RedactionRules, Section, SubjectType,
    },
    engine::Engine,
    id::{ConversationId, MessageId},
    policy::Policy,
    project::ProjectPatch,
};
use parlour_hub::{
    ports::{ModelError, Summariser},
    use_cases::EditMessage,
};
use support::TestHub;
use tokio::sync::{Mutex, Notify};

const FAITHFUL: &str = "Mara says which boats need paint.";

/// A model that answers with a script; a slow one waits for `release`.
struct ScriptedSummariser {
    script: Mutex<String>,
    /// The texts that it received.
    received: Mutex<Vec<String>>,
    asked: AtomicUsize,
    is_slow: bool,
    release: Notify,
}

#[async_trait]
impl Summariser for ScriptedSummariser {
    async fn summarise(&self, engine: &Engine, text: &str, _: usize) -> Result<String, ModelError> {
        assert_eq!(engine.provider, "local");
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.received.lock().await.push(text.to_owned());
        if self.is_slow {
            self.release.notified().await;
        }
        Ok(self.script.lock().await.clone())
    }
}

/// A project with a model that writes summaries.
async fn scripted(script: &str, is_slow: bool) -> (ContextFixture, Arc<ScriptedSummariser>) {
    let (script, received) = (Mutex::new(script.to_owned()), Mutex::default());
    let model =
        Arc::new(ScriptedSummariser { script, received, asked: AtomicUsize::new(0), is_slow, release: Notify::new() });
    let fixture = ContextFixture::on(TestHub::with_summariser(Arc::clone(&model) as _).await).await;
    set_rules(&fixture, with_model()).await;
    (fixture, model)
}

fn with_model() -> ContextRules {
    ContextRules { summariser: Some(Engine { provider: "local".into(), model: None }), ..ContextRules::default() }
}

async fn set_rules(fixture: &ContextFixture, context: ContextRules) {
    let policy = Policy { context, ..Policy::default() };
    let patch = ProjectPatch { policy: Some(policy), ..ProjectPatch::default() };
    fixture.test.hub.update_project(&fixture.mara, &fixture.project, patch).await.expect("rules");
}

/// Posts a conversation that is too long for a small pack.
async fn talk(fixture: &ContextFixture, count: usize) -> Vec<MessageId> {
    let mut ids = Vec::new();
    for number in 1..=count {
        let colour = ["red", "green", "blue", "white", "black", "yellow", "grey"][number % 7];
        ids.push(
            fixture.say(&fixture.mara, &format!("Boat {number} needs {colour} paint on its hull and new ropes.")).await,
        );
    }
    // No earlier message shares a word with it.
    fixture.say(&fixture.mara, "Good morning!").await;
    ids
}

fn small_request(fixture: &ContextFixture) -> ContextRequest {
    ContextRequest { budget: Some(500), ..fixture.here() }
}

fn summaries(receipt: &Receipt) -> Vec<&ReceiptItem> {
    let is_shown = |item: &&ReceiptItem| item.subject_type == SubjectType::Summary && item.level.is_some();
    receipt.items.iter().filter(is_shown).collect()
}

/// The receipt item of a message. A summary has the id of its last message, so the type is checked too.
fn message_row<'a>(receipt: &'a Receipt, id: &MessageId) -> &'a ReceiptItem {
    let is_row = |item: &&ReceiptItem| item.subject_type == SubjectType::Message && item.id == id.as_str();
    receipt.items.iter().find(is_row).expect("a row")
}

async fn summary_text(fixture: &ContextFixture, who: &Principal) -> String {
    let pack = fixture.context(who, &small_request(fixture)).await.pack;
    assert!(pack.receipt.used <= 500, "{}", pack.receipt.used);
    summaries(&pack.receipt).iter().map(|item| format!("{}\n", item.text)).collect()
}

#[tokio::test]
async fn messages_left_out_of_a_pack_are_quoted_in_a_summary() {
    let fixture = ContextFixture::new().await;
    let ids = talk(&fixture, 60).await;
    let pack = fixture.context(&fixture.coder, &small_request(&fixture)).await.pack;
    let summaries_shown = summaries(&pack.receipt);
    assert_eq!((summaries_shown.len(), summaries_shown[0].section), (1, Section::History), "{}", pack.text);
    assert!(
        pack.text.contains(&format!("Summary up to {}:", summaries_shown[0].seq.expect("a number"))),
        "{}",
        pack.text
    );
    let mut quoted = 0;
    assert!(summaries_shown[0].quotes.len() > 1, "its lines carry numbers, its receipt the ids");
    for line in summaries_shown[0].text.lines().filter(|line| !line.trim().is_empty()) {
        let number: usize = line.split_whitespace().next().and_then(|word| word.parse().ok()).expect("its number");
        assert!(line.contains(&format!("Mara: Boat {number} needs")), "{line}");
        assert_eq!(summaries_shown[0].quotes[quoted], ids[number - 1].as_str(), "{line}");
        let row = message_row(&pack.receipt, &ids[number - 1]);
        assert_eq!((row.level, row.left_out), (None, Some(OmissionReason::Summarised)), "{line}");
        assert_eq!(pack.text.matches(&format!("Boat {number} needs")).count(), 1, "{}", pack.text);
        quoted += 1;
    }
    assert!(quoted > 1, "{}", pack.text);
    let summed = pack.receipt.items.iter().filter(|item| item.left_out == Some(OmissionReason::Summarised)).count();
    assert!(summed > quoted, "a summary covers more messages than it quotes: {summed}");
    assert_eq!(pack, fixture.context(&fixture.coder, &small_request(&fixture)).await.pack, "the same again");
}

#[tokio::test]
async fn a_receipt_with_a_summary_counts_every_candidate_once() {
    let fixture = ContextFixture::new().await;
    talk(&fixture, 60).await;
    let receipt = fixture.context(&fixture.coder, &small_request(&fixture)).await.pack.receipt;
    assert!(!summaries(&receipt).is_empty());
    for total in &receipt.sections {
        let rows = || receipt.items.iter().filter(|item| item.section == total.section);
        assert_eq!(rows().filter(|item| item.level.is_some()).count() as u64, total.shown);
        assert_eq!(rows().filter(|item| item.level.is_none()).count() as u64, total.left_out);
    }
    let mut ids: Vec<_> = receipt.items.iter().map(|item| (item.subject_type, &item.id)).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), receipt.items.len());
    let left_out: Vec<u32> = receipt.items.iter().filter(|item| item.level.is_none()).map(|item| item.score).collect();
    assert!(left_out.windows(2).all(|pair| pair[0] >= pair[1]), "the most important first: {left_out:?}");
}

#[tokio::test]
async fn a_summary_does_not_quote_texts_that_the_pack_shows() {
    let fixture = ContextFixture::new().await;
    for number in 1..=60 {
        let body =
            if number % 2 == 0 { "Buy my polish now, it is the best polish that there is!" } else { "Which one?" };
        fixture.say(&fixture.mara, body).await;
    }
    let pack = fixture.context(&fixture.coder, &small_request(&fixture)).await.pack;
    assert_eq!(pack.text.matches("best polish").count(), 1, "{}", pack.text);
}

#[tokio::test]
async fn complete_packs_injections_and_empty_conversations_have_no_summary() {
    let fixture = ContextFixture::new().await;
    talk(&fixture, 25).await;
    let large = ContextRequest { budget: Some(8_000), ..fixture.here() };
    assert!(summaries(&fixture.context(&fixture.coder, &large).await.pack.receipt).is_empty());
    let injection = ContextRequest { budget: Some(500), format: ContextFormat::Injection, ..fixture.here() };
    assert!(summaries(&fixture.context(&fixture.coder, &injection).await.pack.receipt).is_empty());
    let empty = ContextFixture::new().await;
    assert_eq!(summary_text(&empty, &empty.coder).await, "");
}

#[tokio::test]
async fn a_message_list_comes_with_a_summary_of_older_messages() {
    let fixture = ContextFixture::new().await;
    talk(&fixture, 120).await;
    let asked = ContextRequest { format: ContextFormat::Native, budget: Some(1_200), ..fixture.here() };
    let pack = fixture.context(&fixture.coder, &asked).await.pack;
    let summaries_shown = summaries(&pack.receipt);
    assert_eq!(summaries_shown.len(), 1, "{}", pack.text);
    assert_eq!(summaries_shown[0].section, Section::Threads);
    assert!(
        pack.messages.iter().all(|message| !summaries_shown[0].text.contains(&message.body)),
        "{}",
        summaries_shown[0].text
    );
    assert!(pack.receipt.used <= 1_200);
}

#[tokio::test]
async fn edited_and_removed_messages_leave_the_summary() {
    for script in ["", FAITHFUL] {
        let (fixture, _model) = scripted(script, false).await;
        let mut ids = Vec::new();
        for number in 1..=60 {
            ids.push(fixture.say(&fixture.mara, &format!("Boat {number} needs paint from the walrus shop.")).await);
        }
        for _ in 0..2 {
            assert!(!summary_text(&fixture, &fixture.coder).await.is_empty());
            fixture.test.hub.finish_summaries().await;
        }
        for (number, id) in ids.iter().enumerate() {
            if number % 2 == 0 {
                let edit = EditMessage { body: format!("Otter {number} sleeps in the harbour, and all is well.") };
                fixture.test.hub.edit_message(&fixture.mara, id, edit).await.expect("edited");
            } else {
                fixture.test.hub.remove_message(&fixture.mara, id).await.expect("removed");
            }
        }
        let pack = fixture.context(&fixture.coder, &ContextRequest { budget: Some(400), ..fixture.here() }).await.pack;
        assert!(!pack.text.contains("walrus") && !pack.text.contains(FAITHFUL), "{}", pack.text);
        assert!(!summaries(&pack.receipt).is_empty(), "{}", pack.text);
    }
}

#[tokio::test]
async fn verbatim_lines_are_shown_until_the_model_summary_is_written() {
    let (fixture, model) = scripted(FAITHFUL, true).await;
    talk(&fixture, 60).await;
    let first = summary_text(&fixture, &fixture.coder).await;
    assert!(first.contains("Mara: Boat") && !first.contains(FAITHFUL), "{first}");
    model.release.notify_one();
    fixture.test.hub.finish_summaries().await;
    let second = fixture.context(&fixture.coder, &small_request(&fixture)).await.pack;
    assert!(second.text.contains(FAITHFUL) && second.text.contains("Summary up to 40:"), "{}", second.text);
    for item in second.receipt.items.iter().filter(|item| item.seq.is_some_and(|seq| seq <= 40)) {
        assert!(item.level.is_some() || item.left_out == Some(OmissionReason::Summarised), "{item:?}");
    }
    assert_eq!(model.asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn an_unfaithful_model_summary_is_never_shown() {
    for script in ["Bob says that boats need paint.", "Boat 4711 needs paint.", "   "] {
        let (fixture, model) = scripted(script, false).await;
        talk(&fixture, 60).await;
        for _ in 0..2 {
            let text = summary_text(&fixture, &fixture.coder).await;
            assert!(text.contains("Mara: Boat") && !text.contains("4711") && !text.contains("Bob"), "{text}");
            fixture.test.hub.finish_summaries().await;
        }
        assert_eq!(model.asked.load(Ordering::SeqCst), 1);
    }
}

#[tokio::test]
async fn secrets_reach_neither_model_nor_pack_and_new_redaction_rules_apply_at_once() {
    let (fixture, model) = scripted("Mara says which boats need paint, and the walrus is told.", false).await;
    for number in 1..=60 {
        let body =
            format!("Boat {number} needs paint, the key is AKIAIOSFODNN7EXAMPL{}, the walrus told it.", number % 10);
        fixture.say(&fixture.mara, &body).await;
    }
    summary_text(&fixture, &fixture.coder).await;
    fixture.test.hub.finish_summaries().await;
    let text = summary_text(&fixture, &fixture.coder).await;
    assert!(text.contains("the walrus is told") && !text.contains("AKIA"), "{text}");
    assert!(model.received.lock().await.iter().all(|received| received.contains("Boat") && !received.contains("AKIA")));
    let add = vec![RedactionRule { kind: "animal".into(), pattern: "walrus".into() }];
    set_rules(
        &fixture,
        ContextRules { redaction: RedactionRules { add, ..RedactionRules::default() }, ..with_model() },
    )
    .await;
    let pack = fixture.context(&fixture.coder, &small_request(&fixture)).await.pack;
    assert!(!pack.text.contains("walrus") && !summaries(&pack.receipt).is_empty(), "{}", pack.text);
    fixture.test.hub.finish_summaries().await;
    assert!(!summary_text(&fixture, &fixture.coder).await.contains("walrus"));
    assert!(model.received.lock().await.last().is_some_and(|received| !received.contains("walrus")));
}

#[tokio::test]
async fn a_summary_is_shown_only_to_readers_of_its_conversation() {
    let fixture = ContextFixture::new().await;
    let ben = fixture.test.person("Ben").await;
    fixture.test.join(&fixture.project, &ben).await;
    let secret = fixture.test.private_channel(&fixture.mara, &fixture.project, "secret").await;
    fixture.test.hub.add_channel_member(&fixture.mara, &secret, &fixture.coder.member).await.expect("added");
    for number in 1..=40 {
        fixture.test.post(&fixture.mara, &secret, &format!("Whale {number} swims under the third pier.")).await;
    }
    fixture.test.post(&fixture.mara, &secret, "@Coder have you seen them?").await;
    fixture.say(&fixture.mara, "good morning").await;
    let conversation = Some(ConversationId::from(secret));
    let has_sum = |receipt: &Receipt| summaries(receipt).iter().any(|item| item.conversation_id == conversation);
    let own = fixture.context(&fixture.coder, &small_request(&fixture)).await.pack;
    assert!(has_sum(&own.receipt), "{}", own.text);
    assert!(has_sum(&fixture.context(&fixture.mara, &small_request(&fixture)).await.pack.receipt));
    let of_ben = fixture.context(&ben, &small_request(&fixture)).await.pack;
    assert!(!of_ben.text.contains("pier") && !has_sum(&of_ben.receipt), "{}", of_ben.text);
}

#[tokio::test]
async fn a_summary_does_not_quote_messages_that_the_model_already_has() {
    let fixture = ContextFixture::new().await;
    let known = talk(&fixture, 60).await;
    let asked = ContextRequest { told: known[..55].to_vec(), ..small_request(&fixture) };
    let pack = fixture.context(&fixture.coder, &asked).await.pack;
    assert!(!(1..=55).any(|number| pack.text.contains(&format!("Boat {number} needs"))), "{}", pack.text);
    assert_eq!(message_row(&pack.receipt, &known[0]).left_out, Some(OmissionReason::Told));
    assert!(summaries(&fixture.context(&fixture.coder, &ask(ContextFormat::Injection)).await.pack.receipt).is_empty());
}
