//! The environment of a command.

use tokio::process::Command;

use crate::engine::{Mode, Prompt};

/// What lets somebody in at the hub. A command has no need of it, and may print it.
const SECRETS: [&str; 2] = ["PARLOUR_TOKEN", "PARLOUR_ADMIN_TOKEN"];

/// What a command is told by its environment.
pub const COMMAND_VARIABLES: [&str; 7] = [
    "PARLOUR_AGENT",
    "PARLOUR_PROJECT_ID",
    "PARLOUR_CONVERSATION_ID",
    "PARLOUR_MESSAGE_ID",
    "PARLOUR_TASK_ID",
    "PARLOUR_RUN_ID",
    "PARLOUR_MODE",
];

/// Tells the command whom it answers for and what, and keeps secrets from it.
pub(super) fn set(command: &mut Command, prompt: &Prompt, keeps_token: bool) {
    let kept = if keeps_token { &SECRETS[1..] } else { &SECRETS[..] };
    for secret in kept {
        command.env_remove(secret);
    }
    for (name, value) in COMMAND_VARIABLES.into_iter().zip(values(prompt)) {
        // One of an outer command says nothing about this one.
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
}

/// In the order of `COMMAND_VARIABLES`.
fn values(prompt: &Prompt) -> [Option<String>; 7] {
    let call = prompt.calls.last();
    let thread = prompt.task.as_ref().and_then(|task| task.thread_id.as_ref());
    let conversation = call.map(|call| call.conversation_id.to_string()).or_else(|| thread.map(ToString::to_string));
    let mode = match prompt.mode {
        Mode::Auto => "auto",
        Mode::Plan => "plan",
    };
    [
        Some(prompt.agent.name.to_string()),
        Some(prompt.agent.project_id.to_string()),
        conversation,
        call.map(|call| call.message_id.to_string()),
        prompt.task.as_ref().map(|task| task.id.to_string()),
        prompt.run_id.as_ref().map(ToString::to_string),
        Some(mode.to_owned()),
    ]
}
