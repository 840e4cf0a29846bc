//! Inboxes of agents, and marking as read.

use axum::http::Method;
use serde_json::json;

use crate::support::{Member, TestApp, fields, id_of};

async fn subscribed(app: &TestApp) -> (String, String, Member) {
    let project = app.project("Apollo").await;
    let channel = app.channel(&project, "general").await;
    let coder = app.agent(&project, "Coder").await;
    app.post(&format!("/channels/{channel}/subscriptions"), json!({"agent_id": coder.id})).await.expect(201);
    (project, channel, coder)
}

#[tokio::test]
async fn an_agent_reads_its_inbox_page_by_page_oldest_first() {
    let app = TestApp::new().await;
    let (_, channel, coder) = subscribed(&app).await;
    for body in ["one", "@Coder two", "three"] {
        app.say(&channel, body).await;
    }
    let path = format!("/agents/{}/inbox", coder.id);
    let page = app.get(&format!("{path}?limit=2")).by(&coder.token).await.expect(200);
    assert_eq!(fields(&page), ["items", "next", "unread"]);
    assert_eq!(page["unread"], 3);
    let entries = app.pages(&path, &coder.token).await;
    let told: Vec<_> = entries.iter().map(|entry| (&entry["reason"], &entry["message"]["body"])).collect();
    let expected = [("subscription", "one"), ("mention", "@Coder two"), ("subscription", "three")];
    assert_eq!(
        told,
        expected.map(|(reason, body)| (json!(reason), json!(body))).iter().map(|(a, b)| (a, b)).collect::<Vec<_>>()
    );
}

#[tokio::test]
async fn a_read_message_leaves_the_inbox_and_reading_again_changes_nothing() {
    let app = TestApp::new().await;
    let (project, channel, coder) = subscribed(&app).await;
    let message = id_of(&app.say(&channel, "one").await);
    app.say(&channel, "two").await;
    let read = format!("/messages/{message}/read");
    let mark = app.call(Method::POST, &read).by(&coder.token).await.expect(200);
    assert_eq!(mark, json!({"reader": coder.id, "conversation_id": channel, "seq": 1, "unread": 1}));
    let again = app.post(&read, json!({"agent_id": coder.id})).by(&coder.token).await.expect(200);
    assert_eq!(again, mark);
    let inbox = app.get(&format!("/agents/{}/inbox", coder.id)).by(&coder.token).await.expect(200);
    assert_eq!((&inbox["unread"], &inbox["items"][0]["message"]["body"]), (&json!(1), &json!("two")));
    let unread = app.get(&format!("/projects/{project}/unread")).by(&coder.token).await.expect(200);
    assert_eq!(unread["total"], 1);
}

#[tokio::test]
async fn a_body_of_nothing_an_empty_object_and_null_mean_oneself() {
    let app = TestApp::new().await;
    let (_, channel, coder) = subscribed(&app).await;
    let message = id_of(&app.say(&channel, "one").await);
    let read = format!("/messages/{message}/read");
    for body in [json!({}), json!(null), json!({"agent_id": null})] {
        let mark = app.post(&read, body).by(&coder.token).await.expect(200);
        assert_eq!(mark["reader"], coder.id);
    }
    app.call(Method::POST, &read).content("text/plain", "x").await.expect_problem("PARLOUR-I07", None);
}

#[tokio::test]
async fn an_administrator_marks_as_read_for_an_agent_and_others_do_not() {
    let app = TestApp::new().await;
    let (project, channel, coder) = subscribed(&app).await;
    let mara = app.person_in(&project, "Mara").await;
    let message = id_of(&app.say(&channel, "one").await);
    let read = format!("/messages/{message}/read");
    app.post(&read, json!({"agent_id": coder.id})).by(&mara.token).await.expect_problem("PARLOUR-A02", None);
    let mark = app.post(&read, json!({"agent_id": coder.id})).await.expect(200);
    assert_eq!(mark["reader"], coder.id);
}

#[tokio::test]
async fn an_inbox_is_private() {
    let app = TestApp::new().await;
    let (project, _, coder) = subscribed(&app).await;
    let (mara, critic) = (app.person_in(&project, "Mara").await, app.agent(&project, "Critic").await);
    let path = format!("/agents/{}/inbox", coder.id);
    for other in [&mara, &critic] {
        app.get(&path).by(&other.token).await.expect_problem("PARLOUR-A02", None);
    }
    app.get(&path).await.expect(200);
}

#[tokio::test]
async fn a_made_up_cursor_is_refused() {
    let app = TestApp::new().await;
    let (_, _, coder) = subscribed(&app).await;
    let path = format!("/agents/{}/inbox?cursor=%00%01", coder.id);
    let reply = app.get(&path).by(&coder.token).await;
    assert!(matches!(reply.status.as_u16(), 200 | 400), "{reply:?}");
}
