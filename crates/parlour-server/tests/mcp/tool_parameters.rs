//! Names and parameters of the eight original tools. They are a compatibility contract.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::client::McpFixture;

/// The parameters of a tool: those of the contract, the required ones, and later additions.
struct ToolContract {
    tool: &'static str,
    parameters: &'static [&'static str],
    required: &'static [&'static str],
    added: &'static [&'static str],
}

const CONTRACTS: [ToolContract; 8] = [
    ToolContract {
        tool: "create_channel",
        parameters: &["project_id", "name", "visibility"],
        required: &["name"],
        added: &[],
    },
    ToolContract {
        tool: "post_message",
        parameters: &["project_id", "channel_id", "body", "mentions", "artifacts", "blocking", "importance"],
        required: &["channel_id", "body"],
        added: &["reply_to"],
    },
    ToolContract {
        tool: "reply_thread",
        parameters: &["project_id", "thread_id", "body", "mentions", "artifacts", "blocking", "importance"],
        required: &["thread_id", "body"],
        added: &[],
    },
    ToolContract {
        tool: "dm_send",
        parameters: &["participants", "body", "blocking"],
        required: &["participants", "body"],
        added: &["project_id"],
    },
    ToolContract {
        tool: "channel_subscribe",
        parameters: &["agent_id", "channel_id"],
        required: &["channel_id"],
        added: &["project_id"],
    },
    ToolContract {
        tool: "channel_history",
        parameters: &["channel_id", "limit", "since"],
        required: &["channel_id"],
        added: &["cursor", "project_id"],
    },
    ToolContract { tool: "dm_list", parameters: &["agent_id", "limit"], required: &[], added: &["cursor"] },
    ToolContract {
        tool: "message_mark_read",
        parameters: &["agent_id", "message_id"],
        required: &["message_id"],
        added: &[],
    },
];

fn set<'a>(names: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
    names.into_iter().map(str::to_owned).collect()
}

fn texts(list: &Value) -> BTreeSet<String> {
    set(list.as_array().into_iter().flatten().filter_map(Value::as_str))
}

#[tokio::test]
async fn the_eight_tools_have_the_parameters_of_their_contract() {
    let fixture = McpFixture::new().await;
    let listed = fixture.client.request(&fixture.app, "tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().expect("tools");
    for ToolContract { tool, parameters, required, added } in &CONTRACTS {
        let found = tools.iter().find(|one| one["name"] == *tool).expect(tool);
        let schema = &found["inputSchema"];
        let named = set(schema["properties"].as_object().expect(tool).keys().map(String::as_str));
        assert_eq!(named, set(parameters.iter().chain(*added).copied()), "{tool}");
        assert_eq!(texts(&schema["required"]), set(required.iter().copied()), "{tool}");
    }
}

#[tokio::test]
async fn parameters_have_the_types_of_the_contract() {
    let fixture = McpFixture::new().await;
    let listed = fixture.client.request(&fixture.app, "tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().expect("tools");
    let property = |tool: &str, name: &str| {
        let found = tools.iter().find(|one| one["name"] == tool).expect(tool);
        found["inputSchema"]["properties"][name].clone()
    };
    assert_eq!(texts(&property("create_channel", "visibility")["enum"]), set(["project", "private"]));
    for tool in ["post_message", "reply_thread"] {
        assert_eq!(texts(&property(tool, "importance")["enum"]), set(["normal", "high", "critical"]), "{tool}");
        for list in ["mentions", "artifacts"] {
            assert_eq!(property(tool, list)["items"]["type"], "string", "{tool}: {list}");
        }
    }
    for tool in ["post_message", "reply_thread", "dm_send"] {
        assert_eq!(property(tool, "blocking")["type"], "boolean", "{tool}");
    }
    assert_eq!(property("dm_send", "participants")["items"]["type"], "string");
    for tool in ["channel_history", "dm_list"] {
        assert_eq!(property(tool, "limit")["type"], "integer", "{tool}");
    }
}

#[tokio::test]
async fn every_tool_accepts_all_parameters_of_its_contract() {
    let fixture = McpFixture::new().await;
    let (project, channel, agent) = (&fixture.project, &fixture.channel, &fixture.coder.id);
    let message = fixture.app.say(channel, "@Coder hello").await["id"].clone();
    let thread = fixture.call("reply_thread", json!({"thread_id": message, "body": "yes?"})).await;
    let calls = [
        ("create_channel", json!({"project_id": project, "name": "ops", "visibility": "project"})),
        (
            "post_message",
            json!({"project_id": project, "channel_id": channel, "body": "hello", "mentions": ["Mara"],
                   "artifacts": [], "blocking": false, "importance": "high"}),
        ),
        (
            "reply_thread",
            json!({"project_id": project, "thread_id": thread.value["conversation_id"], "body": "hello",
                   "mentions": [], "artifacts": [], "blocking": false, "importance": "normal"}),
        ),
        ("dm_send", json!({"participants": [fixture.mara.id], "body": "hello", "blocking": false})),
        ("channel_subscribe", json!({"agent_id": agent, "channel_id": channel})),
        ("channel_history", json!({"channel_id": channel, "limit": 5, "since": message})),
        ("dm_list", json!({"agent_id": agent, "limit": 5})),
        ("message_mark_read", json!({"agent_id": agent, "message_id": message})),
    ];
    assert_eq!(calls.len(), CONTRACTS.len());
    for ((tool, arguments), contract) in calls.into_iter().zip(&CONTRACTS) {
        let given = set(arguments.as_object().expect("arguments").keys().map(String::as_str));
        assert_eq!((tool, given), (contract.tool, set(contract.parameters.iter().copied())));
        fixture.call(tool, arguments).await;
    }
}
