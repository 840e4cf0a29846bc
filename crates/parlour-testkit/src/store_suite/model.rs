//! Random sequences of writes, compared with a small model of the store.

mod expected;
mod step;

use std::{
    slice,
    sync::atomic::{AtomicU64, Ordering},
};

use parlour_core::inbox::InboxFilter;
use parlour_core::{
    Code, Timestamp,
    call::{Call, CallReason, CallState, NewCall},
    conversation::Channel,
    event::Change,
    inbox::{DeliveryReason, Recipient},
    member::{Agent, Person},
    project::Project,
    write::{Novelty, Write},
};

use self::{
    expected::{FinishOutcome, ModelPost, StoreModel},
    step::{AGENTS, CHANNELS, ModelStep, PEOPLE, steps},
};
use crate::{
    property::check_cases,
    test_store::{MessageDraft, PostTarget, TestMember, TestStore, read_all},
};

/// The project to which the steps are applied.
struct ModelFixture {
    tour: Project,
    people: Vec<Person>,
    agents: Vec<Agent>,
    channels: Vec<Channel>,
}

async fn fixture(test_store: &TestStore) -> ModelFixture {
    let owner = test_store.person("Owner").await;
    let tour = test_store.project("Tour", &owner).await;
    let (mut people, mut agents, mut channels) = (vec![owner], Vec::new(), Vec::new());
    for number in 1..PEOPLE {
        people.push(test_store.member(&format!("Person {number}"), &tour).await);
    }
    for number in 0..AGENTS {
        agents.push(test_store.agent(&format!("Agent {number}"), &tour).await);
    }
    for number in 0..CHANNELS {
        channels.push(test_store.channel(&format!("room {number}"), &tour).await);
    }
    ModelFixture { tour, people, agents, channels }
}

/// Numbers, offsets, retries, inboxes, unread counts and calls agree with the model after any sequence of writes.
pub async fn random_writes_agree_with_the_model(test_store: TestStore) {
    let cases = AtomicU64::new(1);
    check_cases(steps(), move |steps| {
        let test_store = test_store.numbered(cases.fetch_add(1, Ordering::SeqCst));
        async move {
            let fixture = fixture(&test_store).await;
            let events = test_store.events(&fixture.tour.id).await.len() as u64;
            let mut expected = StoreModel::new(events);
            for step in steps {
                fixture.apply(&test_store, &mut expected, step).await;
            }
            fixture.check(&test_store, &expected).await;
        }
    })
    .await;
}

impl ModelFixture {
    /// Applies one step to the store and to the model, and compares the results.
    async fn apply(&self, test_store: &TestStore, expected: &mut StoreModel, step: ModelStep) {
        match step {
            ModelStep::Post { author, channel, called, is_stream } => {
                let draft = self.draft(test_store, expected.posts.len(), author, channel, called);
                let draft = if is_stream { draft.streaming() } else { draft };
                self.post(test_store, expected, ModelPost::new(draft, author, channel, called)).await;
            }
            ModelStep::FinishOutcome { post, called } => self.finish(test_store, expected, post, called).await,
            ModelStep::Retry { post } => self.retry(test_store, expected, post).await,
            ModelStep::Steal { post } => self.steal(test_store, expected, post).await,
            ModelStep::PersonReads { person, post } => {
                let Some(post) = expected.pick(post) else { return };
                let is_new = expected.person_reads(person, post);
                let (reader, post) = (&self.people[person], &expected.posts[post]);
                let mark = Write::MarkRead(post.draft.message.id.clone(), reader.member());
                let marked = self.write(test_store, expected, reader, mark, is_new).await;
                assert_eq!(left_unread(&marked), expected.person_unread(person)[post.channel].0);
            }
            ModelStep::AgentReads { agent, row } => {
                let Some(post) = expected.agent_reads(agent, row) else { return };
                let (reader, post) = (&self.agents[agent], &expected.posts[post]);
                let mark = Write::MarkRead(post.draft.message.id.clone(), reader.member());
                let marked = self.write(test_store, expected, reader, mark, true).await;
                assert_eq!(left_unread(&marked), expected.agent_unread(agent)[post.channel].0);
            }
            ModelStep::Answer { agent, post, is_stream } => {
                self.answer(test_store, expected, agent, post, is_stream).await
            }
            ModelStep::Pass { agent, post } => self.pass(test_store, expected, agent, post).await,
            ModelStep::Remove { post } => {
                let Some(post) = expected.pick(post) else { return };
                let is_new = expected.remove(post);
                let removal = Write::RemoveMessage(expected.posts[post].draft.message.id.clone());
                self.write(test_store, expected, &self.people[0], removal, is_new).await;
            }
        }
    }

    /// The people and agents whose bit is set.
    fn called(&self, called: u8) -> (Vec<&Person>, Vec<&Agent>) {
        let is_called = |index: usize| called >> index & 1 == 1;
        let people = self.people.iter().enumerate().filter(|(index, _)| is_called(*index));
        let agents = self.agents.iter().enumerate().filter(|(index, _)| is_called(PEOPLE + index));
        (people.map(|(_, person)| person).collect(), agents.map(|(_, agent)| agent).collect())
    }

    fn draft(&self, test_store: &TestStore, number: usize, author: usize, channel: usize, called: u8) -> MessageDraft {
        let text = format!("message {number}");
        let draft = test_store.draft(&self.people[author], &self.channels[channel], &text);
        let (people, agents) = self.called(called);
        let draft = people.into_iter().fold(draft, |draft, person| draft.mentioning(person));
        let call = |draft: MessageDraft, agent| {
            draft.delivered_to(agent, DeliveryReason::Subscription).calling(agent, CallReason::Mention)
        };
        agents.into_iter().fold(draft, call)
    }

    /// The member with this number in the model.
    fn author(&self, number: usize) -> &dyn TestMember {
        match number.checked_sub(PEOPLE) {
            None => &self.people[number],
            Some(agent) => &self.agents[agent],
        }
    }

    async fn post(&self, test_store: &TestStore, expected: &mut StoreModel, post: ModelPost) {
        let (author, write) = (self.author(post.author), post.draft.write());
        let seq = expected.post(post);
        self.check_post(test_store, expected, author, write, seq).await;
    }

    async fn answer(
        &self,
        test_store: &TestStore,
        expected: &mut StoreModel,
        agent: usize,
        by: usize,
        is_stream: bool,
    ) {
        let Some(by) = expected.pick(by) else { return };
        let (author, asked) = (&self.agents[agent], &expected.posts[by]);
        let channel = asked.channel;
        let draft = test_store.draft(author, &self.channels[channel], "answer").taking(&asked.draft.message);
        let draft = if is_stream { draft.streaming() } else { draft };
        let write = draft.write();
        let seq = expected.answer(agent, by, ModelPost::new(draft, PEOPLE + agent, channel, 0));
        self.check_post(test_store, expected, author, write, seq).await;
    }

    async fn pass(&self, test_store: &TestStore, expected: &mut StoreModel, agent: usize, by: usize) {
        let Some(by) = expected.pick(by) else { return };
        let caller = &self.agents[agent];
        let write = test_store.passing(caller, &expected.posts[by].draft.message);
        match expected.pass(agent, by) {
            None => assert_eq!(test_store.refusal(&self.tour.id, caller, write).await, Code::NotFound),
            Some(is_new) => drop(self.write(test_store, expected, caller, write, is_new).await),
        }
    }

    async fn check_post(
        &self,
        test_store: &TestStore,
        expected: &StoreModel,
        author: &dyn TestMember,
        write: Write,
        seq: u64,
    ) {
        let appended = test_store.append(&self.tour.id, author, write).await.expect("posted");
        let Change::MessagePosted(message) = &appended.change else { unreachable!("a post answers a message") };
        assert_eq!((message.seq, appended.position.offset()), (seq, expected.offset));
        assert_eq!(appended.novelty, Novelty::New);
    }

    /// Ends a stream and repeats the same ending; a message that is not streaming is refused.
    async fn finish(&self, test_store: &TestStore, expected: &mut StoreModel, post: usize, called: u8) {
        let Some(post) = expected.pick(post) else { return };
        let (people, agents) = self.called(called);
        // The offset makes each text different, so that no later ending is a repetition.
        let mut ending = test_store.ending(&format!("final {}", expected.events));
        ending.text.mentions = people.into_iter().map(|person| person.member()).collect();
        let deliver = |agent: &Agent| Recipient { agent_id: agent.id.clone(), reason: DeliveryReason::Subscription };
        ending.text.deliveries = agents.iter().copied().map(deliver).collect();
        let call = |agent: &Agent| NewCall { agent_id: agent.id.clone(), reason: CallReason::Mention };
        ending.calls.called = agents.into_iter().map(call).collect();
        let (author, id) = (self.author(expected.posts[post].author), expected.posts[post].draft.message.id.clone());
        let write = Write::FinishMessage(id, ending.clone());
        match expected.finish(post, &ending.text.body, called) {
            FinishOutcome::Ended => {
                let first = self.write(test_store, expected, author, write.clone(), true).await;
                assert_eq!(self.write(test_store, expected, author, write, false).await, first);
            }
            FinishOutcome::EndedBefore => {
                assert_eq!(test_store.refusal(&self.tour.id, author, write).await, Code::StreamEnded);
            }
            FinishOutcome::Removed => assert_eq!(test_store.refusal(&self.tour.id, author, write).await, Code::Removed),
        }
    }

    async fn retry(&self, test_store: &TestStore, expected: &StoreModel, post: usize) {
        let Some(post) = expected.pick(post).map(|post| &expected.posts[post]) else { return };
        let author = self.author(post.author);
        let again = test_store.append(&self.tour.id, author, post.draft.write()).await.expect("a retry is harmless");
        let Change::MessagePosted(message) = &again.change else { unreachable!("a post answers a message") };
        assert_eq!((message.seq, again.position.offset(), again.novelty), (post.seq, post.offset, Novelty::Repeated));
    }

    async fn steal(&self, test_store: &TestStore, expected: &StoreModel, post: usize) {
        let Some(post) = expected.pick(post).map(|post| &expected.posts[post]) else { return };
        let thief = &self.people[(post.author + 1) % PEOPLE];
        let channel = &self.channels[post.channel];
        let draft = test_store.draft(thief, channel, &post.draft.message.body).with_id(&post.draft.message.id);
        assert_eq!(test_store.refusal(&self.tour.id, thief, draft.write()).await, Code::ClientIdReused);
    }

    /// Appends a write that must change something exactly if the model says so.
    async fn write(
        &self,
        test_store: &TestStore,
        expected: &StoreModel,
        actor: &dyn TestMember,
        write: Write,
        is_new: bool,
    ) -> Change {
        let text = format!("{write:?}");
        let appended = test_store.append(&self.tour.id, actor, write).await.expect(&text);
        assert_eq!(appended.novelty == Novelty::New, is_new, "{text}");
        if is_new {
            assert_eq!(appended.position.offset(), expected.offset, "{text}");
        }
        appended.change
    }

    /// Compares everything that the port returns with the model.
    async fn check(&self, test_store: &TestStore, expected: &StoreModel) {
        let offsets: Vec<_> =
            test_store.events(&self.tour.id).await.iter().map(|event| event.position.offset()).collect();
        assert_eq!(offsets, (1..=expected.events).collect::<Vec<_>>());
        for (channel, target) in self.channels.iter().enumerate() {
            let history = test_store.history(&target.conversation_id()).await;
            let shown: Vec<_> = history.into_iter().map(|message| (message.seq, message.body, message.state)).collect();
            assert_eq!(shown, expected.history(channel));
        }
        assert_eq!(self.open_streams(test_store).await, expected.open_streams());
        for (person, caller) in self.people.iter().enumerate() {
            assert_eq!(self.unread(test_store, caller).await, expected.person_unread(person), "{}", caller.name);
        }
        for (agent, caller) in self.agents.iter().enumerate() {
            let rows =
                read_all(2, async |page| test_store.store().inbox(&caller.id, &InboxFilter::default(), &page).await)
                    .await;
            let bodies: Vec<_> = rows.into_iter().map(|row| row.message.body).collect();
            assert_eq!(bodies, expected.inbox(agent), "{}", caller.name);
            assert_eq!(test_store.store().inbox_counts(&caller.id).await.expect("counts").total, bodies.len() as u64);
            assert_eq!(self.unread(test_store, caller).await, expected.agent_unread(agent), "{}", caller.name);
            self.check_calls(test_store, expected, agent).await;
        }
    }

    /// Compares the calls of an agent with the model.
    async fn check_calls(&self, test_store: &TestStore, expected: &StoreModel, agent: usize) {
        let (id, shown) = (&self.agents[agent].id, expected.calls(agent));
        let mut recent = test_store.store().recent_calls(slice::from_ref(id), shown.len() + 1).await.expect("calls");
        recent.reverse();
        let summary = |call: Call| (call.message_id, call.state, call.answer_id);
        assert_eq!(recent.into_iter().map(summary).collect::<Vec<_>>(), shown);
        let always = Timestamp::from_millis(0);
        let open = read_all(2, async |page| test_store.store().open_calls(id, always, &page).await).await;
        let still_open = shown.into_iter().filter(|(_, state, _)| *state == CallState::Open);
        assert_eq!(open.into_iter().map(summary).collect::<Vec<_>>(), still_open.collect::<Vec<_>>());
        for (channel, waiting) in self.channels.iter().zip(expected.waiting(agent)) {
            let conversation = channel.conversation_id();
            let counts =
                test_store.store().waiting_calls(&conversation, slice::from_ref(id), always).await.expect("counts");
            assert_eq!(counts, [waiting]);
        }
    }

    /// The texts of the project's open streams.
    async fn open_streams(&self, test_store: &TestStore) -> Vec<String> {
        let open = test_store.store().open_streams().await.expect("open streams").into_iter();
        open.filter(|(message, _)| message.project_id == self.tour.id).map(|(_, stream)| stream.text).collect()
    }

    /// Unread messages and mentions in each channel.
    async fn unread(&self, test_store: &TestStore, caller: &dyn TestMember) -> Vec<(u64, u64)> {
        let rows = test_store.store().unread(&self.tour.id, &caller.principal()).await.expect("unread");
        let row = |channel: &Channel| rows.iter().find(|row| row.conversation_id == channel.conversation_id());
        self.channels.iter().map(|channel| row(channel).map_or((0, 0), |row| (row.unread, row.mentions))).collect()
    }
}

/// The number of unread messages in the event of a read message.
fn left_unread(marked: &Change) -> u64 {
    let Change::Read(mark) = marked else { unreachable!("a mark answers a mark") };
    mark.unread
}
