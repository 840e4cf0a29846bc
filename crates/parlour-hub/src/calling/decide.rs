use parlour_core::{
    access::Principal,
    author::AuthorType,
    call::{Calls, Held, HoldRule, NewCall},
    cause::ClaimedCause,
    conversation::Conversation,
    id::{AgentId, MemberId, MessageId},
    limits,
    loop_guard::{self, GuardFacts},
    message::Message,
    model_visibility,
    name::Name,
    policy::{CallRules, Policy},
    wake::{self, WakeFacts},
};

use super::{
    post_commit::{PostCommit, notice},
    origin::{AgentAuthor, open_after},
};
use crate::{
    Failure, Hub,
    ports::{HistoryRange, PostContext},
};

/// What was decided of a message before it is stored.
#[derive(Default)]
pub(crate) struct Decision {
    /// Whom it calls, and who is held.
    pub(crate) calls: Calls,
    /// The message whose call it answers.
    pub(crate) answers: Option<MessageId>,
    /// What is due when it is stored.
    pub(crate) post_commit: PostCommit,
}

impl Hub {
    /// Decides of a message that is to be posted what it follows from and whom it calls, and notes both on it.
    ///
    /// A person's message that mentions no agent, outside of dms and threads with agents, costs no look into the store.
    pub(crate) async fn decide_post(
        &self,
        caller: &Principal,
        message: &mut Message,
        post_context: &PostContext,
        claimed: Option<&ClaimedCause>,
    ) -> Result<Decision, Failure> {
        let mut decision = Decision::default();
        if let MemberId::Agent(id) = &caller.member {
            let policy = self.policy(&message.project_id).await?;
            let author = AgentAuthor { id, name: &caller.name, claimed };
            let wished_correlation = message.correlation_id.clone();
            decision.answers = self.record_cause(&author, message, post_context, &policy.calls).await?;
            if decision.answers.is_some() {
                // Two messages at once would take the same call, and seem to follow from the lesser one: so whoever takes
                // one waits for its turn and looks again. Others, which are many, need not wait.
                decision.post_commit.hold(self.call_locks.lock(id.as_str()).await?);
                message.correlation_id = wished_correlation;
                decision.answers = self.record_cause(&author, message, post_context, &policy.calls).await?;
            }
        }
        decision.calls = self.decide_calls(message, post_context, &mut decision.post_commit).await?;
        Ok(decision)
    }

    /// Decides whom a message calls, and notes that on it. Agents are judged one after another in each project, until
    /// what follows is done; people never wait.
    pub(crate) async fn decide_calls(
        &self,
        message: &mut Message,
        post_context: &PostContext,
        post_commit: &mut PostCommit,
    ) -> Result<Calls, Failure> {
        if !could_call(message, post_context) {
            return Ok(Calls::default());
        }
        let policy = self.policy(&message.project_id).await?;
        let window =
            if follows(message, post_context) { self.window_of(message, post_context).await? } else { Vec::new() };
        let wanted = self.wanted(message, post_context, &window, &policy.calls);
        // What waits is asked first: it costs little, and whoever cannot be called need not be judged.
        let mut calls = self.hold_waiting(message, wanted, &policy.calls).await?;
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

    fn wanted(
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

    /// Judges the calls of an agent when it is its turn. That the budget of a conversation is spent is remembered until
    /// somebody other than an agent speaks: agents that go on all the same would otherwise cost a look at its last messages
    /// each time.
    async fn judge_in_turn(
        &self,
        message: &Message,
        post_context: &PostContext,
        policy: &Policy,
        wanted: Vec<NewCall>,
        post_commit: &mut PostCommit,
    ) -> Result<Calls, Failure> {
        let mut judged = None;
        let load = async {
            post_commit.hold(self.call_locks.lock(message.project_id.as_str()).await?);
            let calls = self.judge(message, post_context, policy, wanted.clone(), post_commit).await?;
            let is_spent = calls.called.is_empty() && calls.held.iter().all(|held| held.rule == HoldRule::Budget);
            judged = Some(calls);
            Ok(is_spent.then_some(()))
        };
        self.budget_exhausted.get_or_load(&message.to, load).await?;
        match judged {
            Some(calls) => Ok(calls),
            None => {
                let names = self.names_of(message, &wanted).await?;
                Ok(Calls { called: Vec::new(), held: hold_all(wanted, &names, HoldRule::Budget) })
            }
        }
    }

    /// Lets the loop guard judge the calls of an agent, and notes what the conversation has to be told.
    async fn judge(
        &self,
        message: &Message,
        post_context: &PostContext,
        policy: &Policy,
        wanted: Vec<NewCall>,
        post_commit: &mut PostCommit,
    ) -> Result<Calls, Failure> {
        let window = self.window_of(message, post_context).await?;
        let author = message.from.member_id().and_then(|member| member.agent().cloned());
        let agents: Vec<AgentId> = author.into_iter().chain(wanted.iter().map(|call| call.agent_id.clone())).collect();
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
            names: &self.names_of(message, &wanted).await?,
            limits: &policy.loop_limits,
            now: self.clock.now(),
        };
        let judged = loop_guard::judge(&facts, wanted);
        for (mark, text) in loop_guard::notices(&facts, &judged.held) {
            post_commit.announce(notice(message, &mark, text, facts.now));
        }
        Ok(judged)
    }

    /// Holds those back for whom too many calls wait in the conversation already, whoever calls them.
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
            let place = agents.iter().position(|one| one == agent);
            place.and_then(|place| waiting.get(place)).is_some_and(|count| *count >= rules.waiting_max)
        };
        let (full, called): (Vec<_>, Vec<_>) = called.into_iter().partition(|call| is_full(&call.agent_id));
        Ok(Calls { called, held: hold_all(full, &names, HoldRule::Waiting) })
    }

    async fn names_of(&self, message: &Message, calls: &[NewCall]) -> Result<Vec<(AgentId, Name)>, Failure> {
        let roster = self.roster(&message.project_id).await?;
        let name_of = |id: &AgentId| Some((id.clone(), roster.name_of(&id.clone().into())?.clone()));
        Ok(calls.iter().filter_map(|call| name_of(&call.agent_id)).collect())
    }

    /// The last messages before this one. They matter for what an agent says, and in threads for a person who mentions no
    /// agent. Below a thread that is short stands the message above it: who was called there is called into
    /// the thread too.
    async fn window_of(&self, message: &Message, post_context: &PostContext) -> Result<Vec<Message>, Failure> {
        let newest = self.store.messages(&message.to, HistoryRange::Newest, limits::GUARD_WINDOW_MAX + 1).await?;
        // At its end a stream stands there itself.
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

/// All of these, held by one rule. Who is no longer known by a name is not held by it either.
fn hold_all(calls: Vec<NewCall>, names: &[(AgentId, Name)], rule: HoldRule) -> Vec<Held> {
    let held = calls.into_iter().filter_map(|call| {
        let name = names.iter().find(|(id, _)| *id == call.agent_id)?.1.clone();
        Some(Held { agent_id: call.agent_id, name, rule, until: None })
    });
    held.collect()
}

/// Whether a message could call anybody at all, told without a look into the store.
fn could_call(message: &Message, post_context: &PostContext) -> bool {
    let author = message.from.member_id();
    let is_other_agent = |member: &MemberId| member.agent().is_some() && author.as_ref() != Some(member);
    let is_addressed = || message.mentions.iter().chain(dm_members(post_context)).any(is_other_agent);
    model_visibility::may_call(message) && (is_addressed() || follows(message, post_context))
}

/// Whether agents that follow a thread may be meant.
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
