//! Injections of runs and summaries of conversations. Both lose texts whose messages are edited or removed.

use parlour_core::{
    Code,
    context::{ContextFormat, Injection, OmissionReason, ReceiptItem},
    delivery::DeliveryPath,
    id::{ChannelId, InjectionId, RunId},
    limits,
    paging::PageRequest,
};
use parlour_hub::ports::{KeptSummary, SummarySpan};

use super::fixtures::ProjectFixture;
use crate::test_store::{PostTarget, TestStore, check_pages, full_item, summary_item};

fn ids(injections: &[Injection]) -> Vec<InjectionId> {
    injections.iter().map(|injection| injection.id.clone()).collect()
}

/// The remaining text of an injection, and of its items.
fn texts(injection: &Injection) -> (Option<&str>, Vec<&str>) {
    (injection.text.as_deref(), injection.receipt.items.iter().map(|item| item.text.as_str()).collect())
}

/// Every kind of injection is read with its whole receipt.
pub async fn an_injection_is_read_as_it_was_stored(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let message = test_store.post(&fixture.mara, &fixture.general, "hello").await;
    let run = test_store.start(&fixture.coder, Some(&fixture.general)).await;
    let left_out = ReceiptItem {
        level: None,
        left_out: Some(OmissionReason::NoRoom),
        text: String::new(),
        ..full_item(&test_store.post(&fixture.mara, &fixture.general, "no room").await)
    };
    let items = vec![left_out, full_item(&message), summary_item(&message, "in short")];
    let (hook, mut prompt) = (test_store.injection(&run, &[&message]), test_store.injection_of(&run, items));
    (prompt.delivered_via, prompt.format) = (DeliveryPath::Prompt, ContextFormat::OpenaiChat);
    let without = Injection { text: None, ..test_store.injection(&run, &[]) };
    for injection in [&hook, &prompt, &without] {
        test_store.store().keep_injection(injection.clone()).await.expect("kept");
    }
    assert_eq!(test_store.injections(&run).await, [hook, prompt, without]);
}

/// Storing the same id again changes nothing.
pub async fn an_injection_is_stored_once(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let message = test_store.post(&fixture.mara, &fixture.general, "hello").await;
    let run = test_store.start(&fixture.coder, None).await;
    let first = test_store.inject(&run, &[&message]).await;
    let again = Injection { id: first.id.clone(), ..test_store.injection(&run, &[]) };
    test_store.store().keep_injection(again).await.expect("taken");
    assert_eq!(test_store.injections(&run).await, [first]);
}

/// An unknown run has no injections.
pub async fn an_injection_of_an_unknown_run_is_refused(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let run = test_store.new_run(&fixture.coder, None);
    let failure = test_store.store().keep_injection(test_store.injection(&run, &[])).await.expect_err("unknown");
    assert_eq!(failure.refusal().expect("a refusal").code, Code::NotFound);
    assert_eq!(test_store.injections(&run).await, []);
}

/// Injections are listed per run, on pages of any size.
pub async fn injections_are_listed_in_the_order_of_storing(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let (run, other) = (test_store.start(&fixture.coder, None).await, test_store.start(&fixture.tester, None).await);
    let mut expected = Vec::new();
    for _ in 0..4 {
        expected.push(test_store.inject(&run, &[]).await.id.to_string());
        test_store.inject(&other, &[]).await;
    }
    let read = async |page| test_store.store().injections(&run.id, &page).await;
    check_pages(&expected, |injection: &Injection| injection.id.to_string(), read).await;
}

/// A key of another run is refused like an unknown one.
pub async fn an_injection_of_another_run_is_no_page_key(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let (run, other) = (test_store.start(&fixture.coder, None).await, test_store.start(&fixture.tester, None).await);
    let elsewhere = test_store.inject(&other, &[]).await.id.to_string();
    for key in [elsewhere, InjectionId::from_bits(1).to_string(), RunId::from_bits(1).to_string()] {
        let page = PageRequest::new(Some(key), None).expect("a page");
        let failure = test_store.store().injections(&run.id, &page).await.expect_err("no key");
        assert_eq!(failure.refusal().expect("a refusal").code, Code::BadQuery);
    }
}

/// Only the newest injections of a run are kept; those of other runs stay.
pub async fn a_run_has_a_bounded_number_of_injections(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let message = test_store.post(&fixture.mara, &fixture.general, "hello").await;
    let (run, other) = (test_store.start(&fixture.coder, None).await, test_store.start(&fixture.tester, None).await);
    let elsewhere = test_store.inject(&other, &[&message]).await;
    let mut kept = Vec::new();
    for _ in 0..limits::INJECTIONS_PER_RUN_MAX + 2 {
        kept.push(test_store.inject(&run, &[&message]).await.id);
    }
    let page = PageRequest::new(None, Some(limits::PAGE_ITEMS_MAX)).expect("a page");
    let oldest = test_store.store().injections(&run.id, &page).await.expect("injections").items;
    assert_eq!(ids(&oldest), kept[2..2 + limits::PAGE_ITEMS_MAX]);
    assert_eq!(test_store.injections(&other).await, [elsewhere]);
}

pub async fn an_injection_writes_no_event(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let run = test_store.start(&fixture.coder, None).await;
    let before = fixture.shot(&test_store).await;
    test_store.inject(&run, &[]).await;
    assert_eq!(fixture.shot(&test_store).await, before);
}

/// When a message is removed, every injection that contains it loses its text, and the item its own; others stay.
pub async fn a_removed_text_is_deleted_from_injections(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let gone = test_store.post(&fixture.mara, &fixture.general, "secret").await;
    let kept = test_store.post(&fixture.mara, &fixture.general, "plain").await;
    let (run, other) = (test_store.start(&fixture.coder, None).await, test_store.start(&fixture.tester, None).await);
    test_store.inject(&run, &[&kept, &gone]).await;
    let untouched = test_store.inject(&run, &[&kept]).await;
    test_store.inject(&other, &[&gone]).await;
    test_store.remove(&fixture.mara, &gone).await;
    let left = test_store.injections(&run).await;
    assert_eq!(texts(&left[0]), (None, vec!["plain", ""]));
    assert_eq!(left[0].receipt.items[1], ReceiptItem { text: String::new(), ..full_item(&gone) });
    assert_eq!(left[1], untouched);
    assert_eq!(texts(&test_store.injections(&other).await[0]), (None, vec![""]));
}

pub async fn an_edited_text_is_deleted_from_injections(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let message = test_store.post(&fixture.mara, &fixture.general, "my key is hunter2").await;
    let run = test_store.start(&fixture.coder, None).await;
    test_store.inject(&run, &[&message]).await;
    let edited = test_store.edit(&fixture.mara, &message, "my key is safe").await;
    test_store.clock().advance(1);
    let anew = test_store.inject(&run, &[&edited]).await;
    let left = test_store.injections(&run).await;
    assert_eq!(texts(&left[0]), (None, vec![""]));
    assert_eq!(left[1], anew);
}

/// A summary may quote every message up to its own; later messages do not affect it.
pub async fn a_summary_item_loses_its_text_with_a_message_that_it_may_quote(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let other = test_store.channel("other", &fixture.tour).await;
    let elsewhere = test_store.post(&fixture.mara, &other, "elsewhere").await;
    let early = test_store.post(&fixture.mara, &fixture.general, "early").await;
    let last = test_store.post(&fixture.mara, &fixture.general, "last").await;
    let later = test_store.post(&fixture.mara, &fixture.general, "later").await;
    let run = test_store.start(&fixture.coder, None).await;
    let injection = test_store.injection_of(&run, vec![summary_item(&last, "early, last")]);
    test_store.store().keep_injection(injection.clone()).await.expect("kept");
    test_store.remove(&fixture.mara, &later).await;
    test_store.remove(&fixture.mara, &elsewhere).await;
    assert_eq!(test_store.injections(&run).await, [injection]);
    test_store.remove(&fixture.mara, &early).await;
    assert_eq!(texts(&test_store.injections(&run).await[0]), (None, vec![""]));
}

/// A text that was removed or edited since the injection was built is not stored.
pub async fn a_text_that_was_already_removed_is_not_stored(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let removed = test_store.post(&fixture.mara, &fixture.general, "removed").await;
    let edited = test_store.post(&fixture.mara, &fixture.general, "edited").await;
    let kept = test_store.post(&fixture.mara, &fixture.general, "kept").await;
    let run = test_store.start(&fixture.coder, None).await;
    let of_removed = test_store.injection(&run, &[&kept, &removed]);
    let of_edited = test_store.injection(&run, &[&edited, &kept]);
    let of_summary = test_store.injection_of(&run, vec![summary_item(&kept, "removed, edited, kept")]);
    test_store.remove(&fixture.mara, &removed).await;
    test_store.edit(&fixture.mara, &edited, "another").await;
    for injection in [of_removed, of_edited, of_summary] {
        test_store.store().keep_injection(injection).await.expect("kept");
    }
    let left = test_store.injections(&run).await;
    let left: Vec<_> = left.iter().map(texts).collect();
    assert_eq!(left, [(None, vec!["kept", ""]), (None, vec!["", "kept"]), (None, vec![""])]);
}

fn span(target: &dyn PostTarget, first_seq: u64, last_seq: u64) -> SummarySpan {
    SummarySpan { conversation_id: target.conversation_id(), first_seq, last_seq, digest: [7; 32] }
}

fn summary_of(text: &str) -> KeptSummary {
    KeptSummary { text: text.into(), by: None }
}

async fn store_summary(test_store: &TestStore, span: &SummarySpan, summary: &KeptSummary) {
    test_store.store().keep_summary(span.clone(), summary.clone()).await.expect("kept");
}

async fn read_summary(test_store: &TestStore, span: &SummarySpan) -> Option<KeptSummary> {
    test_store.store().summary(span).await.expect("read")
}

pub async fn a_summary_is_read_as_it_was_stored(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let by_model = KeptSummary { text: "They agreed.".into(), by: Some("fast-1".into()) };
    for (last, summary) in [(3, summary_of("verbatim")), (5, by_model)] {
        let span = span(&fixture.general, 1, last);
        assert_eq!(read_summary(&test_store, &span).await, None);
        store_summary(&test_store, &span, &summary).await;
        assert_eq!(read_summary(&test_store, &span).await, Some(summary));
    }
}

/// Another span, other sources or another conversation return none.
pub async fn a_summary_of_other_sources_is_not_found(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let other = test_store.channel("other", &fixture.tour).await;
    let kept = span(&fixture.general, 1, 3);
    store_summary(&test_store, &kept, &summary_of("text")).await;
    let digest = SummarySpan { digest: [8; 32], ..kept.clone() };
    for asked in [digest, span(&fixture.general, 2, 3), span(&fixture.general, 1, 4), span(&other, 1, 3)] {
        assert_eq!(read_summary(&test_store, &asked).await, None, "{asked:?}");
    }
}

/// This holds even if the later one was made from other sources.
pub async fn a_later_summary_replaces_the_first(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let first = span(&fixture.general, 1, 3);
    let second = SummarySpan { digest: [8; 32], ..first.clone() };
    store_summary(&test_store, &first, &summary_of("first")).await;
    store_summary(&test_store, &second, &summary_of("second")).await;
    assert_eq!(
        (read_summary(&test_store, &first).await, read_summary(&test_store, &second).await),
        (None, Some(summary_of("second")))
    );
}

pub async fn a_summary_of_an_unknown_conversation_is_refused(test_store: TestStore) {
    let conversation_id = ChannelId::from_bits(test_store.bits()).into();
    let span = SummarySpan { conversation_id, first_seq: 1, last_seq: 2, digest: [0; 32] };
    let failure = test_store.store().keep_summary(span, summary_of("text")).await.expect_err("unknown");
    assert_eq!(failure.refusal().expect("a refusal").code, Code::NotFound);
}

/// A summary is deleted when one of its messages is edited or removed.
pub async fn a_summary_is_deleted_with_a_source(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let mut said = Vec::new();
    for number in 1..=6 {
        said.push(test_store.post(&fixture.mara, &fixture.general, &format!("message {number}")).await);
    }
    let spans = [(1, 3), (2, 5), (4, 4), (4, 6)].map(|(first, last)| span(&fixture.general, first, last));
    let left = async || {
        let mut left = Vec::new();
        for span in &spans {
            left.extend(read_summary(&test_store, span).await.map(|_| (span.first_seq, span.last_seq)));
        }
        left
    };
    for span in &spans {
        store_summary(&test_store, span, &summary_of("text")).await;
    }
    test_store.edit(&fixture.mara, &said[1], "edited").await;
    assert_eq!(left().await, [(4, 4), (4, 6)]);
    test_store.remove(&fixture.mara, &said[5]).await;
    assert_eq!(left().await, [(4, 4)]);
}

/// Only the newest summaries of a conversation are kept.
pub async fn a_conversation_has_a_bounded_number_of_summaries(test_store: TestStore) {
    let fixture = ProjectFixture::new(&test_store).await;
    let most = limits::SUMMARIES_PER_CONVERSATION_MAX as u64;
    for last in 1..=most + 1 {
        store_summary(&test_store, &span(&fixture.general, 1, last), &summary_of("text")).await;
    }
    assert_eq!(read_summary(&test_store, &span(&fixture.general, 1, 1)).await, None);
    for last in [2, most + 1] {
        assert!(read_summary(&test_store, &span(&fixture.general, 1, last)).await.is_some(), "{last}");
    }
}
