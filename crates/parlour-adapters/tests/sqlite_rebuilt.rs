//! Everything that is counted or indexed equals what follows from the rows, after any sequence of writes.

mod sqlite_contradictions;
mod sqlite_fixture;

use parlour_adapters::SqliteOptions;
use parlour_core::{
    call::{CallReason, Calls, NewCall},
    conversation::{Channel, ChannelPatch, Visibility},
    delivery::{DeliveryState, DeliveryStep},
    event::ChannelMember,
    inbox::{DeliveryReason, Recipient},
    member::{Agent, Person},
    message::{Importance, Message},
    policy::{Policy, Retention},
    project::ProjectPatch,
    question::Settlement,
    run::{PauseReason, Run, RunEnd, RunState},
    write::{Ending, NewText, Write},
};
use parlour_hub::ports::{Log, SavedStream, Streams};
use parlour_testkit::Caller;
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
    Ask { author: usize, is_private: bool, called: u8 },
    Settle { post: usize, how: u8 },
    Report { agent: usize, post: usize, how: u8 },
    Start { agent: usize },
    Pause { run: usize, post: usize },
    Resume { run: usize, member: usize },
    End { run: usize, how: u8 },
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
        3 => (0..AGENTS + PEOPLE, any::<bool>(), any::<u8>())
            .prop_map(|(author, is_private, called)| Step::Ask { author, is_private, called }),
        2 => (0..64usize, any::<u8>()).prop_map(|(post, how)| Step::Settle { post, how }),
        3 => (0..AGENTS, 0..64usize, any::<u8>()).prop_map(|(agent, post, how)| Step::Report { agent, post, how }),
        2 => (0..AGENTS).prop_map(|agent| Step::Start { agent }),
        3 => (0..8usize, 0..64usize).prop_map(|(run, post)| Step::Pause { run, post }),
        2 => (0..8usize, 0..AGENTS + PEOPLE).prop_map(|(run, member)| Step::Resume { run, member }),
        1 => (0..8usize, any::<u8>()).prop_map(|(run, how)| Step::End { run, how }),
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
    runs: Vec<Run>,
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
        Self { stage, people, agents, secret, posts: Vec::new(), runs: Vec::new() }
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
            Step::Ask { author, is_private, called } => self.ask(author, is_private, called).await,
            Step::Settle { post, how } => self.settle(post, how).await,
            Step::Report { agent, post, how } => self.report(agent, post, how).await,
            Step::Start { agent } => self.runs.push(self.stage.world.start(&self.agents[agent], None).await),
            Step::Pause { run, post } => self.pause(run, post).await,
            Step::Resume { run, member } => self.resume(run, member).await,
            Step::End { run, how } => self.end(run, how).await,
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

    /// Asks the members whose bit is set; one question too many is refused.
    async fn ask(&mut self, author: usize, is_private: bool, called: u8) {
        let channel = if is_private { &self.secret } else { &self.stage.general };
        let asked: Vec<&dyn Caller> = self.called(called).collect();
        let mut draft = self.stage.world.asking(self.member(author), channel, &asked);
        draft.message.importance =
            [Importance::Normal, Importance::High, Importance::Critical][usize::from(called % 3)];
        let appended = self.stage.world.append(&self.stage.tour.id, self.member(author), draft.write()).await;
        if let Ok(parlour_core::event::Change::MessagePosted(posted)) = appended.map(|appended| appended.change) {
            self.posts.push(*posted);
        }
    }

    async fn settle(&self, post: usize, how: u8) {
        let Some(question) = self.picked(post).and_then(|message| message.question.clone()) else { return };
        let ignoring = question.addressees.get(usize::from(how) % question.addressees.len().max(1));
        let settlement = match (how % 3, ignoring) {
            (0, _) => Settlement::Expired,
            (1, _) | (_, None) => Settlement::Withdrawn,
            (_, Some(member)) => Settlement::Ignored(member.clone()),
        };
        self.about(post, |message| Write::SettleQuestion(message.id.clone(), settlement)).await;
    }

    async fn report(&self, agent: usize, post: usize, how: u8) {
        use DeliveryState::{Expired, Failed, Injected, Queued, Seen};
        let run_id = self.runs.get(usize::from(how) % 8).map(|run| run.id.clone());
        let state = [Queued, Injected, Seen, Failed, Expired][usize::from(how) % 5];
        let step = DeliveryStep { run_id: run_id.filter(|_| state == Injected), ..DeliveryStep::to(state) };
        if let Some(message) = self.picked(post) {
            let _ = self.stage.world.report(&self.agents[agent], message, step).await;
        }
    }

    async fn pause(&self, run: usize, post: usize) {
        let (Some(run), Some(message)) = (self.runs.get(run), self.picked(post)) else { return };
        let is_own = message.from.member_id() == Some(run.agent_id.clone().into());
        let reason = if is_own { PauseReason::Asked } else { PauseReason::Message };
        self.write(Write::PauseRun(run.id.clone(), vec![self.stage.world.pause(reason, message)])).await;
    }

    async fn resume(&self, run: usize, member: usize) {
        let Some(run) = self.runs.get(run) else { return };
        let write = Write::ResumeRun(run.id.clone(), None, "by hand".into());
        let _ = self.stage.world.append(&self.stage.tour.id, self.member(member), write).await;
    }

    async fn end(&self, run: usize, how: u8) {
        let state = [RunState::Done, RunState::Failed, RunState::Cancelled][usize::from(how) % 3];
        if let Some(run) = self.runs.get(run) {
            self.write(Write::EndRun(run.id.clone(), RunEnd { state, reason: None, usage: None })).await;
        }
    }

    /// Answers a message; whether that has called the agent does not matter here.
    async fn answer(&mut self, agent: usize, post: usize) {
        let Some(message) = self.picked(post).cloned() else { return };
        let agent = &self.agents[agent];
        let draft = self.stage.world.draft(agent, &self.stage.general, "answer").taking(&message);
        let draft = if message.blocking { draft.saying_yes_to(&message) } else { draft };
        let posted = self.stage.world.send(agent, &draft).await;
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

#[tokio::test]
async fn a_wrong_question_run_or_delivery_would_be_seen() {
    let stage = Stage::new().await;
    let coder = stage.world.agent("Coder", &stage.tour).await;
    stage.world.task("Ship it", &stage.tour).await;
    let asked = stage.world.ask(&stage.mara, &stage.general, &[&coder]).await;
    let run = stage.world.start(&coder, None).await;
    stage.world.pause_run(&coder, &run, &asked).await;
    stage.world.reach(&coder, &asked, DeliveryState::Queued).await;
    let db = stage.connection();
    assert_eq!(contradictions(&db), Vec::<&str>::new());
    for (sabotage, broken) in [
        ("UPDATE message SET importance = 1", &["an unread message matters as much as its message says"][..]),
        ("UPDATE delivery SET state = 3", &["what was seen is read, and what is read was seen"]),
        ("DELETE FROM run_pause", &["a run is found by what pauses it"]),
        ("UPDATE run SET state = 0", &["a run is as far as it says", "a paused run is paused by something"]),
        ("DELETE FROM moment WHERE kind = 0", &["every run has begun, and every one that has ended has its end"]),
        ("DELETE FROM moment WHERE kind = 7", &["every task was given"]),
        (
            "DELETE FROM question_addressee",
            &[
                "an unread message blocks those whom its question awaits",
                "an open question awaits those who have not ignored it",
            ],
        ),
        (
            "UPDATE question SET state = 1",
            &["nobody is awaited by a question that has ended", "a question is as open as it says"],
        ),
    ] {
        db.execute_batch(&format!("BEGIN; {sabotage}")).expect(sabotage);
        assert_eq!(contradictions(&db), broken, "{sabotage}");
        db.execute_batch("ROLLBACK").expect("undone");
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
        (
            "UPDATE call SET log_offset = 3",
            &["where an agent was called last follows from its calls", "a call stands where its message called"],
        ),
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
