//! A project with members, for tests that need nothing special.

use serde_json::json;

use super::{Member, TestApp};

/// The project Apollo with the channel general, the person Mara and the agent Coder.
pub(crate) struct ProjectFixture {
    pub(crate) app: TestApp,
    pub(crate) project: String,
    pub(crate) channel: String,
    pub(crate) mara: Member,
    pub(crate) coder: Member,
}

impl ProjectFixture {
    pub(crate) async fn new() -> Self {
        let app = TestApp::new().await;
        let project = app.project("Apollo").await;
        let channel = app.channel(&project, "general").await;
        let mara = app.person_in(&project, "Mara").await;
        let coder = app.agent(&project, "Coder").await;
        Self { app, project, channel, mara, coder }
    }

    /// The same, with the agent subscribed to the channel.
    pub(crate) async fn with_subscription() -> Self {
        let fixture = Self::new().await;
        let path = format!("/channels/{}/subscriptions", fixture.channel);
        fixture.app.post(&path, json!({"agent_id": fixture.coder.id})).await.expect(201);
        fixture
    }
}
