//! Posting a message, up to the store.

use std::sync::Arc;

use parlour_core::{
    Refusal,
    access::{self, Principal},
    author::Author,
    event::Change,
    id::{ArtifactId, ConversationId, MemberId, MessageId},
    inbox::deliveries,
    mention::{MentionProblem, Mentions},
    message::{Attachment, Message, MessageContext, State},
    model_visibility,
    position::Position,
    post::PostMessage,
    scope::Scope,
    write::{Appended, NewMessage, Novelty, Write},
};

use crate::{
    Failure,
    access::{Access, refuse_conversation},
    calling::{CallService, Decision, PostCommit},
    event_writer::EventWriter,
    failure::unexpected_change,
    infrastructure::Infrastructure,
    ports::{Clock, Ids, MissingRef, PostContext, PostRefs, Store},
    project_state::ProjectStates,
    questions::{AnswerDecision, QuestionService},
    rates::RateLimiter,
    runs::RunSupervisor,
    streams::StreamService,
};

/// A posted message, with what its sender should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posted {
    pub message: Message,
    /// The position of its event in the log of the project.
    pub position: Position,
    /// Names in the text that could not be resolved.
    pub mention_problems: Vec<MentionProblem>,
    /// Why it does not answer the open question that it replies to.
    pub answer_problem: Option<Refusal>,
    /// Whether it is new or the result of a repeated id.
    pub novelty: Novelty,
}

/// Posts, edits, removes and imports messages.
pub(crate) struct MessageService {
    pub(super) access: Access,
    pub(super) store: Arc<dyn Store>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) ids: Arc<dyn Ids>,
    pub(super) projects: Arc<ProjectStates>,
    pub(super) writer: EventWriter,
    pub(super) run_supervisor: RunSupervisor,
    pub(super) rates: Arc<RateLimiter>,
    pub(super) calls: Arc<CallService>,
    pub(super) questions: Arc<QuestionService>,
    pub(super) streams: Arc<StreamService>,
}

impl MessageService {
    pub(crate) fn new(
        parts: &Infrastructure,
        rates: &Arc<RateLimiter>,
        calls: &Arc<CallService>,
        questions: &Arc<QuestionService>,
        streams: &Arc<StreamService>,
    ) -> Self {
        Self {
            access: parts.access.clone(),
            store: parts.store(),
            clock: parts.clock(),
            ids: parts.ids(),
            projects: Arc::clone(&parts.projects),
            writer: parts.writer.clone(),
            run_supervisor: parts.run_supervisor.clone(),
            rates: Arc::clone(rates),
            calls: Arc::clone(calls),
            questions: Arc::clone(questions),
            streams: Arc::clone(streams),
        }
    }

    /// Posts a message and returns when it is durable. A repeated client id returns the first result.
    pub(crate) async fn post_message(&self, caller: &Principal, request: PostMessage) -> Result<Posted, Failure> {
        self.access.require_scope(caller, Scope::MessagesWrite)?;
        if request.blocking {
            self.access.require_scope(caller, Scope::MessagesBlock)?;
        }
        request.check()?;
        check_producer(caller, &request)?;
        let post_context = self.load_post_context(caller, &request.conversation()?).await?;
        request.check_project(post_context.conversation.project_id())?;
        self.rates.charge_post(post_context.conversation.project_id())?;
        note_correlation(&request);
        self.check_refs(caller, &post_context.conversation.id(), &request).await?;
        let mentions = self.resolve_post_mentions(caller, &request, &post_context).await?;
        let reservation = self.streams.reserve_stream(caller, &request, &post_context).await?;
        let (new, post_commit, reply) = self.draft_post(caller, request, &post_context, mentions.members).await?;
        let appended = self.append_post(caller, new, post_commit).await?;
        let novelty = appended.novelty;
        match appended.change {
            Change::MessagePosted(mut message) => {
                let answer_problem = self.questions.explain_unsettled_answer(reply, novelty, &message).await;
                if let Some(reservation) = reservation.filter(|_| novelty == Novelty::New) {
                    reservation.open(&message, self.clock.now());
                }
                self.streams.fill_streaming_text(&mut message).await?;
                Ok(Posted {
                    message: *message,
                    position: appended.position,
                    mention_problems: mentions.problems,
                    answer_problem,
                    novelty,
                })
            }
            other => Err(unexpected_change(&other)),
        }
    }

    /// Builds the message of a request with all decisions that are made before it is stored.
    async fn draft_post(
        &self,
        caller: &Principal,
        request: PostMessage,
        post_context: &PostContext,
        mentions: Vec<MemberId>,
    ) -> Result<(NewMessage, PostCommit, AnswerDecision), Failure> {
        let (digest, claimed, also) = (request.digest(), request.cause.clone(), request.answers.clone());
        let ask = request.blocking.then(|| request.question.clone().unwrap_or_default());
        let mut message = self.build_message(caller.author(), request, post_context, mentions)?;
        let decision = self.calls.decide_post(caller, &mut message, post_context, claimed.as_ref()).await?;
        let deliveries = match model_visibility::may_wake(&message) {
            true => deliveries(Some(&caller.member), &message.mentions, &post_context.listeners),
            false => Vec::new(),
        };
        let Decision { calls, answers, mut post_commit } = decision;
        let reply = match ask {
            Some(ask) => {
                self.questions
                    .attach_question(caller, &ask, &mut message, post_context, &deliveries, &mut post_commit)
                    .await?
            }
            None => self.questions.attach_answer(&mut message, post_context, &mut post_commit).await?,
        };
        // Without a call of its own the message is no answer to other calls either.
        let answers_also = if answers.is_some() { also } else { Vec::new() };
        Ok((NewMessage { message, digest, deliveries, calls, answers, answers_also }, post_commit, reply))
    }

    async fn append_post(
        &self,
        caller: &Principal,
        new: NewMessage,
        post_commit: PostCommit,
    ) -> Result<Appended, Failure> {
        let project_id = new.message.project_id.clone();
        let write = Write::PostMessage(new);
        match post_commit.is_empty() {
            true => self.writer.append(caller, &project_id, write).await,
            false => {
                let entry = self.writer.entry(caller, &project_id, write);
                self.writer.append_with(entry, post_commit, |_| {}).await
            }
        }
    }

    /// The mentioned members who can read the conversation.
    async fn resolve_post_mentions(
        &self,
        caller: &Principal,
        request: &PostMessage,
        post_context: &PostContext,
    ) -> Result<Mentions, Failure> {
        let found = self
            .calls
            .resolve_mentions(post_context.conversation.project_id(), &request.body, &request.mentions)
            .await?;
        let found = self
            .calls
            .keep_readable_mentions(&post_context.conversation.id(), post_context.membership.visibility, found)
            .await?;
        self.calls.expand_wide_mention(caller, request, post_context, found).await
    }

    async fn load_post_context(&self, caller: &Principal, id: &ConversationId) -> Result<Arc<PostContext>, Failure> {
        match self.projects.post_context(id, &caller.member).await? {
            Some(post_context) if access::may_read(caller, &post_context.membership) => Ok(post_context),
            _ => Err(refuse_conversation(id).into()),
        }
    }

    /// Refuses a post with a reference that its author cannot see.
    async fn check_refs(&self, caller: &Principal, id: &ConversationId, request: &PostMessage) -> Result<(), Failure> {
        let context = request.context.clone().unwrap_or_default();
        let attached = request.attachments.iter().filter_map(|attachment| attachment.artifact_id.clone());
        let refs = PostRefs {
            reply_to: request.reply_to.clone(),
            artifacts: request.artifacts.iter().cloned().chain(attached).collect(),
            task_id: context.task_id,
            batch_id: context.batch_id,
        };
        if refs == PostRefs::default() {
            return Ok(());
        }
        match self.store.missing_refs(id, caller, &refs).await?.first() {
            None => Ok(()),
            Some(missing) => {
                let field = field_of(missing, &request.artifacts, &request.attachments);
                Err(Refusal::not_found("such thing", &missing.id).at(&field).into())
            }
        }
    }

    fn build_message(
        &self,
        from: Author,
        request: PostMessage,
        post_context: &PostContext,
        mentions: Vec<MemberId>,
    ) -> Result<Message, Failure> {
        let kind = request.kind.unwrap_or_else(|| model_visibility::usual_kind(from.author_type));
        model_visibility::check_kind(from.author_type, kind)?;
        let context = request.context.unwrap_or_default();
        let id = request.id.unwrap_or_else(|| MessageId::from_bits(self.ids.next_bits()));
        let (project_id, to) = (post_context.conversation.project_id().clone(), post_context.conversation.id());
        let plain = Message::plain(id, project_id.clone(), to, from, request.body, self.clock.now());
        Ok(Message {
            kind,
            content: request.content,
            mentions,
            artifacts: request.artifacts,
            attachments: request.attachments,
            importance: request.importance,
            blocking: request.blocking,
            is_notice: request.is_notice,
            reply_to: request.reply_to,
            correlation_id: request.correlation_id,
            context: MessageContext { project_id, task_id: context.task_id, batch_id: context.batch_id },
            state: if request.stream { State::Streaming } else { State::Complete },
            metadata: request.metadata,
            ..plain
        })
    }
}

/// Refuses streams of programs that act as a person: only members can continue one.
fn check_producer(caller: &Principal, request: &PostMessage) -> Result<(), Refusal> {
    if request.stream && caller.grant.acts_as.is_some() {
        return Err(Refusal::forbidden("applets and schedules post whole messages").at("stream"));
    }
    Ok(())
}

/// Records the correlation id in the span of the request, unless it contains unusual characters.
fn note_correlation(request: &PostMessage) {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
    if let Some(id) = request.correlation_id.as_deref().filter(|id| id.bytes().all(is_plain)) {
        tracing::Span::current().record("correlation_id", id);
    }
}

/// The field of the request that names the missing thing; an artifact can be in two fields.
pub(super) fn field_of(missing: &MissingRef, artifacts: &[ArtifactId], attachments: &[Attachment]) -> String {
    let is_it = |id: &ArtifactId| id.as_str() == missing.id;
    let carried = artifacts.iter().position(is_it);
    let attached = attachments.iter().position(|file| file.artifact_id.as_ref().is_some_and(is_it));
    match (missing.field, carried, attached) {
        ("artifacts", Some(index), _) => format!("artifacts[{index}]"),
        ("artifacts", None, Some(index)) => format!("attachments[{index}].artifact_id"),
        (field, ..) => field.to_owned(),
    }
}
