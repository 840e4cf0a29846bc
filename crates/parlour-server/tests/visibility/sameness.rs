//! Outsiders get the same responses with and without private data.

use serde_json::Value;

use crate::{
    matrix::{described, is_of},
    populated_hub::{PRIVATE_DATA, PUBLIC_DATA, PopulatedHub, SeedStep},
};

/// The word that only private data contains.
const MARK: &str = "zyzzyva";

/// Readers of the project who are not members of private conversations.
const OUTSIDERS: [&str; 3] = ["ben", "clerk", "admin"];

/// Public changes after the private ones, with fixed ids, so that they are equal with and without private data.
const AFTERWARDS: &[SeedStep] = &[
    (
        "after",
        "ben",
        "POST /messages",
        r#"{"id":"msg_after-1","channel_id":"$channel","body":"Another launch, no payroll, @Clerk"}"#,
    ),
    ("", "ben", "POST /messages", r#"{"id":"msg_after-2","thread_id":"$thread","body":"And a launch, @Coder @Ben"}"#),
    ("", "coder", "POST /messages", r#"{"id":"msg_after-3","thread_id":"$thread","body":"Gladly, @Clerk"}"#),
    ("", "coder", "POST /messages", r#"{"id":"msg_after-4","channel_id":"$channel","body":"And here"}"#),
    (
        "",
        "clerk",
        "POST /messages",
        r#"{"id":"msg_after-5","channel_id":"$channel","body":"Too deep, @Coder","cause":{"depth":50}}"#,
    ),
    ("", "ben", "PATCH /messages/$after", r#"{"body":"Yet another launch, no payroll, @Clerk @Coder"}"#),
    ("", "cleo", "PUT /messages/$after/reactions/x", ""),
    ("", "ben", "PATCH /tasks/$task", r#"{"status":"done"}"#),
    ("", "ben", "PUT /presence", r#"{"machine_name":"desk"}"#),
];

/// Context of an agent that is a member of private conversations.
const GIVEN: &[SeedStep] = &[
    ("", "coder", "POST /agents/$coder/context", r#"{"run_id":"$run_b","query":"zyzzyva payroll"}"#),
    ("", "coder", "POST /agents/$coder/context", r#"{"run_id":"$run_b","format":"openai_chat","query":"zyzzyva"}"#),
];

/// Every readable route, with ids that every member of the project can see.
const READS: &[&str] = &[
    "/me",
    "/limits",
    "/tokens",
    "/projects/$project/invites",
    "/projects",
    "/projects/$project",
    "/projects/$project/graph",
    "/projects/$project/graph?format=mermaid",
    "/projects/$project/graph?format=dot",
    "/projects/$project/graph?format=cypher",
    "/projects/$project/people",
    "/projects/$project/agents",
    "/projects/$project/channels",
    "/projects/$project/tasks",
    "/projects/$project/batches",
    "/projects/$project/artifacts",
    "/projects/$project/unread",
    "/projects/$project/snapshot",
    "/projects/$project/presence",
    "/presence",
    "/people",
    "/people/$mara",
    "/people/$cleo",
    "/agents/$coder",
    "/agents/$coder/inbox",
    "/agents/$clerk/inbox",
    "/agents/$coder/inbox/counts",
    "/agents/$clerk/inbox/counts",
    "/agents/$coder/inbox/digests",
    "/agents/$clerk/inbox/digests",
    "/projects/$project/inbox",
    "/questions",
    "/questions?project_id=$project",
    "/questions?project_id=$project&whole_project=true",
    "/messages/$question/answer",
    "/messages/$message/deliveries",
    "/messages/$block/deliveries",
    "/runs?project_id=$project",
    "/runs?project_id=$project&open=true",
    "/runs/$run",
    "/runs/$run_b",
    "/runs/$run/timeline",
    "/runs/$run_b/timeline",
    "/runs/$run/injections",
    "/runs/$run_b/injections",
    "/runs/$run/injections/difference?with=$run_b",
    "/tasks/$task/timeline",
    "/agents/$coder/calls",
    "/agents/$clerk/calls",
    "/engines",
    "/conversations/$channel/loop-guard",
    "/conversations/$thread/loop-guard",
    "/conversations/$own_dm/loop-guard",
    "/channels/$channel",
    "/channels/$channel/members",
    "/channels/$channel/subscriptions",
    "/channels/$channel/messages",
    "/channels/$channel/threads",
    "/threads/$thread",
    "/threads/$thread/messages",
    "/dms",
    "/dms?project_id=$project",
    "/dms/$own_dm",
    "/dms/$own_dm/messages",
    "/messages/$message",
    "/messages/$after",
    "/messages/$message/changes",
    "/messages/$after/changes",
    "/messages/$message/preview",
    "/messages/$after/preview",
    "/messages/$message/view",
    "/messages/$after/view",
    "/tasks/$task",
    "/batches/$batch",
    "/artifacts/$artifact",
    "/artifacts/$artifact/content",
    "/search?project_id=$project&q=launch",
    "/search?project_id=$project&q=zyzzyva",
    "/search?project_id=$project&q=zyz*",
    "/search?project_id=$project&q=well",
    "/search?project_id=$project&q=payroll",
];

/// The response without values that count all changes of the project: positions, entry numbers and numeric cursors.
fn settled(text: &str) -> String {
    fn is_number(next: &&mut Value) -> bool {
        next.as_str().is_some_and(|text| text.parse::<u64>().is_ok())
    }
    fn settle(json: &mut Value) {
        match json {
            Value::Object(fields) => {
                fields.retain(|name, _| !["position", "request_id", "no"].contains(&name.as_str()));
                if let Some(next) = fields.get_mut("next").filter(is_number) {
                    *next = "a number".into();
                }
                fields.values_mut().for_each(settle);
            }
            Value::Array(items) => items.iter_mut().for_each(settle),
            _ => {}
        }
    }
    match serde_json::from_str::<Value>(text) {
        Ok(mut json) => {
            settle(&mut json);
            json.to_string()
        }
        Err(_) => text.to_owned(),
    }
}

/// All pages of a response with one item per page; fails at a hundred pages.
async fn read(hub: &PopulatedHub, who: &str, address: &str) -> Vec<String> {
    let mut answers = vec![hub.call(who, &format!("GET {address}"), "").await.text().to_owned()];
    let is_list = serde_json::from_str::<Value>(&answers[0]).is_ok_and(|json| json["items"].is_array());
    if is_list && address != "/limits" {
        let sign = if address.contains('?') { '&' } else { '?' };
        let mut next = String::new();
        for _ in 0..100 {
            let page = hub.call(who, &format!("GET {address}{sign}limit=1{next}"), "").await;
            answers.push(page.text().to_owned());
            match page.json()["next"].as_str() {
                Some(cursor) => next = format!("&cursor={cursor}"),
                None => return answers,
            }
        }
        unreachable!("{address} has no last page");
    }
    answers
}

#[test]
fn every_readable_route_is_listed() {
    let open = ["/health", "/ready", "/openapi.json", "/errors/{code}", "/.well-known/jwks.json"];
    // The audit log shows administrators every change, without its content.
    let audit = ["/audit", "/audit/head", "/audit/export"];
    let is_left_out = |operation: &str| open.iter().chain(&audit).any(|path| operation == format!("GET {path}"));
    for operation in described().iter().filter(|operation| operation.starts_with("GET ") && !is_left_out(operation)) {
        assert!(READS.iter().any(|address| is_of(operation, &format!("GET {address}"))), "{operation} is not read");
    }
}

#[tokio::test]
async fn outsiders_read_no_text_and_no_id_of_private_data() {
    let hub = PopulatedHub::with(&[PUBLIC_DATA, PRIVATE_DATA, AFTERWARDS, GIVEN]).await;
    let given = hub.call("coder", "GET /runs/$run_b/injections", "").await;
    assert!(given.text().contains(MARK), "the agent itself reads it: {}", given.text());
    let labels = PRIVATE_DATA.iter().map(|step| step.0).filter(|label| !label.is_empty());
    let ids: Vec<_> = labels.map(|label| hub.id(label)).collect();
    for who in OUTSIDERS {
        for address in READS {
            for text in read(&hub, who, address).await {
                let is_leaked = text.to_lowercase().contains(MARK) || ids.iter().any(|id| text.contains(id));
                hub.record(&format!("{address} by {who}"), is_leaked.then(|| text.clone()));
            }
        }
    }
}

#[tokio::test]
async fn responses_to_outsiders_are_equal_with_and_without_private_data() {
    let with = PopulatedHub::with(&[PUBLIC_DATA, PRIVATE_DATA, AFTERWARDS]).await;
    let without = PopulatedHub::with(&[PUBLIC_DATA, &[], AFTERWARDS]).await;
    for who in OUTSIDERS {
        for address in READS {
            let answers = [read(&with, who, address).await, read(&without, who, address).await];
            let [with_them, without_them] =
                answers.map(|pages| pages.iter().map(|page| settled(page)).collect::<Vec<_>>());
            let differs = with_them != without_them;
            with.record(
                &format!("{address} by {who}"),
                differs.then(|| format!("\n {with_them:?}\n {without_them:?}")),
            );
        }
    }
}

#[tokio::test]
async fn members_read_the_private_data() {
    let hub = PopulatedHub::with(&[PUBLIC_DATA, PRIVATE_DATA, AFTERWARDS]).await;
    for who in ["mara", "cleo", "coder"] {
        for address in
            ["/projects/$project/channels", "/projects/$project/graph", "/search?project_id=$project&q=zyzzyva"]
        {
            assert!(read(&hub, who, address).await[0].contains(MARK), "{address} by {who}");
        }
    }
    for (address, label) in [
        ("/agents/$coder/inbox", "private"),
        ("/agents/$coder/calls", "dm"),
        ("/runs?project_id=$project", "secret_run"),
        ("/tasks/$task/timeline", "secret_run"),
        ("/questions?project_id=$project&whole_project=true", "secret_question"),
        ("/conversations/$private/loop-guard", "scribe"),
    ] {
        assert!(read(&hub, "coder", address).await[0].contains(hub.id(label)), "{address}");
    }
    assert!(read(&hub, "cleo", "/dms").await[0].contains(hub.id("dm")));
}

#[tokio::test]
async fn responses_contain_no_data_of_another_project() {
    let hub = PopulatedHub::new().await;
    let labels = PUBLIC_DATA.iter().chain(PRIVATE_DATA).map(|step| step.0);
    let people = ["", "mara", "ben", "cleo"];
    let ids: Vec<_> = labels.filter(|label| !people.contains(label)).map(|label| hub.id(label)).collect();
    for who in ["otto", "robot"] {
        for address in ["/projects", "/people", "/dms", "/projects/$x_project/graph", "/projects/$x_project/unread"] {
            for text in read(&hub, who, address).await {
                assert!(!ids.iter().any(|id| text.contains(id)), "{address} by {who}: {text}");
            }
        }
    }
}
