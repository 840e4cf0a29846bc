//! Random sequences of writes, checked against a small model of what a store must then show.

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
    expected::{Expected, Finish, Posted},
    step::{AGENTS, CHANNELS, PEOPLE, Step, steps},
};
use crate::{
    property::check_cases,
    world::{Caller, Draft, Place, World, read_all},
};

/// A project on which the steps are made.
struct Stage {
    tour: Project,
    people: Vec<Person>,
    agents: Vec<Agent>,
    channels: Vec<Channel>,
}

async fn stage(world: &World) -> Stage {
    let owner = world.person("Owner").await;
    let tour = world.project("Tour", &owner).await;
    let (mut people, mut agents, mut channels) = (vec![owner], Vec::new(), Vec::new());
    for number in 1..PEOPLE {
        people.push(world.member(&format!("Person {number}"), &tour).await);
    }
    for number in 0..AGENTS {
        agents.push(world.agent(&format!("Agent {number}"), &tour).await);
    }
    for number in 0..CHANNELS {
        channels.push(world.channel(&format!("room {number}"), &tour).await);
    }
    Stage { tour, people, agents, channels }
}

/// Numbers, offsets, retries, inboxes, unread counts and calls are as the model says, after any sequence of writes.
pub async fn any_sequence_of_writes_leads_to_what_the_model_says(world: World) {
    let cases = AtomicU64::new(1);
    check_cases(steps(), move |steps| {
        let world = world.numbered(cases.fetch_add(1, Ordering::SeqCst));
        async move {
            let stage = stage(&world).await;
            let events = world.events(&stage.tour.id).await.len() as u64;
            let mut expected = Expected::new(events);
            for step in steps {
                stage.make(&world, &mut expected, step).await;
            }
            stage.check(&world, &expected).await;
        }
    })
    .await;
}

impl Stage {
    /// Makes one step in the store and in the model, and checks the answer.
    async fn make(&self, world: &World, expected: &mut Expected, step: Step) {
        match step {
            Step::Post { author, channel, called, is_stream } => {
                let draft = self.draft(world, expected.posts.len(), author, channel, called);
                let draft = if is_stream { draft.streaming() } else { draft };
                self.post(world, expected, Posted::new(draft, author, channel, called)).await;
            }
            Step::Finish { post, called } => self.finish(world, expected, post, called).await,
            Step::Retry { post } => self.retry(world, expected, post).await,
            Step::Steal { post } => self.steal(world, expected, post).await,
            Step::PersonReads { person, post } => {
                let Some(post) = expected.pick(post) else { return };
                let is_new = expected.person_reads(person, post);
                let (reader, post) = (&self.people[person], &expected.posts[post]);
                let mark = Write::MarkRead(post.draft.message.id.clone(), reader.member());
                let marked = self.write(world, expected, reader, mark, is_new).await;
                assert_eq!(left_unread(&marked), expected.person_unread(person)[post.channel].0);
            }
            Step::AgentReads { agent, row } => {
                let Some(post) = expected.agent_reads(agent, row) else { return };
                let (reader, post) = (&self.agents[agent], &expected.posts[post]);
                let mark = Write::MarkRead(post.draft.message.id.clone(), reader.member());
                let marked = self.write(world, expected, reader, mark, true).await;
                assert_eq!(left_unread(&marked), expected.agent_unread(agent)[post.channel].0);
            }
            Step::Answer { agent, post, is_stream } => self.answer(world, expected, agent, post, is_stream).await,
            Step::Pass { agent, post } => self.pass(world, expected, agent, post).await,
            Step::Remove { post } => {
                let Some(post) = expected.pick(post) else { return };
                let is_new = expected.remove(post);
                let removal = Write::RemoveMessage(expected.posts[post].draft.message.id.clone());
                self.write(world, expected, &self.people[0], removal, is_new).await;
            }
        }
    }

    /// Those people and agents whose bit is set.
    fn called(&self, called: u8) -> (Vec<&Person>, Vec<&Agent>) {
        let is_called = |place: usize| called >> place & 1 == 1;
        let people = self.people.iter().enumerate().filter(|(place, _)| is_called(*place));
        let agents = self.agents.iter().enumerate().filter(|(place, _)| is_called(PEOPLE + place));
        (people.map(|(_, person)| person).collect(), agents.map(|(_, agent)| agent).collect())
    }

    fn draft(&self, world: &World, number: usize, author: usize, channel: usize, called: u8) -> Draft {
        let text = format!("message {number}");
        let draft = world.draft(&self.people[author], &self.channels[channel], &text);
        let (people, agents) = self.called(called);
        let draft = people.into_iter().fold(draft, |draft, person| draft.mentioning(person));
        let call = |draft: Draft, agent| {
            draft.telling(agent, DeliveryReason::Subscription).calling(agent, CallReason::Mention)
        };
        agents.into_iter().fold(draft, call)
    }

    /// A member by the number that the model gives it.
    fn author(&self, number: usize) -> &dyn Caller {
        match number.checked_sub(PEOPLE) {
            None => &self.people[number],
            Some(agent) => &self.agents[agent],
        }
    }

    async fn post(&self, world: &World, expected: &mut Expected, post: Posted) {
        let (author, write) = (self.author(post.author), post.draft.write());
        let seq = expected.post(post);
        self.check_post(world, expected, author, write, seq).await;
    }

    async fn answer(&self, world: &World, expected: &mut Expected, agent: usize, by: usize, is_stream: bool) {
        let Some(by) = expected.pick(by) else { return };
        let (author, asked) = (&self.agents[agent], &expected.posts[by]);
        let channel = asked.channel;
        let draft = world.draft(author, &self.channels[channel], "answer").taking(&asked.draft.message);
        let draft = if is_stream { draft.streaming() } else { draft };
        let write = draft.write();
        let seq = expected.answer(agent, by, Posted::new(draft, PEOPLE + agent, channel, 0));
        self.check_post(world, expected, author, write, seq).await;
    }

    async fn pass(&self, world: &World, expected: &mut Expected, agent: usize, by: usize) {
        let Some(by) = expected.pick(by) else { return };
        let caller = &self.agents[agent];
        let write = world.passing(caller, &expected.posts[by].draft.message);
        match expected.pass(agent, by) {
            None => assert_eq!(world.refusal(&self.tour.id, caller, write).await, Code::NotFound),
            Some(is_new) => drop(self.write(world, expected, caller, write, is_new).await),
        }
    }

    async fn check_post(&self, world: &World, expected: &Expected, author: &dyn Caller, write: Write, seq: u64) {
        let appended = world.append(&self.tour.id, author, write).await.expect("posted");
        let Change::MessagePosted(message) = &appended.change else { unreachable!("a post answers a message") };
        assert_eq!((message.seq, appended.position.offset()), (seq, expected.offset));
        assert_eq!(appended.novelty, Novelty::New);
    }

    /// Ends a stream and asks for the same again; a message that is no stream (any more) refuses.
    async fn finish(&self, world: &World, expected: &mut Expected, post: usize, called: u8) {
        let Some(post) = expected.pick(post) else { return };
        let (people, agents) = self.called(called);
        // The count of events makes it another text each time, so no later ending is a repetition of it.
        let mut ending = world.ending(&format!("final {}", expected.events));
        ending.text.mentions = people.into_iter().map(|person| person.member()).collect();
        let deliver = |agent: &Agent| Recipient { agent_id: agent.id.clone(), reason: DeliveryReason::Subscription };
        ending.text.deliveries = agents.iter().copied().map(deliver).collect();
        let call = |agent: &Agent| NewCall { agent_id: agent.id.clone(), reason: CallReason::Mention };
        ending.calls.called = agents.into_iter().map(call).collect();
        let (author, id) = (self.author(expected.posts[post].author), expected.posts[post].draft.message.id.clone());
        let write = Write::FinishMessage(id, ending.clone());
        match expected.finish(post, &ending.text.body, called) {
            Finish::Ended => {
                let first = self.write(world, expected, author, write.clone(), true).await;
                assert_eq!(self.write(world, expected, author, write, false).await, first);
            }
            Finish::EndedBefore => {
                assert_eq!(world.refusal(&self.tour.id, author, write).await, Code::StreamEnded);
            }
            Finish::Removed => assert_eq!(world.refusal(&self.tour.id, author, write).await, Code::Removed),
        }
    }

    async fn retry(&self, world: &World, expected: &Expected, post: usize) {
        let Some(post) = expected.pick(post).map(|post| &expected.posts[post]) else { return };
        let author = self.author(post.author);
        let again = world.append(&self.tour.id, author, post.draft.write()).await.expect("a retry is harmless");
        let Change::MessagePosted(message) = &again.change else { unreachable!("a post answers a message") };
        assert_eq!((message.seq, again.position.offset(), again.novelty), (post.seq, post.offset, Novelty::Repeated));
    }

    async fn steal(&self, world: &World, expected: &Expected, post: usize) {
        let Some(post) = expected.pick(post).map(|post| &expected.posts[post]) else { return };
        let thief = &self.people[(post.author + 1) % PEOPLE];
        let channel = &self.channels[post.channel];
        let draft = world.draft(thief, channel, &post.draft.message.body).under_id(&post.draft.message.id);
        assert_eq!(world.refusal(&self.tour.id, thief, draft.write()).await, Code::ClientIdReused);
    }

    /// Makes a write of which the model knows whether it changes something.
    async fn write(
        &self,
        world: &World,
        expected: &Expected,
        actor: &dyn Caller,
        write: Write,
        is_new: bool,
    ) -> Change {
        let text = format!("{write:?}");
        let appended = world.append(&self.tour.id, actor, write).await.expect(&text);
        assert_eq!(appended.novelty == Novelty::New, is_new, "{text}");
        if is_new {
            assert_eq!(appended.position.offset(), expected.offset, "{text}");
        }
        appended.change
    }

    /// Compares everything that the port shows with the model.
    async fn check(&self, world: &World, expected: &Expected) {
        let offsets: Vec<_> = world.events(&self.tour.id).await.iter().map(|event| event.position.offset()).collect();
        assert_eq!(offsets, (1..=expected.events).collect::<Vec<_>>());
        for (channel, place) in self.channels.iter().enumerate() {
            let history = world.history(&place.conversation_id()).await;
            let shown: Vec<_> = history.into_iter().map(|message| (message.seq, message.body, message.state)).collect();
            assert_eq!(shown, expected.history(channel));
        }
        assert_eq!(self.open_streams(world).await, expected.open_streams());
        for (person, caller) in self.people.iter().enumerate() {
            assert_eq!(self.unread(world, caller).await, expected.person_unread(person), "{}", caller.name);
        }
        for (agent, caller) in self.agents.iter().enumerate() {
            let rows =
                read_all(2, async |page| world.store().inbox(&caller.id, &InboxFilter::default(), &page).await).await;
            let bodies: Vec<_> = rows.into_iter().map(|row| row.message.body).collect();
            assert_eq!(bodies, expected.inbox(agent), "{}", caller.name);
            assert_eq!(world.store().inbox_counts(&caller.id).await.expect("counts").total, bodies.len() as u64);
            assert_eq!(self.unread(world, caller).await, expected.agent_unread(agent), "{}", caller.name);
            self.check_calls(world, expected, agent).await;
        }
    }

    /// Compares what is told of an agent's calls with the model.
    async fn check_calls(&self, world: &World, expected: &Expected, agent: usize) {
        let (id, shown) = (&self.agents[agent].id, expected.calls(agent));
        let mut recent = world.store().recent_calls(slice::from_ref(id), shown.len() + 1).await.expect("calls");
        recent.reverse();
        let told = |call: Call| (call.message_id, call.state, call.answer_id);
        assert_eq!(recent.into_iter().map(told).collect::<Vec<_>>(), shown);
        let always = Timestamp::from_millis(0);
        let open = read_all(2, async |page| world.store().open_calls(id, always, &page).await).await;
        let still_open = shown.into_iter().filter(|(_, state, _)| *state == CallState::Open);
        assert_eq!(open.into_iter().map(told).collect::<Vec<_>>(), still_open.collect::<Vec<_>>());
        for (channel, waiting) in self.channels.iter().zip(expected.waiting(agent)) {
            let place = channel.conversation_id();
            let counts = world.store().waiting_calls(&place, slice::from_ref(id), always).await.expect("counts");
            assert_eq!(counts, [waiting]);
        }
    }

    /// The texts of the project's open streams.
    async fn open_streams(&self, world: &World) -> Vec<String> {
        let open = world.store().open_streams().await.expect("open streams").into_iter();
        open.filter(|(message, _)| message.project_id == self.tour.id).map(|(_, stream)| stream.text).collect()
    }

    /// Unread messages and mentions in each channel.
    async fn unread(&self, world: &World, caller: &dyn Caller) -> Vec<(u64, u64)> {
        let rows = world.store().unread(&self.tour.id, &caller.principal()).await.expect("unread");
        let row = |channel: &Channel| rows.iter().find(|row| row.conversation_id == channel.conversation_id());
        self.channels.iter().map(|channel| row(channel).map_or((0, 0), |row| (row.unread, row.mentions))).collect()
    }
}

/// What a read mark says is left.
fn left_unread(marked: &Change) -> u64 {
    let Change::Read(mark) = marked else { unreachable!("a mark answers a mark") };
    mark.unread
}
