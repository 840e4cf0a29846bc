//! Field values of another type, out of bounds, forged, or of another project.

use serde_json::Value;

use crate::{
    populated_hub::{PopulatedHub, problem_finding},
    support::Reply,
    tables::{FIELDS, FOREIGN, FORGED, TEXTS, rows, valid, valid_bodies},
};

/// Placeholder of a raw value until the JSON text is written.
const HOLE: &str = "\u{1}";

/// The valid body with this raw text as the value of the field.
fn with_value(body: &str, field: &str, raw: &str) -> String {
    let mut json: Value = serde_json::from_str(body).expect("valid");
    let value = field.split('.').fold(&mut json, |json, step| {
        if json.is_null() {
            *json = Value::Object(serde_json::Map::new());
        }
        &mut json[step]
    });
    *value = HOLE.into();
    json.to_string().replace("\"\\u0001\"", raw)
}

/// Values of another type than a field of this kind accepts, as JSON texts.
#[rustfmt::skip]
fn wrong_values(kind: &str) -> &'static [&'static str] {
    match kind {
        "text" => &["0", "-0", "true", "[]", "{}", "[\"a\"]", "{\"a\":1}"],
        "id" => &[
            "0", "true", "[]", "{}", "\"\"", "\"*\"", "\">\"", "\"zzz_1\"", "\"1\"", "\"chn\"", "\"msg_\"",
            "\"prj_a.b\"", "\"per_a:b\"", "\"chn_a/b\"", "\"msg_../b\"", "\"tsk_*\"", "\"agt_>\"", "\"dm_a b\"",
            "\" prj_1\"", "\"prj_1\\n\"", "\"per_\\u0000\"", "\"chn_\\u00e9\"", "\"msg_\\u202e1\"", "\"PRJ_1\"",
            "\"per_1234567890123456789012345678901234567890123456789012345678901\"",
        ],
        "flag" => &["0", "1", "\"true\"", "\"\"", "[]", "{}"],
        "choice" => &["0", "true", "\"\"", "\"nope\"", "\"HIGH\"", "\"high \"", "[]", "[\"high\"]", "{\"high\":null}",
            "{\"private\":null}", "{\"open\":null}", "{\"user\":null}"],
        "count" => &["-1", "1.5", "1e-2", "\"5\"", "true", "[]", "{}", "18446744073709551616",
            "-9223372036854775809", "1e308"],
        "list" => &["0", "true", "\"a\"", "{}", "[0]", "[null]", "[[]]", "[{}]", "[true]"],
        "object" => &["0", "true", "\"a\"", "[]", "[null,null,null]", "[\"a\"]"],
        other => unreachable!("no kind {other}"),
    }
}

fn wrong_type_finding(reply: &Reply, field: &str) -> Option<String> {
    let finding = problem_finding(reply);
    if finding.is_some() {
        return finding;
    }
    let problem = reply.json();
    let named = problem["field"].as_str().unwrap_or_default();
    // A refusal of an item names the item.
    let is_named = named == field || named.starts_with(&format!("{field}["));
    (problem["code"] != "PARLOUR-I02" || !is_named).then(|| problem.to_string())
}

#[tokio::test]
async fn every_field_refuses_values_of_another_type() {
    let hub = PopulatedHub::new().await;
    for [request, field, kind] in rows(FIELDS) {
        let (who, body) = valid(request);
        let nulls: &[&str] = if kind.ends_with('!') { &["null"] } else { &[] };
        for raw in wrong_values(kind.trim_end_matches('!')).iter().chain(nulls) {
            let why = format!("{field} = {raw} in {request}");
            let sent = hub.request(who, request, hub.fill(&with_value(body, field, raw)));
            hub.expect_no_change(&why, sent, |reply| wrong_type_finding(reply, field)).await;
        }
    }
    hub.expect_available().await;
}

#[test]
fn the_table_contains_every_field_of_the_valid_requests() {
    for [_, request, body] in valid_bodies() {
        let json: Value = serde_json::from_str(body).expect("valid");
        let fields: Vec<_> = rows::<3>(FIELDS).filter(|row| row[0] == request).map(|row| row[1]).collect();
        let is_free = |field: &&String| ["content", "input", "output"].contains(&field.as_str());
        for field in json.as_object().expect("an object").keys().filter(|field| !is_free(field)) {
            assert!(fields.contains(&field.as_str()), "{request}: {field}");
        }
    }
}

#[tokio::test]
async fn fields_that_only_the_hub_sets_are_refused() {
    let hub = PopulatedHub::new().await;
    for [request, body, expected] in rows(FORGED) {
        // Only administrators may import; others are refused before the body is read.
        let who = if request == "POST /imports" { "admin" } else { "mara" };
        let sent = hub.request(who, request, hub.fill(body));
        hub.expect_refusal(&format!("{request} {body}"), sent, expected).await;
    }
}

#[tokio::test]
async fn an_id_of_another_project_is_refused_like_an_unknown_one() {
    let hub = PopulatedHub::new().await;
    for [request, body, expected] in rows(FOREIGN) {
        let why = format!("{request} {body}");
        hub.expect_refusal(&why, hub.request("mara", request, hub.fill(body)), expected).await;
        let hidden = hub.anonymous_refusal("mara", request, body).await;
        let absent = hub.anonymous_refusal("mara", &absent_for(request), &absent_for(body)).await;
        hub.record(&why, (hidden != absent).then(|| format!("{hidden:?} and {absent:?}")));
    }
}

/// Replaces the ids of the other project by unknown ones.
fn absent_for(text: &str) -> String {
    let ids = [
        ("$x_project", "prj_absent"),
        ("$x_channel", "chn_absent"),
        ("$x_thread", "thr_absent"),
        ("$x_dm", "dm_absent"),
        ("$x_message", "msg_absent"),
        ("$x_question", "msg_absent"),
        ("$x_run", "run_absent"),
        ("$x_task", "tsk_absent"),
        ("$x_batch", "bat_absent"),
        ("$x_artifact", "art_absent"),
        ("$robot", "agt_absent"),
        ("$otto", "per_absent"),
    ];
    ids.iter().fold(text.to_owned(), |text, (label, id)| text.replace(label, id))
}

#[tokio::test]
async fn texts_over_their_limits_are_refused() {
    let hub = PopulatedHub::new().await;
    for [request, body, field, bound] in rows(TEXTS) {
        let (most, unit) = bound.split_once(' ').expect("a number and a unit");
        let most: usize = most.parse().expect("a number");
        let sign = if unit == "bytes" { "x" } else { "é" };
        let text = sign.repeat(most + 1);
        let sent = hub.request("mara", request, hub.fill(&body.replace('@', &text)));
        hub.expect_refusal(&format!("a long {field} in {request}"), sent, &format!("422 I10 {field}")).await;
        if unit == "line" {
            for text in ["", " ", "\\u200b", "a\\nb", "a\\rb", "a\\tb", "a\\u2028b"] {
                let sent = hub.request("mara", request, hub.fill(&body.replace('@', text)));
                hub.expect_refusal(&format!("{text:?} as {field} in {request}"), sent, &format!("422 I10 {field}"))
                    .await;
            }
        }
    }
}

#[tokio::test]
async fn control_characters_in_texts_are_refused() {
    let hub = PopulatedHub::new().await;
    for [request, body, field, _] in rows(TEXTS) {
        for sign in
            ["\\u0000", "\\u0007", "\\b", "\\u000b", "\\f", "\\u001b", "\\u007f", "\\u0080", "\\u0085", "\\u009b"]
        {
            let sent = hub.request("mara", request, hub.fill(&body.replace('@', &format!("a{sign}b"))));
            hub.expect_refusal(&format!("{sign} as {field} in {request}"), sent, &format!("422 I11 {field}")).await;
        }
    }
}

#[tokio::test]
async fn lists_over_their_limits_are_refused() {
    let hub = PopulatedHub::new().await;
    let attachment = r#"{"filename":"a","media_type":"a/b","size":1,"url":"https://a"}"#;
    let cases = [
        ("POST /agents", r#"{"project_id":"$project","name":"Scout","capabilities":[@]}"#, "\"a\"", 51, "capabilities"),
        ("PATCH /agents/$coder", r#"{"capabilities":[@]}"#, "\"a\"", 51, "capabilities"),
        ("POST /messages", r#"{"channel_id":"$channel","body":"x","mentions":[@]}"#, "\"Ben\"", 51, "mentions"),
        ("POST /messages", r#"{"channel_id":"$channel","body":"x","artifacts":[@]}"#, "\"$artifact\"", 21, "artifacts"),
        ("POST /messages", r#"{"channel_id":"$channel","body":"x","attachments":[@]}"#, attachment, 21, "attachments"),
        ("POST /messages", r#"{"channel_id":"$channel","body":"x","content":[@]}"#, "\"12345678\"", 6_000, "content"),
        (
            "POST /messages",
            r#"{"channel_id":"$channel","body":"x","metadata":{"a":[@]}}"#,
            "\"12345678\"",
            800,
            "metadata",
        ),
    ];
    for (request, body, item, count, field) in cases {
        let items = vec![item; count].join(",");
        let sent = hub.request("mara", request, hub.fill(&body.replace('@', &items)));
        hub.expect_refusal(&format!("{count} {field}"), sent, &format!("422 I10 {field}")).await;
    }
    let crowd: Vec<_> = (0..20).map(|number| format!("\"agt_{number}\"")).collect();
    let body = format!(r#"{{"project_id":"$project","participants":[{}]}}"#, crowd.join(","));
    let sent = hub.request("mara", "POST /dms", hub.fill(&body));
    hub.expect_refusal("a crowd", sent, "422 I10 participants").await;
}
