//! Questions of blocking messages: list, wait, answer and withdraw.

use std::sync::Arc;

use axum::{Extension, Json, extract::State};
use parlour_core::{
    Code, Refusal,
    id::{MessageId, ProjectId},
    message::Message,
    paging::Page,
    question::{AnswerRequest, OpenQuestion},
};
use parlour_hub::{Hub, use_cases::QuestionQuery};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::{
    extract::{Body, Caller, Id, NoParams, Params},
    http_error::HttpResult,
    middleware::LongPoll,
    routes::{
        long_poll::{long_poll_mark, until_stop, wait_seconds},
        request_types::page,
    },
    serve::Connection,
};

/// Filter of open questions.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct QuestionsParams {
    /// Only those of this project.
    project_id: Option<ProjectId>,
    /// All open questions of the project that you may read, for any addressee.
    whole_project: Option<bool>,
    /// Maximum number of items.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<usize>,
    /// The `next` of the previous page.
    #[param(max_length = 200)]
    cursor: Option<String>,
}

/// Long-polling parameters.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnswerParams {
    /// Maximum time to wait for the end of the question, in seconds.
    #[param(minimum = 0, maximum = 25, default = 0)]
    seconds: Option<u64>,
}

impl QuestionsParams {
    fn query(&self) -> Result<QuestionQuery, Refusal> {
        let whole_project = self.whole_project.unwrap_or_default();
        if whole_project && self.project_id.is_none() {
            return Err(Refusal::new(Code::BadQuery, "`project_id` is required").at("project_id"));
        }
        Ok(QuestionQuery { project_id: self.project_id.clone(), whole_project })
    }
}

/// Lists the open questions that address you in all projects, the soonest to expire first.
///
/// Each contains the runs that wait for it. Questions that you have ignored are omitted.
#[utoipa::path(get, path = "/questions", tag = "questions", params(QuestionsParams),
    responses((status = 200, description = "A page of open questions.", body = Page<OpenQuestion>)))]
pub(super) async fn list_questions(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Params(params): Params<QuestionsParams>,
) -> HttpResult<Json<Page<OpenQuestion>>> {
    let query = params.query()?;
    Ok(Json(hub.questions(&caller, &query, &page(params.limit, params.cursor)?).await?))
}

/// Waits for the end of a question and reads its message.
///
/// `question` contains the outcome and the answer.
#[utoipa::path(get, path = "/messages/{id}/answer", tag = "questions",
    params(("id" = MessageId, Path, description = "The message with the question."), AnswerParams),
    responses((status = 200, description = "The message with its question.", body = Message)))]
pub(super) async fn get_answer(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<MessageId>,
    Params(params): Params<AnswerParams>,
    connection: Connection,
) -> HttpResult<(Option<Extension<LongPoll>>, Json<Message>)> {
    let seconds = wait_seconds(params.seconds, 0)?;
    let (waits, now) = (hub.wait_question(&caller, &id, seconds), hub.wait_question(&caller, &id, 0));
    Ok((long_poll_mark(seconds), Json(until_stop(&connection, waits, now).await?)))
}

/// Answers or ignores a question: for its addressees and people who may read it.
///
/// Set exactly one of `option`, `value`, `text` and `ignore`. A question is answered once, and not by its author. A reply
/// to the message answers it too.
#[utoipa::path(post, path = "/messages/{id}/answer", tag = "questions",
    request_body(content = AnswerRequest, example = json!({"option": "yes"})),
    params(("id" = MessageId, Path, description = "The message with the question.")),
    responses((status = 200, description = "The message with its question as it is now.", body = Message)))]
pub(super) async fn give_answer(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<MessageId>,
    Body(request): Body<AnswerRequest>,
) -> HttpResult<Json<Message>> {
    Ok(Json(hub.answer_question(&caller, &id, request).await?))
}

/// Withdraws a question: for its author and any person who may read it. Waiting runs continue.
#[utoipa::path(post, path = "/messages/{id}/withdraw", tag = "questions",
    params(("id" = MessageId, Path, description = "The message with the question.")),
    responses((status = 200, description = "The message with its question as it is now.", body = Message)))]
pub(super) async fn withdraw_question(
    State(hub): State<Arc<Hub>>,
    Caller(caller): Caller,
    Id(id): Id<MessageId>,
    _: NoParams,
) -> HttpResult<Json<Message>> {
    Ok(Json(hub.withdraw_question(&caller, &id).await?))
}
