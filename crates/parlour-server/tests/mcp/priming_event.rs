//! The empty first event of a stream, which contains the reconnection delay. Revision 2025-11-25 introduced it; clients
//! of older revisions report it as an invalid message.

use axum::http::{Method, header};
use serde_json::json;

use crate::{
    client::{McpFixture, SESSION_ID, VERSION, initialize},
    support::{Call, Reply},
};

/// Requests of one client of a revision, in a session of its own.
struct RevisionClient<'a> {
    fixture: &'a McpFixture,
    revision: &'a str,
    session: String,
}

impl RevisionClient<'_> {
    fn http(&self, method: Method) -> Call {
        let call = self.fixture.app.call(method, "/mcp").by(&self.fixture.coder.token);
        let call = call.header(SESSION_ID, &self.session).header(VERSION, self.revision);
        call.header(header::ACCEPT, "application/json, text/event-stream")
    }

    async fn ping(&self) -> Reply {
        self.http(Method::POST).json(json!({"jsonrpc": "2.0", "id": 2, "method": "ping"})).await
    }

    /// The standalone stream, read until the session is closed.
    async fn standalone_stream(&self) -> Reply {
        let stream = tokio::spawn(std::future::IntoFuture::into_future(self.http(Method::GET)));
        tokio::task::yield_now().await;
        assert_eq!(self.http(Method::DELETE).await.status, 204);
        stream.await.expect("no panic")
    }
}

/// The numbers of events without data and of events with a message in a response.
fn events(reply: &Reply) -> (usize, usize) {
    assert_eq!((reply.status.as_u16(), reply.header("content-type")), (200, "text/event-stream"), "{reply:?}");
    let blocks = reply.text().split("\n\n").filter(|block| !block.trim().is_empty());
    let is_message = |block: &&str| block.lines().any(|line| line.starts_with("data: {"));
    let (messages, others): (Vec<_>, Vec<_>) = blocks.partition(is_message);
    (others.len(), messages.len())
}

/// The events of the response to `initialize`, of the response to a request and of the standalone stream.
async fn events_of(fixture: &McpFixture, revision: &str) -> [(usize, usize); 3] {
    let opened = initialize(&fixture.app, &fixture.coder.token, revision).await;
    let session = opened.header("mcp-session-id").to_owned();
    let client = RevisionClient { fixture, revision, session };
    let answered = client.ping().await;
    [events(&opened), events(&answered), events(&client.standalone_stream().await)]
}

#[tokio::test]
async fn revisions_before_2025_11_25_get_no_event_without_a_message() {
    let fixture = McpFixture::new().await;
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18"] {
        assert_eq!(events_of(&fixture, revision).await, [(0, 1), (0, 1), (0, 0)], "{revision}");
    }
}

#[tokio::test]
async fn revision_2025_11_25_gets_a_priming_event_in_every_stream() {
    let fixture = McpFixture::new().await;
    assert_eq!(events_of(&fixture, "2025-11-25").await, [(1, 1), (1, 1), (1, 0)]);
}

#[tokio::test]
async fn an_unknown_revision_gets_no_priming_event() {
    let fixture = McpFixture::new().await;
    for revision in ["1999-01-01", "DRAFT-2025"] {
        assert_eq!(events(&initialize(&fixture.app, &fixture.coder.token, revision).await), (0, 1), "{revision}");
    }
}
