//! What packs show of the part of a conversation that they do not show.

mod support;

#[path = "context/stage.rs"]
#[allow(dead_code, reason = "it is the stage of other tests too")]
mod stage;

#[path = "summing/going_on.rs"]
mod going_on;
#[path = "summing/turns.rs"]
mod turns;

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use async_trait::async_trait;
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
use stage::{Stage, ask};
use support::TestHub;
use tokio::sync::{Mutex, Notify};

const FAITHFUL: &str = "Mara says which boats need paint.";

/// A model that says what it is told to, when it may.
struct Scripted {
    says: Mutex<String>,
    /// What it was given.
    given: Mutex<Vec<String>>,
    asked: AtomicUsize,
    is_slow: bool,
    go: Notify,
}

#[async_trait]
impl Summariser for Scripted {
    async fn summarise(&self, engine: &Engine, text: &str, _: usize) -> Result<String, ModelError> {
        assert_eq!(engine.provider, "local");
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.given.lock().await.push(text.to_owned());
        if self.is_slow {
            self.go.notified().await;
        }
        Ok(self.says.lock().await.clone())
    }
}

/// A project with a model that writes summaries.
async fn scripted(says: &str, is_slow: bool) -> (Stage, Arc<Scripted>) {
    let (says, given) = (Mutex::new(says.to_owned()), Mutex::default());
    let model = Arc::new(Scripted { says, given, asked: AtomicUsize::new(0), is_slow, go: Notify::new() });
    let stage = Stage::on(TestHub::with_summariser(Arc::clone(&model) as _).await).await;
    set(&stage, with_model()).await;
    (stage, model)
}

fn with_model() -> ContextRules {
    ContextRules { summariser: Some(Engine { provider: "local".into(), model: None }), ..ContextRules::default() }
}

async fn set(stage: &Stage, context: ContextRules) {
    let policy = Policy { context, ..Policy::default() };
    let patch = ProjectPatch { policy: Some(policy), ..ProjectPatch::default() };
    stage.test.hub.update_project(&stage.mara, &stage.project, patch).await.expect("rules");
}

/// A talk that is too long for a small pack.
async fn talk(stage: &Stage, count: usize) -> Vec<MessageId> {
    let mut ids = Vec::new();
    for number in 1..=count {
        let colour = ["red", "green", "blue", "white", "black", "yellow", "grey"][number % 7];
        ids.push(
            stage.say(&stage.mara, &format!("Boat {number} needs {colour} paint on its hull and new ropes.")).await,
        );
    }
    // Nothing that was said before has its words.
    stage.say(&stage.mara, "Good morning!").await;
    ids
}

fn small(stage: &Stage) -> ContextRequest {
    ContextRequest { budget: Some(500), ..stage.here() }
}

fn summaries(receipt: &Receipt) -> Vec<&ReceiptItem> {
    let is_shown = |item: &&ReceiptItem| item.subject_type == SubjectType::Summary && item.level.is_some();
    receipt.items.iter().filter(is_shown).collect()
}

/// The row of a message; a summary has the id of the last one that it stands for.
fn said<'a>(receipt: &'a Receipt, id: &MessageId) -> &'a ReceiptItem {
    let is_row = |item: &&ReceiptItem| item.subject_type == SubjectType::Message && item.id == id.as_str();
    receipt.items.iter().find(is_row).expect("a row")
}

async fn shown(stage: &Stage, who: &Principal) -> String {
    let pack = stage.context(who, &small(stage)).await.pack;
    assert!(pack.receipt.used <= 500, "{}", pack.receipt.used);
    summaries(&pack.receipt).iter().map(|item| format!("{}\n", item.text)).collect()
}

#[tokio::test]
async fn what_a_pack_does_not_show_is_summed_up_in_quotes_that_stand_nowhere_else() {
    let stage = Stage::new().await;
    let ids = talk(&stage, 60).await;
    let pack = stage.context(&stage.coder, &small(&stage)).await.pack;
    let sums = summaries(&pack.receipt);
    assert_eq!((sums.len(), sums[0].section), (1, Section::History), "{}", pack.text);
    assert!(pack.text.contains(&format!("Summary up to {}:", sums[0].seq.expect("a number"))), "{}", pack.text);
    let mut quoted = 0;
    assert!(sums[0].quotes.len() > 1, "its lines carry numbers, its receipt the ids");
    for line in sums[0].text.lines().filter(|line| !line.trim().is_empty()) {
        let number: usize = line.split_whitespace().next().and_then(|word| word.parse().ok()).expect("its number");
        assert!(line.contains(&format!("Mara: Boat {number} needs")), "{line}");
        assert_eq!(sums[0].quotes[quoted], ids[number - 1].as_str(), "{line}");
        let row = said(&pack.receipt, &ids[number - 1]);
        assert_eq!((row.level, row.left_out), (None, Some(OmissionReason::Summarised)), "{line}");
        assert_eq!(pack.text.matches(&format!("Boat {number} needs")).count(), 1, "{}", pack.text);
        quoted += 1;
    }
    assert!(quoted > 1, "{}", pack.text);
    let summed = pack.receipt.items.iter().filter(|item| item.left_out == Some(OmissionReason::Summarised)).count();
    assert!(summed > quoted, "a summary stands for more than it quotes: {summed}");
    assert_eq!(pack, stage.context(&stage.coder, &small(&stage)).await.pack, "the same again");
}

#[tokio::test]
async fn the_receipt_still_counts_every_candidate_once() {
    let stage = Stage::new().await;
    talk(&stage, 60).await;
    let receipt = stage.context(&stage.coder, &small(&stage)).await.pack.receipt;
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
async fn what_is_shown_already_is_quoted_from_nobody_else() {
    let stage = Stage::new().await;
    for number in 1..=60 {
        let body =
            if number % 2 == 0 { "Buy my polish now, it is the best polish that there is!" } else { "Which one?" };
        stage.say(&stage.mara, body).await;
    }
    let pack = stage.context(&stage.coder, &small(&stage)).await.pack;
    assert_eq!(pack.text.matches("best polish").count(), 1, "{}", pack.text);
}

#[tokio::test]
async fn where_all_is_shown_or_little_is_said_nothing_is_summed_up() {
    let stage = Stage::new().await;
    talk(&stage, 25).await;
    let large = ContextRequest { budget: Some(8_000), ..stage.here() };
    assert!(summaries(&stage.context(&stage.coder, &large).await.pack.receipt).is_empty());
    let injection = ContextRequest { budget: Some(500), format: ContextFormat::Injection, ..stage.here() };
    assert!(summaries(&stage.context(&stage.coder, &injection).await.pack.receipt).is_empty());
    let empty = Stage::new().await;
    assert_eq!(shown(&empty, &empty.coder).await, "");
}

#[tokio::test]
async fn a_list_has_the_summary_of_what_is_older_beside_it() {
    let stage = Stage::new().await;
    talk(&stage, 120).await;
    let asked = ContextRequest { format: ContextFormat::Native, budget: Some(1_200), ..stage.here() };
    let pack = stage.context(&stage.coder, &asked).await.pack;
    let sums = summaries(&pack.receipt);
    assert_eq!(sums.len(), 1, "{}", pack.text);
    assert_eq!(sums[0].section, Section::Threads);
    assert!(pack.messages.iter().all(|message| !sums[0].text.contains(&message.body)), "{}", sums[0].text);
    assert!(pack.receipt.used <= 1_200);
}

#[tokio::test]
async fn an_edited_or_removed_message_is_in_no_summary_any_more() {
    for says in ["", FAITHFUL] {
        let (stage, _model) = scripted(says, false).await;
        let mut ids = Vec::new();
        for number in 1..=60 {
            ids.push(stage.say(&stage.mara, &format!("Boat {number} needs paint from the walrus shop.")).await);
        }
        for _ in 0..2 {
            assert!(!shown(&stage, &stage.coder).await.is_empty());
            stage.test.hub.finish_summaries().await;
        }
        for (number, id) in ids.iter().enumerate() {
            if number % 2 == 0 {
                let edit = EditMessage { body: format!("Otter {number} sleeps in the harbour, and all is well.") };
                stage.test.hub.edit_message(&stage.mara, id, edit).await.expect("edited");
            } else {
                stage.test.hub.remove_message(&stage.mara, id).await.expect("removed");
            }
        }
        let pack = stage.context(&stage.coder, &ContextRequest { budget: Some(400), ..stage.here() }).await.pack;
        assert!(!pack.text.contains("walrus") && !pack.text.contains(FAITHFUL), "{}", pack.text);
        assert!(!summaries(&pack.receipt).is_empty(), "{}", pack.text);
    }
}

#[tokio::test]
async fn a_models_summary_is_shown_once_it_is_written_and_verbatim_lines_until_then() {
    let (stage, model) = scripted(FAITHFUL, true).await;
    talk(&stage, 60).await;
    let first = shown(&stage, &stage.coder).await;
    assert!(first.contains("Mara: Boat") && !first.contains(FAITHFUL), "{first}");
    model.go.notify_one();
    stage.test.hub.finish_summaries().await;
    let second = stage.context(&stage.coder, &small(&stage)).await.pack;
    assert!(second.text.contains(FAITHFUL) && second.text.contains("Summary up to 40:"), "{}", second.text);
    for item in second.receipt.items.iter().filter(|item| item.seq.is_some_and(|seq| seq <= 40)) {
        assert!(item.level.is_some() || item.left_out == Some(OmissionReason::Summarised), "{item:?}");
    }
    assert_eq!(model.asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn what_a_model_makes_up_is_never_shown() {
    for says in ["Bob says that boats need paint.", "Boat 4711 needs paint.", "   "] {
        let (stage, model) = scripted(says, false).await;
        talk(&stage, 60).await;
        for _ in 0..2 {
            let text = shown(&stage, &stage.coder).await;
            assert!(text.contains("Mara: Boat") && !text.contains("4711") && !text.contains("Bob"), "{text}");
            stage.test.hub.finish_summaries().await;
        }
        assert_eq!(model.asked.load(Ordering::SeqCst), 1);
    }
}

#[tokio::test]
async fn secrets_reach_neither_the_model_nor_the_pack_and_new_rules_hold_at_once() {
    let (stage, model) = scripted("Mara says which boats need paint, and the walrus is told.", false).await;
    for number in 1..=60 {
        let body =
            format!("Boat {number} needs paint, the key is AKIAIOSFODNN7EXAMPL{}, the walrus told it.", number % 10);
        stage.say(&stage.mara, &body).await;
    }
    shown(&stage, &stage.coder).await;
    stage.test.hub.finish_summaries().await;
    let text = shown(&stage, &stage.coder).await;
    assert!(text.contains("the walrus is told") && !text.contains("AKIA"), "{text}");
    assert!(model.given.lock().await.iter().all(|given| given.contains("Boat") && !given.contains("AKIA")));
    let add = vec![RedactionRule { kind: "animal".into(), pattern: "walrus".into() }];
    set(&stage, ContextRules { redaction: RedactionRules { add, ..RedactionRules::default() }, ..with_model() }).await;
    let pack = stage.context(&stage.coder, &small(&stage)).await.pack;
    assert!(!pack.text.contains("walrus") && !summaries(&pack.receipt).is_empty(), "{}", pack.text);
    stage.test.hub.finish_summaries().await;
    assert!(!shown(&stage, &stage.coder).await.contains("walrus"));
    assert!(model.given.lock().await.last().is_some_and(|given| !given.contains("walrus")));
}

#[tokio::test]
async fn a_summary_of_a_place_is_for_those_who_may_read_there() {
    let stage = Stage::new().await;
    let ben = stage.test.person("Ben").await;
    stage.test.join(&stage.project, &ben).await;
    let secret = stage.test.private_channel(&stage.mara, &stage.project, "secret").await;
    stage.test.hub.add_channel_member(&stage.mara, &secret, &stage.coder.member).await.expect("added");
    for number in 1..=40 {
        stage.test.post(&stage.mara, &secret, &format!("Whale {number} swims under the third pier.")).await;
    }
    stage.test.post(&stage.mara, &secret, "@Coder have you seen them?").await;
    stage.say(&stage.mara, "good morning").await;
    let place = Some(ConversationId::from(secret));
    let has_sum = |receipt: &Receipt| summaries(receipt).iter().any(|item| item.conversation_id == place);
    let own = stage.context(&stage.coder, &small(&stage)).await.pack;
    assert!(has_sum(&own.receipt), "{}", own.text);
    assert!(has_sum(&stage.context(&stage.mara, &small(&stage)).await.pack.receipt));
    let of_ben = stage.context(&ben, &small(&stage)).await.pack;
    assert!(!of_ben.text.contains("pier") && !has_sum(&of_ben.receipt), "{}", of_ben.text);
}

#[tokio::test]
async fn what_the_model_knows_already_is_not_quoted_again() {
    let stage = Stage::new().await;
    let told = talk(&stage, 60).await;
    let asked = ContextRequest { told: told[..55].to_vec(), ..small(&stage) };
    let pack = stage.context(&stage.coder, &asked).await.pack;
    assert!(!(1..=55).any(|number| pack.text.contains(&format!("Boat {number} needs"))), "{}", pack.text);
    assert_eq!(said(&pack.receipt, &told[0]).left_out, Some(OmissionReason::Told));
    assert!(summaries(&stage.context(&stage.coder, &ask(ContextFormat::Injection)).await.pack.receipt).is_empty());
}
