use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use parlour_core::{
    context::Injection,
    id::RunId,
    paging::{Page, PageRequest},
};
use tokio::sync::Notify;

use super::*;
use crate::{Failure, ports::ModelTrouble};

/// Summaries in memory, and a model that says what it is told to.
#[derive(Default)]
struct Stage {
    kept: Mutex<Vec<(SummarySpan, KeptSummary)>>,
    asked: AtomicUsize,
    says: Mutex<String>,
    /// Whether the model waits until it is let go.
    is_slow: bool,
    go: Notify,
    has_kept: Notify,
}

#[async_trait]
impl ContextRecords for Stage {
    async fn keep_injection(&self, _: Injection) -> Result<(), Failure> {
        Ok(())
    }

    async fn injections(&self, _: &RunId, _: &PageRequest) -> Result<Page<Injection>, Failure> {
        Ok(Page { items: Vec::new(), next: None })
    }

    async fn summary(&self, span: &SummarySpan) -> Result<Option<KeptSummary>, Failure> {
        Ok(self.kept.lock().iter().find(|(kept, _)| kept == span).map(|(_, summary)| summary.clone()))
    }

    async fn keep_summary(&self, span: SummarySpan, summary: KeptSummary) -> Result<(), Failure> {
        self.kept.lock().push((span, summary));
        self.has_kept.notify_one();
        Ok(())
    }
}

#[async_trait]
impl Summariser for Stage {
    async fn summarise(&self, _: &Engine, _: &str, _: usize) -> Result<String, ModelTrouble> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        if self.is_slow {
            self.go.notified().await;
        }
        let says = self.says.lock().clone();
        if says.is_empty() { Err(ModelTrouble("out of order".into())) } else { Ok(says) }
    }
}

const FAITHFUL: &str = "Mara reports that ticket 7 is open.";

fn stage(says: &str, is_slow: bool) -> (Arc<Stage>, Summaries) {
    let stage = Arc::new(Stage { says: Mutex::new(says.into()), is_slow, ..Stage::default() });
    let summaries = Summaries::new(Arc::clone(&stage) as _, Arc::clone(&stage) as _);
    (stage, summaries)
}

fn talk(count: u64) -> Vec<Spoken> {
    let one =
        |seq| Spoken { seq, id: format!("msg_{seq}"), name: "Mara".into(), text: format!("Ticket {seq} is open.") };
    (1..=count).map(one).collect()
}

fn place() -> ConversationId {
    "chn_01KA3V8Q2N7W4T9Y6B5C0D1E2F".parse().expect("an id")
}

fn engine() -> Engine {
    Engine { provider: "local".into(), model: Some("small".into()) }
}

fn writers(found: &[Summed]) -> Vec<Option<&str>> {
    found.iter().map(|summed| summed.by.as_deref()).collect()
}

#[tokio::test]
async fn without_a_model_every_line_is_a_quote_with_its_message() {
    let (stage, summaries) = stage(FAITHFUL, false);
    let found = summaries.of(&place(), &talk(45), None).await;
    assert_eq!(writers(&found), [None, None]);
    assert_eq!((found[1].first_seq, found[1].last_seq, found[1].last_id.as_str()), (41, 45, "msg_45"));
    assert!(found[1].text.lines().all(|line| line.starts_with("Mara: Ticket 4") && line.contains(" (msg_4")));
    assert_eq!(stage.asked.load(Ordering::SeqCst), 0);
    assert!(summaries.of(&place(), &[], None).await.is_empty());
}

#[tokio::test]
async fn a_model_is_asked_once_for_a_whole_span_and_never_for_an_open_one() {
    let (stage, summaries) = stage(FAITHFUL, false);
    for _ in 0..3 {
        let found = summaries.of(&place(), &talk(45), Some(&engine())).await;
        assert_eq!(writers(&found), [Some("small"), None]);
        assert_eq!(found[0].text, FAITHFUL);
    }
    assert_eq!(stage.asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn an_edited_or_removed_message_makes_a_summary_invalid() {
    let (stage, summaries) = stage(FAITHFUL, false);
    let mut talk = talk(40);
    summaries.of(&place(), &talk, Some(&engine())).await;
    talk[6].text = "Never mind.".into();
    let found = summaries.of(&place(), &talk, Some(&engine())).await;
    assert_eq!((stage.asked.load(Ordering::SeqCst), writers(&found)), (2, vec![None]), "7 was not said any more");
    talk.remove(3);
    summaries.of(&place(), &talk, Some(&engine())).await;
    assert_eq!(stage.asked.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn what_is_unfaithful_or_broken_is_not_shown_and_not_asked_for_again() {
    for says in ["Bob reports that ticket 7 is open.", "Ticket 99 is open.", ""] {
        let (stage, summaries) = stage(says, false);
        for _ in 0..2 {
            let found = summaries.of(&place(), &talk(40), Some(&engine())).await;
            assert_eq!(writers(&found), [None], "{says}");
            assert!(!found[0].text.is_empty() && !found[0].text.contains("Bob"));
        }
        assert_eq!(stage.asked.load(Ordering::SeqCst), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_model_is_not_waited_for_and_its_summary_is_there_later() {
    let (stage, summaries) = stage(FAITHFUL, true);
    let found = summaries.of(&place(), &talk(40), Some(&engine())).await;
    assert_eq!(writers(&found), [None]);
    stage.go.notify_one();
    stage.has_kept.notified().await;
    let found = summaries.of(&place(), &talk(40), Some(&engine())).await;
    assert_eq!((writers(&found), stage.asked.load(Ordering::SeqCst)), (vec![Some("small")], 1));
}

#[tokio::test(start_paused = true)]
async fn two_packs_at_once_ask_once_and_many_ask_few() {
    let (stage, summaries) = stage(FAITHFUL, true);
    let (talk, engine) = (talk(40), engine());
    let place = place();
    tokio::join!(summaries.of(&place, &talk, Some(&engine)), summaries.of(&place, &talk, Some(&engine)));
    assert_eq!(stage.asked.load(Ordering::SeqCst), 1);
    let many = super::tests::talk(399);
    summaries.of(&place, &many, Some(&engine)).await;
    assert!(stage.asked.load(Ordering::SeqCst) <= WRITING_MAX);
}
