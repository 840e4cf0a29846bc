//! `checkpoint`: the agent's run in this session, from its first call to its end.

use parlour_core::{
    Code, Refusal,
    checkpoint::{Brief, Checkpoint, RunFinished, Verdict},
    delivery::DeliveryPath,
    id::{MessageId, RunId, TaskId},
    limits,
    run::{FinishRun, StartRun},
};
use parlour_hub::Failure;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Definition, Effect};
use crate::{
    extract::json::read_as,
    mcp::{
        outcome::{Outcome, without_nulls},
        shown,
        turn::Turn,
    },
};

pub(super) const TOOL: Definition = Definition {
    name: "checkpoint",
    effect: Effect::Changes,
    description: "Call between steps of your work: says whether to go on or first handle a message. The first call begins your run.",
    schema: r#"{"type":"object","properties":{
        "label":{"type":"string","description":"What you do, in a line"},
        "task_id":{"type":"string"},
        "resume":{"type":"boolean","description":"You have handled what paused you"},
        "message_id":{"type":"string","description":"Resume from this one only"},
        "finish":{"type":"boolean","description":"Your work is done; tells what is unread"},
        "failed":{"type":"string","description":"With finish: why it failed"},
        "run_id":{"type":"string","description":"Go on with this run of yours"}}}"#,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    label: Option<String>,
    task_id: Option<TaskId>,
    resume: Option<bool>,
    message_id: Option<MessageId>,
    finish: Option<bool>,
    failed: Option<String>,
    run_id: Option<RunId>,
}

pub(super) async fn run(turn: &Turn<'_>, arguments: &Value) -> Result<Outcome, Failure> {
    turn.agent()?;
    let wanted: Arguments = read_as(arguments)?;
    let run = current(turn, &wanted).await?;
    let outcome = match wanted {
        Arguments { finish: Some(true), failed, .. } => finish(turn, &run, failed).await,
        Arguments { resume: Some(true), message_id, .. } => resume(turn, &run, message_id.as_ref()).await,
        _ => look(turn, &run).await,
    };
    // A run that somebody has ended is told once; the next call begins another one.
    if outcome.as_ref().is_err_and(|failure| failure.refusal().is_some_and(|refusal| refusal.code == Code::RunEnded)) {
        turn.desk.end(&run);
    }
    outcome
}

/// The run of this call: the one that is named, the one of the session, or a new one.
async fn current(turn: &Turn<'_>, wanted: &Arguments) -> Result<RunId, Failure> {
    if let Some(named) = &wanted.run_id {
        let run = turn.hub.run(turn.caller, named).await?;
        if Some(&run.agent_id) != turn.caller.member.agent() {
            return Err(Refusal::forbidden("only its own agent goes on with a run").at("run_id").into());
        }
        turn.desk.begin(run.id.clone());
        return Ok(run.id);
    }
    if let Some(run) = turn.desk.run() {
        return Ok(run);
    }
    let request = StartRun {
        label: wanted.label.clone(),
        task_id: wanted.task_id.clone(),
        lease_seconds: Some(limits::MCP_RUN_LEASE_SECONDS as u64),
        ..StartRun::default()
    };
    let run = turn.hub.start_run(turn.caller, request).await?.id;
    turn.desk.begin(run.clone());
    Ok(run)
}

async fn look(turn: &Turn<'_>, run: &RunId) -> Result<Outcome, Failure> {
    let found = turn.hub.checkpoint(turn.caller, run).await?;
    turn.give(found.messages.iter().map(|brief| brief.message_id.clone()), DeliveryPath::Checkpoint).await;
    Ok(told(&found))
}

/// Resuming what goes on already is no mistake worth an error: somebody was faster.
async fn resume(turn: &Turn<'_>, run: &RunId, message: Option<&MessageId>) -> Result<Outcome, Failure> {
    match turn.hub.resume_run(turn.caller, run, message).await {
        Err(Failure::Refused(refusal)) if refusal.code == Code::NotPaused && message.is_none() => {}
        resumed => {
            resumed?;
        }
    }
    look(turn, run).await
}

async fn finish(turn: &Turn<'_>, run: &RunId, failed: Option<String>) -> Result<Outcome, Failure> {
    let RunFinished { run, nudge, messages } =
        turn.hub.finish_run(turn.caller, run, FinishRun { failed, usage: None }).await?;
    turn.desk.end(&run.id);
    turn.give(messages.iter().map(|brief| brief.message_id.clone()), DeliveryPath::Nudge).await;
    let head = format!("Your run {} is {}.", run.id, run.state.as_str());
    let text = nudge.as_ref().map_or_else(|| head.clone(), |nudge| format!("{head}\n{nudge}"));
    let value = json!({"run_id": run.id, "state": run.state, "nudge": nudge, "messages": listed(&messages)});
    Ok(Outcome::new(without_nulls(value), text))
}

fn told(found: &Checkpoint) -> Outcome {
    let Checkpoint { verdict, run, injection, messages, unread } = found;
    let text = match (verdict, injection) {
        (Verdict::Continue, _) if unread.total == 0 => "Go on.".to_owned(),
        (Verdict::Continue, _) => format!("Go on. {} unread messages wait in your inbox.", unread.total),
        (Verdict::Pause, Some(injection)) => format!("Pause.\n{injection}"),
        (Verdict::Pause, None) => "Pause: wait for the answer to your question (ask with its message_id).".to_owned(),
    };
    let value = json!({
        "verdict": verdict, "run_id": run.id, "state": run.state, "injection": injection,
        "messages": listed(messages), "unread": unread.total,
    });
    Outcome::new(without_nulls(value), text)
}

fn listed(briefs: &[Brief]) -> Option<Vec<Value>> {
    (!briefs.is_empty()).then(|| briefs.iter().map(shown::brief).collect())
}
