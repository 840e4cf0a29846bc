//! Hostile paths, ids, parameters and methods.

use std::collections::BTreeSet;

use axum::http::Method;
use serde_json::Value;

use crate::{
    populated_hub::{ExpectedRefusal, PopulatedHub},
    support::Reply,
    tables::{ADDRESSES, QUERIES, rows},
};

/// Path segments that are not ids of any kind.
const BAD_IDS: [&str; 24] = [
    "zzz",
    "zzz_1",
    "1",
    "*",
    "%2a",
    "%3e",
    "prj_*",
    "per_%3e",
    "agt_a.b",
    "chn_a:b",
    "thr_a%2fb",
    "dm_..%2f",
    "msg_",
    "tsk_%00",
    "bat_%0d%0a",
    "art_%20",
    "prj_%c3%a9",
    "per_%e2%80%ae1",
    "msg_%F0%9F%98%80",
    "%5f",
    "-",
    "null",
    "prj_1;drop",
    "per_1234567890123456789012345678901234567890123456789012345678901",
];

/// Every path of the API description with its methods, in lower case.
fn described() -> Vec<(String, Vec<String>)> {
    let document = serde_json::to_value(parlour_server::openapi()).expect("document");
    let paths = document["paths"].as_object().expect("paths");
    let methods = |item: &Value| item.as_object().expect("methods").keys().cloned().collect();
    paths.iter().map(|(path, item)| (path.clone(), methods(item))).collect()
}

#[tokio::test]
async fn an_unknown_path_is_refused() {
    let hub = PopulatedHub::new().await;
    for [request, expected] in rows(ADDRESSES) {
        hub.expect_refusal(request, hub.request("mara", request, ""), expected).await;
    }
}

#[tokio::test]
async fn an_invalid_parameter_is_refused_by_name() {
    let hub = PopulatedHub::new().await;
    for [request, expected] in rows(QUERIES) {
        let is_agents = request.contains("/inbox") || request.contains("/calls");
        let who = if is_agents { "coder" } else { "mara" };
        let body = if request.starts_with("POST /messages?") { "{}" } else { "" };
        hub.expect_refusal(request, hub.request(who, request, body), expected).await;
    }
}

#[tokio::test]
async fn an_invalid_id_in_the_path_is_refused_by_name() {
    let hub = PopulatedHub::new().await;
    for (path, methods) in described().iter().filter(|(path, _)| path.contains('{') && !path.starts_with("/errors")) {
        let name = path.split(['{', '}']).nth(1).expect("a variable part");
        for (method, bad) in methods.iter().flat_map(|method| BAD_IDS.map(|bad| (method.to_uppercase(), bad))) {
            let request = format!("{method} {}", path.replacen(&format!("{{{name}}}"), bad, 1).replace(['{', '}'], ""));
            let expected = format!("422 I08 {name}");
            hub.expect_refusal(&request, hub.request("mara", &request, "{}"), &expected).await;
        }
    }
    hub.expect_available().await;
}

fn allow_finding(reply: &Reply, taken: &BTreeSet<String>) -> Option<String> {
    let allowed: BTreeSet<_> = reply.header("allow").split(',').map(|one| one.trim().to_owned()).collect();
    let wrong = (allowed != *taken).then(|| format!("Allow is {allowed:?} instead of {taken:?}"));
    ExpectedRefusal::read("405 N03").finding(reply).or(wrong)
}

#[tokio::test]
async fn an_unsupported_method_is_refused_with_the_allowed_ones() {
    let hub = PopulatedHub::new().await;
    let all = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get"];
    for (path, methods) in described() {
        let mut taken: BTreeSet<String> = methods.iter().map(|method| method.to_uppercase()).collect();
        // A page has the same address.
        if path == "/sign-in" {
            taken.insert("GET".to_owned());
        }
        if taken.contains("GET") {
            taken.insert("HEAD".to_owned());
        }
        for method in all.iter().filter(|method| !taken.contains(**method)) {
            let request = format!("{method} {}", path.replace(['{', '}'], ""));
            hub.expect_no_change(&request, hub.request("mara", &request, ""), |reply| allow_finding(reply, &taken))
                .await;
        }
    }
}

#[tokio::test]
async fn a_head_request_gets_the_response_of_get_without_its_body() {
    let hub = PopulatedHub::new().await;
    for path in
        ["/projects", "/projects/$project", "/channels/$channel/messages", "/artifacts/$artifact/content", "/health"]
    {
        let get = hub.send(hub.request("mara", &format!("GET {path}"), "")).await;
        let mut request = hub.request("mara", &format!("GET {path}"), "");
        *request.method_mut() = Method::HEAD;
        let head = hub.send(request).await;
        assert_eq!((head.status, head.bytes.len()), (get.status, 0), "{path}");
        assert_eq!(head.header("content-type"), get.header("content-type"), "{path}");
    }
}
