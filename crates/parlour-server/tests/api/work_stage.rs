//! Where questions, runs and deliveries are tried.

use serde_json::json;

use crate::support::{Member, TestApp};

/// A project with a channel, two people and an agent.
pub(crate) struct Stage {
    pub(crate) app: TestApp,
    pub(crate) project: String,
    pub(crate) channel: String,
    pub(crate) mara: Member,
    pub(crate) coder: Member,
}

impl Stage {
    pub(crate) async fn new() -> Self {
        let app = TestApp::new().await;
        let project = app.project("Apollo").await;
        let channel = app.channel(&project, "general").await;
        let mara = app.person_in(&project, "Mara").await;
        let coder = app.agent(&project, "Coder").await;
        Self { app, project, channel, mara, coder }
    }

    /// The same, and the agent follows the channel.
    pub(crate) async fn followed() -> Self {
        let stage = Self::new().await;
        let path = format!("/channels/{}/subscriptions", stage.channel);
        stage.app.post(&path, json!({"agent_id": stage.coder.id})).await.expect(201);
        stage
    }
}
