//! The host messages of the loop guard: their text, and their machine-readable marks, which the guard reads again.

use serde::{Deserialize, Serialize};

use crate::{
    Timestamp,
    author::{Author, AuthorType},
    call::{HeldCall, HoldRule},
    id::{AgentId, MemberId},
    loop_guard::{GuardFacts, history},
    message::{Kind, Message},
};

/// The machine-readable part of a host message about the guard, in its structured content under `loop_guard`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum GuardMark {
    /// The guard has held calls of agents.
    Tripped {
        /// The rule.
        rule: HoldRule,
        /// The agents that were not called.
        agents: Vec<AgentId>,
        /// When the hold ends by itself.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Timestamp>,
    },
    /// A person has reset the guard.
    Reset {
        /// The person.
        by: MemberId,
    },
}

impl GuardMark {
    /// The mark of a host message, if it has one. Messages of other authors have none, whatever their content.
    pub fn of(message: &Message) -> Option<Self> {
        let is_from_host =
            history::is_native(message) && message.from.author_type == AuthorType::Host && message.kind == Kind::Host;
        let mark = message.content.as_ref().filter(|_| is_from_host)?.get("loop_guard")?;
        Self::deserialize(mark).ok()
    }

    /// The structured content of its host message.
    pub fn content(&self) -> serde_json::Value {
        serde_json::json!({ "loop_guard": self })
    }
}

/// The stops of a conversation that are still active, newest first, each with its host message: those since the last
/// message of a person or the last reset that have not ended. `window` has the last messages, newest first.
pub fn active_stops(window: &[Message], now: Timestamp) -> Vec<(GuardMark, &Message)> {
    let marked = history::in_window(window).filter_map(|message| Some((GuardMark::of(message)?, message)));
    let is_active = |mark: &GuardMark| match mark {
        GuardMark::Tripped { until, .. } => until.is_none_or(|until| now < until),
        GuardMark::Reset { .. } => false,
    };
    marked.filter(|(mark, _)| is_active(mark)).collect()
}

/// The host messages to post after a message whose calls were held: one for each rule that was not yet reported in the
/// window since the last message of a person or the last reset. `Waiting` is reported to the sender only.
pub fn notices(facts: &GuardFacts<'_>, held: &[HeldCall]) -> Vec<(GuardMark, String)> {
    let mut rules: Vec<HoldRule> = held.iter().map(|one| one.rule).collect();
    rules.sort_unstable();
    rules.dedup();
    rules.retain(|rule| *rule != HoldRule::Waiting && !is_reported(facts.window, *rule));
    rules.into_iter().map(|rule| notice(facts, rule, held)).collect()
}

/// Whether older messages than those of the window decide what was reported: there is something to report, and neither
/// a message of a person nor a reset is in the window.
pub fn needs_older_messages(facts: &GuardFacts<'_>, held: &[HeldCall]) -> bool {
    !notices(facts, held).is_empty() && !facts.window.iter().any(history::is_end)
}

/// The text of the host message about a reset.
pub fn reset_text(by: &Author) -> String {
    format!("{} has reset the loop guard here: agents can call each other again.", by.name)
}

fn is_reported(window: &[Message], wanted: HoldRule) -> bool {
    let is_same = |mark| matches!(mark, GuardMark::Tripped { rule, .. } if rule == wanted);
    history::in_window(window).filter_map(GuardMark::of).any(is_same)
}

fn notice(facts: &GuardFacts<'_>, rule: HoldRule, held: &[HeldCall]) -> (GuardMark, String) {
    let stopped: Vec<&HeldCall> = held.iter().filter(|one| one.rule == rule).collect();
    let until = stopped.iter().filter_map(|one| one.until).max();
    let names: Vec<&str> = stopped.iter().map(|one| one.name.as_str()).collect();
    let (author, names) = (&facts.message.from.name, listed(&names));
    let text = format!(
        "The loop guard stopped the call from {author} to {names}: {}. {}",
        reason(facts, rule),
        remedy(facts, rule, until)
    );
    let agents = stopped.iter().map(|one| one.agent_id.clone()).collect();
    (GuardMark::Tripped { rule, agents, until }, text)
}

fn reason(facts: &GuardFacts<'_>, rule: HoldRule) -> String {
    let (limits, since) = (facts.limits, since_when(facts));
    match rule {
        HoldRule::Depth => {
            format!(
                "agents have answered each other {} in a row without a message of a person",
                times(limits.response_depth_max)
            )
        }
        HoldRule::Chain => "the called agent has already answered in this chain of messages".to_owned(),
        HoldRule::Pair => format!(
            "the two have called each other {} within {} seconds",
            times(limits.pair_messages_max),
            limits.pair_window_seconds
        ),
        HoldRule::Budget => format!("agents have used up their {} messages {since}", limits.conversation_answers_max),
        HoldRule::NoProgress => format!("agents have repeated nearly the same text {since}"),
        HoldRule::Correlation => "the calls with this correlation id are too deep, too long or too frequent".to_owned(),
        HoldRule::Waiting => "too many calls are already waiting".to_owned(),
    }
}

fn times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

/// The start of the period that the guard counts, as text.
fn since_when(facts: &GuardFacts<'_>) -> String {
    match facts.window.iter().find(|message| history::is_end(message)) {
        Some(message) if message.from.author_type == AuthorType::Person => {
            format!("since {} wrote at {}", message.from.name, clock(message.created_at))
        }
        Some(message) => format!("since it was reset at {}", clock(message.created_at)),
        None => "since a person last wrote here".to_owned(),
    }
}

fn remedy(facts: &GuardFacts<'_>, rule: HoldRule, until: Option<Timestamp>) -> String {
    let by_person = match (until, rule) {
        (Some(until), _) => format!("The block ends at {}. Mention them yourself", clock(until)),
        (None, HoldRule::Correlation) => "Mention them yourself, have them use another correlation id".to_owned(),
        (None, HoldRule::Depth | HoldRule::Chain) => "Post a message here and mention the agents you want".to_owned(),
        (None, _) => "Post a message here".to_owned(),
    };
    let id = &facts.message.to;
    format!(
        "{by_person}, or reset the guard with `parlour guard reset {id}` (`POST /conversations/{id}/loop-guard/reset`)."
    )
}

/// The time to the second, as text.
fn clock(at: Timestamp) -> String {
    let text = at.to_string();
    match (text.get(..10), text.get(11..19)) {
        (Some(day), Some(time)) => format!("{day} {time} UTC"),
        _ => text,
    }
}

/// The names as a list in a sentence.
fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
