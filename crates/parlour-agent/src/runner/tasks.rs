//! Does a task that is given to the agent.
//!
//! A task is taken up by changing it from open to working, which the hub lets one process do. What comes out is posted
//! in the task's thread; a task without a thread, or with one that the agent may not write in, gets it at the end of
//! its description, as far as that has room. A task that is still `working` after its process has died cannot be told
//! from one that another process works on, and neither can one whose taking up was not answered, so it is left: a person
//! opens it again.

use std::sync::Arc;

use parlour_core::{
    Code,
    id::{ConversationId, MessageId},
    limits,
    post::{NewMessageContext, PostMessage},
    task::{Task, TaskPatch, TaskStatus},
};

use super::{
    Report,
    answering::{Done, wish_in},
    closing::{self, Closed},
    control::Control,
    handoffs,
    making::{How, Made, make},
    pen::{Opening, Pen},
    prompt,
    shared::{Shared, fresh_id},
    turn::{Turn, TurnWish},
    words,
};
use crate::streaming::patiently;

/// Does the task, if nobody else has taken it up. `answer_id` is that of the message that tells what came out.
pub(super) async fn do_task(shared: &Arc<Shared>, answer_id: MessageId, task: Task, control: Arc<Control>) -> Done {
    let task = match take_up(shared, task).await {
        Ok(task) => task,
        Err(done) => return done,
    };
    let mut pen = open_place(shared, answer_id, &task, &control).await;
    let place = pen.id().cloned();
    let (made, turn) = work(shared, &control, &task, &mut pen).await;
    let usage = made.usage.clone();
    let text = pen.text().to_owned();
    // A text that is cut keeps its marks: only a part of it stands in the message.
    let body = handoffs::quiet(&text).filter(|_| !pen.is_cut());
    let made = Made { body, ..made };
    let outcome =
        if place.is_some() { closing::close(shared, pen, made).await.closed } else { judge(shared, &pen, &made) };
    turn.end(outcome.turn_end(), usage).await;
    finish(shared, &task, place.as_ref(), &outcome, &text).await;
    if outcome == Closed::Complete {
        handoffs::hand_on(shared, &task, place.as_ref(), &text).await;
    }
    Done::Settled
}

/// Lets the engine do it, as a run of its own.
async fn work(shared: &Arc<Shared>, control: &Arc<Control>, task: &Task, pen: &mut Pen) -> (Made, Turn) {
    let request = TurnWish {
        answer: pen.id().cloned(),
        label: task.title.clone(),
        conversation: task.thread_id.clone().map(ConversationId::from),
        task: Some(task.id.clone()),
        ..TurnWish::default()
    };
    let mut turn = Turn::begin(shared, control, request).await;
    let mut prompt = match prompt::of_task(shared, task.clone(), turn.run()).await {
        Ok(asked) => turn.show(asked),
        Err(error) => return (Made::failed(&prompt::why_not(shared, &error)), turn),
    };
    prompt.besides.run_id = turn.run().cloned();
    let made = make(shared, &prompt, pen, &turn).await;
    turn.report_rest().await;
    (made, turn)
}

/// Takes the task up for this process.
async fn take_up(shared: &Shared, task: Task) -> Result<Task, Done> {
    let patch =
        TaskPatch { status: Some(TaskStatus::Working), if_status: Some(TaskStatus::Open), ..TaskPatch::default() };
    match shared.link.update_task(&task.id, patch).await {
        Ok(taken) => {
            shared.tell(Report::Task(format!("taken up: {}", taken.title)));
            // Where it is talked about is not always told with a change.
            Ok(Task { thread_id: taken.thread_id.clone().or(task.thread_id), ..taken })
        }
        Err(error) if error.is(Code::TaskMoved) => {
            shared.tell(Report::Passed(format!("somebody else has taken up the task: {}", task.title)));
            Err(Done::Settled)
        }
        Err(error) => {
            shared.tell(Report::Lost(error.to_string()));
            Err(if error.is_retryable() { Done::Later } else { Done::Refused })
        }
    }
}

/// Says in the task's thread that it was taken up, and opens the message for what comes out.
async fn open_place(shared: &Arc<Shared>, id: MessageId, task: &Task, control: &Arc<Control>) -> Pen {
    let Some(thread) = &task.thread_id else { return Pen::without_message(shared, control) };
    let body = format!("{} has taken up “{}”.", shared.agent().name, task.title);
    let Some(notice) = post_notice(shared, task, None, body).await else {
        return Pen::without_message(shared, control);
    };
    // A reply to its own notice: without one, the hub would take it for the answer to an open call of this thread.
    let request = PostMessage { stream: true, reply_to: Some(notice), ..wish_about(task, &thread.clone().into()) };
    let mut pen = Pen::new(shared, Opening { id, request, asker: task.title.clone() }, control);
    match pen.open().await {
        Ok(()) => pen,
        Err(_) => Pen::without_message(shared, control),
    }
}

/// Posts a notice in the thread of a task, and answers its id; nothing when there is no such place.
pub(super) async fn post_notice(
    shared: &Shared,
    task: &Task,
    reply_to: Option<&MessageId>,
    body: String,
) -> Option<MessageId> {
    let thread = task.thread_id.clone()?;
    let (reply_to, is_notice) = (reply_to.cloned(), true);
    let request = PostMessage { body, reply_to, is_notice, ..wish_about(task, &thread.into()) };
    let id = fresh_id();
    match patiently(|| shared.link.post(&id, &request)).await {
        Ok(_) => Some(id),
        Err(error) => {
            shared.tell(Report::Task(format!("nothing can be posted in the thread of {}: {error}", task.title)));
            None
        }
    }
}

fn wish_about(task: &Task, conversation: &ConversationId) -> PostMessage {
    let context = NewMessageContext { task_id: Some(task.id.clone()), ..NewMessageContext::default() };
    PostMessage { context: Some(context), ..wish_in(conversation) }
}

/// How a task went that has no message.
fn judge(shared: &Shared, pen: &Pen, made: &Made) -> Closed {
    match &made.how {
        How::Whole if !pen.is_blank() => Closed::Complete,
        How::Cancelled(why) => Closed::Cancelled(Some(why.clone())),
        how => Closed::Failed(closing::reason(shared, how)),
    }
}

/// Says in the task what became of it, unless somebody has moved it meanwhile.
async fn finish(shared: &Shared, task: &Task, place: Option<&MessageId>, outcome: &Closed, text: &str) {
    let (status, told) = match outcome.trouble() {
        None => (TaskStatus::Done, format!("done: {}", task.title)),
        Some(reason) => (TaskStatus::Failed, format!("failed: {}: {reason}", task.title)),
    };
    let description = place.is_none().then(|| described(shared, task, outcome, text));
    let patch =
        TaskPatch { status: Some(status), if_status: Some(TaskStatus::Working), description, ..TaskPatch::default() };
    let told = match patiently(|| shared.link.update_task(&task.id, patch.clone())).await {
        Ok(_) => told,
        Err(error) => format!("{told} (it stays as it is: {error})"),
    };
    shared.tell(Report::Task(told));
}

/// The description with what came out at its end. A text that has no room is cut, and says so by its last sign.
fn described(shared: &Shared, task: &Task, outcome: &Closed, text: &str) -> String {
    let name = shared.agent().name;
    let before = task.description.as_deref().map(|text| format!("{text}\n\n")).unwrap_or_default();
    let outcome = match outcome.trouble() {
        None => format!("Done by {name}:"),
        Some(reason) => format!("{name} has failed: {reason}"),
    };
    words::cut_chars(format!("{before}{outcome}\n\n{text}").trim_end(), limits::DESCRIPTION_CHARS_MAX)
}
