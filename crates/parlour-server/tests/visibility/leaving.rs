//! Members who leave, or are removed, cannot read earlier or later messages.

use crate::populated_hub::PopulatedHub;

/// Whether any of these routes returns this text to a reader.
async fn is_shown(hub: &PopulatedHub, who: &str, text: &str) -> bool {
    let addresses = [
        "/agents/$coder/inbox",
        "/agents/$coder/calls",
        "/projects/$project/unread",
        "/projects/$project/channels",
        "/projects/$project/graph",
        "/projects/$project/artifacts",
        "/projects/$project/tasks",
        "/search?project_id=$project&q=zyzzyva",
        "/dms",
    ];
    for address in addresses {
        let reply = hub.call(who, &format!("GET {address}"), "").await;
        if reply.text().contains(text) {
            return true;
        }
    }
    false
}

#[tokio::test]
async fn an_agent_removed_from_a_private_channel_cannot_read_it() {
    let hub = PopulatedHub::new().await;
    assert!(is_shown(&hub, "coder", hub.id("private")).await);
    hub.call("mara", "DELETE /channels/$private/members/$coder", "").await.expect_empty(204);
    hub.call("cleo", "POST /messages", r#"{"thread_id":"$secret_thread","body":"zyzzyva, @Coder"}"#).await.expect(201);
    hub.call("cleo", "POST /messages", r#"{"channel_id":"$private","body":"zyzzyva, @Coder"}"#).await.expect(201);
    for label in ["private", "secret", "secret_thread", "secret_artifact"] {
        assert!(!is_shown(&hub, "coder", hub.id(label)).await, "{label}");
    }
    for address in ["/conversations/$private/loop-guard", "/conversations/$secret_thread/loop-guard"] {
        assert_eq!(hub.call("coder", &format!("GET {address}"), "").await.status, 404, "{address}");
    }
    assert_eq!(hub.call("coder", "POST /messages/$secret/pass", "").await.status, 404, "nor can it pass");
}

#[tokio::test]
async fn a_channel_that_becomes_private_is_hidden_from_non_members() {
    let hub = PopulatedHub::new().await;
    for agent in ["coder", "clerk"] {
        let body = format!(r#"{{"agent_id":"${agent}"}}"#);
        hub.call("mara", "POST /channels/$channel/subscriptions", &body).await.expect(201);
    }
    hub.call("coder", "POST /messages", r#"{"thread_id":"$thread","body":"In the open"}"#).await.expect(201);
    hub.call("mara", "PATCH /channels/$channel", r#"{"visibility":"private"}"#).await.expect(200);
    hub.call("mara", "POST /messages", r#"{"channel_id":"$channel","body":"zyzzyva, @Clerk"}"#).await.expect(201);
    hub.call("mara", "POST /messages", r#"{"thread_id":"$thread","body":"zyzzyva, @Coder"}"#).await.expect(201);
    for who in ["ben", "clerk", "coder", "cleo", "admin"] {
        for label in ["channel", "message", "thread"] {
            assert!(!is_shown(&hub, who, hub.id(label)).await, "{label} to {who}");
        }
    }
    assert_eq!(hub.call("clerk", "GET /agents/$clerk/inbox", "").await.expect(200)["unread"], 1, "only the dm is left");
}

#[tokio::test]
async fn a_person_who_left_the_project_cannot_read_it() {
    let hub = PopulatedHub::new().await;
    hub.call("cleo", "DELETE /projects/$project/people/$cleo", "").await.expect_empty(204);
    for address in
        ["/dms/$dm", "/dms/$dm/messages", "/messages/$secret", "/channels/$private", "/artifacts/$secret_artifact"]
    {
        assert_eq!(hub.call("cleo", &format!("GET {address}"), "").await.status, 404, "{address}");
    }
    assert!(!is_shown(&hub, "cleo", hub.id("dm")).await);
    hub.call("mara", "POST /projects/$project/people", r#"{"person_id":"$cleo"}"#).await.expect(201);
    assert_eq!(
        hub.call("cleo", "GET /channels/$private", "").await.status,
        404,
        "coming back opens no private channel"
    );
}
