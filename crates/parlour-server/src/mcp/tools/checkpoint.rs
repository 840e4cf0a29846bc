//! `checkpoint`: starts, checks, resumes and finishes the run of the calling agent.

use parlour_core::{
    Code, Refusal,
    checkpoint::{Brief, Checkpoint, CheckpointDecision, CheckpointDelivery, RunFinished},
    delivery::DeliveryPath,
    id::{MessageId, RunId, TaskId},
    limits,
    run::{FinishRun, StartRun},
};
use parlour_hub::Failure;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Effect, ToolDefinition};
use crate::{
    extract::json::read_as,
    mcp::{
        message_format::brief_json,
        request::McpRequest,
        tool_output::{ToolOutput, without_nulls},
    },
};

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "checkpoint",
    effect: Effect::Changes,
    description: "Call between steps of your work: returns whether to continue or to handle a message first. The first call starts your run.",
    schema: r#"{"type":"object","properties":{
        "label":{"type":"string","description":"Your current work in one line"},
        "task_id":{"type":"string"},
        "resume":{"type":"boolean","description":"You have handled the message that paused you"},
        "message_id":{"type":"string","description":"With resume: only this message is handled"},
        "finish":{"type":"boolean","description":"Ends your run; returns unread messages"},
        "failed":{"type":"string","description":"With finish: why the work failed"},
        "run_id":{"type":"string","description":"Continue this earlier run"}}}"#,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckpointArguments {
    label: Option<String>,
    task_id: Option<TaskId>,
    resume: Option<bool>,
    message_id: Option<MessageId>,
    finish: Option<bool>,
    failed: Option<String>,
    run_id: Option<RunId>,
}

pub(super) async fn run(mcp: &McpRequest<'_>, arguments: &Value) -> Result<ToolOutput, Failure> {
    mcp.agent()?;
    let arguments: CheckpointArguments = read_as(arguments)?;
    let run = current_run(mcp, &arguments).await?;
    let outcome = match arguments {
        CheckpointArguments { finish: Some(true), failed, .. } => finish(mcp, &run, failed).await,
        CheckpointArguments { resume: Some(true), message_id, .. } => resume(mcp, &run, message_id.as_ref()).await,
        _ => check(mcp, &run).await,
    };
    // Somebody else has ended the run: this call returns the refusal, and the next call starts another run.
    if outcome.as_ref().is_err_and(|failure| failure.refusal().is_some_and(|refusal| refusal.code == Code::RunEnded)) {
        mcp.client.clear_run(&run);
    }
    outcome
}

/// The run of this call: the named one, the current one of the client, or a new one.
async fn current_run(mcp: &McpRequest<'_>, arguments: &CheckpointArguments) -> Result<RunId, Failure> {
    if let Some(named) = &arguments.run_id {
        let run = mcp.hub.run(mcp.caller, named).await?;
        if Some(&run.agent_id) != mcp.caller.member.agent() {
            return Err(Refusal::forbidden("this run belongs to another agent").at("run_id").into());
        }
        mcp.client.set_run(run.id.clone());
        return Ok(run.id);
    }
    if let Some(run) = mcp.client.run() {
        return Ok(run);
    }
    let request = StartRun {
        label: arguments.label.clone(),
        task_id: arguments.task_id.clone(),
        lease_seconds: Some(limits::MCP_RUN_LEASE_SECONDS as u64),
        ..StartRun::default()
    };
    let run = mcp.hub.start_run(mcp.caller, request).await?.id;
    mcp.client.set_run(run.clone());
    Ok(run)
}

async fn check(mcp: &McpRequest<'_>, run: &RunId) -> Result<ToolOutput, Failure> {
    let checkpoint = mcp.hub.checkpoint(mcp.caller, run, CheckpointDelivery::Checkpoint).await?;
    mcp.queue_deliveries(checkpoint.messages.iter().map(|brief| brief.message_id.clone()), DeliveryPath::Checkpoint)
        .await;
    Ok(checkpoint_output(&checkpoint))
}

/// Resuming a run that is not paused succeeds: somebody else may have resumed it.
async fn resume(mcp: &McpRequest<'_>, run: &RunId, message: Option<&MessageId>) -> Result<ToolOutput, Failure> {
    match mcp.hub.resume_run(mcp.caller, run, message).await {
        Err(Failure::Refused(refusal)) if refusal.code == Code::NotPaused && message.is_none() => {}
        resumed => {
            resumed?;
        }
    }
    check(mcp, run).await
}

async fn finish(mcp: &McpRequest<'_>, run: &RunId, failed: Option<String>) -> Result<ToolOutput, Failure> {
    let RunFinished { run, nudge, messages } =
        mcp.hub.finish_run(mcp.caller, run, FinishRun { failed, usage: None }).await?;
    mcp.client.clear_run(&run.id);
    mcp.queue_deliveries(messages.iter().map(|brief| brief.message_id.clone()), DeliveryPath::Nudge).await;
    let head = format!("Your run {} is {}.", run.id, run.state.as_str());
    let text = nudge.as_ref().map_or_else(|| head.clone(), |nudge| format!("{head}\n{nudge}"));
    let value = json!({"run_id": run.id, "state": run.state, "nudge": nudge, "messages": briefs_json(&messages)});
    Ok(ToolOutput::new(without_nulls(value), text))
}

fn checkpoint_output(checkpoint: &Checkpoint) -> ToolOutput {
    let Checkpoint { verdict, run, injection, messages, unread } = checkpoint;
    let text = match (verdict, injection) {
        (CheckpointDecision::Continue, _) if unread.total == 0 => "Continue.".to_owned(),
        (CheckpointDecision::Continue, _) => format!("Continue. Your inbox has {} unread messages.", unread.total),
        (CheckpointDecision::Pause, Some(injection)) => format!("Pause.\n{injection}"),
        (CheckpointDecision::Pause, None) => {
            "Pause: wait for the answer to your question (ask with its message_id).".to_owned()
        }
    };
    let value = json!({
        "verdict": verdict, "run_id": run.id, "state": run.state, "injection": injection,
        "messages": briefs_json(messages), "unread": unread.total,
    });
    ToolOutput::new(without_nulls(value), text)
}

fn briefs_json(briefs: &[Brief]) -> Option<Vec<Value>> {
    (!briefs.is_empty()).then(|| briefs.iter().map(brief_json).collect())
}
