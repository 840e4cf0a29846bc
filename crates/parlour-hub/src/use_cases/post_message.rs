//! Posting: the life of a message up to the store.

use parlour_core::{
    Refusal,
    access::{self, Principal, Reach},
    audience,
    author::Author,
    event::Change,
    id::{ArtifactId, ConversationId, MemberId, MessageId, ProjectId},
    inbox::deliveries,
    limits,
    mention::{self, MentionProblem, MentionProblemReason, Mentions},
    message::{Attachment, Message, MessageContext, State},
    position::Position,
    post::PostMessage,
    scope::Scope,
    write::{Appended, NewMessage, Novelty, Write},
};

use super::{projects::unexpected, see::refuse_conversation};
use crate::{
    Failure, Hub,
    calling::{Decision, FollowUp},
    ports::{MissingRef, PostRefs, Scene},
    questions::Reply,
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
    pub async fn post_message(&self, caller: &Principal, wish: PostMessage) -> Result<Posted, Failure> {
        self.admit(caller, Scope::MessagesWrite)?;
        if wish.blocking {
            self.admit(caller, Scope::MessagesBlock)?;
        }
        wish.check()?;
        check_producer(caller, &wish)?;
        let scene = self.see_scene(caller, &wish.conversation()?).await?;
        wish.check_project(scene.conversation.project_id())?;
        self.charge_post(scene.conversation.project_id())?;
        note_correlation(&wish);
        self.check_refs(caller, &scene.conversation.id(), &wish).await?;
        let mentions = self.find_called(caller, &wish, &scene).await?;
        let hold = self.hold_stream(caller, &wish, &scene).await?;
        let (new, follow_up, reply) = self.draft_post(caller, wish, &scene, mentions.members).await?;
        let appended = self.append_post(caller, new, follow_up).await?;
        let novelty = appended.novelty;
        match appended.change {
            Change::MessagePosted(mut message) => {
                let answer_problem = self.explain_late(reply, novelty, &message).await;
                if let Some(hold) = hold.filter(|_| novelty == Novelty::New) {
                    hold.open(&message, self.clock.now());
                }
                self.show_running(&mut message).await?;
                Ok(Posted {
                    message: *message,
                    position: appended.position,
                    mention_problems: mentions.problems,
                    answer_problem,
                    novelty,
                })
            }
            other => Err(unexpected(&other)),
        }
    }

    /// The message of a wish with all that is decided of it before it is stored.
    async fn draft_post(
        &self,
        caller: &Principal,
        wish: PostMessage,
        scene: &Scene,
        mentions: Vec<MemberId>,
    ) -> Result<(NewMessage, FollowUp, Reply), Failure> {
        let (digest, claimed) = (wish.digest(), wish.cause.clone());
        let ask = wish.blocking.then(|| wish.question.clone().unwrap_or_default());
        let mut message = self.build_message(caller.author(), wish, scene, mentions)?;
        let decision = self.decide_post(caller, &mut message, scene, claimed.as_ref()).await?;
        let deliveries = match audience::may_wake(&message) {
            true => deliveries(Some(&caller.member), &message.mentions, &scene.listeners),
            false => Vec::new(),
        };
        let Decision { calls, answers, mut follow_up } = decision;
        let reply = match ask {
            Some(ask) => self.note_question(caller, &ask, &mut message, scene, &deliveries, &mut follow_up).await?,
            None => self.note_reply(&mut message, scene, &mut follow_up).await?,
        };
        Ok((NewMessage { message, digest, deliveries, calls, answers }, follow_up, reply))
    }

    async fn append_post(&self, caller: &Principal, new: NewMessage, follow_up: FollowUp) -> Result<Appended, Failure> {
        let project_id = new.message.project_id.clone();
        let entry = self.entry(caller, &project_id, Write::PostMessage(new));
        let appended = match follow_up.is_empty() {
            true => self.store.append(entry).await?,
            false => self.append_decided(entry, follow_up, |_| {}).await?,
        };
        self.follow(&appended.change);
        Ok(appended)
    }

    /// Whom a post mentions, of those who can read it.
    async fn find_called(&self, caller: &Principal, wish: &PostMessage, scene: &Scene) -> Result<Mentions, Failure> {
        let found = self.resolve_mentions(scene.conversation.project_id(), &wish.body, &wish.mentions).await?;
        let found = self.keep_readers(&scene.conversation.id(), scene.standing.reach, found).await?;
        self.take_wide(caller, wish, scene, found).await
    }

    async fn see_scene(&self, caller: &Principal, id: &ConversationId) -> Result<Scene, Failure> {
        match self.store.scene(id, &caller.member).await? {
            Some(scene) if access::may_read(caller, &scene.standing) => Ok(scene),
            _ => Err(refuse_conversation(id).into()),
        }
    }

    /// Refuses a post that refers to something its author cannot see.
    async fn check_refs(&self, caller: &Principal, id: &ConversationId, wish: &PostMessage) -> Result<(), Failure> {
        let context = wish.context.clone().unwrap_or_default();
        let attached = wish.attachments.iter().filter_map(|attachment| attachment.artifact_id.clone());
        let refs = PostRefs {
            reply_to: wish.reply_to.clone(),
            artifacts: wish.artifacts.iter().cloned().chain(attached).collect(),
            task_id: context.task_id,
            batch_id: context.batch_id,
        };
        if refs == PostRefs::default() {
            return Ok(());
        }
        match self.store.missing_refs(id, caller, &refs).await?.first() {
            None => Ok(()),
            Some(missing) => {
                let field = field_of(missing, &wish.artifacts, &wish.attachments);
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
    pub(crate) async fn keep_readers(
        &self,
        id: &ConversationId,
        reach: Reach,
        mut mentions: Mentions,
    ) -> Result<Mentions, Failure> {
        if reach == Reach::Project || mentions.members.is_empty() {
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
        wish: PostMessage,
        scene: &Scene,
        mentions: Vec<MemberId>,
    ) -> Result<Message, Failure> {
        let kind = wish.kind.unwrap_or_else(|| audience::usual_kind(from.author_type));
        audience::check_kind(from.author_type, kind)?;
        let context = wish.context.unwrap_or_default();
        let id = wish.id.unwrap_or_else(|| MessageId::from_bits(self.ids.next_bits()));
        let (project_id, to) = (scene.conversation.project_id().clone(), scene.conversation.id());
        let plain = Message::plain(id, project_id.clone(), to, from, wish.body, self.clock.now());
        Ok(Message {
            kind,
            content: wish.content,
            mentions,
            artifacts: wish.artifacts,
            attachments: wish.attachments,
            importance: wish.importance,
            blocking: wish.blocking,
            is_notice: wish.is_notice,
            reply_to: wish.reply_to,
            correlation_id: wish.correlation_id,
            context: MessageContext { project_id, task_id: context.task_id, batch_id: context.batch_id },
            state: if wish.stream { State::Streaming } else { State::Complete },
            metadata: wish.metadata,
            ..plain
        })
    }
}

/// Refuses to open a stream for a program that writes for a person: only members can go on with one.
fn check_producer(caller: &Principal, wish: &PostMessage) -> Result<(), Refusal> {
    if wish.stream && caller.grant.acts_as.is_some() {
        return Err(Refusal::forbidden("applets and schedules post whole messages").at("stream"));
    }
    Ok(())
}

/// Lets the log tell of a request what its message belongs to. A text that could be more than an id is left out.
fn note_correlation(wish: &PostMessage) {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
    if let Some(id) = wish.correlation_id.as_deref().filter(|id| id.bytes().all(is_plain)) {
        tracing::Span::current().record("correlation_id", id);
    }
}

/// Where the wish names what is missing; an artifact can stand in two places.
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
