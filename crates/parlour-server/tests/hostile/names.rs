//! Invalid and confusable names.

use crate::{
    populated_hub::PopulatedHub,
    tables::{LOOKALIKES, NAMES, lines, rows},
};

/// Every request with a name, written as `@`.
const REQUESTS_WITH_NAMES: [(&str, &str); 8] = [
    ("POST /people", r#"{"name":@}"#),
    ("POST /projects", r#"{"name":@}"#),
    ("PATCH /projects/$project", r#"{"name":@}"#),
    ("POST /agents", r#"{"project_id":"$project","name":@}"#),
    ("PATCH /agents/$coder", r#"{"name":@}"#),
    ("POST /channels", r#"{"project_id":"$project","name":@}"#),
    ("PATCH /channels/$channel", r#"{"name":@}"#),
    ("POST /batches", r#"{"project_id":"$project","name":@}"#),
];

#[tokio::test]
async fn invalid_names_are_refused_by_every_route() {
    let hub = PopulatedHub::new().await;
    for (request, body) in REQUESTS_WITH_NAMES {
        for name in lines(NAMES) {
            let sent = hub.request("admin", request, hub.fill(&body.replace('@', name)));
            hub.expect_refusal(&format!("{name} in {request}"), sent, "422 I12 name").await;
        }
    }
    hub.expect_available().await;
}

#[tokio::test]
async fn a_name_that_is_confusable_with_another_is_refused() {
    let hub = PopulatedHub::new().await;
    for [request, body, expected] in rows(LOOKALIKES) {
        let who = if request.contains("$private") { "mara" } else { "admin" };
        let sent = hub.request(who, request, hub.fill(body));
        hub.expect_refusal(&format!("{request} {body}"), sent, expected).await;
    }
}

#[tokio::test]
async fn a_refused_name_is_never_quoted_raw() {
    let hub = PopulatedHub::new().await;
    for name in lines(NAMES).filter(|name| name.contains("\\u")) {
        let reply = hub.call("admin", "POST /people", &format!("{{\"name\":{name}}}")).await;
        let text = reply.text();
        assert!(text.is_ascii(), "{name}: {text}");
    }
}
