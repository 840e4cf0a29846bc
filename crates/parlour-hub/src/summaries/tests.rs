use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use parlour_core::{
    context::Injection,
    id::RunId,
    paging::{Page, PageRequest},
};
use proptest::prelude::*;
use tokio::sync::Notify;

use super::*;
use crate::{Failure, ports::ModelError};

/// Summaries in memory, and a model that says what it is told to.
#[derive(Default)]
struct SummaryFixture {
    kept: Mutex<Vec<(SummarySpan, KeptSummary)>>,
    asked: AtomicUsize,
    at_once: AtomicUsize,
    most_at_once: AtomicUsize,
    sources: Mutex<Vec<String>>,
    says: Mutex<String>,
    /// Whether the model waits until it is let go.
    is_slow: bool,
    go: Notify,
}

#[async_trait]
impl ContextRecords for SummaryFixture {
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
        Ok(())
    }
}

#[async_trait]
impl Summariser for SummaryFixture {
    async fn summarise(&self, _: &Engine, text: &str, _: usize) -> Result<String, ModelError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.sources.lock().push(text.to_owned());
        let at_once = self.at_once.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_at_once.fetch_max(at_once, Ordering::SeqCst);
        if self.is_slow {
            self.go.notified().await;
        }
        tokio::task::yield_now().await;
        self.at_once.fetch_sub(1, Ordering::SeqCst);
        let says = self.says.lock().clone();
        match says.as_str() {
            "" => Err(ModelError("out of order".into())),
            "panic" => panic!("as it was told"),
            _ => Ok(says),
        }
    }
}

const FAITHFUL: &str = "Mara reports that tickets are open.";

fn fixture(says: &str, is_slow: bool) -> (Arc<SummaryFixture>, Summaries) {
    let fixture = Arc::new(SummaryFixture { says: Mutex::new(says.into()), is_slow, ..SummaryFixture::default() });
    let summaries = Summaries::new(Arc::clone(&fixture) as _, Arc::clone(&fixture) as _);
    (fixture, summaries)
}

fn pieces(text: &str) -> Arc<TextSentences> {
    Arc::new(TextSentences::of(text, true))
}

fn talk(count: u64) -> Vec<SummarySource> {
    let one = |seq| SummarySource {
        seq,
        id: format!("msg_{seq}"),
        name: "Mara".into(),
        text: format!("Ticket {seq} is open,\nand so are other tickets."),
        folded: seq,
        marks: Vec::new(),
    };
    (1..=count).map(one).collect()
}

fn conversation() -> ConversationId {
    "chn_01KA3V8Q2N7W4T9Y6B5C0D1E2F".parse().expect("an id")
}

fn engine() -> Engine {
    Engine { provider: "local".into(), model: Some("small".into()) }
}

fn asked(fixture: &SummaryFixture) -> usize {
    fixture.asked.load(Ordering::SeqCst)
}

impl Summaries {
    async fn now(&self, spoken: &[SummarySource]) -> Vec<ConversationSummary> {
        self.by_model(&conversation(), spoken, &engine()).await
    }

    /// What a pack shows when all that it began is written.
    async fn later(&self, spoken: &[SummarySource]) -> Vec<ConversationSummary> {
        self.now(spoken).await;
        self.finish().await;
        self.now(spoken).await
    }
}

#[test]
fn every_verbatim_line_is_a_quote_with_its_message() {
    let talk = talk(45);
    let found = verbatim(&talk, 300, pieces).expect("something was said");
    assert_eq!((found.covers.len(), found.last_seq, found.last_id.as_str(), found.by), (45, 45, "msg_45", None));
    for (line, id) in found.text.lines().zip(&found.quotes) {
        let (seq, quote) = line.split_once(" Mara: ").expect("a number and a name");
        let row = talk.iter().find(|row| row.seq.to_string() == seq).expect("its message");
        assert_eq!(row.id, *id);
        assert!(one_line(&row.text).contains(quote), "{quote}");
    }
    assert!(found.text.lines().count() == found.quotes.len() && found.quotes.len() <= 300 / LINE_CHARS);
    assert_eq!(verbatim(&[], 300, pieces), None);
    assert_eq!(verbatim(&[SummarySource { text: "…".into(), ..talk[0].clone() }], 300, pieces), None);
}

#[test]
fn a_summary_lists_the_redaction_marks_in_its_text() {
    let mark = ("aws-key".into(), "[aws-key 1]".to_owned());
    let mut rows = talk(3);
    rows[1].text = "The key is [aws-key 1] until Friday.".into();
    rows[1].marks = vec![mark.clone(), ("mail".into(), "[mail 1]".into())];
    assert_eq!(verbatim(&rows, 300, pieces).expect("something was said").marks, std::slice::from_ref(&mark));
    let kept = KeptSummary { text: "Mara told [aws-key 1].".into(), by: Some("small".into()) };
    assert_eq!(summed(&rows, kept).expect("something was said").marks, [mark]);
}

#[test]
fn a_span_that_begins_before_the_loaded_messages_is_left_out() {
    let talk = talk(100);
    assert_eq!(from_whole_span(&talk).len(), 100);
    assert_eq!(from_whole_span(&talk[17..])[0].seq, 41);
    assert_eq!(from_whole_span(&talk[17..30]).len(), 13, "nothing else is there");
    assert!(from_whole_span(&[]).is_empty());
}

#[tokio::test]
async fn a_model_is_asked_once_for_a_whole_span_and_never_for_an_open_one() {
    let (fixture, summaries) = fixture(FAITHFUL, false);
    assert_eq!(summaries.now(&talk(45)).await, [], "nobody waits");
    for _ in 0..3 {
        let found = summaries.later(&talk(45)).await;
        assert_eq!((found.len(), found[0].by.as_deref(), found[0].text.as_str()), (1, Some("small"), FAITHFUL));
        assert_eq!((found[0].covers.len(), found[0].last_seq), (40, 40));
    }
    assert_eq!(asked(&fixture), 1);
    let sources = fixture.sources.lock();
    assert_eq!(sources[0].lines().count(), 40, "one line for each message");
    assert!(sources[0].lines().all(|line| line.starts_with("Mara: Ticket")));
}

#[tokio::test]
async fn an_edited_or_removed_message_makes_a_summary_invalid() {
    let (fixture, summaries) = fixture(FAITHFUL, false);
    let mut talk = talk(40);
    assert_eq!(summaries.later(&talk).await.len(), 1);
    talk[6].text = "Never mind.".into();
    assert_eq!(summaries.now(&talk).await, []);
    talk.remove(3);
    assert_eq!(summaries.now(&talk).await, []);
    summaries.finish().await;
    assert_eq!(asked(&fixture), 3);
}

#[tokio::test]
async fn ten_spans_are_rolled_up_when_all_of_them_are_written() {
    let (fixture, summaries) = fixture(FAITHFUL, false);
    let found = summaries.later(&talk(400)).await;
    assert_eq!((found.len(), asked(&fixture)), (10, 10), "the parts come first");
    let found = summaries.later(&talk(400)).await;
    assert_eq!((found.len(), found[0].covers.len(), asked(&fixture)), (1, 400, 11));
    assert_eq!(fixture.sources.lock()[10], format!("{FAITHFUL}\n").repeat(10));
}

#[tokio::test(start_paused = true)]
async fn an_unfaithful_or_malformed_summary_is_not_shown_and_retried_only_later() {
    for says in ["Bob reports that ticket 7 is open.", "Ticket 99 is open.", "", "\u{202e}Mara"] {
        let (fixture, summaries) = fixture(says, false);
        assert_eq!(summaries.later(&talk(40)).await, [], "{says}");
        assert_eq!(summaries.later(&talk(40)).await, [], "{says}");
        assert_eq!(asked(&fixture), 1);
        *fixture.says.lock() = FAITHFUL.into();
        let other = Engine { provider: "other".into(), model: None };
        summaries.by_model(&conversation(), &talk(39), &other).await;
        tokio::time::advance(Duration::from_secs(601)).await;
        assert_eq!(summaries.later(&talk(40)).await.len(), 1, "{says}");
    }
}

#[tokio::test]
async fn a_failure_of_one_model_does_not_block_another_model() {
    let (fixture, summaries) = fixture("", false);
    assert_eq!(summaries.later(&talk(40)).await, []);
    *fixture.says.lock() = FAITHFUL.into();
    let other = Engine { provider: "other".into(), model: None };
    summaries.by_model(&conversation(), &talk(40), &other).await;
    summaries.finish().await;
    assert_eq!(summaries.by_model(&conversation(), &talk(40), &other).await[0].by.as_deref(), Some("other"));
}

#[tokio::test]
async fn a_summary_is_retried_after_a_panic() {
    let (fixture, summaries) = fixture("panic", false);
    assert_eq!(summaries.later(&talk(40)).await, []);
    *fixture.says.lock() = FAITHFUL.into();
    assert_eq!(summaries.later(&talk(40)).await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_slow_model_does_not_block_and_its_summary_is_stored_later() {
    let (fixture, summaries) = fixture(FAITHFUL, true);
    let begin = tokio::time::Instant::now();
    assert_eq!(summaries.now(&talk(40)).await, []);
    assert_eq!(summaries.now(&talk(40)).await, []);
    assert_eq!(begin.elapsed(), Duration::ZERO);
    fixture.go.notify_one();
    assert_eq!((summaries.later(&talk(40)).await.len(), asked(&fixture)), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_model_that_never_answers_times_out() {
    let (fixture, summaries) = fixture(FAITHFUL, true);
    assert_eq!(summaries.later(&talk(40)).await, []);
    assert_eq!(asked(&fixture), 1);
}

#[tokio::test]
async fn running_and_queued_summaries_are_limited() {
    let (fixture, summaries) = fixture(FAITHFUL, false);
    let long = talk(40 * 99);
    summaries.now(&long).await;
    assert!(summaries.tasks.lock().tasks.len() <= WAITING_MAX);
    summaries.finish().await;
    assert_eq!(asked(&fixture), WAITING_MAX);
    assert_eq!(fixture.most_at_once.load(Ordering::SeqCst), WRITING_MAX);
    assert!(fixture.sources.lock()[0].contains("Ticket 3960 "), "the newest first");
}

#[tokio::test]
async fn running_summaries_end_with_the_hub() {
    let (fixture, summaries) = fixture(FAITHFUL, true);
    summaries.now(&talk(40)).await;
    tokio::task::yield_now().await;
    assert_eq!(asked(&fixture), 1);
    summaries.end();
    summaries.finish().await;
    summaries.now(&talk(80)).await;
    assert_eq!((summaries.tasks.lock().tasks.len(), asked(&fixture)), (0, 1), "and nothing begins");
    let weak = Arc::downgrade(&fixture);
    drop((summaries, fixture));
    assert!(weak.upgrade().is_none(), "nobody holds the model any more");
}

proptest! {
    #[test]
    fn verbatim_lines_are_bounded_for_any_text(texts in prop::collection::vec("(?s).{0,80}", 0..30), chars in 1usize..500) {
        let rows: Vec<SummarySource> = texts.into_iter().zip(1..).map(|(text, seq)| SummarySource { seq, id: format!("m{seq}"), name: "N".into(), text, folded: seq, marks: Vec::new() }).collect();
        if let Some(found) = verbatim(&rows, chars, pieces) {
            let said: usize = found.text.lines().map(|line| line.split_once(": ").map_or(0, |(_, quote)| quote.chars().count())).sum();
            prop_assert!(said <= chars, "{}", found.text);
            prop_assert_eq!(found.text.split('\n').count(), found.quotes.len());
            prop_assert!(found.quotes.iter().all(|id| found.covers.contains(id)));
        }
    }
}
