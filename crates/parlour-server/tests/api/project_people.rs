//! People of a project.

use serde_json::json;

use crate::support::{TestApp, field_of};

#[tokio::test]
async fn a_person_can_be_added_to_a_project_and_removed() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let mara = app.person("Mara").await;
    let path = format!("/projects/{project}/people");
    let joined = app.post(&path, json!({"person_id": mara.id})).await.expect(201);
    assert_eq!((&joined["id"], &joined["name"]), (&json!(mara.id), &json!("Mara")));
    app.get(&format!("/projects/{project}")).by(&mara.token).await.expect(200);
    let people = app.pages(&path, &mara.token).await;
    assert_eq!(field_of(&people, "name"), ["Admin", "Mara"]);
    app.delete(&format!("{path}/{}", mara.id)).by(&mara.token).await.expect_empty(204);
    app.get(&format!("/projects/{project}")).by(&mara.token).await.expect_problem("PARLOUR-N01", None);
}

#[tokio::test]
async fn adding_a_person_twice_changes_nothing() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let mara = app.person_in(&project, "Mara").await;
    let path = format!("/projects/{project}/people");
    app.post(&path, json!({"person_id": mara.id})).await.expect(201);
    assert_eq!(app.pages(&path, TestApp::ADMIN).await.len(), 2);
}

#[tokio::test]
async fn an_unknown_person_is_refused_by_its_field() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let path = format!("/projects/{project}/people");
    app.post(&path, json!({"person_id": "per_0"})).await.expect_problem("PARLOUR-N01", Some("person_id"));
    app.post(&path, json!({"person_id": "agt_0"})).await.expect_problem("PARLOUR-I02", Some("person_id"));
    app.delete(&format!("{path}/agt_0")).await.expect_problem("PARLOUR-I08", Some("person_id"));
}

#[tokio::test]
async fn only_managers_of_the_project_can_remove_others() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let (mara, timo) = (app.person_in(&project, "Mara").await, app.person_in(&project, "Timo").await);
    let path = format!("/projects/{project}/people/{}", timo.id);
    app.delete(&path).by(&mara.token).await.expect_problem("PARLOUR-A02", None);
    app.delete(&path).await.expect_empty(204);
}
