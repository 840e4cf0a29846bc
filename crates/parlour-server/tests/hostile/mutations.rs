//! Good requests, spoilt at random: the same ones in every run.

use axum::http::{HeaderValue, Method, Request, Uri, header};
use serde_json::Value;

use crate::{
    attack::{Attack, problem_finding},
    tables::{VALID, rows},
};

/// How many spoilt requests are sent.
const ROUNDS: u64 = 3_000;

/// Pieces that readers stumble over.
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

/// Parts of an address that routers and readers stumble over.
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

/// Numbers that look random and are the same in every run (xorshift).
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.roll() % bound.max(1) as u64).expect("small")
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

/// A request under attack.
#[derive(Clone, Debug)]
struct Target {
    who: &'static str,
    method: String,
    address: String,
    body: Vec<u8>,
    media_type: &'static str,
}

impl Target {
    fn spoil(&mut self, dice: &mut Dice) {
        match dice.below(10) {
            0 => self.flip_bit(dice),
            1 => self.body.truncate(dice.below(self.body.len())),
            2 => self.cut_out(dice),
            3 => self.double(dice),
            4 | 5 => self.insert_piece(dice),
            6 => self.swap_value(dice),
            7 => self.nest_value(dice),
            8 => self.spoil_address(dice),
            _ => self.change_head(dice),
        }
    }

    fn flip_bit(&mut self, dice: &mut Dice) {
        let at = dice.below(self.body.len());
        if let Some(byte) = self.body.get_mut(at) {
            *byte ^= 1 << dice.below(8);
        }
    }

    fn range(&self, dice: &mut Dice) -> std::ops::Range<usize> {
        let start = dice.below(self.body.len());
        start..(start + dice.below(40)).min(self.body.len())
    }

    fn cut_out(&mut self, dice: &mut Dice) {
        let range = self.range(dice);
        self.body.drain(range);
    }

    fn double(&mut self, dice: &mut Dice) {
        let range = self.range(dice);
        let (end, copy) = (range.end, self.body[range].to_vec());
        self.body.splice(end..end, copy);
    }

    fn insert_piece(&mut self, dice: &mut Dice) {
        let at = dice.below(self.body.len() + 1);
        self.body.splice(at..at, dice.pick(&PIECES).iter().copied());
    }

    fn swap_value(&mut self, dice: &mut Dice) {
        let value = serde_json::from_str(dice.pick(&VALUES)).expect("JSON");
        self.change_value(dice, |_| value);
    }

    fn nest_value(&mut self, dice: &mut Dice) {
        let levels = dice.below(40);
        self.change_value(dice, |value| (0..levels).fold(value, |value, _| Value::Array(vec![value])));
    }

    /// Changes one value somewhere in the body, when it is still JSON.
    fn change_value(&mut self, dice: &mut Dice, change: impl FnOnce(Value) -> Value) {
        let Ok(mut json) = serde_json::from_slice::<Value>(&self.body) else { return };
        let mut place = &mut json;
        while dice.below(4) > 0 {
            let (below, at) = match place {
                Value::Object(fields) if !fields.is_empty() => (fields.len(), dice.below(fields.len())),
                Value::Array(items) if !items.is_empty() => (items.len(), dice.below(items.len())),
                _ => break,
            };
            debug_assert!(at < below);
            place = match place {
                Value::Object(fields) => fields.values_mut().nth(at).expect("counted"),
                Value::Array(items) => &mut items[at],
                _ => unreachable!("only these have something below"),
            };
        }
        *place = change(place.take());
        self.body = json.to_string().into_bytes();
    }

    fn spoil_address(&mut self, dice: &mut Dice) {
        let at = dice.below(self.address.len()) + 1;
        self.address.insert_str(at.min(self.address.len()), dice.pick(&ADDRESS_PIECES));
    }

    fn change_head(&mut self, dice: &mut Dice) {
        match dice.below(3) {
            0 => self.who = dice.pick(&["mara", "ben", "coder", "otto", "robot", "admin", "nobody"]),
            1 => self.method = dice.pick(&["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]).to_owned(),
            _ => self.media_type = dice.pick(&["", "text/plain", "application/json; charset=utf-16", "a/b+json", "é"]),
        }
    }

    /// The request, when the address is still one.
    fn request(&self, attack: &Attack) -> Option<Request<axum::body::Body>> {
        let uri: Uri = self.address.parse().ok()?;
        let mut request = attack.request(self.who, "POST /", self.body.clone());
        *request.method_mut() = Method::from_bytes(self.method.as_bytes()).ok()?;
        *request.uri_mut() = uri;
        request.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_bytes(self.media_type.as_bytes()).ok()?);
        Some(request)
    }
}

/// All good requests with their ids filled in.
fn targets(attack: &Attack) -> Vec<Target> {
    let rows = rows::<3>(VALID).map(|[who, request, body]| {
        let request = attack.fill(request);
        let (method, address) = request.split_once(' ').expect("a method and an address");
        Target {
            who,
            method: method.to_owned(),
            address: address.to_owned(),
            body: attack.fill(body).into_bytes(),
            media_type: if address.starts_with("/artifacts") { "text/plain" } else { "application/json" },
        }
    });
    rows.collect()
}

#[tokio::test]
async fn every_good_request_is_taken_unspoilt() {
    let attack = Attack::new().await;
    for target in targets(&attack) {
        let reply = attack.send(target.request(&attack).expect("a request")).await;
        assert!(reply.status.is_success(), "{target:?}: {}", String::from_utf8_lossy(&reply.bytes));
    }
}

#[tokio::test]
async fn no_spoilt_request_meets_a_fault() {
    let attack = Attack::new().await;
    let (targets, mut dice) = (targets(&attack), Dice(0x9E37_79B9_7F4A_7C15));
    let mut refused = 0;
    for round in 0..ROUNDS {
        let mut target = targets[dice.below(targets.len())].clone();
        for _ in 0..=dice.below(3) {
            target.spoil(&mut dice);
        }
        let Some(request) = target.request(&attack) else { continue };
        let reply = attack.send(request).await;
        let why = format!("round {round}, {} {} {}", target.method, target.address, target.body.escape_ascii());
        assert!(reply.status.as_u16() < 500, "{why}: {}", reply.text());
        if reply.status.is_client_error() {
            attack.note(&why, problem_finding(&reply));
            refused += 1;
        }
    }
    assert!(refused > ROUNDS / 2, "only {refused} were spoilt enough");
    attack.call("nobody", "GET /ready", "").await.expect(200);
}
