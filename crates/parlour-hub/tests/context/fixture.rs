//! A project with a person, an agent and a channel.

use parlour_core::{
    access::Principal,
    context::{ContextFormat, ContextRequest, Receipt, ReceiptItem},
    id::{ChannelId, MessageId, ProjectId, TaskId},
    post::PostMessage,
    task::TaskStatus,
};
use parlour_hub::use_cases::{BuiltContext, NewTask};

use crate::support::{TestHub, agent_id, say};

pub(crate) struct ContextFixture {
    pub(crate) test: TestHub,
    pub(crate) mara: Principal,
    pub(crate) coder: Principal,
    pub(crate) project: ProjectId,
    pub(crate) general: ChannelId,
}

impl ContextFixture {
    pub(crate) async fn new() -> Self {
        Self::on(TestHub::new().await).await
    }

    pub(crate) async fn on(test: TestHub) -> Self {
        let mara = test.person("Mara").await;
        let project = test.project(&mara, "Boatyard").await;
        let coder = test.agent(&project, "Coder").await;
        let general = test.channel(&mara, &project, "plans").await;
        Self { test, mara, coder, project, general }
    }

    pub(crate) async fn context(&self, who: &Principal, ask: &ContextRequest) -> BuiltContext {
        self.test.hub.context(who, &agent_id(&self.coder), ask).await.expect("a pack")
    }

    pub(crate) async fn say(&self, who: &Principal, body: &str) -> MessageId {
        self.test.post(who, &self.general, body).await.message.id
    }

    /// Posts a blocking question to the agent.
    pub(crate) async fn ask_coder(&self, request: PostMessage) -> MessageId {
        let request = PostMessage { blocking: true, mentions: vec!["Coder".into()], ..request };
        self.test.hub.post_message(&self.mara, request).await.expect("asked").message.id
    }

    /// Adds a task.
    pub(crate) async fn add_task(&self, title: &str, description: Option<&str>) -> TaskId {
        let task = NewTask {
            project_id: self.project.clone(),
            title: title.into(),
            description: description.map(str::to_owned),
            status: TaskStatus::Open,
            assignee: None,
            parent_id: None,
            batch_id: None,
            thread_id: None,
        };
        self.test.hub.create_task(&self.mara, task).await.expect("created").id
    }

    pub(crate) fn request(&self, body: &str) -> PostMessage {
        say(&self.general, body)
    }

    /// A request for a pack about the channel.
    pub(crate) fn here(&self) -> ContextRequest {
        ContextRequest { conversation_id: Some(self.general.clone().into()), ..ContextRequest::default() }
    }
}

pub(crate) fn ask(format: ContextFormat) -> ContextRequest {
    ContextRequest { format, ..ContextRequest::default() }
}

/// The item of a receipt with this id.
pub(crate) fn row<'a>(receipt: &'a Receipt, id: &str) -> Option<&'a ReceiptItem> {
    receipt.items.iter().find(|item| item.id == id)
}
