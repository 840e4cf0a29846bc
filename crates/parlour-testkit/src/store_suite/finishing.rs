//! The end of a stream: one write brings the final text and all that follows from it, and an end is for ever.

use parlour_core::inbox::InboxFilter;
use parlour_core::{
    Code, Timestamp,
    call::Calls,
    conversation::Channel,
    id::MemberId,
    inbox::{DeliveryReason, Recipient},
    member::{Agent, Person},
    message::{Message, State},
    paging::PageRequest,
    project::Project,
    search_query::SearchQuery,
    step::Step,
    write::{Appended, Archival, Ending, NewText, Novelty, Write},
};
use serde_json::json;

use crate::world::{Caller, Place, World};

struct Stage {
    mara: Person,
    bela: Person,
    tour: Project,
    coder: Agent,
    general: Channel,
}

async fn stage(world: &World) -> Stage {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    Stage {
        bela: world.member("Bela", &tour).await,
        coder: world.agent("Coder", &tour).await,
        general: world.channel("general", &tour).await,
        mara,
        tour,
    }
}

impl Stage {
    async fn end(&self, world: &World, message: &Message, ending: &Ending) -> Appended {
        let write = Write::FinishMessage(message.id.clone(), ending.clone());
        world.append(&self.tour.id, &self.coder, write).await.expect("ended")
    }

    async fn refused_end(&self, world: &World, message: &Message, ending: &Ending) -> parlour_core::Refusal {
        let write = Write::FinishMessage(message.id.clone(), ending.clone());
        let failure = world.append(&self.tour.id, &self.coder, write).await.expect_err("refused");
        failure.refusal().expect("an expected no").clone()
    }

    /// Unread messages and mentions of a member in the channel.
    async fn unread(&self, world: &World, caller: &dyn Caller) -> (u64, u64) {
        let rows = world.store().unread(&self.tour.id, &caller.principal()).await.expect("unread");
        let row = rows.iter().find(|row| row.conversation_id == self.general.conversation_id());
        row.map_or((0, 0), |row| (row.unread, row.mentions))
    }

    async fn found(&self, world: &World, text: &str) -> usize {
        let query = SearchQuery::parse(text).expect("a query");
        let page = PageRequest::first();
        let hits = world.store().search(&self.tour.id, &self.mara.principal(), &query, &page).await.expect("hits");
        hits.items.len()
    }
}

async fn stored(world: &World, message: &Message) -> Message {
    world.store().message(&message.id).await.expect("read").expect("a message")
}

fn step(id: &str) -> Step {
    Step {
        id: id.to_owned(),
        name: "search".to_owned(),
        input: Some(json!({"q": "x"})),
        output: Some(json!([1, 2])),
        is_error: false,
        started_at: Timestamp::from_millis(5),
        finished_at: Some(Timestamp::from_millis(9)),
    }
}

/// An end with all that it can bring: it calls Bela and an agent.
fn full_ending(stage: &Stage, agent: &Agent) -> Ending {
    Ending {
        state: State::Failed,
        reason: Some("the model fell silent".into()),
        text: NewText {
            body: "final words".into(),
            mentions: vec![stage.bela.member(), agent.member()],
            deliveries: vec![Recipient { agent_id: agent.id.clone(), reason: DeliveryReason::Mention }],
        },
        content: Some(json!({"parts": 2})),
        steps: vec![step("s1"), step("s2")],
        calls: Calls::default(),
        usage: None,
        answer_to: None,
    }
}

/// A stream begins with a message that is stored as streaming, and it may have no text yet.
pub async fn a_stream_begins_as_a_message_that_is_streaming(world: World) {
    let stage = stage(&world).await;
    let message = world.stream(&stage.coder, &stage.general, "").await;
    assert_eq!((message.state, message.body.as_str(), message.seq), (State::Streaming, "", 1));
    assert_eq!(stored(&world, &message).await, message);
}

/// An end brings state, reason, text, mentions, content and steps; everything else stays, and it is no edit.
pub async fn an_ending_brings_all_that_is_final(world: World) {
    let stage = stage(&world).await;
    let tester = world.agent("Tester", &stage.tour).await;
    let begun = world.stream(&stage.coder, &stage.general, "first").await;
    let ending = full_ending(&stage, &tester);
    let finished = world.finish(&stage.coder, &begun, ending.clone()).await;
    assert_eq!(finished, begun.clone().finished(&ending));
    assert_eq!(
        (finished.state, finished.body.as_str(), finished.steps.len(), finished.edited_at, finished.seq),
        (State::Failed, "final words", 2, None, begun.seq)
    );
    assert_eq!(stored(&world, &begun).await, finished);
    let last = world.events(&stage.tour.id).await.pop().expect("an event");
    assert_eq!((last.change.name(), last.actor), ("messaging.finished", stage.coder.author()));
}

/// Every way to end is kept: complete, failed, cancelled and interrupted.
pub async fn every_way_to_end_is_kept(world: World) {
    let stage = stage(&world).await;
    for state in [State::Complete, State::Failed, State::Cancelled, State::Interrupted] {
        let begun = world.stream(&stage.coder, &stage.general, "begun").await;
        let ending = Ending { state, reason: Some("because".into()), ..world.ending("as far as it came") };
        world.finish(&stage.coder, &begun, ending).await;
        let kept = stored(&world, &begun).await;
        assert_eq!((kept.state, kept.reason.as_deref()), (state, Some("because")));
    }
}

/// An end without a structured form leaves the one with which the message began.
pub async fn an_ending_without_content_keeps_what_was_there(world: World) {
    let stage = stage(&world).await;
    let mut draft = world.draft(&stage.coder, &stage.general, "").streaming();
    draft.message.content = Some(json!({"kind": "answer"}));
    let begun = world.send(&stage.coder, &draft).await;
    world.finish(&stage.coder, &begun, world.ending("text")).await;
    assert_eq!(stored(&world, &begun).await.content, Some(json!({"kind": "answer"})));
}

/// An end calls those whom the final text mentions, and no longer those whom only the beginning did.
pub async fn an_ending_calls_those_it_mentions(world: World) {
    let stage = stage(&world).await;
    let tester = world.agent("Tester", &stage.tour).await;
    let draft = world.draft(&stage.coder, &stage.general, "@Mara").streaming().mentioning(&stage.mara);
    let begun = world.send(&stage.coder, &draft).await;
    assert_eq!(stage.unread(&world, &stage.mara).await, (1, 1));
    world.finish(&stage.coder, &begun, full_ending(&stage, &tester)).await;
    assert_eq!(stage.unread(&world, &stage.mara).await, (1, 0));
    assert_eq!(stage.unread(&world, &stage.bela).await, (1, 1));
    assert_eq!(stage.unread(&world, &tester).await, (1, 1));
    let inbox =
        world.store().inbox(&tester.id, &InboxFilter::default(), &PageRequest::first()).await.expect("inbox").items;
    assert_eq!(inbox[0].message, stored(&world, &begun).await);
}

/// A finished message is found by its final text only, and stands in the graph for what it mentions.
pub async fn a_finished_message_is_found_by_its_final_text(world: World) {
    let stage = stage(&world).await;
    let begun = world.stream(&stage.coder, &stage.general, "thinking").await;
    let nodes = world.store().graph(&stage.tour.id, &stage.mara.principal()).await.expect("graph").nodes.len();
    world.finish(&stage.coder, &begun, full_ending(&stage, &stage.coder)).await;
    assert_eq!((stage.found(&world, "thinking").await, stage.found(&world, "final words").await), (0, 1));
    let graph = world.store().graph(&stage.tour.id, &stage.mara.principal()).await.expect("graph");
    assert_eq!(graph.nodes.len(), nodes + 1);
}

/// The same end again gets the first answer, at the position of the first, whatever happened since.
pub async fn the_same_ending_again_gets_the_first_answer(world: World) {
    let stage = stage(&world).await;
    let begun = world.stream(&stage.coder, &stage.general, "").await;
    let ending = full_ending(&stage, &stage.coder);
    let first = stage.end(&world, &begun, &ending).await;
    world.post(&stage.mara, &stage.general, "meanwhile").await;
    let before = world.snapshot(&stage.tour, &[&stage.mara, &stage.coder]).await;
    let second = stage.end(&world, &begun, &ending).await;
    assert_eq!((&second.change, &second.position), (&first.change, &first.position));
    assert_eq!((first.novelty, second.novelty), (Novelty::New, Novelty::Repeated));
    assert_eq!(world.snapshot(&stage.tour, &[&stage.mara, &stage.coder]).await, before);
    world.edit(&stage.coder, &begun, "edited").await;
    let third = stage.end(&world, &begun, &ending).await;
    assert_eq!((third.novelty, third.position), (Novelty::Repeated, first.position));
    assert_eq!(stored(&world, &begun).await.body, "edited", "a retry leaves the edit");
}

/// A message that has ended in one way cannot end in another: the refusal says how it ended, and nothing changes.
pub async fn another_ending_is_refused(world: World) {
    let stage = stage(&world).await;
    let begun = world.stream(&stage.coder, &stage.general, "").await;
    let first = Ending { state: State::Interrupted, ..world.ending("partial") };
    stage.end(&world, &begun, &first).await;
    let others = [
        world.ending("partial"),
        Ending { state: State::Interrupted, ..world.ending("another text") },
        Ending { reason: Some("late".into()), ..first.clone() },
        Ending { steps: vec![step("s1")], ..first.clone() },
        Ending { content: Some(json!(1)), ..first.clone() },
    ];
    let before = world.snapshot(&stage.tour, &[&stage.mara, &stage.coder]).await;
    for other in others {
        let refusal = stage.refused_end(&world, &begun, &other).await;
        assert_eq!(refusal.code, Code::StreamEnded, "{other:?}");
        assert!(refusal.detail.contains("interrupted"), "{}", refusal.detail);
    }
    assert_eq!(world.snapshot(&stage.tour, &[&stage.mara, &stage.coder]).await, before);
}

/// A message that never was a stream has ended with its post.
pub async fn a_plain_message_has_ended(world: World) {
    let stage = stage(&world).await;
    let message = world.post(&stage.coder, &stage.general, "plain").await;
    let refusal = stage.refused_end(&world, &message, &world.ending("other")).await;
    assert_eq!((refusal.code, refusal.detail.contains("complete")), (Code::StreamEnded, true));
}

/// Removing a stream ends it; its producer is told that it was removed.
pub async fn a_removed_stream_has_ended(world: World) {
    let stage = stage(&world).await;
    let begun = world.stream(&stage.coder, &stage.general, "begun").await;
    let removed = world.remove(&stage.mara, &begun).await;
    assert_eq!(removed.state, State::Cancelled);
    assert_eq!(stored(&world, &begun).await, removed);
    assert_eq!(stage.refused_end(&world, &begun, &world.ending("late")).await.code, Code::Removed);
    assert_eq!(stored(&world, &begun).await, removed);
    assert_eq!(stage.found(&world, "late").await, 0);
}

/// A text that still grows cannot be edited; once it has ended, it can.
pub async fn a_stream_can_be_edited_after_its_end(world: World) {
    let stage = stage(&world).await;
    let begun = world.stream(&stage.coder, &stage.general, "begun").await;
    let text = NewText { body: "edited".into(), mentions: Vec::new(), deliveries: Vec::new() };
    let edit = Write::EditMessage(begun.id.clone(), text);
    assert_eq!(world.refusal(&stage.tour.id, &stage.coder, edit).await, Code::StreamOpen);
    assert_eq!(stored(&world, &begun).await, begun);
    world.finish(&stage.coder, &begun, world.ending("done")).await;
    assert_eq!(world.edit(&stage.coder, &begun, "edited").await.state, State::Complete);
}

/// A stream always ends, even where nothing new may be posted.
pub async fn an_archived_channel_takes_an_ending(world: World) {
    let stage = stage(&world).await;
    let begun = world.stream(&stage.coder, &stage.general, "begun").await;
    let archival = Write::ArchiveChannel(stage.general.id.clone(), Archival::Archived);
    world.change(&stage.tour.id, &stage.mara, archival).await;
    assert_eq!(world.finish(&stage.coder, &begun, world.ending("done")).await.body, "done");
}

/// An end that is refused leaves the stream open and no trace; so does one that would not end it.
pub async fn a_refused_ending_leaves_the_stream_open(world: World) {
    let stage = stage(&world).await;
    let begun = world.stream(&stage.coder, &stage.general, "begun").await;
    let before = world.snapshot(&stage.tour, &[&stage.mara, &stage.coder]).await;
    let mut to_nobody = world.ending("never said");
    to_nobody.text.mentions.push(MemberId::Person(parlour_core::id::PersonId::from_bits(world.bits())));
    let open = Ending { state: State::Streaming, ..world.ending("never said") };
    for (ending, code) in [(to_nobody, Code::NotFound), (open, Code::StreamOpen)] {
        assert_eq!(stage.refused_end(&world, &begun, &ending).await.code, code);
        assert_eq!(world.snapshot(&stage.tour, &[&stage.mara, &stage.coder]).await, before);
        assert_eq!(stage.found(&world, "never").await, 0);
    }
    assert_eq!(stored(&world, &begun).await, begun);
}
