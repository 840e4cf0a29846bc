//! The audit log.

use parlour_core::audit::{AuditFlaw, AuditHead, Verifier};
use serde_json::{Value, json};

use crate::support::{Member, TestApp, fields};

/// A text that must never be found in the log.
const MARK: &str = "xyzzy";

/// The lines of an export.
async fn export(app: &TestApp, query: &str) -> Vec<String> {
    let reply = app.get(&format!("/audit/export{query}")).await;
    assert_eq!(reply.status.as_u16(), 200);
    let text = reply.text();
    assert!(text.is_empty() || text.ends_with('\n'), "every line is ended");
    text.lines().map(str::to_owned).collect()
}

fn verify(lines: &[String], noted: Option<AuditHead>) -> Result<AuditHead, AuditFlaw> {
    let mut verifier = Verifier::new(noted);
    lines.iter().try_for_each(|line| verifier.check(line.as_bytes()))?;
    verifier.finish()
}

async fn head(app: &TestApp) -> AuditHead {
    let answer = app.get("/audit/head").await.expect(200);
    answer["head"].as_str().expect("a head").parse().expect("a head")
}

async fn newest(app: &TestApp) -> Value {
    app.get("/audit?limit=1").await.expect(200)["items"][0].clone()
}

/// A token with only this scope.
async fn narrow_token(app: &TestApp, member: &Member, scope: &str) -> String {
    let body = json!({"member_id": member.id, "kind": "static", "scopes": [scope]});
    app.post("/tokens", body).await.expect(201)["secret"].as_str().expect("a secret").to_owned()
}

#[tokio::test]
async fn an_audit_entry_contains_caller_surface_and_token() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let mara = app.person_in(&project, "Mara").await;
    let channel = app.channel(&project, "general").await;
    let post = json!({"channel_id": channel, "body": "hello"});
    let posted = app.post("/messages", post).by(&mara.token).await.expect(201);
    let entry = newest(&app).await;
    assert_eq!(
        fields(&entry),
        ["action", "actor", "at", "no", "project_id", "result", "subject", "surface", "token_id"]
    );
    assert_eq!((&entry["action"], &entry["result"]), (&"messaging.posted".into(), &"done".into()));
    assert_eq!((&entry["actor"]["id"], &entry["actor"]["name"]), (&mara.id.as_str().into(), &"Mara".into()));
    assert_eq!((&entry["project_id"], &entry["subject"]), (&project.into(), &posted["id"]));
    assert_eq!(entry["surface"], "http");
    let tokens = app.get(&format!("/tokens?member_id={}", mara.id)).await.expect(200);
    assert_eq!(entry["token_id"], tokens["items"][0]["id"]);
}

#[tokio::test]
async fn the_list_is_filtered_and_paged() {
    let app = TestApp::new().await;
    let (apollo, gemini) = (app.project("Apollo").await, app.project("Gemini").await);
    let mara = app.person_in(&apollo, "Mara").await;
    let channel = app.channel(&apollo, "general").await;
    for body in ["a", "b", "c"] {
        app.post("/messages", json!({"channel_id": channel, "body": body})).by(&mara.token).await.expect(201);
    }
    app.say(&channel, "d").await;
    let actions = async |query: &str| {
        let found = app.pages(&format!("/audit?{query}"), TestApp::ADMIN).await;
        found.iter().map(|entry| entry["action"].as_str().expect("an action").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(actions(&format!("actor={}", mara.id)).await, ["messaging.posted"; 3]);
    assert_eq!(actions(&format!("action=messaging.posted&project_id={apollo}")).await.len(), 4);
    assert_eq!(actions(&format!("project_id={gemini}")).await, ["projects.created"]);
    assert_eq!(actions("result=refused").await, [""; 0]);
    assert_eq!(actions("result=done").await.len() as u64, head(&app).await.no);
    assert_eq!(actions("until=1970-01-01T00:00:00Z").await, [""; 0]);
}

#[tokio::test]
async fn wrong_parameters_are_refused_by_name() {
    let app = TestApp::new().await;
    let long = "x".repeat(201);
    for (query, field) in [
        ("actor=prj_1", "actor"),
        ("result=maybe", "result"),
        ("since=yesterday", "since"),
        ("cursor=0", "cursor"),
        ("cursor=999", "cursor"),
        ("limit=0", "limit"),
        ("from=x", "from"),
        (&format!("action={long}"), "action"),
    ] {
        app.get(&format!("/audit?{query}")).await.expect_problem("PARLOUR-I09", Some(field));
    }
    app.get("/audit/export?after=-1").await.expect_problem("PARLOUR-I09", Some("after"));
    app.get("/audit/head?x=1").await.expect_problem("PARLOUR-I09", Some("x"));
}

#[tokio::test]
async fn an_export_is_verified_with_its_head() {
    let app = TestApp::new().await;
    let noted = head(&app).await;
    let project = app.project("Apollo").await;
    let channel = app.channel(&project, "general").await;
    for body in ["a", "b", "c"] {
        app.say(&channel, body).await;
    }
    let lines = export(&app, "").await;
    assert_eq!(verify(&lines, Some(noted)), Ok(head(&app).await));
    assert_eq!(export(&app, &format!("?after={}", noted.no)).await, lines[usize::try_from(noted.no).expect("small")..]);
    assert_eq!(export(&app, "?after=9999").await, [""; 0]);
    let listed = app.pages("/audit", TestApp::ADMIN).await;
    let exported: Vec<Value> = lines.iter().rev().map(|line| without_seal(line)).collect();
    assert_eq!(listed, exported);
}

fn without_seal(line: &str) -> Value {
    let mut entry: Value = serde_json::from_str(line).expect("JSON");
    entry.as_object_mut().expect("an object").remove("seal");
    entry
}

#[tokio::test]
async fn a_long_log_is_exported_completely() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let channel = app.channel(&project, "general").await;
    // Requires several reads of the store, each of `AUDIT_ENTRIES_PER_READ_MAX` entries or up to the end of a commit.
    let said = futures_util::future::join_all(
        (0..1200).map(|number| app.say(&channel, if number % 2 == 0 { "a" } else { "b" })),
    );
    assert_eq!(said.await.len(), 1200);
    let lines = export(&app, "").await;
    assert!(lines.len() > 1200);
    assert_eq!(verify(&lines, None), Ok(head(&app).await));
}

#[tokio::test]
async fn refused_changes_are_audited_and_refused_reads_are_not() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let mara = app.person_in(&project, "Mara").await;
    let channel = app.channel(&project, "general").await;
    app.patch(&format!("/channels/{channel}"), json!({"topic": MARK})).by(&mara.token).await.expect(403);
    let entry = newest(&app).await;
    assert_eq!((&entry["action"], &entry["result"]), (&"PATCH /channels/{id}".into(), &"PARLOUR-A02".into()));
    assert_eq!((&entry["actor"]["id"], &entry["subject"]), (&mara.id.as_str().into(), &channel.as_str().into()));

    let before = head(&app).await;
    app.get("/audit").by(&mara.token).await.expect(403);
    app.patch(&format!("/channels/{channel}"), json!({"topic": "x"})).by("unknown").await.expect(401);
    app.patch("/channels/chn_none", json!({"topic": "x"})).by(&mara.token).await.expect(404);
    assert_eq!(head(&app).await, before, "neither reads, nor strangers, nor what is not there");
}

#[tokio::test]
async fn a_missing_scope_is_audited_with_the_token() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let mara = app.person_in(&project, "Mara").await;
    let token = narrow_token(&app, &mara, "messages:read").await;
    app.patch(&format!("/projects/{project}"), json!({"description": MARK})).by(&token).await.expect(403);
    let entry = newest(&app).await;
    assert_eq!((&entry["result"], &entry["surface"]), (&"PARLOUR-A04".into(), &"http".into()));
    assert_eq!((&entry["project_id"], &entry["subject"]), (&project.as_str().into(), &project.as_str().into()));
    assert!(entry["token_id"].is_string());
}

#[tokio::test]
async fn an_administrator_without_the_scope_cannot_read_the_audit_log() {
    let app = TestApp::new().await;
    let me = app.get("/me").await.expect(200);
    let admin = Member { id: me["member_id"].as_str().expect("an id").to_owned(), token: String::new() };
    let token = narrow_token(&app, &admin, "messages:read").await;
    for path in ["/audit", "/audit/head", "/audit/export"] {
        app.get(path).by(&token).await.expect_problem("PARLOUR-A04", None);
    }
}

#[tokio::test]
async fn the_audit_log_contains_no_texts_and_no_secrets() {
    let app = TestApp::new().await;
    let project = app.project("Apollo").await;
    let mara = app.person_in(&project, "Mara").await;
    let channel = app.channel(&project, "general").await;
    app.say(&channel, MARK).await;
    app.patch(&format!("/channels/{channel}"), json!({"topic": MARK})).await.expect(200);
    app.post("/tokens", json!({"kind": "static", "label": MARK})).await.expect(201);
    app.post("/sign-in", json!({"name": MARK, "password": MARK})).await.expect(401);
    app.put(&format!("/messages/msg_1/reactions/{MARK}")).by(&mara.token).await;
    let lines = export(&app, "").await.concat();
    for secret in [MARK, &mara.token, TestApp::ADMIN] {
        assert!(!lines.contains(secret), "{secret}");
    }
}
