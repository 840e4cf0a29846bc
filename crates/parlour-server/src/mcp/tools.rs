//! The tools: one file for each, all of the same shape, and the list of them.
//!
//! Their descriptions are read by every model at every start, so they are as short as they can be: a test prints and
//! bounds what all of them cost.

mod ask;
mod channel_history;
mod channel_subscribe;
mod checkpoint;
mod create_channel;
mod dm_list;
mod dm_send;
mod inbox;
mod message_mark_read;
mod post_message;
mod posted;
mod reply_thread;
mod search;

use std::sync::{Arc, LazyLock};

use parlour_hub::Failure;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;

use super::{outcome::Outcome, turn::Turn};

/// What a tool does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    Reads,
    Changes,
}

/// A tool as clients learn of it.
struct Definition {
    name: &'static str,
    effect: Effect,
    description: &'static str,
    /// The arguments, as a JSON Schema.
    schema: &'static str,
}

/// All tools, in the order in which they are listed.
const ALL: &[Definition] = &[
    create_channel::TOOL,
    post_message::TOOL,
    reply_thread::TOOL,
    dm_send::TOOL,
    channel_subscribe::TOOL,
    channel_history::TOOL,
    dm_list::TOOL,
    message_mark_read::TOOL,
    inbox::TOOL,
    checkpoint::TOOL,
    ask::TOOL,
    search::TOOL,
];

/// The tools as the protocol lists them.
pub(super) fn list() -> &'static [Tool] {
    static LIST: LazyLock<Vec<Tool>> = LazyLock::new(|| ALL.iter().map(Definition::tool).collect());
    &LIST
}

/// Whether a tool of this name changes something.
pub(super) fn changes_something(name: &str) -> bool {
    ALL.iter().any(|tool| tool.name == name && tool.effect == Effect::Changes)
}

/// Calls the tool of this name; there may be none.
pub(super) async fn call(turn: &Turn<'_>, name: &str, arguments: Value) -> Option<Result<Outcome, Failure>> {
    let arguments = &arguments;
    Some(match name {
        "create_channel" => create_channel::run(turn, arguments).await,
        "post_message" => post_message::run(turn, arguments).await,
        "reply_thread" => reply_thread::run(turn, arguments).await,
        "dm_send" => dm_send::run(turn, arguments).await,
        "channel_subscribe" => channel_subscribe::run(turn, arguments).await,
        "channel_history" => channel_history::run(turn, arguments).await,
        "dm_list" => dm_list::run(turn, arguments).await,
        "message_mark_read" => message_mark_read::run(turn, arguments).await,
        "inbox" => inbox::run(turn, arguments).await,
        "checkpoint" => checkpoint::run(turn, arguments).await,
        "ask" => ask::run(turn, arguments).await,
        "search" => search::run(turn, arguments).await,
        _ => return None,
    })
}

impl Definition {
    fn tool(&self) -> Tool {
        let schema: JsonObject = serde_json::from_str(self.schema).expect("the schemas of tools are JSON: tested");
        let hints = match self.effect {
            Effect::Reads => ToolAnnotations::new().read_only(true),
            Effect::Changes => ToolAnnotations::new().destructive(false),
        };
        let mut tool = Tool::new(self.name, self.description, Arc::new(schema));
        tool.annotations = Some(hints);
        tool
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What all tools together may cost a model, in tokens.
    const TOKENS_MAX: usize = 3_000;

    /// No tokenizer is at hand here. Tokens of models have about four bytes in English and in JSON; three is a bound that
    /// the real ones stay below by a quarter.
    const BYTES_PER_TOKEN: usize = 3;

    #[test]
    fn the_list_of_tools_costs_less_than_three_thousand_tokens() {
        let json = serde_json::to_string(list()).expect("json");
        let tokens = json.len().div_ceil(BYTES_PER_TOKEN);
        println!("{json}\n{} tools, {} bytes, at most {tokens} tokens", list().len(), json.len());
        assert!(tokens < TOKENS_MAX, "{tokens} tokens");
    }

    #[test]
    fn the_tools_are_the_eight_of_old_and_four_more() {
        let names: Vec<_> = list().iter().map(|tool| tool.name.as_ref()).collect();
        let expected = "create_channel post_message reply_thread dm_send channel_subscribe channel_history dm_list \
            message_mark_read inbox checkpoint ask search";
        assert_eq!(names.join(" "), expected);
    }

    #[test]
    fn every_schema_describes_an_object_whose_required_fields_exist() {
        for tool in list() {
            let schema = tool.input_schema.as_ref();
            assert_eq!(schema["type"], "object", "{}", tool.name);
            let properties = schema["properties"].as_object().expect("properties");
            for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
                assert!(properties.contains_key(name.as_str().expect("a name")), "{}: {name}", tool.name);
            }
        }
    }

    #[test]
    fn clients_are_told_which_tools_only_read() {
        let reading: Vec<_> = list()
            .iter()
            .filter(|tool| tool.annotations.as_ref().is_some_and(|hints| hints.read_only_hint == Some(true)))
            .map(|tool| tool.name.as_ref())
            .collect();
        assert_eq!(reading, ["channel_history", "dm_list", "inbox", "search"]);
        assert!(changes_something("ask") && !changes_something("search") && !changes_something("nothing"));
    }
}
