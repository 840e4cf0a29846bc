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
    let reasons: Vec<_> = entries.iter().map(|entry| (&entry["reason"], &entry["message"]["body"])).collect();
    let expected = [("subscription", "one"), ("mention", "@Coder two"), ("subscription", "three")];
    assert_eq!(
        reasons,
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
async fn an_empty_body_an_empty_object_and_null_mean_the_caller() {
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
async fn only_administrators_can_mark_messages_as_read_for_an_agent() {
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
async fn an_inbox_can_be_filtered_counted_and_digested() {
    let app = TestApp::new().await;
    let (project, channel, coder) = subscribed(&app).await;
    let other = app.channel(&project, "other").await;
    for (channel_id, body, importance) in
        [(&channel, "one", "normal"), (&other, "@Coder two", "high"), (&channel, "three", "critical")]
    {
        app.post("/messages", json!({"channel_id": channel_id, "body": body, "importance": importance}))
            .await
            .expect(201);
    }
    let blocking = json!({"channel_id": other, "body": "@Coder four?", "blocking": true});
    app.post("/messages", blocking).await.expect(201);
    let bodies = async |query: &str| {
        let entries = app.pages(&format!("/agents/{}/inbox?{query}", coder.id), &coder.token).await;
        entries.iter().map(|entry| entry["message"]["body"].as_str().expect("text").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(bodies("importance=high").await, ["@Coder two", "three"]);
    assert_eq!(bodies("importance=critical").await, ["three"]);
    assert_eq!(bodies("mentions=true").await, ["@Coder two", "@Coder four?"]);
    assert_eq!(bodies("blocking=true").await, ["@Coder four?"]);
    assert_eq!(bodies(&format!("conversation_id={channel}")).await, ["one", "three"]);
    assert_eq!(bodies("order=importance").await, ["three", "@Coder two", "one", "@Coder four?"]);
    let counts = app.get(&format!("/agents/{}/inbox/counts", coder.id)).by(&coder.token).await.expect(200);
    assert_eq!(counts, json!({"total": 4, "mentions": 2, "high": 1, "critical": 1, "blocking": 1}));
    let digests = app.pages(&format!("/agents/{}/inbox/digests", coder.id), &coder.token).await;
    let conversations: Vec<_> = digests.iter().map(|digest| &digest["conversation_id"]).collect();
    assert_eq!(conversations, [&json!(channel), &json!(other)], "critical before high");
    assert_eq!((&digests[0]["unread"]["total"], &digests[0]["newest"]["summary"]), (&json!(2), &json!("three")));
    for query in ["importance=huge", "order=random", "mentions=yes", "conversation_id=msg_1"] {
        let field = query.split('=').next();
        app.get(&format!("/agents/{}/inbox?{query}", coder.id)).await.expect_problem("PARLOUR-I09", field);
    }
}

#[tokio::test]
async fn marking_many_messages_as_read_is_idempotent() {
    let app = TestApp::new().await;
    let (_, channel, coder) = subscribed(&app).await;
    let mut ids = Vec::new();
    for body in ["one", "two", "three"] {
        ids.push(id_of(&app.say(&channel, body).await));
    }
    let read = async |request: serde_json::Value| app.post("/inbox/read", request).by(&coder.token).await;
    let outcome = |read: u64, already: u64| json!({"read": read, "already": already, "left": 0});
    assert_eq!(read(json!({"message_ids": [ids[1]]})).await.expect(200), outcome(1, 0));
    assert_eq!(read(json!({"message_ids": [ids[1], ids[0]]})).await.expect(200), outcome(1, 1));
    let all = read(json!({"conversation_id": channel, "up_to": ids[2]})).await.expect(200);
    assert_eq!((&all["read"], &all["left"]), (&json!(1), &json!(0)));
    assert_eq!(read(json!({"conversation_id": channel})).await.expect(200)["read"], 0);
    for request in [
        json!({}),
        json!({"message_ids": [ids[0]], "conversation_id": channel}),
        json!({"message_ids": [ids[0]], "up_to": ids[0]}),
        json!({"message_ids": vec![&ids[0]; 201]}),
    ] {
        let reply = read(request.clone()).await;
        assert_eq!(reply.status, 422, "{request}: {}", reply.text());
    }
    read(json!({"message_ids": ["msg_absent"]})).await.expect_problem("PARLOUR-N01", Some("message_ids[0]"));
}

#[tokio::test]
async fn the_inbox_of_a_person_contains_mentions_and_dms() {
    let app = TestApp::new().await;
    let (project, channel, coder) = subscribed(&app).await;
    let mara = app.person_in(&project, "Mara").await;
    app.say(&channel, "to all").await;
    let mention = id_of(&app.say(&channel, "@Mara look").await);
    let path = format!("/projects/{project}/inbox");
    let found = app.get(&path).by(&mara.token).await.expect(200);
    let ids: Vec<_> = found["items"].as_array().expect("items").iter().map(|entry| id_of(&entry["message"])).collect();
    assert_eq!(ids, std::slice::from_ref(&mention));
    app.post("/inbox/read", json!({"message_ids": [mention]})).by(&mara.token).await.expect(200);
    assert_eq!(app.get(&path).by(&mara.token).await.expect(200)["items"], json!([]));
    app.get(&path).by(&coder.token).await.expect_problem("PARLOUR-A02", None);
}

#[tokio::test]
async fn an_inbox_is_private() {
    let app = TestApp::new().await;
    let (project, _, coder) = subscribed(&app).await;
    let (mara, critic) = (app.person_in(&project, "Mara").await, app.agent(&project, "Critic").await);
    for path in ["inbox", "inbox/counts", "inbox/digests"].map(|part| format!("/agents/{}/{part}", coder.id)) {
        for other in [&mara, &critic] {
            app.get(&path).by(&other.token).await.expect_problem("PARLOUR-A02", None);
        }
        app.get(&path).await.expect(200);
    }
}

#[tokio::test]
async fn a_made_up_cursor_is_refused() {
    let app = TestApp::new().await;
    let (_, _, coder) = subscribed(&app).await;
    let path = format!("/agents/{}/inbox?cursor=%00%01", coder.id);
    let reply = app.get(&path).by(&coder.token).await;
    assert_eq!(reply.status, 400, "{reply:?}");
}
