//! Names that are none, and names that could be taken for others.

use crate::{
    attack::Attack,
    tables::{LOOKALIKES, NAMES, lines, rows},
};

/// Wherever a name is given, with the name as `@`.
const PLACES: [(&str, &str); 8] = [
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
async fn what_cannot_be_a_name_is_refused_wherever_a_name_is_given() {
    let attack = Attack::new().await;
    for (request, body) in PLACES {
        for name in lines(NAMES) {
            let sent = attack.request("admin", request, attack.fill(&body.replace('@', name)));
            attack.refused(&format!("{name} in {request}"), sent, "422 I12 name").await;
        }
    }
    attack.still_answers().await;
}

#[tokio::test]
async fn a_name_that_could_be_taken_for_another_is_refused() {
    let attack = Attack::new().await;
    for [request, body, expected] in rows(LOOKALIKES) {
        let who = if request.contains("$private") { "mara" } else { "admin" };
        let sent = attack.request(who, request, attack.fill(body));
        attack.refused(&format!("{request} {body}"), sent, expected).await;
    }
}

#[tokio::test]
async fn a_refused_name_never_stands_in_the_answer_as_it_is() {
    let attack = Attack::new().await;
    for name in lines(NAMES).filter(|name| name.contains("\\u")) {
        let reply = attack.call("admin", "POST /people", &format!("{{\"name\":{name}}}")).await;
        let text = reply.text();
        assert!(text.is_ascii(), "{name}: {text}");
    }
}
