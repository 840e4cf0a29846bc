//! Everything that is counted or indexed equals what follows from the rows, after any sequence of writes.

mod sqlite_contradictions;
mod sqlite_fixture;

use parlour_adapters::SqliteOptions;
use parlour_core::{
    call::{CallReason, Calls, NewCall},
    conversation::{Channel, ChannelPatch, Visibility},
    event::ChannelMember,
    inbox::{DeliveryReason, Recipient},
    member::{Agent, Person},
    message::Message,
    policy::{Policy, Retention},
    project::ProjectPatch,
    write::{Ending, NewText, Write},
};
use parlour_hub::{
    ports::{Log, SavedStream, Streams},
    testkit::Caller,
};
use proptest::prelude::*;
use sqlite_contradictions::contradictions;
use sqlite_fixture::{Stage, number};

/// How many agents and people take part; a mask of this many bits calls some of them.
const AGENTS: usize = 3;
const PEOPLE: usize = 2;

/// One write, on things picked by number.
#[derive(Clone, Debug)]
enum Step {
    Post { author: usize, is_private: bool, called: u8, told: u8 },
    Stream { author: usize, is_private: bool },
    Save { post: usize },
    Finish { post: usize, called: u8 },
    Prune { kept: u8 },
    Reply { author: usize, post: usize, called: u8 },
    Edit { post: usize, called: u8 },
    Remove { post: usize },
    Answer { agent: usize, post: usize },
    Pass { agent: usize, post: usize },
    React { member: usize, post: usize },
    Unreact { member: usize, post: usize },
    Read { member: usize, post: usize },
    Admit { agent: usize },
    Expel { agent: usize },
    Turn { is_private: bool },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let (member, post) = (0..AGENTS + PEOPLE, 0..64usize);
    let step = prop_oneof![
        4 => (member.clone(), any::<bool>(), any::<u8>(), any::<u8>())
            .prop_map(|(author, is_private, called, told)| Step::Post { author, is_private, called, told }),
        2 => (member.clone(), post.clone(), any::<u8>())
            .prop_map(|(author, post, called)| Step::Reply { author, post, called }),
        2 => (member.clone(), any::<bool>()).prop_map(|(author, is_private)| Step::Stream { author, is_private }),
        2 => post.clone().prop_map(|post| Step::Save { post }),
        2 => (post.clone(), any::<u8>()).prop_map(|(post, called)| Step::Finish { post, called }),
        1 => any::<u8>().prop_map(|kept| Step::Prune { kept: kept % 32 }),
        2 => (post.clone(), any::<u8>()).prop_map(|(post, called)| Step::Edit { post, called }),
        1 => post.clone().prop_map(|post| Step::Remove { post }),
        3 => (0..AGENTS, post.clone()).prop_map(|(agent, post)| Step::Answer { agent, post }),
        2 => (0..AGENTS, post.clone()).prop_map(|(agent, post)| Step::Pass { agent, post }),
        2 => (member.clone(), post.clone()).prop_map(|(member, post)| Step::React { member, post }),
        1 => (member.clone(), post.clone()).prop_map(|(member, post)| Step::Unreact { member, post }),
        3 => (member, post).prop_map(|(member, post)| Step::Read { member, post }),
        1 => (0..AGENTS).prop_map(|agent| Step::Admit { agent }),
        1 => (0..AGENTS).prop_map(|agent| Step::Expel { agent }),
        1 => any::<bool>().prop_map(|is_private| Step::Turn { is_private }),
    ];
    proptest::collection::vec(step, 1..40)
}

/// The stage with more members, a channel that opens and closes, and what was posted.
struct Play {
    stage: Stage,
    people: Vec<Person>,
    agents: Vec<Agent>,
    secret: Channel,
    posts: Vec<Message>,
}

impl Play {
    async fn new() -> Self {
        let stage = Stage::with(SqliteOptions { readers: 1, ..SqliteOptions::default() }).await;
        let mut people = vec![stage.mara.clone()];
        for place in 1..PEOPLE {
            people.push(stage.world.member(&format!("Person {place}"), &stage.tour).await);
        }
        let mut agents = Vec::new();
        for place in 0..AGENTS {
            agents.push(stage.world.agent(&format!("Agent {place}"), &stage.tour).await);
        }
        let secret = stage.world.private_channel("secret", &stage.tour, &[&stage.mara, &agents[0]]).await;
        Self { stage, people, agents, secret, posts: Vec::new() }
    }

    fn member(&self, place: usize) -> &dyn Caller {
        match place.checked_sub(AGENTS) {
            None => &self.agents[place],
            Some(place) => &self.people[place],
        }
    }

    /// Those members whose bit is set.
    fn called(&self, mask: u8) -> impl Iterator<Item = &dyn Caller> {
        (0..AGENTS + PEOPLE).filter(move |place| mask >> place & 1 == 1).map(|place| self.member(place))
    }

    fn picked(&self, post: usize) -> Option<&Message> {
        self.posts.get(post % self.posts.len().max(1))
    }

    async fn make(&mut self, step: Step) {
        match step {
            Step::Post { author, is_private, called, told } => self.post(author, is_private, called, told).await,
            Step::Reply { author, post, called } => self.reply(author, post, called).await,
            Step::Stream { author, is_private } => self.stream(author, is_private).await,
            Step::Save { post } => self.save(post).await,
            Step::Finish { post, called } => {
                let calls = Calls { called: self.calls(called), held: Vec::new() };
                let ending = Ending { text: self.text(called), calls, ..self.stage.world.ending("") };
                self.about(post, |message| Write::FinishMessage(message.id.clone(), ending)).await;
            }
            Step::Prune { kept } => self.prune(kept).await,
            Step::Edit { post, called } => {
                let text = self.text(called);
                self.about(post, |message| Write::EditMessage(message.id.clone(), text)).await;
            }
            Step::Turn { is_private } => self.turn(is_private).await,
            Step::Remove { post } => self.about(post, |message| Write::RemoveMessage(message.id.clone())).await,
            Step::Answer { agent, post } => self.answer(agent, post).await,
            Step::Pass { agent, post } => {
                let agent = &self.agents[agent];
                self.about(post, |message| self.stage.world.passing(agent, message)).await;
            }
            Step::React { member, post } => {
                let member = self.member(member).member();
                self.about(post, |message| Write::React(message.id.clone(), "👍".into(), member)).await;
            }
            Step::Unreact { member, post } => {
                let member = self.member(member).member();
                self.about(post, |message| Write::Unreact(message.id.clone(), "👍".into(), member)).await;
            }
            Step::Read { member, post } => {
                let member = self.member(member).member();
                self.about(post, |message| Write::MarkRead(message.id.clone(), member)).await;
            }
            Step::Admit { agent } => self.write(Write::AddChannelMember(self.seat(agent))).await,
            Step::Expel { agent } => self.write(Write::RemoveChannelMember(self.seat(agent))).await,
        }
    }

    async fn post(&mut self, author: usize, is_private: bool, called: u8, told: u8) {
        let channel = if is_private { &self.secret } else { &self.stage.general };
        let mut draft = self.stage.world.draft(self.member(author), channel, "some words");
        for member in self.called(called) {
            draft = draft.mentioning(member);
        }
        draft.calls = self.calls(called);
        for agent in self.agents.iter().enumerate().filter(|(place, _)| told >> place & 1 == 1).map(|(_, agent)| agent)
        {
            if draft.deliveries.iter().all(|delivery| delivery.agent_id != agent.id) {
                draft = draft.telling(agent, DeliveryReason::Subscription);
            }
        }
        let posted = self.stage.world.send(self.member(author), &draft).await;
        self.posts.push(posted);
    }

    /// Answers a message; whether that has called the agent does not matter here.
    async fn answer(&mut self, agent: usize, post: usize) {
        let Some(message) = self.picked(post).cloned() else { return };
        let agent = &self.agents[agent];
        let posted = self.stage.world.answer(agent, &self.stage.general, &message).await;
        self.posts.push(posted);
    }

    async fn reply(&mut self, author: usize, post: usize, called: u8) {
        let Some(root) = self.picked(post).cloned() else { return };
        let channel = if root.to == self.secret.id.clone().into() { &self.secret } else { &self.stage.general };
        if root.to != channel.id.clone().into() {
            return; // A thread has no threads.
        }
        let thread = Write::CreateThread(self.stage.world.new_thread(channel, &root));
        let Ok(appended) = self.stage.world.append(&self.stage.tour.id, &self.stage.mara, thread).await else { return };
        let parlour_core::event::Change::ThreadCreated(thread) = appended.change else { unreachable!("a thread") };
        let mut draft = self.stage.world.draft(self.member(author), &*thread, "an answer");
        for member in self.called(called) {
            draft = draft.mentioning(member);
        }
        let posted = self.stage.world.send(self.member(author), &draft).await;
        self.posts.push(posted);
    }

    async fn stream(&mut self, author: usize, is_private: bool) {
        let channel = if is_private { &self.secret } else { &self.stage.general };
        let draft = self.stage.world.draft(self.member(author), channel, "begun").streaming();
        let posted = self.stage.world.send(self.member(author), &draft).await;
        self.posts.push(posted);
    }

    async fn save(&self, post: usize) {
        let Some(message) = self.picked(post) else { return };
        let stream = SavedStream { message_id: message.id.clone(), text: "so far".into(), steps: Vec::new() };
        self.stage.store.save_streams(vec![stream]).await.expect("saved");
    }

    /// Lets the log keep the newest events only: each is one millisecond older than the next.
    async fn prune(&self, kept: u8) {
        let retention = Retention { event_days_max: Some(1), ..Retention::default() };
        let policy = Some(Policy { retention, ..Policy::default() });
        self.write(Write::UpdateProject(ProjectPatch { policy, ..ProjectPatch::default() })).await;
        let tomorrow = self.stage.world.now().plus_millis(24 * 60 * 60 * 1_000 - u64::from(kept));
        self.stage.store.prune_logs(tomorrow).await.expect("pruned");
    }

    /// Calls of the agents whose bit is set; some of them may not read the message.
    fn calls(&self, called: u8) -> Vec<NewCall> {
        let called = self.called(called).filter_map(|member| member.member().agent().cloned());
        called.map(|agent_id| NewCall { agent_id, reason: CallReason::Mention }).collect()
    }

    /// A text that calls the members whose bit is set.
    fn text(&self, called: u8) -> NewText {
        let deliver = |agent: &Agent| Recipient { agent_id: agent.id.clone(), reason: DeliveryReason::Mention };
        let mentions = self.called(called).map(|member| member.member()).collect();
        let told = self.agents.iter().enumerate().filter(|(place, _)| called >> place & 1 == 1);
        NewText {
            body: format!("other words {called}"),
            mentions,
            deliveries: told.map(|(_, agent)| deliver(agent)).collect(),
        }
    }

    async fn turn(&self, is_private: bool) {
        let visibility = Some(if is_private { Visibility::Private } else { Visibility::Project });
        let patch = ChannelPatch { visibility, ..ChannelPatch::default() };
        let members = vec![self.stage.mara.member(), self.agents[1].member()];
        self.write(Write::UpdateChannel(self.secret.id.clone(), patch, members)).await;
    }

    fn seat(&self, agent: usize) -> ChannelMember {
        ChannelMember { channel_id: self.secret.id.clone(), member_id: self.agents[agent].member() }
    }

    /// Makes a write about a message that was posted, if there is one.
    async fn about(&self, post: usize, write: impl FnOnce(&Message) -> Write) {
        if let Some(message) = self.picked(post) {
            self.write(write(message)).await;
        }
    }

    /// Makes a write; that a removed message can only be left alone is no matter here.
    async fn write(&self, write: Write) {
        let _ = self.stage.world.append(&self.stage.tour.id, &self.stage.mara, write).await;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn counts_and_indexes_equal_what_follows_from_the_rows(steps in steps()) {
        let runtime = tokio::runtime::Runtime::new().expect("runtime");
        let broken = runtime.block_on(async {
            let mut play = Play::new().await;
            for step in steps {
                play.make(step).await;
            }
            contradictions(&play.stage.connection())
        });
        prop_assert_eq!(broken, Vec::<&str>::new());
    }
}

#[tokio::test]
async fn a_wrong_count_would_be_seen() {
    let stage = Stage::new().await;
    let coder = stage.world.agent("Coder", &stage.tour).await;
    stage.world.call(&stage.mara, &stage.general, &coder).await;
    let db = stage.connection();
    assert_eq!(contradictions(&db), Vec::<&str>::new());
    db.execute_batch("UPDATE inbox_count SET mentions = 7; DELETE FROM event WHERE offset = 2").expect("sabotage");
    assert_eq!(contradictions(&db).len(), 4);
    db.execute_batch("INSERT INTO stream (message_no, text) VALUES (1, 'late')").expect("sabotage");
    assert_eq!(contradictions(&db).len(), 5);
    assert_eq!(number(&db, "SELECT COUNT(*) FROM inbox"), 1);
}

#[tokio::test]
async fn a_wrong_call_would_be_seen() {
    let stage = Stage::new().await;
    let coder = stage.world.agent("Coder", &stage.tour).await;
    stage.world.call(&stage.mara, &stage.general, &coder).await;
    let removed = stage.world.call(&stage.mara, &stage.general, &coder).await;
    stage.world.change(&stage.tour.id, &coder, stage.world.passing(&coder, &removed)).await;
    stage.world.remove(&stage.mara, &removed).await;
    let db = stage.connection();
    for (sabotage, broken) in [
        ("UPDATE call SET depth = 9", &["a call says of its message what that says"][..]),
        ("UPDATE call SET caller_no = agent_no", &["a call says of its message what that says"]),
        ("UPDATE call SET log_offset = 3", &["a call stands where its message called"]),
        ("UPDATE call SET answer_no = 1 WHERE closed_ms IS NULL", &["only who was called has answered"]),
        ("DELETE FROM call WHERE closed_ms IS NULL", &["a message names whom it calls"]),
        (
            "UPDATE message SET extra = NULL WHERE removed_ms IS NULL",
            &["nobody is called without a message that says so", "the graph finds its messages"],
        ),
        (
            "UPDATE call SET closed_ms = NULL",
            &["no call is open that nobody can answer", "who has passed has no open call"],
        ),
        ("UPDATE member SET engine = '{}'", &["only agents have an engine"]),
    ] {
        db.execute_batch(&format!("BEGIN; {sabotage}")).expect(sabotage);
        assert_eq!(contradictions(&db), broken, "{sabotage}");
        db.execute_batch("ROLLBACK").expect("undone");
    }
    assert_eq!(contradictions(&db), Vec::<&str>::new());
}
