//! The tools, one file each, and their list.
//!
//! Clients put the descriptions of all tools into the context of a model, so they are short; a test limits their size.

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
mod reply_thread;
mod search;

use std::sync::{Arc, LazyLock};

use parlour_hub::Failure;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;

use super::{request::McpRequest, tool_output::ToolOutput};

/// Whether a tool changes anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    Reads,
    Changes,
}

/// A tool as clients see it.
struct ToolDefinition {
    name: &'static str,
    effect: Effect,
    description: &'static str,
    /// The arguments, as a JSON Schema.
    schema: &'static str,
}

/// All tools, in the order in which they are listed.
const ALL: &[ToolDefinition] = &[
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
    static LIST: LazyLock<Vec<Tool>> = LazyLock::new(|| ALL.iter().map(ToolDefinition::tool).collect());
    &LIST
}

/// Whether a tool of this name changes something.
pub(super) fn changes_something(name: &str) -> bool {
    ALL.iter().any(|tool| tool.name == name && tool.effect == Effect::Changes)
}

/// Calls the tool of this name; returns `None` for an unknown name.
pub(super) async fn call(mcp: &McpRequest<'_>, name: &str, arguments: Value) -> Option<Result<ToolOutput, Failure>> {
    let arguments = &arguments;
    Some(match name {
        "create_channel" => create_channel::run(mcp, arguments).await,
        "post_message" => post_message::run(mcp, arguments).await,
        "reply_thread" => reply_thread::run(mcp, arguments).await,
        "dm_send" => dm_send::run(mcp, arguments).await,
        "channel_subscribe" => channel_subscribe::run(mcp, arguments).await,
        "channel_history" => channel_history::run(mcp, arguments).await,
        "dm_list" => dm_list::run(mcp, arguments).await,
        "message_mark_read" => message_mark_read::run(mcp, arguments).await,
        "inbox" => inbox::run(mcp, arguments).await,
        "checkpoint" => checkpoint::run(mcp, arguments).await,
        "ask" => ask::run(mcp, arguments).await,
        "search" => search::run(mcp, arguments).await,
        _ => return None,
    })
}

impl ToolDefinition {
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

    const TOKENS_MAX: usize = 3_000;

    /// An upper estimate without a tokenizer: English and JSON have about four bytes per token.
    const BYTES_PER_TOKEN: usize = 3;

    #[test]
    fn the_list_of_tools_has_fewer_than_three_thousand_tokens() {
        let json = serde_json::to_string(list()).expect("json");
        let tokens = json.len().div_ceil(BYTES_PER_TOKEN);
        println!("{json}\n{} tools, {} bytes, at most {tokens} tokens", list().len(), json.len());
        assert!(tokens < TOKENS_MAX, "{tokens} tokens");
    }

    #[test]
    fn the_list_contains_the_eight_original_tools_and_four_more() {
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
    fn only_reading_tools_have_the_read_only_hint() {
        let reading: Vec<_> = list()
            .iter()
            .filter(|tool| tool.annotations.as_ref().is_some_and(|hints| hints.read_only_hint == Some(true)))
            .map(|tool| tool.name.as_ref())
            .collect();
        assert_eq!(reading, ["channel_history", "dm_list", "inbox", "search"]);
        assert!(changes_something("ask") && !changes_something("search") && !changes_something("nothing"));
    }
}
