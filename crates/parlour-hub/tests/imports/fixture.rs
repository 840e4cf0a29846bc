use parlour_core::{
    Code, Refusal, Timestamp,
    access::Principal,
    author::{Author, AuthorType},
    id::{ChannelId, ConversationId, MessageId, ProjectId, ThreadId},
    import::{ImportMessages, ImportOutcome, ImportedMessage},
    message::{Importance, Kind, Message, State},
    paging::PageRequest,
};
use parlour_hub::{
    Failure, Hub,
    use_cases::{HistoryQuery, OpenThread},
};
use serde_json::Map;

use crate::support::TestHub;

/// A project of Mara with an open channel and the agent Coder.
pub(crate) struct ImportFixture {
    pub(crate) test: TestHub,
    pub(crate) project: ProjectId,
    pub(crate) channel: ChannelId,
    pub(crate) mara: Principal,
    pub(crate) coder: Principal,
}

impl ImportFixture {
    pub(crate) async fn new() -> Self {
        Self::on(TestHub::new().await).await
    }

    pub(crate) async fn on(test: TestHub) -> Self {
        let mara = test.person("Mara").await;
        let project = test.project(&mara, "Apollo").await;
        let channel = test.channel(&mara, &project, "general").await;
        let coder = test.agent(&project, "Coder").await;
        Self { test, project, channel, mara, coder }
    }

    pub(crate) fn hub(&self) -> &Hub {
        &self.test.hub
    }

    /// Imports messages into the channel as the administrator.
    pub(crate) async fn import(&self, messages: Vec<ImportedMessage>) -> Result<ImportOutcome, Failure> {
        self.hub().import_messages(&self.test.admin, into_channel(&self.channel, messages)).await
    }

    /// Imports messages that must all be new, and returns them as stored.
    pub(crate) async fn import_new(&self, messages: Vec<ImportedMessage>) -> Vec<Message> {
        let count = messages.len() as u64;
        let ids: Vec<MessageId> = messages.iter().map(|message| message.id.clone()).collect();
        assert_eq!(self.import(messages).await.expect("imported"), ImportOutcome { stored: count, known: 0 });
        let mut found = Vec::new();
        for id in ids {
            found.push(self.hub().message(&self.mara, &id).await.expect("a message"));
        }
        found
    }

    pub(crate) async fn refusal(&self, messages: Vec<ImportedMessage>) -> Refusal {
        self.import(messages).await.expect_err("a refusal").refusal().expect("no fault").clone()
    }

    /// The messages of the channel, oldest first.
    pub(crate) async fn history(&self) -> Vec<Message> {
        self.history_of(&self.channel.clone().into()).await
    }

    pub(crate) async fn history_of(&self, id: &ConversationId) -> Vec<Message> {
        let page = PageRequest::new(None, Some(200)).expect("a page");
        let read = self.hub().history(&self.mara, id, &HistoryQuery::default(), &page).await;
        let mut found = read.expect("read").items;
        found.reverse();
        found
    }

    pub(crate) async fn texts(&self) -> Vec<String> {
        self.history().await.into_iter().map(|message| message.body).collect()
    }

    /// A thread below a new message of Mara.
    pub(crate) async fn thread(&self) -> (Message, ThreadId) {
        let root = self.test.post(&self.mara, &self.channel, "root").await.message;
        let request = OpenThread { channel_id: self.channel.clone(), root_message_id: root.id.clone() };
        let thread = self.hub().open_thread(&self.mara, request).await.expect("thread").0.id;
        (root, thread)
    }
}

pub(crate) fn into_channel(channel: &ChannelId, messages: Vec<ImportedMessage>) -> ImportMessages {
    ImportMessages { channel_id: Some(channel.clone()), thread_id: None, messages }
}

pub(crate) fn into_thread(thread: &ThreadId, messages: Vec<ImportedMessage>) -> ImportMessages {
    ImportMessages { channel_id: None, thread_id: Some(thread.clone()), messages }
}

/// An author with an id of another system.
pub(crate) fn foreign_author(author_type: AuthorType) -> Author {
    Author { author_type, id: Some("pynchy:u-7".into()), name: "Old Friend".into() }
}

/// A message of a person of another system; `number` gives its id and its time in milliseconds.
pub(crate) fn foreign_message(number: u64, body: &str) -> ImportedMessage {
    ImportedMessage {
        id: MessageId::from_bits((7 << 64) + u128::from(number)),
        from: foreign_author(AuthorType::Person),
        kind: Kind::User,
        body: body.into(),
        content: None,
        artifacts: Vec::new(),
        attachments: Vec::new(),
        importance: Importance::Normal,
        reply_to: None,
        correlation_id: None,
        state: State::Complete,
        reason: None,
        steps: Vec::new(),
        metadata: Map::new(),
        created_at: Timestamp::from_millis(i64::try_from(number).expect("small")),
    }
}

pub(crate) fn code_and_field(refusal: &Refusal) -> (Code, Option<&str>) {
    (refusal.code, refusal.field.as_deref())
}
