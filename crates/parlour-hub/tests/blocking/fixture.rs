use parlour_core::{
    access::Principal,
    checkpoint::{Checkpoint, CheckpointDelivery},
    id::{ChannelId, DmId, MemberId, MessageId, ProjectId, RunId, ThreadId},
    message::Message,
    paging::PageRequest,
    post::PostMessage,
    question::{AnswerOption, AnswerRequest, NewQuestion, Question},
    run::{Run, RunState, StartRun},
    timeline::TimelineEntryKind,
    token::{ActsAs, ProgramType},
};
use parlour_hub::{
    Failure, Hub,
    use_cases::{IssueToken, OpenDm, OpenThread, Posted, TokenFormat},
};
use tokio_util::sync::DropGuard;

use crate::support::{TestHub, name, say, token_request};

/// A project of Mara with Ben, an open channel, and the agents Coder, Tester and Writer.
pub(crate) struct BlockingFixture {
    pub(crate) test: TestHub,
    pub(crate) project: ProjectId,
    pub(crate) channel: ChannelId,
    pub(crate) mara: Principal,
    pub(crate) ben: Principal,
    pub(crate) coder: Principal,
    pub(crate) tester: Principal,
    pub(crate) writer: Principal,
    pub(crate) running: Option<DropGuard>,
}

impl BlockingFixture {
    /// A hub without background tasks.
    pub(crate) async fn new() -> Self {
        Self::over(TestHub::new().await, None).await
    }

    /// A hub with running background tasks.
    pub(crate) async fn live() -> Self {
        let (test, running) = TestHub::live().await;
        Self::over(test, Some(running)).await
    }

    async fn over(test: TestHub, running: Option<DropGuard>) -> Self {
        let (mara, ben) = (test.person("Mara").await, test.person("Ben").await);
        let project = test.project(&mara, "Apollo").await;
        test.join(&project, &ben).await;
        let channel = test.channel(&mara, &project, "general").await;
        let coder = test.agent(&project, "Coder").await;
        let tester = test.agent(&project, "Tester").await;
        let writer = test.agent(&project, "Writer").await;
        Self { test, project, channel, mara, ben, coder, tester, writer, running }
    }

    pub(crate) fn hub(&self) -> &Hub {
        &self.test.hub
    }

    /// A blocking message in the channel.
    pub(crate) fn question(&self, body: &str, ask: NewQuestion) -> PostMessage {
        PostMessage { blocking: true, question: Some(ask), ..say(&self.channel, body) }
    }

    /// Posts a blocking message in the channel.
    pub(crate) async fn ask(&self, who: &Principal, body: &str) -> Message {
        self.ask_with(who, body, NewQuestion::default()).await
    }

    pub(crate) async fn ask_with(&self, who: &Principal, body: &str, ask: NewQuestion) -> Message {
        self.hub().post_message(who, self.question(body, ask)).await.expect("asked").message
    }

    /// Posts in reply to a message of the channel.
    pub(crate) async fn reply(&self, who: &Principal, to: &Message, body: &str) -> Posted {
        let request = PostMessage { reply_to: Some(to.id.clone()), ..say(&self.channel, body) };
        self.hub().post_message(who, request).await.expect("posted")
    }

    pub(crate) async fn answer(&self, who: &Principal, id: &MessageId, text: &str) -> Result<Message, Failure> {
        let request = AnswerRequest { text: Some(text.into()), ..AnswerRequest::default() };
        self.hub().answer_question(who, id, request).await
    }

    pub(crate) async fn choose(&self, who: &Principal, id: &MessageId, option: &str) -> Result<Message, Failure> {
        let request = AnswerRequest { option: Some(option.into()), ..AnswerRequest::default() };
        self.hub().answer_question(who, id, request).await
    }

    pub(crate) async fn ignore(&self, who: &Principal, id: &MessageId) -> Result<Message, Failure> {
        self.hub().answer_question(who, id, AnswerRequest { ignore: true, ..AnswerRequest::default() }).await
    }

    /// The current question of a message.
    pub(crate) async fn asked(&self, id: &MessageId) -> Question {
        self.hub().message(&self.mara, id).await.expect("message").question.expect("a question")
    }

    /// Starts a run of an agent in the channel.
    pub(crate) async fn start(&self, agent: &Principal) -> RunId {
        let request = StartRun { channel_id: Some(self.channel.clone()), ..StartRun::default() };
        self.hub().start_run(agent, request).await.expect("started").id
    }

    pub(crate) async fn checkpoint(&self, agent: &Principal, run: &RunId) -> Checkpoint {
        self.hub().checkpoint(agent, run, CheckpointDelivery::Checkpoint).await.expect("a checkpoint")
    }

    pub(crate) async fn run(&self, id: &RunId) -> Run {
        self.hub().run(&self.mara, id).await.expect("run")
    }

    pub(crate) async fn state(&self, id: &RunId) -> RunState {
        self.run(id).await.state
    }

    /// A run of Coder that waits for the answer to its question.
    pub(crate) async fn waiting_run(&self, body: &str, ask: NewQuestion) -> (RunId, Message) {
        let run = self.start(&self.coder).await;
        let asked = self.ask_with(&self.coder, body, NewQuestion { run_id: Some(run.clone()), ..ask }).await;
        assert_eq!(self.state(&run).await, RunState::Paused);
        (run, asked)
    }

    /// A run of Coder that is paused by a message of Mara.
    pub(crate) async fn blocked_run(&self) -> (RunId, Message) {
        let run = self.start(&self.coder).await;
        let asked = self.ask(&self.mara, "@Coder, which version?").await;
        self.checkpoint(&self.coder, &run).await;
        assert_eq!(self.state(&run).await, RunState::Paused);
        (run, asked)
    }

    /// The timeline of a run: kind and detail of each entry.
    pub(crate) async fn timeline(&self, id: &RunId) -> Vec<(TimelineEntryKind, Option<String>)> {
        let page = self.hub().run_timeline(&self.mara, id, &PageRequest::first()).await.expect("timeline");
        page.items.into_iter().map(|entry| (entry.kind, entry.detail)).collect()
    }

    pub(crate) async fn thread(&self, root: &MessageId) -> ThreadId {
        let request = OpenThread { channel_id: self.channel.clone(), root_message_id: root.clone() };
        self.hub().open_thread(&self.mara, request).await.expect("thread").0.id
    }

    pub(crate) async fn dm(&self, who: &Principal, with: &[&Principal]) -> DmId {
        let participants: Vec<MemberId> = with.iter().map(|one| one.member.clone()).collect();
        let request = OpenDm { project_id: Some(self.project.clone()), participants, first: None };
        self.hub().open_dm(who, request).await.expect("dm").dm.id
    }

    /// An applet that posts for Mara.
    pub(crate) async fn applet(&self) -> Principal {
        let acts_as = Some(ActsAs { program: ProgramType::Applet, name: name("clicker") });
        let request = IssueToken { acts_as, ..token_request(None, TokenFormat::Static, None) };
        let secret = self.hub().issue_token(&self.mara, request).await.expect("issued").secret.expect("a secret");
        self.hub().sign_in(&secret).await.expect("signed in")
    }
}

/// A question with these options, the first of which is the default.
pub(crate) fn choice(ids: &[&str]) -> NewQuestion {
    let option = |id: &&str| AnswerOption { id: (*id).into(), label: format!("{id} it"), description: None };
    let default = ids.first().map(|id| (*id).into());
    NewQuestion { options: ids.iter().map(option).collect(), default, ..NewQuestion::default() }
}

/// A message in a DM.
pub(crate) fn say_in_dm(dm: &DmId, body: &str) -> PostMessage {
    PostMessage { dm_id: Some(dm.clone()), body: body.into(), ..PostMessage::default() }
}
