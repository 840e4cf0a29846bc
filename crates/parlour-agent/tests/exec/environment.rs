//! What commands learn from their environment.

use std::{env, process::Command};

use parlour_agent::{
    engine::{Mode, Prompt},
    engines::ExecEngine,
};
use parlour_core::id::RunId;

use crate::{
    fixture::text_of,
    prompts::{mention, task},
};

const SHOW: &str = "echo \"$PARLOUR_AGENT $PARLOUR_PROJECT_ID $PARLOUR_CONVERSATION_ID $PARLOUR_MESSAGE_ID \
                    ${PARLOUR_TASK_ID-none} ${PARLOUR_RUN_ID-none} $PARLOUR_MODE\"";

#[tokio::test]
async fn the_environment_contains_the_agent_and_the_call() {
    let mut prompt = mention("hi");
    prompt.run_id = Some(RunId::from_bits(7));
    let call = prompt.calls[0].clone();
    let run = RunId::from_bits(7);
    let expected = format!("Coder {} {} {} none {run} auto", call.project_id, call.conversation_id, call.message_id);
    assert_eq!(text_of(ExecEngine::new(SHOW), prompt).await, expected);
}

#[tokio::test]
async fn the_environment_contains_the_task_and_the_plan_mode() {
    let prompt = Prompt { mode: Mode::Plan, ..task("Ship it", None, vec![]) };
    let id = prompt.task.as_ref().expect("a task").id.to_string();
    let text = text_of(ExecEngine::new(SHOW), prompt).await;
    assert!(text.ends_with(&format!("   {id} none plan")), "{text}");
}

#[tokio::test]
async fn variables_can_be_added() {
    let env = vec![("COLOUR".to_owned(), "$(blue) 'x'".to_owned())];
    let engine = ExecEngine { env, ..ExecEngine::new("echo \"$COLOUR\"") };
    assert_eq!(text_of(engine, mention("hi")).await, "$(blue) 'x'");
}

#[test]
fn a_command_gets_tokens_of_the_agent_only_on_request() {
    let me = env::current_exe().expect("this test");
    let test = "environment::a_command_that_inherits_tokens";
    let status = Command::new(me)
        .args(["--exact", test, "--ignored"])
        .envs([
            ("PARLOUR_TOKEN", "secret-token"),
            ("PARLOUR_ADMIN_TOKEN", "secret-admin"),
            ("PARLOUR_PROFILE", "mine"),
            ("PARLOUR_TASK_ID", "old"),
        ])
        .output()
        .expect("it runs");
    let output = String::from_utf8_lossy(&status.stdout);
    assert!(status.status.success() && output.contains("1 passed"), "{output}");
}

#[ignore = "runs within its neighbour, with tokens in its environment"]
#[tokio::test]
async fn a_command_that_inherits_tokens() {
    assert_eq!(env::var("PARLOUR_TOKEN").as_deref(), Ok("secret-token"));
    let show = "echo ${PARLOUR_TOKEN-none} ${PARLOUR_ADMIN_TOKEN-none} ${PARLOUR_PROFILE-none} ${PARLOUR_TASK_ID-none}";
    assert_eq!(text_of(ExecEngine::new(show), mention("hi")).await, "none none none none");
    let engine = ExecEngine { keeps_token: true, ..ExecEngine::new(show) };
    assert_eq!(text_of(engine, mention("hi")).await, "secret-token none none none");
}
