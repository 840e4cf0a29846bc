//! The description of the API.

use std::collections::BTreeSet;

use parlour_core::{Code, event::Change};
use serde_json::Value;

use crate::support::TestApp;

/// The operations of the API contract.
const ROUTES: &str = "
    GET /health  GET /ready  GET /limits  GET /me  GET /openapi.json  GET /errors/{code}  GET /search
    GET /projects  POST /projects  GET /projects/{id}  PATCH /projects/{id}
    GET /projects/{id}/people  POST /projects/{id}/people  DELETE /projects/{id}/people/{person_id}
    GET /projects/{id}/channels  GET /projects/{id}/agents  GET /projects/{id}/tasks  GET /projects/{id}/batches
    GET /projects/{id}/artifacts  GET /projects/{id}/unread  GET /projects/{id}/graph  GET /projects/{id}/snapshot
    GET /projects/{id}/presence  GET /presence  PUT /presence  DELETE /presence  POST /typing
    GET /people  POST /people  GET /people/{id}  PATCH /people/{id}  POST /people/{id}/token  PUT /people/{id}/password
    POST /people/{id}/link  POST /sign-in  POST /sign-out
    GET /tokens  POST /tokens  DELETE /tokens/{id}  POST /me/token  GET /.well-known/jwks.json  POST /keys/rotate
    GET /projects/{id}/invites  POST /projects/{id}/invites  DELETE /invites/{id}  POST /join
    POST /agents  GET /agents/{id}  PATCH /agents/{id}  POST /agents/{id}/token  GET /agents/{id}/inbox
    GET /agents/{id}/inbox/counts  GET /agents/{id}/inbox/digests  GET /projects/{id}/inbox  POST /inbox/read
    GET /agents/{id}/calls  GET /engines  POST /messages/{id}/pass
    GET /messages/{id}/deliveries  POST /deliveries
    GET /questions  GET /messages/{id}/answer  POST /messages/{id}/answer  POST /messages/{id}/withdraw
    GET /runs  POST /runs  GET /runs/{id}  POST /runs/{id}/checkpoint  POST /runs/{id}/beat  POST /runs/{id}/resume
    POST /runs/{id}/finish  POST /runs/{id}/cancel  GET /runs/{id}/timeline  GET /tasks/{id}/timeline
    POST /agents/{id}/context  GET /runs/{id}/injections  GET /runs/{id}/injections/difference
    GET /conversations/{id}/loop-guard  POST /conversations/{id}/loop-guard/reset
    POST /channels  GET /channels/{id}  PATCH /channels/{id}  POST /channels/{id}/archive  POST /channels/{id}/unarchive
    GET /channels/{id}/members  POST /channels/{id}/members  DELETE /channels/{id}/members/{member_id}
    GET /channels/{id}/subscriptions  POST /channels/{id}/subscriptions  DELETE /channels/{id}/subscriptions/{agent_id}
    GET /channels/{id}/messages  GET /channels/{id}/threads
    POST /threads  GET /threads/{id}  GET /threads/{id}/messages
    GET /dms  POST /dms  GET /dms/{id}  GET /dms/{id}/messages
    POST /messages  GET /messages/{id}  PATCH /messages/{id}  DELETE /messages/{id}  GET /messages/{id}/changes
    GET /messages/{id}/preview
    GET /messages/{id}/view
    POST /imports
    PUT /messages/{id}/reactions/{emoji}  DELETE /messages/{id}/reactions/{emoji}  POST /messages/{id}/read
    POST /messages/{id}/chunks  POST /messages/{id}/beat  POST /messages/{id}/complete  POST /messages/{id}/fail
    POST /messages/{id}/cancel  POST /messages/{id}/steps  POST /messages/{id}/steps/{step_id}/finish
    POST /tasks  GET /tasks/{id}  PATCH /tasks/{id}  POST /batches  GET /batches/{id}
    POST /artifacts  GET /artifacts/{id}  GET /artifacts/{id}/content
    GET /audit  GET /audit/head  GET /audit/export
    GET /events  GET /live";

fn document() -> Value {
    serde_json::from_str(&parlour_server::openapi_json()).expect("JSON")
}

fn operations(document: &Value) -> Vec<(String, &Value)> {
    let paths = document["paths"].as_object().expect("paths");
    let all = paths.iter().flat_map(|(path, item)| {
        let item = item.as_object().expect("an item");
        item.iter().map(move |(method, operation)| (format!("{} {path}", method.to_uppercase()), operation))
    });
    all.collect()
}

#[test]
fn the_description_uses_the_event_names_of_the_wire() {
    let document = document();
    let changes = document["components"]["schemas"]["Change"]["oneOf"].as_array().expect("variants").clone();
    let name = |change: &Value| change["properties"]["name"]["enum"][0].as_str().expect("a name").to_owned();
    let described: Vec<_> = changes.iter().map(name).collect();
    assert_eq!(described, Change::NAMES);
}

#[test]
fn the_description_contains_exactly_the_routes() {
    let document = document();
    let described: BTreeSet<_> = operations(&document).into_iter().map(|(route, _)| route).collect();
    let words: Vec<_> = ROUTES.split_whitespace().collect();
    let expected: BTreeSet<_> = words.chunks(2).map(|pair| pair.join(" ")).collect();
    assert_eq!(described, expected);
}

#[test]
fn the_description_is_openapi_3_1_with_a_bearer_token() {
    let document = document();
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["info"]["title"], "Parlour");
    assert_eq!(document["info"]["version"], env!("CARGO_PKG_VERSION"));
    let scheme = &document["components"]["securitySchemes"]["token"];
    assert_eq!((&scheme["type"], &scheme["scheme"]), (&"http".into(), &"bearer".into()));
}

#[test]
fn every_operation_has_summary_tag_and_error_responses() {
    let document = document();
    let mut ids = BTreeSet::new();
    for (route, operation) in operations(&document) {
        assert!(ids.insert(operation["operationId"].as_str().expect("an id")), "{route} shares its id");
        assert!(operation["summary"].as_str().is_some_and(|text| text.len() < 120 && !text.contains('\n')), "{route}");
        assert_eq!(operation["tags"].as_array().map(Vec::len), Some(1), "{route}");
        assert!(operation["security"].is_array(), "{route}");
        for status in ["4XX", "5XX"] {
            let problem = &operation["responses"][status]["content"]["application/problem+json"]["schema"]["$ref"];
            assert_eq!(problem, "#/components/schemas/Problem", "{route}");
        }
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            assert!(parameter["description"].is_string(), "{route}: {parameter}");
        }
    }
}

#[test]
fn every_reference_resolves() {
    let text = parlour_server::openapi_json();
    let document = document();
    for reference in text.split("\"#/components/schemas/").skip(1) {
        let name = reference.split('"').next().expect("a name");
        assert!(document["components"]["schemas"][name].is_object(), "{name}");
    }
}

#[test]
fn request_bodies_forbid_additional_properties() {
    let document = document();
    for (route, operation) in operations(&document) {
        let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
        let reference = schema["$ref"].as_str().or_else(|| schema["oneOf"][0]["$ref"].as_str());
        let Some(name) = reference.and_then(|text| text.rsplit('/').next()) else { continue };
        assert_eq!(document["components"]["schemas"][name]["additionalProperties"], false, "{route}: {name}");
    }
}

#[test]
fn the_description_is_deterministic() {
    assert_eq!(parlour_server::openapi_json(), parlour_server::openapi_json());
    assert!(parlour_server::openapi_json().ends_with("}\n"));
}

#[tokio::test]
async fn the_description_is_served_without_a_token() {
    let app = TestApp::new().await;
    let served = app.get("/openapi.json").by_nobody().await;
    assert_eq!(served.header("content-type"), "application/json");
    assert_eq!(served.text(), parlour_server::openapi_json());
}

#[tokio::test]
async fn every_error_code_has_a_public_page() {
    let app = TestApp::new().await;
    let pages = parlour_server::error_pages();
    assert_eq!(pages.len(), Code::ALL.len());
    for (file, text) in pages {
        let code = file.strip_suffix(".md").expect("a Markdown file");
        let served = app.get(&format!("/errors/{code}")).by_nobody().await;
        assert_eq!(served.header("content-type"), "text/markdown; charset=utf-8");
        assert_eq!(served.text(), text);
    }
    app.get("/errors/PARLOUR-X99").by_nobody().await.expect_problem("PARLOUR-N01", Some("code"));
}
