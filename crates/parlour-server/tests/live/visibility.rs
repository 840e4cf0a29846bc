//! Visibility of events in live sessions.

use serde_json::json;

use crate::{
    clients::{Events, Socket},
    serving::LiveHub,
    support::{Member, TestApp, id_of},
};

#[tokio::test]
async fn only_members_can_subscribe_to_a_project() {
    let hub = LiveHub::new().await;
    let other = hub.app.project("Gemini").await;
    let admin = Member { id: String::new(), token: TestApp::ADMIN.to_owned() };
    let otto = hub.app.person_in(&other, "Otto").await;
    let (coder, robot) = (hub.app.agent(&hub.project, "Coder").await, hub.app.agent(&other, "Robot").await);
    for (who, member, status) in [
        ("a person of it", &hub.ben, 200),
        ("an agent of it", &coder, 200),
        ("an administrator", &admin, 200),
        ("a person of another", &otto, 404),
        ("an agent of another", &robot, 404),
    ] {
        let events = Events::open_head(&hub, member, &hub.query("")).await;
        assert!(events.starts_with(&format!("HTTP/1.1 {status} ")), "{who}: {events}");
        let bearer = format!("Bearer {}", member.token);
        let socket = Socket::try_open(&hub, &hub.query(""), &[("authorization", &bearer)]).await;
        assert_eq!(socket.err().unwrap_or(200), status, "{who}");
    }
    hub.end().await;
}

#[tokio::test]
async fn events_of_private_conversations_reach_only_their_members() {
    let hub = LiveHub::new().await;
    let (mut inside, mut outside) = (Socket::open(&hub, &hub.mara, &hub.query("")).await, hub.socket().await);
    let mut stream = hub.events().await;
    inside.until("live").await;
    let secret = hub.app.private_channel(&hub.mara, &hub.project, "secret").await;
    let coder = hub.app.agent(&hub.project, "Coder").await;
    assert_eq!(outside.next().await["name"], "agents.created");
    assert_eq!(stream.until("agents.created").await.json()["type"], "event");
    let dm = json!({"project_id": hub.project, "participants": [coder.id], "body": "zyzzyva"});
    let dm = hub.app.post("/dms", dm).by(&hub.mara.token).await.expect(201);
    let pass = format!("/messages/{}/pass", id_of(&dm["message"]));
    hub.app.post(&pass, json!({"reason": "zyzzyva"})).by(&coder.token).await.expect(200);
    let said = json!({"channel_id": secret, "body": "zyzzyva"});
    let said = id_of(&hub.app.post("/messages", said).by(&hub.mara.token).await.expect(201));
    hub.say("for everybody").await;
    let mut received = Vec::new();
    while !received.last().is_some_and(|frame: &serde_json::Value| frame.to_string().contains("for everybody")) {
        received.push(inside.next().await);
    }
    let received = json!(received).to_string();
    assert!(received.contains(&said) && received.contains("messaging.passed"), "members receive it: {received}");
    assert_eq!(outside.next().await["data"]["body"], "for everybody");
    assert_eq!(stream.next().await.expect("an event").json()["data"]["body"], "for everybody");
    hub.end().await;
}
