//! Whoever leaves, or is left out, reads nothing of what was said before or is said after.

use crate::attack::Attack;

/// Whether these addresses show this text to somebody.
async fn is_shown(attack: &Attack, who: &str, text: &str) -> bool {
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
        let reply = attack.call(who, &format!("GET {address}"), "").await;
        if reply.text().contains(text) {
            return true;
        }
    }
    false
}

#[tokio::test]
async fn an_agent_that_was_taken_out_of_a_private_channel_is_told_nothing_more() {
    let attack = Attack::new().await;
    assert!(is_shown(&attack, "coder", attack.id("private")).await);
    attack.call("mara", "DELETE /channels/$private/members/$coder", "").await.expect_empty(204);
    attack
        .call("cleo", "POST /messages", r#"{"thread_id":"$secret_thread","body":"zyzzyva, @Coder"}"#)
        .await
        .expect(201);
    attack.call("cleo", "POST /messages", r#"{"channel_id":"$private","body":"zyzzyva, @Coder"}"#).await.expect(201);
    for label in ["private", "secret", "secret_thread", "secret_artifact"] {
        assert!(!is_shown(&attack, "coder", attack.id(label)).await, "{label}");
    }
    for address in ["/conversations/$private/loop-guard", "/conversations/$secret_thread/loop-guard"] {
        assert_eq!(attack.call("coder", &format!("GET {address}"), "").await.status, 404, "{address}");
    }
    assert_eq!(attack.call("coder", "POST /messages/$secret/pass", "").await.status, 404, "nor can it pass");
}

#[tokio::test]
async fn a_channel_that_becomes_private_is_lost_to_those_outside() {
    let attack = Attack::new().await;
    for agent in ["coder", "clerk"] {
        let body = format!(r#"{{"agent_id":"${agent}"}}"#);
        attack.call("mara", "POST /channels/$channel/subscriptions", &body).await.expect(201);
    }
    attack.call("coder", "POST /messages", r#"{"thread_id":"$thread","body":"In the open"}"#).await.expect(201);
    attack.call("mara", "PATCH /channels/$channel", r#"{"visibility":"private"}"#).await.expect(200);
    attack.call("mara", "POST /messages", r#"{"channel_id":"$channel","body":"zyzzyva, @Clerk"}"#).await.expect(201);
    attack.call("mara", "POST /messages", r#"{"thread_id":"$thread","body":"zyzzyva, @Coder"}"#).await.expect(201);
    for who in ["ben", "clerk", "coder", "cleo", "admin"] {
        for label in ["channel", "message", "thread"] {
            assert!(!is_shown(&attack, who, attack.id(label)).await, "{label} to {who}");
        }
    }
    assert_eq!(
        attack.call("clerk", "GET /agents/$clerk/inbox", "").await.expect(200)["unread"],
        1,
        "only the dm is left"
    );
}

#[tokio::test]
async fn a_person_who_left_the_project_reads_nothing_of_it() {
    let attack = Attack::new().await;
    attack.call("cleo", "DELETE /projects/$project/people/$cleo", "").await.expect_empty(204);
    for address in
        ["/dms/$dm", "/dms/$dm/messages", "/messages/$secret", "/channels/$private", "/artifacts/$secret_artifact"]
    {
        assert_eq!(attack.call("cleo", &format!("GET {address}"), "").await.status, 404, "{address}");
    }
    assert!(!is_shown(&attack, "cleo", attack.id("dm")).await);
    attack.call("mara", "POST /projects/$project/people", r#"{"person_id":"$cleo"}"#).await.expect(201);
    assert_eq!(
        attack.call("cleo", "GET /channels/$private", "").await.status,
        404,
        "coming back opens no private channel"
    );
}
