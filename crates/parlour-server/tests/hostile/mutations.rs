//! Valid requests with random mutations from a fixed seed.

use axum::http::{HeaderValue, Method, Request, Uri, header};
use serde_json::Value;

use crate::{
    populated_hub::{PopulatedHub, problem_finding},
    tables::{VALID, rows},
};

const ROUNDS: u64 = 3_000;

/// Fragments that break parsers.
const PIECES: [&[u8]; 22] = [
    b"[",
    b"{",
    b"\"",
    b"\\",
    b",",
    b":",
    b"]",
    b"}",
    b"null",
    b"-0",
    b"1e999",
    b"1e308",
    b"\\u0000",
    b"\\ud800",
    b"\xff",
    b"\0",
    b"\r\n",
    b"\xe2\x80\xae",
    b"18446744073709551616",
    b"\"zzz\":1,",
    b"[[[[[[[[[[[[[[[[",
    b"//",
];

/// Values of every type.
const VALUES: [&str; 14] = [
    "null",
    "true",
    "0",
    "-1",
    "1.5",
    "1e300",
    "\"\"",
    "\"x\"",
    "\"msg_1\"",
    "\"\\u0000\"",
    "[]",
    "{}",
    "[null]",
    "{\"a\":{\"a\":[]}}",
];

/// Fragments that break routers and URL parsers.
const ADDRESS_PIECES: [&str; 18] = [
    "/",
    "//",
    "%00",
    "%2f",
    "%ff",
    "%",
    "..",
    "?",
    "&",
    "=",
    "*",
    ">",
    "%0d%0a",
    "+",
    "limit=0",
    "&zzz=1",
    "&limit=1",
    "%F0%9F%98%80",
];

/// Deterministic pseudo-random numbers (xorshift).
struct MutationRng(u64);

impl MutationRng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound.max(1) as u64).expect("small")
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

/// A request to mutate.
#[derive(Clone, Debug)]
struct MutableRequest {
    who: &'static str,
    method: String,
    address: String,
    body: Vec<u8>,
    media_type: &'static str,
}

impl MutableRequest {
    fn mutate(&mut self, rng: &mut MutationRng) {
        match rng.below(10) {
            0 => self.flip_bit(rng),
            1 => self.body.truncate(rng.below(self.body.len())),
            2 => self.cut_out(rng),
            3 => self.double(rng),
            4 | 5 => self.insert_piece(rng),
            6 => self.swap_value(rng),
            7 => self.nest_value(rng),
            8 => self.mutate_address(rng),
            _ => self.change_head(rng),
        }
    }

    fn flip_bit(&mut self, rng: &mut MutationRng) {
        let at = rng.below(self.body.len());
        if let Some(byte) = self.body.get_mut(at) {
            *byte ^= 1 << rng.below(8);
        }
    }

    fn range(&self, rng: &mut MutationRng) -> std::ops::Range<usize> {
        let start = rng.below(self.body.len());
        start..(start + rng.below(40)).min(self.body.len())
    }

    fn cut_out(&mut self, rng: &mut MutationRng) {
        let range = self.range(rng);
        self.body.drain(range);
    }

    fn double(&mut self, rng: &mut MutationRng) {
        let range = self.range(rng);
        let (end, copy) = (range.end, self.body[range].to_vec());
        self.body.splice(end..end, copy);
    }

    fn insert_piece(&mut self, rng: &mut MutationRng) {
        let at = rng.below(self.body.len() + 1);
        self.body.splice(at..at, rng.pick(&PIECES).iter().copied());
    }

    fn swap_value(&mut self, rng: &mut MutationRng) {
        let value = serde_json::from_str(rng.pick(&VALUES)).expect("JSON");
        self.change_value(rng, |_| value);
    }

    fn nest_value(&mut self, rng: &mut MutationRng) {
        let levels = rng.below(40);
        self.change_value(rng, |value| (0..levels).fold(value, |value, _| Value::Array(vec![value])));
    }

    /// Changes one value somewhere in the body, when it is still JSON.
    fn change_value(&mut self, rng: &mut MutationRng, change: impl FnOnce(Value) -> Value) {
        let Ok(mut json) = serde_json::from_slice::<Value>(&self.body) else { return };
        let mut target = &mut json;
        while rng.below(4) > 0 {
            let (below, at) = match target {
                Value::Object(fields) if !fields.is_empty() => (fields.len(), rng.below(fields.len())),
                Value::Array(items) if !items.is_empty() => (items.len(), rng.below(items.len())),
                _ => break,
            };
            debug_assert!(at < below);
            target = match target {
                Value::Object(fields) => fields.values_mut().nth(at).expect("counted"),
                Value::Array(items) => &mut items[at],
                _ => unreachable!("only these have something below"),
            };
        }
        *target = change(target.take());
        self.body = json.to_string().into_bytes();
    }

    fn mutate_address(&mut self, rng: &mut MutationRng) {
        let at = rng.below(self.address.len()) + 1;
        self.address.insert_str(at.min(self.address.len()), rng.pick(&ADDRESS_PIECES));
    }

    fn change_head(&mut self, rng: &mut MutationRng) {
        match rng.below(3) {
            0 => self.who = rng.pick(&["mara", "ben", "coder", "otto", "robot", "admin", "nobody"]),
            1 => self.method = rng.pick(&["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]).to_owned(),
            _ => self.media_type = rng.pick(&["", "text/plain", "application/json; charset=utf-16", "a/b+json", "é"]),
        }
    }

    /// The request, unless the mutated URI or header is unusable.
    fn request(&self, hub: &PopulatedHub) -> Option<Request<axum::body::Body>> {
        let uri: Uri = self.address.parse().ok()?;
        let mut request = hub.request(self.who, "POST /", self.body.clone());
        *request.method_mut() = Method::from_bytes(self.method.as_bytes()).ok()?;
        *request.uri_mut() = uri;
        request.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_bytes(self.media_type.as_bytes()).ok()?);
        Some(request)
    }
}

/// All valid requests with their ids filled in.
fn targets(hub: &PopulatedHub) -> Vec<MutableRequest> {
    let rows = rows::<3>(VALID).map(|[who, request, body]| {
        let request = hub.fill(request);
        let (method, address) = request.split_once(' ').expect("a method and an address");
        MutableRequest {
            who,
            method: method.to_owned(),
            address: address.to_owned(),
            body: hub.fill(body).into_bytes(),
            media_type: if address.starts_with("/artifacts") { "text/plain" } else { "application/json" },
        }
    });
    rows.collect()
}

#[tokio::test]
async fn every_request_of_the_table_succeeds_unmutated() {
    let hub = PopulatedHub::new().await;
    for target in targets(&hub) {
        let reply = hub.send(target.request(&hub).expect("a request")).await;
        assert!(reply.status.is_success(), "{target:?}: {}", String::from_utf8_lossy(&reply.bytes));
    }
}

#[tokio::test]
async fn no_mutated_request_causes_a_server_error() {
    let hub = PopulatedHub::new().await;
    let (targets, mut rng) = (targets(&hub), MutationRng(0x9E37_79B9_7F4A_7C15));
    let mut refused = 0;
    for round in 0..ROUNDS {
        let mut target = targets[rng.below(targets.len())].clone();
        for _ in 0..=rng.below(3) {
            target.mutate(&mut rng);
        }
        let Some(request) = target.request(&hub) else { continue };
        let reply = hub.send(request).await;
        let why = format!("round {round}, {} {} {}", target.method, target.address, target.body.escape_ascii());
        assert!(reply.status.as_u16() < 500, "{why}: {}", reply.text());
        if reply.status.is_client_error() {
            hub.record(&why, problem_finding(&reply));
            refused += 1;
        }
    }
    assert!(refused > ROUNDS / 2, "only {refused} were refused");
    hub.call("nobody", "GET /ready", "").await.expect(200);
}
