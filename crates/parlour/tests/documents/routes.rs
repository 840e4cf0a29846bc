//! Requests in pages: `POST /messages {…}` in a block is sent, and a route in the text exists in the OpenAPI document.

use std::{fs, path::Path, sync::LazyLock};

use regex::Regex;
use serde_json::Value;

use super::{
    ROOT,
    markdown::{Block, Page},
};

static OPENAPI: LazyLock<Value> = LazyLock::new(|| {
    let text = fs::read_to_string(Path::new(ROOT).join("docs/openapi.json")).expect("the OpenAPI document");
    serde_json::from_str(&text).expect("JSON")
});
static INLINE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"`(GET|POST|PUT|PATCH|DELETE) (/[^` ?]*)(?:\?([^` ]*))?").expect("a pattern"));
static REQUEST: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(GET|POST|PUT|PATCH|DELETE) +(\S+) *([^→]*)").expect("a pattern"));

/// One request of a block of the language `http`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) line: usize,
    pub(crate) method: String,
    pub(crate) path: String,
    /// JSON, or nothing.
    pub(crate) body: String,
}

/// The requests of a block: method and path start one, its body follows; text after `→` is a remark.
pub(crate) fn requests(block: &Block) -> Vec<Request> {
    let mut requests: Vec<Request> = Vec::new();
    for (line, text) in (block.line..).zip(&block.lines) {
        if let Some(found) = REQUEST.captures(text) {
            let part = |index: usize| found.get(index).map_or("", |part| part.as_str()).trim().to_owned();
            requests.push(Request { line, method: part(1), path: part(2), body: part(3) });
        } else if let Some(request) = requests.last_mut() {
            request.body += text;
        }
    }
    requests
}

/// Routes of other systems.
const FOREIGN: &str = "/api/";

/// Routes in the text of a page that the hub does not have, or that would be refused as they are written.
pub(crate) fn problems(page: &Page) -> Vec<String> {
    let mut problems = Vec::new();
    for (line, text) in &page.prose {
        for found in INLINE.captures_iter(text).filter(|found| !found[2].starts_with(FOREIGN)) {
            let query = found.get(3).map(|query| query.as_str());
            if let Some(problem) = problem(&found[1], &found[2], query) {
                problems.push(format!("{}:{line}: {} {}: {problem}", page.path, &found[1], &found[2]));
            }
        }
    }
    problems
}

fn problem(method: &str, path: &str, query: Option<&str>) -> Option<String> {
    let paths = OPENAPI["paths"].as_object().expect("paths");
    let mut known = paths.iter().filter(|(known, _)| is_path(known, path));
    let Some(operation) = known.find_map(|(_, methods)| methods.get(method.to_lowercase())) else {
        return Some("the OpenAPI document has no such route".to_owned());
    };
    let query = query?;
    let given: Vec<_> = query.split('&').map(|pair| pair.split('=').next().unwrap_or_default()).collect();
    let parameters = operation["parameters"].as_array().map_or(&[][..], Vec::as_slice);
    let parameters: Vec<_> = parameters.iter().filter(|parameter| parameter["in"] == "query").collect();
    let is_known = |name: &str| parameters.iter().any(|parameter| parameter["name"] == name);
    let required = parameters.iter().filter(|parameter| parameter["required"] == true);
    let missing = required.filter_map(|parameter| parameter["name"].as_str()).find(|name| !given.contains(name));
    let unknown = given.iter().find(|name| !is_known(name)).map(|name| format!("unknown parameter {name:?}"));
    unknown.or(missing.map(|name| format!("the required parameter {name:?} is missing")))
}

/// Whether a path of a page means this route: `{id}` stands for any segment, on either side.
fn is_path(route: &str, path: &str) -> bool {
    let (route, path): (Vec<_>, Vec<_>) = (route.split('/').collect(), path.split('/').collect());
    let is_same = |(route, path): (&&str, &&str)| route == path || route.starts_with('{');
    route.len() == path.len() && route.iter().zip(&path).all(is_same)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_must_exist_with_its_required_parameters() {
        assert_eq!(problem("GET", "/projects/{id}/snapshot", None), None);
        assert_eq!(problem("GET", "/nothing", None).as_deref(), Some("the OpenAPI document has no such route"));
        let missing = Some("the required parameter \"project_id\" is missing");
        assert_eq!(problem("GET", "/events", Some("events_only=true")).as_deref(), missing);
        assert_eq!(problem("GET", "/events", Some("project_id=…&events_only=true")), None);
        assert_eq!(problem("GET", "/events", Some("project_id=…&all=1")).as_deref(), Some("unknown parameter \"all\""));
    }

    #[test]
    fn a_body_stands_behind_its_request_or_below_it() {
        let text = "```http\nPOST /runs {\"a\": 1}   → the run\nPATCH /x\n{ \"b\":\n  2 }\n```\n";
        let page = Page::parse("p", text);
        let found = requests(page.blocks().next().expect("a block"));
        let seen: Vec<_> =
            found.iter().map(|r| (r.line, r.method.as_str(), r.path.as_str(), r.body.as_str())).collect();
        assert_eq!(seen, [(2, "POST", "/runs", "{\"a\": 1}"), (3, "PATCH", "/x", "{ \"b\":  2 }")]);
    }
}
