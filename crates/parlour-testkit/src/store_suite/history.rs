//! Messages as they are read: whole, in slices, by time, and with what became of them.

use parlour_core::{
    Timestamp,
    call::{CallReason, Held, HoldRule},
    conversation::Channel,
    event::Event,
    id::{ArtifactId, ChannelId, ConversationId, MessageId},
    member::{Agent, Person},
    message::{Attachment, Cause, Importance, Kind, Message, State},
    project::Project,
    reaction::Reaction,
    usage::Usage,
    write::Write,
};
use serde_json::json;

use crate::world::{Caller, Place, World, check_pages};
use parlour_hub::ports::HistoryRange;

/// How many messages the conversation of these tests has.
const COUNT: u64 = 7;

struct Stage {
    mara: Person,
    tour: Project,
    general: Channel,
    id: ConversationId,
}

async fn stage(world: &World) -> Stage {
    let mara = world.person("Mara").await;
    let tour = world.project("Tour", &mara).await;
    let general = world.channel("general", &tour).await;
    Stage { id: general.conversation_id(), mara, tour, general }
}

async fn filled_stage(world: &World) -> Stage {
    let stage = stage(world).await;
    let random = world.channel("random", &stage.tour).await;
    for number in 1..=COUNT {
        world.post(&stage.mara, &stage.general, &format!("message {number}")).await;
        world.post(&stage.mara, &random, "elsewhere").await;
    }
    stage
}

async fn seqs(world: &World, id: &ConversationId, slice: HistoryRange, limit: usize) -> Vec<u64> {
    let messages = world.store().messages(id, slice, limit).await.expect("messages");
    messages.iter().map(|message| message.seq).collect()
}

/// Every field of a message comes back as it was posted.
pub async fn a_message_is_read_with_every_field(world: World) {
    let stage = stage(&world).await;
    let (coder, file) = (world.agent("Coder", &stage.tour).await, world.artifact("a.txt", &stage.tour, None).await);
    let tester = world.agent("Tester", &stage.tour).await;
    let (task, batch) = (world.task("Ship it", &stage.tour).await, world.batch("Release", &stage.tour).await);
    let above = world.post(&stage.mara, &stage.general, "above").await;
    let mut draft = world.draft(&coder, &stage.general, "Ünïcödé 👩‍💻\n\t`code`").answering(&above).carrying(&file);
    let message = &mut draft.message;
    message.kind = Kind::ToolResult;
    message.content = Some(json!({"rows": [1, 2.5, null, "x"], "deep": {"er": true}}));
    message.mentions = vec![stage.mara.member(), coder.member()];
    message.attachments = vec![attachment(Some(file.id.clone()), None), attachment(None, Some("https://x.example/a"))];
    message.importance = Importance::Critical;
    message.blocking = true;
    let (chain, agents) = (vec!["Coder".into()], vec!["agt_coder".parse().expect("id")]);
    message.is_notice = true;
    message.held = vec![held(&coder, HoldRule::Depth, None), held(&coder, HoldRule::Pair, Some(world.now()))];
    message.usage = Some(Usage {
        model: "small".into(),
        input_tokens: 7,
        cached_tokens: Some(2),
        output_tokens: u64::from(u32::MAX) + 1,
        tries: Some(2),
        duration_ms: Some(1_500),
    });
    message.cause = Some(Cause { depth: 2, chain, agents, message_id: Some(above.id.clone()) });
    message.correlation_id = Some("call-7".into());
    message.context.task_id = Some(task.id);
    message.context.batch_id = Some(batch.id);
    message.state = State::Interrupted;
    message.metadata = json!({"z": 1, "a": [true]}).as_object().cloned().unwrap_or_default();
    let draft = draft.calling(&tester, CallReason::Mention);
    let sent = world.send(&coder, &draft).await;
    let expected = Message { seq: 2, created_at: world.now(), calls: vec![tester.id], ..draft.message };
    assert_eq!(sent, expected);
    assert_eq!(world.store().message(&expected.id).await.expect("read"), Some(expected.clone()));
    assert_eq!(world.store().messages(&stage.id, HistoryRange::Newest, 1).await.expect("read"), [expected]);
}

fn held(agent: &Agent, rule: HoldRule, until: Option<Timestamp>) -> Held {
    Held { agent_id: agent.id.clone(), name: agent.name.clone(), rule, until }
}

fn attachment(artifact_id: Option<ArtifactId>, url: Option<&str>) -> Attachment {
    let url = url.map(str::to_owned);
    Attachment { filename: "a.txt".into(), media_type: "text/plain".into(), size: 3, artifact_id, url }
}

/// A message that does not exist is none.
pub async fn an_unknown_message_is_none(world: World) {
    assert_eq!(world.store().message(&MessageId::from_bits(world.bits())).await.expect("read"), None);
    let unknown = ChannelId::from_bits(world.bits()).into();
    assert_eq!(seqs(&world, &unknown, HistoryRange::Newest, 9).await, Vec::<u64>::new());
    assert_eq!(world.store().seq_before(&unknown, world.now()).await.expect("seq"), 0);
}

/// The newest messages come newest first, as many as asked for.
pub async fn the_newest_come_newest_first(world: World) {
    let stage = filled_stage(&world).await;
    for limit in 1..=COUNT + 1 {
        let expected: Vec<u64> = (1..=COUNT).rev().take(limit as usize).collect();
        assert_eq!(seqs(&world, &stage.id, HistoryRange::Newest, limit as usize).await, expected);
    }
}

/// Slices before a number come newest first and go on where the last one ended, over every border.
pub async fn slices_before_a_number_reach_the_beginning(world: World) {
    let stage = filled_stage(&world).await;
    for limit in 1..=COUNT as usize + 1 {
        for before in 0..=COUNT + 2 {
            let expected: Vec<u64> = (1..before.min(COUNT + 1)).rev().take(limit).collect();
            let found = seqs(&world, &stage.id, HistoryRange::Before(before), limit).await;
            assert_eq!(found, expected, "{limit} before {before}");
        }
    }
}

/// Slices after a number come oldest first and go on where the last one ended, over every border.
pub async fn slices_after_a_number_reach_the_end(world: World) {
    let stage = filled_stage(&world).await;
    for limit in 1..=COUNT as usize + 1 {
        for after in 0..=COUNT + 2 {
            let expected: Vec<u64> = (after + 1..=COUNT).take(limit).collect();
            let found = seqs(&world, &stage.id, HistoryRange::After(after), limit).await;
            assert_eq!(found, expected, "{limit} after {after}");
        }
    }
}

/// Numbers far outside the history are numbers like any other.
pub async fn slices_take_any_number(world: World) {
    let stage = filled_stage(&world).await;
    for huge in [i64::MAX as u64, i64::MAX as u64 + 1, u64::MAX] {
        assert_eq!(seqs(&world, &stage.id, HistoryRange::Before(huge), 2).await, [COUNT, COUNT - 1]);
        assert_eq!(seqs(&world, &stage.id, HistoryRange::After(huge), 2).await, Vec::<u64>::new());
    }
}

/// The number before a moment is that of the last message taken earlier, not of one taken at that very moment.
pub async fn the_number_before_a_moment_is_that_of_the_last_earlier_message(world: World) {
    let stage = filled_stage(&world).await;
    let history = world.history(&stage.id).await;
    let seq_before = async |at: Timestamp| world.store().seq_before(&stage.id, at).await.expect("seq");
    assert_eq!(seq_before(Timestamp::from_millis(0)).await, 0);
    for message in history {
        assert_eq!(seq_before(message.created_at).await, message.seq - 1);
        let later = Timestamp::from_millis(message.created_at.as_millis() + 1);
        assert_eq!(seq_before(later).await, message.seq);
    }
    assert_eq!(seq_before(Timestamp::from_millis(i64::MAX)).await, COUNT);
}

/// An edit changes the text and says when; number, author and time of the post stay.
pub async fn an_edit_changes_the_text_and_keeps_the_place(world: World) {
    let stage = stage(&world).await;
    let message = world.post(&stage.mara, &stage.general, "first").await;
    let edited = world.edit(&stage.mara, &message, "second").await;
    assert_eq!(edited, message.edited("second".into(), Vec::new(), world.now()));
    assert_eq!(world.history(&stage.id).await, [edited]);
}

/// A removed message keeps its place and loses what it said.
pub async fn a_removed_message_keeps_its_place(world: World) {
    let stage = filled_stage(&world).await;
    let message = world.history(&stage.id).await.remove(2);
    let removed = world.remove(&stage.mara, &message).await;
    assert_eq!(removed, message.removed(world.now()));
    assert_eq!(seqs(&world, &stage.id, HistoryRange::Newest, 9).await.len(), COUNT as usize);
    assert_eq!(world.history(&stage.id).await[2], removed);
}

/// A text that was removed cannot come back by an edit that was on its way.
pub async fn a_removed_message_cannot_be_edited(world: World) {
    let stage = stage(&world).await;
    let message = world.post(&stage.mara, &stage.general, "secret").await;
    let removed = world.remove(&stage.mara, &message).await;
    let text = parlour_core::write::NewText { body: "back".into(), mentions: Vec::new(), deliveries: Vec::new() };
    let code = world.refusal(&stage.tour.id, &stage.mara, Write::EditMessage(message.id.clone(), text)).await;
    assert_eq!(code, parlour_core::Code::Removed);
    assert_eq!(world.store().message(&message.id).await.expect("read"), Some(removed));
}

/// Reactions show who reacted with what, in the order in which they came.
pub async fn reactions_show_who_reacted(world: World) {
    let stage = stage(&world).await;
    let bela = world.member("Bela", &stage.tour).await;
    let message = world.post(&stage.mara, &stage.general, "hello").await;
    let react = async |emoji: &str, who: &dyn Caller| {
        let write = Write::React(message.id.clone(), emoji.to_owned(), who.member());
        world.change(&stage.tour.id, who, write).await;
    };
    react("👍", &bela).await;
    react("👍", &stage.mara).await;
    react("🎉", &stage.mara).await;
    let shown = world.store().message(&message.id).await.expect("read").expect("a message").reactions;
    let reaction = |emoji: &str, members| Reaction { emoji: emoji.to_owned(), members };
    assert_eq!(
        shown,
        [reaction("👍", vec![bela.member(), stage.mara.member()]), reaction("🎉", vec![stage.mara.member()])]
    );
    let write = Write::Unreact(message.id.clone(), "🎉".into(), stage.mara.member());
    world.change(&stage.tour.id, &stage.mara, write).await;
    assert_eq!(world.history(&stage.id).await[0].reactions.len(), 1);
}

/// The events about a message are listed oldest first; the key of a page is an offset.
pub async fn the_events_about_a_message_are_listed(world: World) {
    let stage = stage(&world).await;
    let message = world.post(&stage.mara, &stage.general, "hello").await;
    world.post(&stage.mara, &stage.general, "another").await;
    world.edit(&stage.mara, &message, "hello there").await;
    let mark = ("👍".to_owned(), stage.mara.member());
    world.change(&stage.tour.id, &stage.mara, Write::React(message.id.clone(), mark.0.clone(), mark.1.clone())).await;
    world.change(&stage.tour.id, &stage.mara, Write::Unreact(message.id.clone(), mark.0, mark.1)).await;
    world.remove(&stage.mara, &message).await;
    let names =
        ["messaging.posted", "messaging.edited", "messaging.reacted", "messaging.unreacted", "messaging.removed"];
    let events = world.events(&stage.tour.id).await;
    let expected: Vec<_> = [3, 5, 6, 7, 8].map(|offset: usize| offset.to_string()).to_vec();
    let key = |event: &Event| event.position.offset().to_string();
    check_pages(&expected, key, async |page| {
        let page = world.store().message_events(&message.id, &page).await?;
        for event in &page.items {
            assert_eq!(event, &events[event.position.offset() as usize - 1]);
            assert!(names.contains(&event.change.name()));
        }
        Ok(page)
    })
    .await;
}
