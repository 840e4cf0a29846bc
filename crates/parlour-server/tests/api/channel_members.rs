//! Members of private channels.

use serde_json::json;

use crate::support::TestApp;

#[tokio::test]
async fn a_member_can_be_added_to_a_private_channel_and_removed() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let (mara, timo) = (app.person_in(&project, "Mara").await, app.person_in(&project, "Timo").await);
    let channel = app.private_channel(&mara, &project, "secret").await;
    let path = format!("/channels/{channel}/members");
    app.get(&path).by(&timo.token).await.expect_problem("PARLOUR-N01", None);
    let joined = app.post(&path, json!({"member_id": timo.id})).by(&mara.token).await.expect(201);
    assert_eq!(joined, json!({"channel_id": channel, "member_id": timo.id}));
    assert_eq!(app.pages(&path, &timo.token).await, [json!(mara.id), json!(timo.id)]);
    app.delete(&format!("{path}/{}", timo.id)).by(&mara.token).await.expect_empty(204);
    app.get(&format!("/channels/{channel}")).by(&timo.token).await.expect_problem("PARLOUR-N01", None);
}

#[tokio::test]
async fn adding_a_member_twice_changes_nothing() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let mara = app.person_in(&project, "Mara").await;
    let coder = app.agent(&project, "Coder").await;
    let path = format!("/channels/{}/members", app.private_channel(&mara, &project, "secret").await);
    for _ in 0..2 {
        app.post(&path, json!({"member_id": coder.id})).by(&mara.token).await.expect(201);
    }
    assert_eq!(app.pages(&path, &mara.token).await.len(), 2);
}

#[tokio::test]
async fn a_channel_of_the_whole_project_has_no_members_of_its_own() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let mara = app.person_in(&project, "Mara").await;
    let path = format!("/channels/{}/members", app.channel(&project, "general").await);
    assert!(app.pages(&path, &mara.token).await.is_empty());
    let refused = app.post(&path, json!({"member_id": mara.id})).await;
    assert_eq!(refused.expect_problem("PARLOUR-C06", None)["status"], 409);
}

#[tokio::test]
async fn only_members_of_the_project_can_be_added() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let (mara, stranger) = (app.person_in(&project, "Mara").await, app.person("Timo").await);
    let path = format!("/channels/{}/members", app.private_channel(&mara, &project, "secret").await);
    let refused = app.post(&path, json!({"member_id": stranger.id})).by(&mara.token).await;
    refused.expect_problem("PARLOUR-N01", Some("member_id"));
    app.delete(&format!("{path}/msg_1")).by(&mara.token).await.expect_problem("PARLOUR-I08", Some("member_id"));
}
