//! Private things leave no trace: whoever is not in them reads the same answers in a world without them.

use serde_json::Value;

use crate::{
    attack::{Attack, PRIVATE_THINGS, PUBLIC_THINGS, Step},
    matrix::{described, is_of},
};

/// What nothing but private things carries.
const MARK: &str = "zyzzyva";

/// Those who are in the project, or see it, but in nothing private.
const OUTSIDERS: [&str; 3] = ["ben", "clerk", "admin"];

/// What happens in public after the private things; the ids are chosen, so that they are the same in both worlds.
const AFTERWARDS: &[Step] = &[
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

/// An agent that is in private things is given what it may read.
const GIVEN: &[Step] = &[
    ("", "coder", "POST /agents/$coder/context", r#"{"run_id":"$run_b","query":"zyzzyva payroll"}"#),
    ("", "coder", "POST /agents/$coder/context", r#"{"run_id":"$run_b","format":"openai_chat","query":"zyzzyva"}"#),
];

/// Every address that can be read, with everything in it that everybody of the project sees.
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

/// The answer without what counts all that happens in the project: positions, numbers of moments, and cursors that are
/// numbers.
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

/// All pages of an answer, read with the smallest page; no list is as long as a hundred pages.
async fn read(attack: &Attack, who: &str, address: &str) -> Vec<String> {
    let mut answers = vec![attack.call(who, &format!("GET {address}"), "").await.text().to_owned()];
    let is_list = serde_json::from_str::<Value>(&answers[0]).is_ok_and(|json| json["items"].is_array());
    if is_list && address != "/limits" {
        let sign = if address.contains('?') { '&' } else { '?' };
        let mut next = String::new();
        for _ in 0..100 {
            let page = attack.call(who, &format!("GET {address}{sign}limit=1{next}"), "").await;
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
fn every_address_that_can_be_read_is_read_here() {
    let open = ["/health", "/ready", "/openapi.json", "/errors/{code}", "/.well-known/jwks.json"];
    // The audit log tells administrators that something was done, wherever it was, and nothing of its content.
    let audit = ["/audit", "/audit/head", "/audit/export"];
    let is_left_out = |operation: &str| open.iter().chain(&audit).any(|path| operation == format!("GET {path}"));
    for operation in described().iter().filter(|operation| operation.starts_with("GET ") && !is_left_out(operation)) {
        assert!(READS.iter().any(|address| is_of(operation, &format!("GET {address}"))), "{operation} is not read");
    }
}

#[tokio::test]
async fn nobody_outside_reads_a_word_or_an_id_of_private_things() {
    let attack = Attack::with(&[PUBLIC_THINGS, PRIVATE_THINGS, AFTERWARDS, GIVEN]).await;
    let given = attack.call("coder", "GET /runs/$run_b/injections", "").await;
    assert!(given.text().contains(MARK), "the agent itself reads it: {}", given.text());
    let labels = PRIVATE_THINGS.iter().map(|step| step.0).filter(|label| !label.is_empty());
    let ids: Vec<_> = labels.map(|label| attack.id(label)).collect();
    for who in OUTSIDERS {
        for address in READS {
            for text in read(&attack, who, address).await {
                let is_told = text.to_lowercase().contains(MARK) || ids.iter().any(|id| text.contains(id));
                attack.note(&format!("{address} by {who}"), is_told.then(|| text.clone()));
            }
        }
    }
}

#[tokio::test]
async fn nobody_outside_can_tell_whether_there_are_private_things() {
    let with = Attack::with(&[PUBLIC_THINGS, PRIVATE_THINGS, AFTERWARDS]).await;
    let without = Attack::with(&[PUBLIC_THINGS, &[], AFTERWARDS]).await;
    for who in OUTSIDERS {
        for address in READS {
            let answers = [read(&with, who, address).await, read(&without, who, address).await];
            let [with_them, without_them] =
                answers.map(|pages| pages.iter().map(|page| settled(page)).collect::<Vec<_>>());
            let differs = with_them != without_them;
            with.note(&format!("{address} by {who}"), differs.then(|| format!("\n {with_them:?}\n {without_them:?}")));
        }
    }
}

#[tokio::test]
async fn those_inside_do_read_them() {
    let attack = Attack::with(&[PUBLIC_THINGS, PRIVATE_THINGS, AFTERWARDS]).await;
    for who in ["mara", "cleo", "coder"] {
        for address in
            ["/projects/$project/channels", "/projects/$project/graph", "/search?project_id=$project&q=zyzzyva"]
        {
            assert!(read(&attack, who, address).await[0].contains(MARK), "{address} by {who}");
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
        assert!(read(&attack, "coder", address).await[0].contains(attack.id(label)), "{address}");
    }
    assert!(read(&attack, "cleo", "/dms").await[0].contains(attack.id("dm")));
}

#[tokio::test]
async fn another_project_leaves_no_trace_either() {
    let attack = Attack::new().await;
    let labels = PUBLIC_THINGS.iter().chain(PRIVATE_THINGS).map(|step| step.0);
    let people = ["", "mara", "ben", "cleo"];
    let ids: Vec<_> = labels.filter(|label| !people.contains(label)).map(|label| attack.id(label)).collect();
    for who in ["otto", "robot"] {
        for address in ["/projects", "/people", "/dms", "/projects/$x_project/graph", "/projects/$x_project/unread"] {
            for text in read(&attack, who, address).await {
                assert!(!ids.iter().any(|id| text.contains(id)), "{address} by {who}: {text}");
            }
        }
    }
}
