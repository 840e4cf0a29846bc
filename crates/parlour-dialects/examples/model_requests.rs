//! Writes lists for all providers, one JSON object a line, for checkers that other people wrote.
//!
//! The same lines every time: `{"format": "anthropic", "request": {…}}`, made of logs of any messages.

#![allow(clippy::print_stdout, reason = "printing is the purpose of the example")]

#[path = "../tests/support/any_message.rs"]
#[allow(dead_code, unreachable_pub, reason = "tests use the rest of it")]
mod any_message;
#[path = "../tests/models/logs.rs"]
#[allow(dead_code, unreachable_pub, reason = "tests use the rest of it")]
mod logs;

use parlour_dialects::models::{
    StepDisplay, Transcript, TranscriptBuilder, anthropic, gemini,
    openai_chat::{self, Server},
    openai_responses,
};
use proptest::{
    strategy::{Strategy, ValueTree},
    test_runner::TestRunner,
};
use serde::Serialize;
use serde_json::json;

/// How many logs there are.
const LOGS: usize = 300;

fn main() {
    let mut runner = TestRunner::deterministic();
    let (any_log, me) = (logs::any_log(), logs::me());
    for number in 0..LOGS {
        let log = any_log.new_tree(&mut runner).expect("nothing is filtered out").current();
        let chars_max = if number % 3 == 0 { 500 } else { usize::MAX };
        let mut turns = TranscriptBuilder { agent: &me, steps: StepDisplay::AsToolCalls, chars_max }.build(&log);
        if number % 2 == 0 {
            turns.instruct("You are Coder.");
        }
        write_all(&turns);
    }
}

fn write_all(turns: &Transcript) {
    write("openai_chat", &openai_chat::encode(turns, Server::OpenAi));
    write("openai_chat", &openai_chat::encode(turns, Server::Lookalike));
    write("openai_responses", &openai_responses::encode(turns));
    write("anthropic", &anthropic::encode(turns));
    write("gemini", &gemini::encode(turns));
}

fn write(format: &str, request: &impl Serialize) {
    println!("{}", json!({ "format": format, "request": request }));
}
