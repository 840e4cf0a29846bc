//! Calls: which agents a message calls, and what it follows from. The core decides; this module gathers the facts.
//!
//! - `mentions` resolves names, `@everyone` and `@agents`.
//! - `open_calls` lists the open calls of an agent and closes them without an answer.
//! - `post_commit` holds the side effects of a message after its commit.

mod mentions;
mod open_calls;
mod post_commit;

use std::{collections::HashMap, slice, sync::Arc};

use parlour_core::{
    Timestamp,
    access::Principal,
    audience::AccessRoot,
    author::AuthorType,
    call::{self, Call, Calls, HeldCall, HoldRule, NewCall},
    cause::{self, ClaimedCause, Trigger},
    conversation::{Conversation, Visibility},
    id::{AgentId, ConversationId, MemberId, MessageId, ProjectId},
    limits,
    loop_guard::{self, GuardFacts},
    message::Message,
    model_visibility,
    name::Name,
    paging::PageRequest,
    policy::{CallRules, Policy},
    wake::{self, WakeFacts},
};

use self::post_commit::notice;
use crate::{
    Failure,
    access::Access,
    event_writer::EventWriter,
    infrastructure::Infrastructure,
    keyed_lock::KeyedLock,
    ports::{Clock, HistoryRange, PostContext, Store},
    project_state::ProjectStates,
};

pub(crate) use self::{
    mentions::report_wide_mention,
    post_commit::{PostCommit, RunEffect},
};

/// Pages of `GUARD_WINDOW_MAX` messages that are searched for an earlier notice of the loop guard.
const NOTICE_PAGES_MAX: usize = 10;

/// Decides which agents a message calls, resolves its mentions, and lists open calls.
pub(crate) struct CallService {
    access: Access,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    projects: Arc<ProjectStates>,
    writer: EventWriter,
    /// Serialises agents whose messages could pass a rule together.
    locks: KeyedLock,
}

/// Decisions about a message before it is stored.
#[derive(Default)]
pub(crate) struct Decision {
    /// Agents that it calls, and agents whose call is held back.
    pub(crate) calls: Calls,
    /// The message whose call it answers.
    pub(crate) answers: Option<MessageId>,
    /// Side effects after the commit.
    pub(crate) post_commit: PostCommit,
}

impl CallService {
    pub(crate) fn new(parts: &Infrastructure) -> Self {
        Self {
            access: parts.access.clone(),
            store: parts.store(),
            clock: parts.clock(),
            projects: Arc::clone(&parts.projects),
            writer: parts.writer.clone(),
            locks: parts.locks.clone(),
        }
    }

    /// Decides what a new message follows from and which agents it calls, and records both on the message.
    ///
    /// A person's message that mentions no agent, outside of DMs and threads with agents, needs no lookup.
    pub(crate) async fn decide_post(
        &self,
        caller: &Principal,
        message: &mut Message,
        post_context: &PostContext,
        claimed: Option<&ClaimedCause>,
    ) -> Result<Decision, Failure> {
        let mut decision = Decision::default();
        if let MemberId::Agent(id) = &caller.member {
            let policy = self.projects.policy(&message.project_id).await?;
            let author = AgentAuthor { id, name: &caller.name, claimed };
            let requested_correlation = message.correlation_id.clone();
            decision.answers = self.record_cause(&author, message, post_context, &policy.calls).await?;
            if decision.answers.is_some() {
                // Two concurrent messages would answer the same call. A message that answers one therefore takes the
                // lock and decides again; other messages do not wait.
                decision.post_commit.hold(self.locks.lock(id.as_str()).await?);
                message.correlation_id = requested_correlation;
                decision.answers = self.record_cause(&author, message, post_context, &policy.calls).await?;
            }
        }
        decision.calls = self.decide_calls(message, post_context, &mut decision.post_commit).await?;
        Ok(decision)
    }

    /// Decides which agents a message calls and records them on it. Messages of agents are judged one at a time per
    /// project, until their side effects are done; messages of people never wait.
    pub(crate) async fn decide_calls(
        &self,
        message: &mut Message,
        post_context: &PostContext,
        post_commit: &mut PostCommit,
    ) -> Result<Calls, Failure> {
        if !could_call(message, post_context) {
            return Ok(Calls::default());
        }
        let policy = self.projects.policy(&message.project_id).await?;
        let window =
            if follows(message, post_context) { self.window_of(message, post_context).await? } else { Vec::new() };
        let candidates = self.candidates(message, post_context, &window, &policy.calls);
        // Check waiting calls first: it is cheap, and a held call needs no judgement.
        let mut calls = self.hold_waiting(message, candidates, &policy.calls).await?;
        if message.from.author_type == AuthorType::Agent && !calls.called.is_empty() {
            let judged = self.judge_in_turn(message, post_context, &policy, calls.called, post_commit).await?;
            let waiting = self.hold_waiting(message, judged.called, &policy.calls).await?;
            let held = judged.held.into_iter().chain(waiting.held).chain(calls.held).collect();
            calls = Calls { called: waiting.called, held };
        }
        message.calls = calls.called.iter().map(|call| call.agent_id.clone()).collect();
        message.held.clone_from(&calls.held);
        Ok(calls)
    }

    fn candidates(
        &self,
        message: &Message,
        post_context: &PostContext,
        window: &[Message],
        rules: &CallRules,
    ) -> Vec<NewCall> {
        wake::wakes(&WakeFacts {
            message,
            dm_members: dm_members(post_context),
            thread_agents: &post_context.listeners.thread_agents,
            window,
            rules,
            now: self.clock.now(),
        })
    }

    /// Judges the calls of an agent under the lock of the project. An exhausted budget is cached until another author
    /// than an agent posts, which saves reading the last messages for each further attempt.
    async fn judge_in_turn(
        &self,
        message: &Message,
        post_context: &PostContext,
        policy: &Policy,
        candidates: Vec<NewCall>,
        post_commit: &mut PostCommit,
    ) -> Result<Calls, Failure> {
        let mut judged = None;
        let load = async {
            post_commit.hold(self.locks.lock(message.project_id.as_str()).await?);
            let calls = self.judge(message, post_context, policy, candidates.clone(), post_commit).await?;
            let is_spent = calls.called.is_empty() && calls.held.iter().all(|held| held.rule == HoldRule::Budget);
            judged = Some(calls);
            Ok(is_spent.then_some(()))
        };
        self.projects.get(&message.project_id).budget_exhausted.get_or_load(&message.to, load).await?;
        match judged {
            Some(calls) => Ok(calls),
            None => {
                let names = self.names_of(message, &candidates).await?;
                Ok(Calls { called: Vec::new(), held: hold_all(candidates, &names, HoldRule::Budget) })
            }
        }
    }

    /// Applies the loop guard to the calls of an agent, and collects its notices for the conversation.
    async fn judge(
        &self,
        message: &Message,
        post_context: &PostContext,
        policy: &Policy,
        candidates: Vec<NewCall>,
        post_commit: &mut PostCommit,
    ) -> Result<Calls, Failure> {
        let window = self.window_of(message, post_context).await?;
        let author = message.from.member_id().and_then(|member| member.agent().cloned());
        let agents: Vec<AgentId> =
            author.into_iter().chain(candidates.iter().map(|call| call.agent_id.clone())).collect();
        let calls = self.store.recent_calls(&agents, limits::GUARD_CALLS_MAX).await?;
        let correlated = match &message.correlation_id {
            Some(id) => self.store.correlated_calls(&message.project_id, id, limits::GUARD_CALLS_MAX).await?,
            None => Vec::new(),
        };
        let facts = GuardFacts {
            message,
            window: &window,
            calls: &self.visible_to_all_readers(post_context, calls).await?,
            correlated: &self.visible_to_all_readers(post_context, correlated).await?,
            names: &self.names_of(message, &candidates).await?,
            limits: &policy.loop_limits,
            now: self.clock.now(),
        };
        let judged = loop_guard::judge(&facts, candidates);
        let reported = self.extend_window(&facts, &judged.held).await?;
        for (mark, text) in loop_guard::notices(&GuardFacts { window: &reported, ..facts }, &judged.held) {
            post_commit.announce(notice(message, &mark, text, facts.now));
        }
        Ok(judged)
    }

    /// The window of the guard, with older messages until it shows whether the holds were reported. A notice is then
    /// not repeated after a restart, even if agents have written more messages since than the window contains.
    async fn extend_window(&self, facts: &GuardFacts<'_>, held: &[HeldCall]) -> Result<Vec<Message>, Failure> {
        let mut window = facts.window.to_vec();
        for _ in 0..NOTICE_PAGES_MAX {
            let oldest = match window.last() {
                Some(oldest) if loop_guard::needs_older_messages(&GuardFacts { window: &window, ..*facts }, held) => {
                    oldest.seq
                }
                _ => break,
            };
            let range = HistoryRange::Before(oldest);
            let older = self.store.messages(&facts.message.to, range, limits::GUARD_WINDOW_MAX).await?;
            if older.is_empty() {
                break;
            }
            window.extend(older);
        }
        Ok(window)
    }

    /// Holds back agents with too many waiting calls in the conversation, for every caller.
    async fn hold_waiting(&self, message: &Message, called: Vec<NewCall>, rules: &CallRules) -> Result<Calls, Failure> {
        if called.is_empty() {
            return Ok(Calls::default());
        }
        let agents: Vec<AgentId> = called.iter().map(|call| call.agent_id.clone()).collect();
        let after = open_after(rules, self.clock.now());
        let waiting = self.store.waiting_calls(&message.to, &agents, after).await?;
        if waiting.iter().all(|count| *count < rules.waiting_max) {
            return Ok(Calls { called, held: Vec::new() });
        }
        let names = self.names_of(message, &called).await?;
        let is_full = |agent: &AgentId| {
            let index = agents.iter().position(|one| one == agent);
            index.and_then(|index| waiting.get(index)).is_some_and(|count| *count >= rules.waiting_max)
        };
        let (full, called): (Vec<_>, Vec<_>) = called.into_iter().partition(|call| is_full(&call.agent_id));
        Ok(Calls { called, held: hold_all(full, &names, HoldRule::Waiting) })
    }

    async fn names_of(&self, message: &Message, calls: &[NewCall]) -> Result<Vec<(AgentId, Name)>, Failure> {
        let roster = self.projects.roster(&message.project_id).await?;
        let name_of = |id: &AgentId| Some((id.clone(), roster.name_of(&id.clone().into())?.clone()));
        Ok(calls.iter().filter_map(|call| name_of(&call.agent_id)).collect())
    }

    /// The last messages before this one. They matter for messages of agents, and in threads for people who mention
    /// no agent. A short thread includes its root message: agents called there are called in the thread too.
    async fn window_of(&self, message: &Message, post_context: &PostContext) -> Result<Vec<Message>, Failure> {
        let newest = self.store.messages(&message.to, HistoryRange::Newest, limits::GUARD_WINDOW_MAX + 1).await?;
        // A finished stream is itself in the history.
        let mut window: Vec<Message> = newest.into_iter().filter(|one| one.id != message.id).collect();
        window.truncate(limits::GUARD_WINDOW_MAX);
        if let (true, Conversation::Thread(thread)) = (follows(message, post_context), &post_context.conversation)
            && window.len() < limits::GUARD_WINDOW_MAX
        {
            window.extend(self.store.message(&thread.root_message_id).await?);
        }
        Ok(window)
    }
}

/// Holds all of these calls by one rule. Agents without a name are left out.
fn hold_all(calls: Vec<NewCall>, names: &[(AgentId, Name)], rule: HoldRule) -> Vec<HeldCall> {
    let held = calls.into_iter().filter_map(|call| {
        let name = names.iter().find(|(id, _)| *id == call.agent_id)?.1.clone();
        Some(HeldCall { agent_id: call.agent_id, name, rule, until: None })
    });
    held.collect()
}

/// Whether a message could call anybody; needs no lookup.
fn could_call(message: &Message, post_context: &PostContext) -> bool {
    let author = message.from.member_id();
    let is_other_agent = |member: &MemberId| member.agent().is_some() && author.as_ref() != Some(member);
    let is_addressed = || message.mentions.iter().chain(dm_members(post_context)).any(is_other_agent);
    model_visibility::may_call(message) && (is_addressed() || follows(message, post_context))
}

/// Whether agents that follow a thread may be addressed.
fn follows(message: &Message, post_context: &PostContext) -> bool {
    message.from.author_type != AuthorType::Agent
        && !post_context.listeners.thread_agents.is_empty()
        && message.mentions.iter().all(|member| member.agent().is_none())
}

fn dm_members(post_context: &PostContext) -> &[MemberId] {
    match &post_context.conversation {
        Conversation::Dm(dm) => &dm.participants,
        _ => &[],
    }
}

/// An agent that posts a message, and the cause that it claims.
struct AgentAuthor<'a> {
    id: &'a AgentId,
    name: &'a Name,
    claimed: Option<&'a ClaimedCause>,
}

impl CallService {
    /// Records the cause of an agent's message, and returns the message whose call it answers.
    async fn record_cause(
        &self,
        author: &AgentAuthor<'_>,
        message: &mut Message,
        post_context: &PostContext,
        rules: &CallRules,
    ) -> Result<Option<MessageId>, Failure> {
        let mut recent = self.recent_calls_of(&message.project_id, author.id, message.reply_to.is_some()).await?;
        let after = open_after(rules, message.created_at);
        recent.retain(|call| call.called_at > after);
        let recent = self.visible_to_all_readers(post_context, recent).await?;
        let reply_to = self.find_message(message.reply_to.as_ref()).await?;
        let origin = cause::origin(&recent, &message.to, reply_to.as_ref());
        let source = match &origin {
            Trigger::Call(id) | Trigger::Consequence(id) if message.reply_to.as_ref() == Some(id) => reply_to,
            Trigger::Call(id) | Trigger::Consequence(id) => self.find_message(Some(id)).await?,
            Trigger::Itself => None,
        };
        // A message without a cause counts as the first of its chain, so nothing is recorded.
        let is_first = origin == Trigger::Itself && author.claimed.is_none();
        message.cause =
            (!is_first).then(|| cause::cause_after(source.as_ref(), author.id, author.name, author.claimed));
        let Trigger::Call(call) = origin else { return Ok(None) };
        message.correlation_id = message.correlation_id.take().or_else(|| source?.correlation_id);
        Ok(Some(call).filter(|_| call::is_answer(message)))
    }

    /// The last calls of an agent. That an agent was never called is cached, because most busy posters never are; an
    /// agent that replies may have been called just now.
    async fn recent_calls_of(&self, project: &ProjectId, id: &AgentId, is_reply: bool) -> Result<Vec<Call>, Failure> {
        let agent = slice::from_ref(id);
        if !is_reply {
            let load = async { Ok(self.store.recent_calls(agent, 1).await?.is_empty().then_some(())) };
            if self.projects.get(project).never_called.get_or_load(id, load).await?.is_some() {
                return Ok(Vec::new());
            }
        }
        self.store.recent_calls(agent, limits::GUARD_CALLS_MAX).await
    }

    async fn find_message(&self, id: Option<&MessageId>) -> Result<Option<Message>, Failure> {
        match id {
            Some(id) => self.store.message(id).await,
            None => Ok(None),
        }
    }
}

/// Calls up to this time have expired.
pub(crate) fn open_after(rules: &CallRules, now: Timestamp) -> Timestamp {
    let wait_ms = i64::try_from(rules.expire_seconds.saturating_mul(1_000)).unwrap_or(i64::MAX);
    Timestamp::from_millis(now.as_millis().saturating_sub(wait_ms))
}

impl CallService {
    /// Leaves out calls that not every reader of the conversation may see. Depth, chain and held agents are visible
    /// on the message, so a rule that uses such a call would reveal it.
    async fn visible_to_all_readers(&self, post_context: &PostContext, calls: Vec<Call>) -> Result<Vec<Call>, Failure> {
        let mut readable = HashMap::from([(post_context.conversation.id(), true)]);
        let mut known = Vec::with_capacity(calls.len());
        for call in calls {
            let is_known = match readable.get(&call.conversation_id) {
                Some(is_known) => *is_known,
                None => {
                    let is_known = self.is_read_by_readers(post_context, &call.conversation_id).await?;
                    readable.insert(call.conversation_id.clone(), is_known);
                    is_known
                }
            };
            if is_known {
                known.push(call);
            }
        }
        Ok(known)
    }

    /// Whether every reader of the conversation can also read the other one.
    async fn is_read_by_readers(&self, post_context: &PostContext, other: &ConversationId) -> Result<bool, Failure> {
        let project = post_context.conversation.project_id();
        let root = self.projects.access_root(project, other).await?;
        if root == AccessRoot::of(&post_context.conversation) {
            return Ok(true);
        }
        if let AccessRoot::Channel(channel) = &root
            && self.projects.visibility(project, channel).await? == Visibility::Project
        {
            return Ok(true);
        }
        if post_context.membership.visibility == Visibility::Project {
            return Ok(false);
        }
        match self.members_of(&post_context.conversation).await? {
            Some(members) => Ok(self.store.readers_among(other, &members).await?.len() == members.len()),
            None => Ok(false),
        }
    }

    /// The members of a private channel or DM; none if there are too many to compare.
    async fn members_of(&self, conversation: &Conversation) -> Result<Option<Vec<MemberId>>, Failure> {
        let channel = match conversation {
            Conversation::Dm(dm) => return Ok(Some(dm.participants.clone())),
            Conversation::Channel(channel) => &channel.id,
            Conversation::Thread(thread) => &thread.channel_id,
        };
        let page = PageRequest::new(None, Some(limits::PAGE_ITEMS_MAX))?;
        let members = self.store.channel_members(channel, &page).await?;
        Ok(Some(members.items).filter(|_| members.next.is_none()))
    }
}
