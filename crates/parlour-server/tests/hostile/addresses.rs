//! Addresses: paths, ids in them, parameters and methods.

use std::collections::BTreeSet;

use axum::http::Method;
use serde_json::Value;

use crate::{
    attack::{Attack, Expected},
    support::Reply,
    tables::{ADDRESSES, QUERIES, rows},
};

/// Parts of an address that are no id of any kind.
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

/// Every address of the description with its methods, in lower case.
fn described() -> Vec<(String, Vec<String>)> {
    let document = serde_json::to_value(parlour_server::openapi()).expect("document");
    let paths = document["paths"].as_object().expect("paths");
    let methods = |item: &Value| item.as_object().expect("methods").keys().cloned().collect();
    paths.iter().map(|(path, item)| (path.clone(), methods(item))).collect()
}

#[tokio::test]
async fn an_address_that_does_not_exist_is_refused() {
    let attack = Attack::new().await;
    for [request, expected] in rows(ADDRESSES) {
        attack.refused(request, attack.request("mara", request, ""), expected).await;
    }
}

#[tokio::test]
async fn a_parameter_that_cannot_be_read_is_refused_by_its_name() {
    let attack = Attack::new().await;
    for [request, expected] in rows(QUERIES) {
        let is_agents = request.contains("/inbox") || request.contains("/calls");
        let who = if is_agents { "coder" } else { "mara" };
        let body = if request.starts_with("POST /messages?") { "{}" } else { "" };
        attack.refused(request, attack.request(who, request, body), expected).await;
    }
}

#[tokio::test]
async fn a_part_of_an_address_that_is_no_id_is_refused_by_its_name() {
    let attack = Attack::new().await;
    for (path, methods) in described().iter().filter(|(path, _)| path.contains('{') && !path.starts_with("/errors")) {
        let name = path.split(['{', '}']).nth(1).expect("a variable part");
        for (method, bad) in methods.iter().flat_map(|method| BAD_IDS.map(|bad| (method.to_uppercase(), bad))) {
            let request = format!("{method} {}", path.replacen(&format!("{{{name}}}"), bad, 1).replace(['{', '}'], ""));
            let expected = format!("422 I08 {name}");
            attack.refused(&request, attack.request("mara", &request, "{}"), &expected).await;
        }
    }
    attack.still_answers().await;
}

fn allow_finding(reply: &Reply, taken: &BTreeSet<String>) -> Option<String> {
    let allowed: BTreeSet<_> = reply.header("allow").split(',').map(|one| one.trim().to_owned()).collect();
    let wrong = (allowed != *taken).then(|| format!("Allow is {allowed:?} instead of {taken:?}"));
    Expected::read("405 N03").finding(reply).or(wrong)
}

#[tokio::test]
async fn a_method_that_an_address_does_not_take_is_refused_with_those_that_it_takes() {
    let attack = Attack::new().await;
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
            attack.judged(&request, attack.request("mara", &request, ""), |reply| allow_finding(reply, &taken)).await;
        }
    }
}

#[tokio::test]
async fn a_head_request_is_answered_like_a_get_request_without_its_body() {
    let attack = Attack::new().await;
    for path in
        ["/projects", "/projects/$project", "/channels/$channel/messages", "/artifacts/$artifact/content", "/health"]
    {
        let get = attack.send(attack.request("mara", &format!("GET {path}"), "")).await;
        let mut request = attack.request("mara", &format!("GET {path}"), "");
        *request.method_mut() = Method::HEAD;
        let head = attack.send(request).await;
        assert_eq!((head.status, head.bytes.len()), (get.status, 0), "{path}");
        assert_eq!(head.header("content-type"), get.header("content-type"), "{path}");
    }
}
