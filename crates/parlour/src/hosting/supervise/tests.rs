//! A runner whose link does not hold.

use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;
use parlour_agent::{
    answers::Finished,
    engines::GuideEngine,
    link::{FollowUpTask, HubEvents, LinkError, RunCalls, Upload},
};
use parlour_core::{
    call::Call,
    checkpoint::{Checkpoint, RunFinished},
    context::{ContextRequest, Pack},
    delivery::DeliveryStep,
    id::{ArtifactId, ConversationId, MessageId, RunId, TaskId},
    live::{AddChunk, Cancel, Complete, Fail},
    member::Agent,
    message::Message,
    post::PostMessage,
    run::{FinishRun, Run, StartRun},
    step::{FinishStep, StartStep},
    task::{Task, TaskPatch},
};

use super::*;

/// A link that refuses every connection and counts the attempts.
#[derive(Default)]
struct Shut {
    asked: AtomicU32,
}

fn no<T>() -> Result<T, LinkError> {
    Err(LinkError::Over("the connection is closed".into()))
}

#[async_trait]
impl RunCalls for Shut {
    async fn start_run(&self, _: &StartRun) -> Result<Run, LinkError> {
        no()
    }

    async fn checkpoint(&self, _: &RunId) -> Result<Checkpoint, LinkError> {
        no()
    }

    async fn beat_run(&self, _: &RunId) -> Result<(), LinkError> {
        no()
    }

    async fn await_run(&self, _: &RunId) -> Result<Run, LinkError> {
        no()
    }

    async fn resume_run(&self, _: &RunId, _: &MessageId) -> Result<(), LinkError> {
        no()
    }

    async fn finish_run(&self, _: &RunId, _: &FinishRun) -> Result<RunFinished, LinkError> {
        no()
    }

    async fn cancel_run(&self, _: &RunId, _: Option<String>) -> Result<(), LinkError> {
        no()
    }

    async fn open_runs(&self) -> Result<Vec<Run>, LinkError> {
        no()
    }

    async fn open_questions(&self) -> Result<Vec<Message>, LinkError> {
        no()
    }

    async fn await_answer(&self, _: &MessageId) -> Result<Message, LinkError> {
        no()
    }

    async fn unread(&self, _: &ConversationId) -> Result<Vec<MessageId>, LinkError> {
        no()
    }

    async fn report_deliveries(&self, _: &[MessageId], _: &DeliveryStep) -> Result<(), LinkError> {
        no()
    }
}

#[async_trait]
impl HubLink for Shut {
    async fn agent(&self) -> Result<Agent, LinkError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        no()
    }

    async fn agents(&self) -> Result<Vec<Agent>, LinkError> {
        no()
    }

    async fn open_calls(&self) -> Result<Vec<Call>, LinkError> {
        no()
    }

    async fn pass(&self, _: &MessageId, _: Option<String>) -> Result<(), LinkError> {
        no()
    }

    async fn view(&self, _: &MessageId) -> Result<Message, LinkError> {
        no()
    }

    async fn message(&self, _: &MessageId) -> Result<Message, LinkError> {
        no()
    }

    async fn context(&self, _: &ContextRequest) -> Result<Pack, LinkError> {
        no()
    }

    async fn post(&self, _: &MessageId, _: &PostMessage) -> Result<Message, LinkError> {
        no()
    }

    async fn add_chunk(&self, _: &MessageId, _: AddChunk) -> Result<(), LinkError> {
        no()
    }

    async fn beat(&self, _: &MessageId) -> Result<(), LinkError> {
        no()
    }

    async fn start_step(&self, _: &MessageId, _: StartStep) -> Result<(), LinkError> {
        no()
    }

    async fn finish_step(&self, _: &MessageId, _: &str, _: FinishStep) -> Result<(), LinkError> {
        no()
    }

    async fn complete(&self, _: &MessageId, _: Complete) -> Result<Finished, LinkError> {
        no()
    }

    async fn cancel(&self, _: &MessageId, _: Cancel) -> Result<Message, LinkError> {
        no()
    }

    async fn fail(&self, _: &MessageId, _: Fail) -> Result<Message, LinkError> {
        no()
    }

    async fn upload(&self, _: Upload) -> Result<ArtifactId, LinkError> {
        no()
    }

    async fn open_tasks(&self) -> Result<Vec<Task>, LinkError> {
        no()
    }

    async fn update_task(&self, _: &TaskId, _: TaskPatch) -> Result<Task, LinkError> {
        no()
    }

    async fn follow_up(&self, _: FollowUpTask) -> Result<Task, LinkError> {
        no()
    }

    fn follow(&self) -> Box<dyn HubEvents> {
        unreachable!("nobody gets so far")
    }
}

fn supervised(link: &Arc<Shut>) -> Supervised<Shut> {
    let (link, options) = (Arc::clone(link), RunnerOptions::default());
    Supervised { name: "Guide".into(), link, engine: Arc::new(GuideEngine), options }
}

#[tokio::test(start_paused = true)]
async fn a_failed_agent_is_restarted_with_growing_pauses() {
    let (link, stop) = (Arc::new(Shut::default()), CancellationToken::new());
    let running = tokio::spawn(supervised(&link).run(stop.clone()));
    // The pauses are 0.5, 1, 2, 4, 8, 16, 32 and from then on 60 seconds.
    sleep(Duration::from_millis(63_600)).await;
    assert_eq!(link.asked.load(Ordering::SeqCst), 8);
    sleep(PAUSE_MAX * 3).await;
    assert_eq!(link.asked.load(Ordering::SeqCst), 11);
    stop.cancel();
    running.await.expect("it ends");
    assert_eq!(link.asked.load(Ordering::SeqCst), 11);
}

#[tokio::test(start_paused = true)]
async fn a_stopped_agent_is_not_restarted() {
    let (link, stop) = (Arc::new(Shut::default()), CancellationToken::new());
    stop.cancel();
    supervised(&link).run(stop).await;
    assert!(link.asked.load(Ordering::SeqCst) <= 1);
}
