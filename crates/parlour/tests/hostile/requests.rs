//! The tables of requests, over TCP.

use crate::hostile_hub::HostileHub;

const ADDRESSES: &str = include_str!("../../../parlour-server/tests/hostile/tables/addresses.table");
const QUERIES: &str = include_str!("../../../parlour-server/tests/hostile/tables/queries.table");
const FORGED: &str = include_str!("../../../parlour-server/tests/hostile/tables/forged.table");
const FOREIGN: &str = include_str!("../../../parlour-server/tests/hostile/tables/foreign.table");
const AUTHORIZATIONS: &str = include_str!("../../../parlour-server/tests/hostile/tables/headers.table");
const NAMES: &str = include_str!("../../../parlour-server/tests/hostile/tables/names.table");
const IDS: &str = include_str!("tables/ids.table");
const BORDERS: &str = include_str!("tables/borders.table");
const JSON: &str = include_str!("tables/json.table");

/// Signs that no socket carries in the first line of a request; libraries refuse to send them, and so does this.
fn can_be_sent(request: &str) -> bool {
    request.is_ascii() && !request.trim_end().contains("  ")
}

/// The lines of a table, without its comments.
pub(crate) fn lines(table: &'static str) -> impl Iterator<Item = &'static str> {
    table.lines().filter(|line| !line.is_empty() && !line.starts_with("# "))
}

/// The rows of a table with this number of columns.
pub(crate) fn rows<const COLUMNS: usize>(table: &'static str) -> impl Iterator<Item = [&'static str; COLUMNS]> {
    lines(table).map(|line| {
        let cells: Vec<_> = line.split(" |").map(str::trim).collect();
        cells.try_into().expect(line)
    })
}

#[test]
fn invalid_paths_and_queries_are_refused() {
    let mut hostile_hub = HostileHub::new();
    let before = hostile_hub.stored();
    let rows = rows(ADDRESSES).chain(rows(QUERIES)).filter(|[request, _]| can_be_sent(request));
    for [request, expected] in rows {
        let who = if request.contains("/inbox") || request.contains("/calls") { "coder" } else { "mara" };
        let body = if request.starts_with("POST /messages?") { "{}" } else { "" };
        let told = hostile_hub.call(who, request, body).told();
        hostile_hub.note(request, expected, &told);
    }
    hostile_hub.check(&before);
}

#[test]
fn fields_that_only_the_hub_sets_are_refused_in_every_body() {
    let mut hostile_hub = HostileHub::new();
    let before = hostile_hub.stored();
    for [request, body, expected] in rows(FORGED).chain(rows(FOREIGN)) {
        let who = ["mara", "coder", "ben", "admin"].into_iter().find(|who| {
            let answer = hostile_hub.call(who, request, body);
            answer.told() == expected
        });
        let told = who.map_or_else(|| hostile_hub.call("mara", request, body).told(), |_| expected.to_owned());
        hostile_hub.note(&format!("{request} {body}"), expected, &told);
    }
    hostile_hub.check(&before);
}

#[test]
fn other_authorization_headers_do_not_authenticate() {
    let mut hostile_hub = HostileHub::new();
    let before = hostile_hub.stored();
    for line in lines(AUTHORIZATIONS) {
        let values = hostile_hub.fill(line);
        let headers: String = values.split(';').map(|value| format!("Authorization: {value}\r\n")).collect();
        let told = hostile_hub.send("GET /me", &headers, "").told();
        hostile_hub.note(line, "401 A01", &told);
    }
    hostile_hub.check(&before);
}

#[test]
fn ids_with_wildcards_dots_or_control_characters_are_refused() {
    let mut hostile_hub = HostileHub::new();
    let before = hostile_hub.stored();
    for bad in lines(IDS) {
        for place in
            ["/projects/{}", "/messages/{}", "/channels/{}/messages", "/artifacts/{}/content", "/agents/{}/inbox"]
        {
            let answer = hostile_hub.call("mara", &format!("GET {}", place.replace("{}", bad)), "");
            let is_refused = (400..500).contains(&answer.status());
            hostile_hub.note(&format!("{place} {bad}"), "true", &is_refused.to_string());
        }
        let json = bad.replace('\\', "\\\\").replace('"', "\\\"");
        let body = format!(r#"{{"channel_id":"{json}","body":"x"}}"#);
        let is_refused = (400..500).contains(&hostile_hub.call("mara", "POST /messages", &body).status());
        hostile_hub.note(&body, "true", &is_refused.to_string());
    }
    hostile_hub.check(&before);
}

#[test]
fn confusable_names_are_refused() {
    let mut hostile_hub = HostileHub::new();
    let before = hostile_hub.stored();
    for name in lines(NAMES) {
        for (request, who, rest) in [
            ("POST /people", "admin", ""),
            ("POST /agents", "mara", r#","project_id":"$project""#),
            ("POST /channels", "mara", r#","project_id":"$project""#),
        ] {
            let answer = hostile_hub.call(who, request, &format!(r#"{{"name":{name}{rest}}}"#));
            let is_refused = (400..500).contains(&answer.status());
            hostile_hub.note(&format!("{request} {name}"), "true", &is_refused.to_string());
        }
    }
    hostile_hub.check(&before);
}

#[test]
fn foreign_hosts_origins_and_cookies_are_refused() {
    let mut hostile_hub = HostileHub::new();
    let before = hostile_hub.stored();
    for [request, headers, expected] in rows(BORDERS) {
        let headers: String =
            headers.split(" & ").filter(|line| *line != "-").map(|line| format!("{line}\r\n")).collect();
        let told = hostile_hub.send(&hostile_hub.fill(request), &hostile_hub.fill(&headers), "").told();
        hostile_hub.note(&format!("{request} {headers}"), expected, &told);
    }
    hostile_hub.check(&before);
}

#[test]
fn invalid_deep_or_huge_json_is_refused() {
    let mut hostile_hub = HostileHub::new();
    let before = hostile_hub.stored();
    for [body, expected] in rows(JSON) {
        let told = hostile_hub.call("mara", "POST /messages", body).told();
        hostile_hub.note(body, expected, &told);
    }
    let huge = format!(r#"{{"channel_id":"$channel","body":"{}"}}"#, "x".repeat(2 * 1024 * 1024));
    for (body, expected) in [
        (huge.as_str(), "413 I05"),
        (&"[".repeat(100_000), "400 I06"),
        (&r#"{"a":"#.repeat(50_000), "400 I06"),
        (&format!(r#"{{"metadata":{}1{}}}"#, r#"{"a":"#.repeat(500), "}".repeat(500)), "400 I06"),
    ] {
        let answer = hostile_hub.call("mara", "POST /messages", body);
        let why = format!("{}… of {} bytes", &body[..20], body.len());
        hostile_hub.note(&why, &expected[..1], &answer.told()[..1]);
    }
    hostile_hub.check(&before);
}
