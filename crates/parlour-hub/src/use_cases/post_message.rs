//! Posting: the life of a message up to the store.

use parlour_core::{
    Refusal,
    access::{self, Principal},
    author::Author,
    conversation::Visibility,
    event::Change,
    id::{ArtifactId, ConversationId, MemberId, MessageId, ProjectId},
    inbox::deliveries,
    limits,
    mention::{self, MentionProblem, MentionProblemReason, Mentions},
    message::{Attachment, Message, MessageContext, State},
    model_visibility,
    position::Position,
    post::PostMessage,
    scope::Scope,
    write::{Appended, NewMessage, Novelty, Write},
};

use crate::{
    Failure, Hub,
    calling::{Decision, PostCommit},
    failure::unexpected_change,
    ports::{MissingRef, PostContext, PostRefs},
    questions::Reply,
    use_cases::access::refuse_conversation,
};

/// A message that was posted, with what its sender should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posted {
    /// The message.
    pub message: Message,
    /// Where its event stands in the project's log.
    pub position: Position,
    /// Names in the text that called nobody.
    pub mention_problems: Vec<MentionProblem>,
    /// Why it does not answer the open question that it replies to.
    pub answer_problem: Option<Refusal>,
    /// Whether it is new, or the answer to a repeated id.
    pub novelty: Novelty,
}

impl Hub {
    /// Posts a message and answers when it is durable. A repeated client id answers the first result again.
    pub async fn post_message(&self, caller: &Principal, request: PostMessage) -> Result<Posted, Failure> {
        self.require_scope(caller, Scope::MessagesWrite)?;
        if request.blocking {
            self.require_scope(caller, Scope::MessagesBlock)?;
        }
        request.check()?;
        check_producer(caller, &request)?;
        let post_context = self.load_post_context(caller, &request.conversation()?).await?;
        request.check_project(post_context.conversation.project_id())?;
        self.charge_post(post_context.conversation.project_id())?;
        note_correlation(&request);
        self.check_refs(caller, &post_context.conversation.id(), &request).await?;
        let mentions = self.resolve_post_mentions(caller, &request, &post_context).await?;
        let hold = self.reserve_stream(caller, &request, &post_context).await?;
        let (new, post_commit, reply) = self.draft_post(caller, request, &post_context, mentions.members).await?;
        let appended = self.append_post(caller, new, post_commit).await?;
        let novelty = appended.novelty;
        match appended.change {
            Change::MessagePosted(mut message) => {
                let answer_problem = self.explain_unsettled_answer(reply, novelty, &message).await;
                if let Some(hold) = hold.filter(|_| novelty == Novelty::New) {
                    hold.open(&message, self.clock.now());
                }
                self.fill_streaming_text(&mut message).await?;
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

    /// The message of a request with all that is decided of it before it is stored.
    async fn draft_post(
        &self,
        caller: &Principal,
        request: PostMessage,
        post_context: &PostContext,
        mentions: Vec<MemberId>,
    ) -> Result<(NewMessage, PostCommit, Reply), Failure> {
        let (digest, claimed) = (request.digest(), request.cause.clone());
        let ask = request.blocking.then(|| request.question.clone().unwrap_or_default());
        let mut message = self.build_message(caller.author(), request, post_context, mentions)?;
        let decision = self.decide_post(caller, &mut message, post_context, claimed.as_ref()).await?;
        let deliveries = match model_visibility::may_wake(&message) {
            true => deliveries(Some(&caller.member), &message.mentions, &post_context.listeners),
            false => Vec::new(),
        };
        let Decision { calls, answers, mut post_commit } = decision;
        let reply = match ask {
            Some(ask) => {
                self.attach_question(caller, &ask, &mut message, post_context, &deliveries, &mut post_commit).await?
            }
            None => self.attach_answer(&mut message, post_context, &mut post_commit).await?,
        };
        Ok((NewMessage { message, digest, deliveries, calls, answers }, post_commit, reply))
    }

    async fn append_post(
        &self,
        caller: &Principal,
        new: NewMessage,
        post_commit: PostCommit,
    ) -> Result<Appended, Failure> {
        let project_id = new.message.project_id.clone();
        let entry = self.entry(caller, &project_id, Write::PostMessage(new));
        let appended = match post_commit.is_empty() {
            true => self.store.append(entry).await?,
            false => self.append_decided(entry, post_commit, |_| {}).await?,
        };
        self.invalidate_caches_after(&appended.change);
        Ok(appended)
    }

    /// Whom a post mentions, of those who can read it.
    async fn resolve_post_mentions(
        &self,
        caller: &Principal,
        request: &PostMessage,
        post_context: &PostContext,
    ) -> Result<Mentions, Failure> {
        let found =
            self.resolve_mentions(post_context.conversation.project_id(), &request.body, &request.mentions).await?;
        let found = self
            .keep_readable_mentions(&post_context.conversation.id(), post_context.membership.visibility, found)
            .await?;
        self.expand_wide_mention(caller, request, post_context, found).await
    }

    async fn load_post_context(&self, caller: &Principal, id: &ConversationId) -> Result<PostContext, Failure> {
        match self.store.post_context(id, &caller.member).await? {
            Some(post_context) if access::may_read(caller, &post_context.membership) => Ok(post_context),
            _ => Err(refuse_conversation(id).into()),
        }
    }

    /// Refuses a post that refers to something its author cannot see.
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

    /// The members called by the text and by the list beside it. A wrong name in the list is refused; one in the
    /// text is only reported, because a text may hold an `@` for other reasons.
    pub(crate) async fn resolve_mentions(
        &self,
        project: &ProjectId,
        body: &str,
        named: &[String],
    ) -> Result<Mentions, Failure> {
        if named.is_empty() && !body.contains('@') {
            return Ok(Mentions::default());
        }
        let roster = self.roster(project).await?;
        let listed = mention::resolve_named(named, &roster)?;
        let mut found = mention::find_mentions(body, &roster);
        for member in listed {
            if !found.members.contains(&member) && found.members.len() < limits::MENTIONS_MAX {
                found.members.push(member);
            }
        }
        Ok(found)
    }

    /// Moves those who cannot read the conversation from the mentions to the problems: they would never know.
    pub(crate) async fn keep_readable_mentions(
        &self,
        id: &ConversationId,
        visibility: Visibility,
        mut mentions: Mentions,
    ) -> Result<Mentions, Failure> {
        if visibility == Visibility::Project || mentions.members.is_empty() {
            return Ok(mentions);
        }
        let readers = self.store.readers_among(id, &mentions.members).await?;
        let (kept, outside): (Vec<MemberId>, Vec<MemberId>) =
            mentions.members.into_iter().partition(|member| readers.contains(member));
        mentions.members = kept;
        mentions.problems.extend(outside.into_iter().map(|member| MentionProblem {
            name: member.to_string(),
            reason: MentionProblemReason::NotInConversation,
            candidates: Vec::new(),
        }));
        Ok(mentions)
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

/// Refuses to open a stream for a program that writes for a person: only members can go on with one.
fn check_producer(caller: &Principal, request: &PostMessage) -> Result<(), Refusal> {
    if request.stream && caller.grant.acts_as.is_some() {
        return Err(Refusal::forbidden("applets and schedules post whole messages").at("stream"));
    }
    Ok(())
}

/// Lets the log tell of a request what its message belongs to. A text that could be more than an id is left out.
fn note_correlation(request: &PostMessage) {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
    if let Some(id) = request.correlation_id.as_deref().filter(|id| id.bytes().all(is_plain)) {
        tracing::Span::current().record("correlation_id", id);
    }
}

/// Where the request names what is missing; an artifact can stand in two places.
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
