//! Snapshots of a project.

use serde_json::json;

use crate::support::{TestApp, field_of, fields};

#[tokio::test]
async fn a_snapshot_has_the_fields_of_its_contract() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let snapshot = app.get(&format!("/projects/{project}/snapshot")).await.expect(200);
    let contract = [
        "agents",
        "artifacts",
        "batches",
        "channel_members",
        "channels",
        "dms",
        "people",
        "position",
        "presence",
        "project",
        "reader",
        "reading",
        "runs",
        "streams",
        "subscriptions",
        "tasks",
        "threads",
    ];
    assert_eq!(fields(&snapshot), contract);
    assert_eq!(snapshot["project"], app.get(&format!("/projects/{project}")).await.expect(200));
}

#[tokio::test]
async fn a_snapshot_contains_visible_data_and_its_position() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let (mara, tom) = (app.person_in(&project, "Mara").await, app.person_in(&project, "Tom").await);
    let general = app.channel(&project, "general").await;
    app.private_channel(&mara, &project, "board").await;
    let said = app.say(&general, "Hello, @Tom").await;
    let path = format!("/projects/{project}/snapshot");
    let (hers, his) =
        (app.get(&path).by(&mara.token).await.expect(200), app.get(&path).by(&tom.token).await.expect(200));
    assert_eq!(field_of(hers["channels"].as_array().expect("list"), "name"), ["general", "board"]);
    assert_eq!(field_of(his["channels"].as_array().expect("list"), "name"), ["general"]);
    assert_eq!((&his["reader"], &his["position"]), (&json!(tom.id), &said["position"]));
    let reading = &his["reading"][0];
    assert_eq!((&reading["unread"], &reading["mentions"]), (&json!(1), &json!([1])));
}

#[tokio::test]
async fn a_snapshot_contains_presence() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let mara = app.person_in(&project, "Mara").await;
    let shown = app.put("/presence").json(json!({"state": "working"})).by(&mara.token).await.expect(200);
    let snapshot = app.get(&format!("/projects/{project}/snapshot")).await.expect(200);
    assert_eq!(snapshot["presence"], json!([shown]));
}

#[tokio::test]
async fn the_snapshot_of_an_invisible_project_is_not_found() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let eve = app.person("Eve").await;
    app.get(&format!("/projects/{project}/snapshot")).by(&eve.token).await.expect_problem("PARLOUR-N01", None);
    app.get("/projects/prj_absent/snapshot").await.expect_problem("PARLOUR-N01", None);
    app.get(&format!("/projects/{project}/snapshot?zzz=1")).await.expect_problem("PARLOUR-I09", Some("zzz"));
}
