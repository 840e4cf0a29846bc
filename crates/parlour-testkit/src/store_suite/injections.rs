//! What was given to runs: read as it was, but no longer than what it shows.

use parlour_core::{
    Code,
    context::{ContextFormat, Injection, OmissionReason, ReceiptItem},
    delivery::DeliveryPath,
    id::{InjectionId, RunId},
    limits,
    paging::PageRequest,
};

use super::calls::stage;
use crate::world::{World, check_pages, shown, summed_up};

fn ids(injections: &[Injection]) -> Vec<InjectionId> {
    injections.iter().map(|injection| injection.id.clone()).collect()
}

/// What is still there: the text, and the texts of the items.
fn texts(injection: &Injection) -> (Option<&str>, Vec<&str>) {
    (injection.text.as_deref(), injection.receipt.items.iter().map(|item| item.text.as_str()).collect())
}

/// An injection is read as it was kept, in every form and with all of its receipt.
pub async fn an_injection_is_read_as_it_was_kept(world: World) {
    let stage = stage(&world).await;
    let message = world.post(&stage.mara, &stage.general, "hello").await;
    let run = world.start(&stage.coder, Some(&stage.general)).await;
    let left_out = ReceiptItem {
        level: None,
        left_out: Some(OmissionReason::NoRoom),
        text: String::new(),
        ..shown(&world.post(&stage.mara, &stage.general, "no room").await)
    };
    let items = vec![left_out, shown(&message), summed_up(&message, "in short")];
    let (hook, mut prompt) = (world.injection(&run, &[&message]), world.injection_of(&run, items));
    (prompt.delivered_via, prompt.format) = (DeliveryPath::Prompt, ContextFormat::OpenaiChat);
    let without = Injection { text: None, ..world.injection(&run, &[]) };
    for injection in [&hook, &prompt, &without] {
        world.store().keep_injection(injection.clone()).await.expect("kept");
    }
    assert_eq!(world.injections(&run).await, [hook, prompt, without]);
}

/// Keeping the same id again changes nothing.
pub async fn an_injection_is_kept_once(world: World) {
    let stage = stage(&world).await;
    let message = world.post(&stage.mara, &stage.general, "hello").await;
    let run = world.start(&stage.coder, None).await;
    let first = world.inject(&run, &[&message]).await;
    let again = Injection { id: first.id.clone(), ..world.injection(&run, &[]) };
    world.store().keep_injection(again).await.expect("taken");
    assert_eq!(world.injections(&run).await, [first]);
}

/// What was given to an unknown run is refused, and an unknown run was given nothing.
pub async fn an_injection_of_an_unknown_run_is_refused(world: World) {
    let stage = stage(&world).await;
    let run = world.new_run(&stage.coder, None);
    let failure = world.store().keep_injection(world.injection(&run, &[])).await.expect_err("unknown");
    assert_eq!(failure.refusal().expect("a refusal").code, Code::NotFound);
    assert_eq!(world.injections(&run).await, []);
}

/// Injections come in the order in which they were kept, on pages of every size, and each run has its own.
pub async fn injections_are_listed_in_their_order(world: World) {
    let stage = stage(&world).await;
    let (run, other) = (world.start(&stage.coder, None).await, world.start(&stage.tester, None).await);
    let mut expected = Vec::new();
    for _ in 0..4 {
        expected.push(world.inject(&run, &[]).await.id.to_string());
        world.inject(&other, &[]).await;
    }
    let read = async |page| world.store().injections(&run.id, &page).await;
    check_pages(&expected, |injection: &Injection| injection.id.to_string(), read).await;
}

/// A key of another run, and one that never was, are refused alike.
pub async fn another_runs_injection_is_no_key(world: World) {
    let stage = stage(&world).await;
    let (run, other) = (world.start(&stage.coder, None).await, world.start(&stage.tester, None).await);
    let elsewhere = world.inject(&other, &[]).await.id.to_string();
    for key in [elsewhere, InjectionId::from_bits(1).to_string(), RunId::from_bits(1).to_string()] {
        let page = PageRequest::new(Some(key), None).expect("a page");
        let failure = world.store().injections(&run.id, &page).await.expect_err("no key");
        assert_eq!(failure.refusal().expect("a refusal").code, Code::BadQuery);
    }
}

/// Of one run only the newest injections are kept, and those of other runs stay.
pub async fn a_run_has_a_bounded_number_of_injections(world: World) {
    let stage = stage(&world).await;
    let message = world.post(&stage.mara, &stage.general, "hello").await;
    let (run, other) = (world.start(&stage.coder, None).await, world.start(&stage.tester, None).await);
    let elsewhere = world.inject(&other, &[&message]).await;
    let mut kept = Vec::new();
    for _ in 0..limits::INJECTIONS_PER_RUN_MAX + 2 {
        kept.push(world.inject(&run, &[&message]).await.id);
    }
    let page = PageRequest::new(None, Some(limits::PAGE_ITEMS_MAX)).expect("a page");
    let oldest = world.store().injections(&run.id, &page).await.expect("injections").items;
    assert_eq!(ids(&oldest), kept[2..2 + limits::PAGE_ITEMS_MAX]);
    assert_eq!(world.injections(&other).await, [elsewhere]);
}

/// Injections are no changes of their project: they stand in no log.
pub async fn an_injection_is_no_change_of_its_project(world: World) {
    let stage = stage(&world).await;
    let run = world.start(&stage.coder, None).await;
    let before = stage.shot(&world).await;
    world.inject(&run, &[]).await;
    assert_eq!(stage.shot(&world).await, before);
}

/// When a message is removed, every injection that shows it loses its text, and the item its own; others stay as they are.
pub async fn a_removed_text_is_gone_from_injections(world: World) {
    let stage = stage(&world).await;
    let gone = world.post(&stage.mara, &stage.general, "secret").await;
    let kept = world.post(&stage.mara, &stage.general, "plain").await;
    let (run, other) = (world.start(&stage.coder, None).await, world.start(&stage.tester, None).await);
    world.inject(&run, &[&kept, &gone]).await;
    let untouched = world.inject(&run, &[&kept]).await;
    world.inject(&other, &[&gone]).await;
    world.remove(&stage.mara, &gone).await;
    let left = world.injections(&run).await;
    assert_eq!(texts(&left[0]), (None, vec!["plain", ""]));
    assert_eq!(left[0].receipt.items[1], ReceiptItem { text: String::new(), ..shown(&gone) });
    assert_eq!(left[1], untouched);
    assert_eq!(texts(&world.injections(&other).await[0]), (None, vec![""]));
}

/// When a message is edited, its old text is gone from what was given to runs.
pub async fn an_edited_text_is_gone_from_injections(world: World) {
    let stage = stage(&world).await;
    let message = world.post(&stage.mara, &stage.general, "my key is hunter2").await;
    let run = world.start(&stage.coder, None).await;
    world.inject(&run, &[&message]).await;
    let edited = world.edit(&stage.mara, &message, "my key is safe").await;
    world.clock().advance(1);
    let anew = world.inject(&run, &[&edited]).await;
    let left = world.injections(&run).await;
    assert_eq!(texts(&left[0]), (None, vec![""]));
    assert_eq!(left[1], anew);
}

/// A summary goes with every message up to its own that it may quote, and with no later one.
pub async fn a_summary_goes_with_what_it_may_quote(world: World) {
    let stage = stage(&world).await;
    let other = world.channel("other", &stage.tour).await;
    let elsewhere = world.post(&stage.mara, &other, "elsewhere").await;
    let early = world.post(&stage.mara, &stage.general, "early").await;
    let last = world.post(&stage.mara, &stage.general, "last").await;
    let later = world.post(&stage.mara, &stage.general, "later").await;
    let run = world.start(&stage.coder, None).await;
    let injection = world.injection_of(&run, vec![summed_up(&last, "early, last")]);
    world.store().keep_injection(injection.clone()).await.expect("kept");
    world.remove(&stage.mara, &later).await;
    world.remove(&stage.mara, &elsewhere).await;
    assert_eq!(world.injections(&run).await, [injection]);
    world.remove(&stage.mara, &early).await;
    assert_eq!(texts(&world.injections(&run).await[0]), (None, vec![""]));
}

/// A text that was removed or edited since the injection was made is not kept at all.
pub async fn a_text_that_was_gone_already_is_not_kept(world: World) {
    let stage = stage(&world).await;
    let removed = world.post(&stage.mara, &stage.general, "removed").await;
    let edited = world.post(&stage.mara, &stage.general, "edited").await;
    let kept = world.post(&stage.mara, &stage.general, "kept").await;
    let run = world.start(&stage.coder, None).await;
    let of_removed = world.injection(&run, &[&kept, &removed]);
    let of_edited = world.injection(&run, &[&edited, &kept]);
    let of_summary = world.injection_of(&run, vec![summed_up(&kept, "removed, edited, kept")]);
    world.remove(&stage.mara, &removed).await;
    world.edit(&stage.mara, &edited, "another").await;
    for injection in [of_removed, of_edited, of_summary] {
        world.store().keep_injection(injection).await.expect("kept");
    }
    let left = world.injections(&run).await;
    let left: Vec<_> = left.iter().map(texts).collect();
    assert_eq!(left, [(None, vec!["kept", ""]), (None, vec!["", "kept"]), (None, vec![""])]);
}
