//! Summaries: kept for exactly what they were made of, and no longer than that.

use parlour_core::{Code, id::ChannelId, limits};

use super::calls::stage;
use crate::world::{Place, World};
use parlour_hub::ports::{KeptSummary, SummarySpan};

fn span(place: &dyn Place, first_seq: u64, last_seq: u64) -> SummarySpan {
    SummarySpan { conversation_id: place.conversation_id(), first_seq, last_seq, digest: [7; 32] }
}

fn saying(text: &str) -> KeptSummary {
    KeptSummary { text: text.into(), by: None }
}

async fn keep(world: &World, span: &SummarySpan, summary: &KeptSummary) {
    world.store().keep_summary(span.clone(), summary.clone()).await.expect("kept");
}

async fn read(world: &World, span: &SummarySpan) -> Option<KeptSummary> {
    world.store().summary(span).await.expect("read")
}

/// A summary is read as it was kept, whoever wrote it.
pub async fn a_summary_is_read_as_it_was_kept(world: World) {
    let stage = stage(&world).await;
    let by_model = KeptSummary { text: "They agreed.".into(), by: Some("fast-1".into()) };
    for (last, summary) in [(3, saying("verbatim")), (5, by_model)] {
        let span = span(&stage.general, 1, last);
        assert_eq!(read(&world, &span).await, None);
        keep(&world, &span, &summary).await;
        assert_eq!(read(&world, &span).await, Some(summary));
    }
}

/// A summary of another span, of other sources or of another conversation is none.
pub async fn a_summary_of_other_sources_is_none(world: World) {
    let stage = stage(&world).await;
    let other = world.channel("other", &stage.tour).await;
    let kept = span(&stage.general, 1, 3);
    keep(&world, &kept, &saying("text")).await;
    let digest = SummarySpan { digest: [8; 32], ..kept.clone() };
    for asked in [digest, span(&stage.general, 2, 3), span(&stage.general, 1, 4), span(&other, 1, 3)] {
        assert_eq!(read(&world, &asked).await, None, "{asked:?}");
    }
}

/// A later summary takes the place of the first, also when it was made of other sources.
pub async fn a_later_summary_takes_the_place_of_the_first(world: World) {
    let stage = stage(&world).await;
    let first = span(&stage.general, 1, 3);
    let second = SummarySpan { digest: [8; 32], ..first.clone() };
    keep(&world, &first, &saying("first")).await;
    keep(&world, &second, &saying("second")).await;
    assert_eq!((read(&world, &first).await, read(&world, &second).await), (None, Some(saying("second"))));
}

/// A summary of an unknown conversation is refused.
pub async fn a_summary_of_nothing_known_is_refused(world: World) {
    let conversation_id = ChannelId::from_bits(world.bits()).into();
    let span = SummarySpan { conversation_id, first_seq: 1, last_seq: 2, digest: [0; 32] };
    let failure = world.store().keep_summary(span, saying("text")).await.expect_err("unknown");
    assert_eq!(failure.refusal().expect("a refusal").code, Code::NotFound);
}

/// A summary is gone when one of its messages is edited or removed, and stays when another is.
pub async fn a_summary_is_gone_when_a_source_is(world: World) {
    let stage = stage(&world).await;
    let mut said = Vec::new();
    for number in 1..=6 {
        said.push(world.post(&stage.mara, &stage.general, &format!("message {number}")).await);
    }
    let spans = [(1, 3), (2, 5), (4, 4), (4, 6)].map(|(first, last)| span(&stage.general, first, last));
    let left = async || {
        let mut left = Vec::new();
        for span in &spans {
            left.extend(read(&world, span).await.map(|_| (span.first_seq, span.last_seq)));
        }
        left
    };
    for span in &spans {
        keep(&world, span, &saying("text")).await;
    }
    world.edit(&stage.mara, &said[1], "edited").await;
    assert_eq!(left().await, [(4, 4), (4, 6)]);
    world.remove(&stage.mara, &said[5]).await;
    assert_eq!(left().await, [(4, 4)]);
}

/// Of one conversation only the newest summaries are kept.
pub async fn a_conversation_has_a_bounded_number_of_summaries(world: World) {
    let stage = stage(&world).await;
    let most = limits::SUMMARIES_PER_CONVERSATION_MAX as u64;
    for last in 1..=most + 1 {
        keep(&world, &span(&stage.general, 1, last), &saying("text")).await;
    }
    assert_eq!(read(&world, &span(&stage.general, 1, 1)).await, None);
    for last in [2, most + 1] {
        assert!(read(&world, &span(&stage.general, 1, last)).await.is_some(), "{last}");
    }
}
