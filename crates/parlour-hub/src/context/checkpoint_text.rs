//! Checkpoint texts: what a model receives about given messages at a checkpoint, with the result of a tool, and at the end
//! of a run.
//!
//! - Only the given messages are included, and of them only those that the agent may read now and that a model may see.
//! - Message texts are redacted by the rules of the project and quoted in the frame of packs; briefs are redacted too.
//! - Names of members and conversations are in double quotes on lines of the hub.
//! - The whole text stays within the injection budget, counted for the model of the agent. Blocking messages are shortened
//!   rather than left out. Where not all of them fit, the less important ones are only counted; where none fits, the text
//!   has names, ids and calls; at last it only counts (`fit`).
//! - A text for a run is recorded before it is given, and an unchanged text is recorded once for each delivery path. Lines
//!   with counts are not recorded: they count messages that the reader of a run may not read.
//! - When the engine or the store fails, the text has names, ids and calls, and no text of a message.

mod fit;

use parlour_context::{
    candidate::Candidate,
    frame::{self, FrameEntry, Framed, HubLine, Label, Tag},
};
use parlour_core::{
    Timestamp,
    access::Principal,
    checkpoint::{Brief, wanted},
    context::{ContextFormat, ContextRequest, Injection, Reason, Receipt, Section, SubjectType},
    delivery::DeliveryPath,
    id::{InjectionId, MessageId},
    inbox::DeliveryReason,
    message::{Importance, Message},
    model_visibility,
    run::{PauseReason, Run},
};

use self::fit::{CheckpointDraft, FittedText};
use super::{
    ContextService, Query, Rules, Viewer,
    candidates::{ConversationRefs, load_conversations},
    day_of,
    model_view::redact_question,
};
use crate::Failure;

/// The input of a checkpoint text.
pub(crate) struct CheckpointTextRequest {
    pub(crate) delivered_via: DeliveryPath,
    /// The run that the text is recorded with.
    pub(crate) run: Option<Run>,
    /// When the messages were read: a later edit invalidates the recorded text.
    pub(crate) at: Timestamp,
    /// The most important first.
    pub(crate) messages: Vec<CheckpointMessage>,
    /// A first line with counts.
    pub(crate) lead: Option<String>,
    /// Last lines.
    pub(crate) end: Vec<String>,
}

/// A message in a checkpoint text.
#[derive(Clone, Debug)]
pub(crate) struct CheckpointMessage {
    pub(crate) message: Message,
    pub(crate) why: CheckpointReason,
}

/// Why a message is in a checkpoint text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CheckpointReason {
    /// It blocks the agent until it is answered.
    Blocks,
    /// The agent asked it and waits for the answer.
    Asked,
    Unread(DeliveryReason),
}

/// A checkpoint text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CheckpointText {
    /// Empty if the agent may read none of the messages.
    pub(crate) text: String,
    /// All messages in short, redacted, in the same order.
    pub(crate) briefs: Vec<Brief>,
    /// The messages that the text names.
    pub(crate) named: Vec<MessageId>,
}

struct CheckpointItem {
    source: CheckpointMessage,
    candidate: Candidate,
}

impl ContextService {
    /// Renders and records a checkpoint text. It never fails: without the engine it names senders and ids only.
    pub(crate) async fn checkpoint_text(&self, caller: &Principal, request: CheckpointTextRequest) -> CheckpointText {
        match self.try_checkpoint_text(caller, &request).await {
            Ok(text) => text,
            Err(failure) => {
                let cause = match &failure {
                    Failure::Fault(fault) => fault.chain(),
                    Failure::Refused(refusal) => refusal.to_string(),
                };
                tracing::error!(cause, "a checkpoint text could not be rendered; it names senders and ids only");
                without_message_texts(&request)
            }
        }
    }

    async fn try_checkpoint_text(
        &self,
        caller: &Principal,
        request: &CheckpointTextRequest,
    ) -> Result<CheckpointText, Failure> {
        let Some(draft) = self.draft_checkpoint(caller, request).await? else {
            return Ok(CheckpointText { text: String::new(), briefs: Vec::new(), named: Vec::new() });
        };
        let (fitted, briefs) = self.run_blocking(move |caches| draft.fit(caches)).await??;
        let FittedText { text, recorded, receipt, named } = fitted;
        if let Some(run) = &request.run {
            self.record_text(run, request, recorded, receipt).await?;
        }
        Ok(CheckpointText { text, briefs, named })
    }

    /// `None` if the agent may read none of the messages.
    async fn draft_checkpoint(
        &self,
        caller: &Principal,
        request: &CheckpointTextRequest,
    ) -> Result<Option<CheckpointDraft>, Failure> {
        let Some(agent) = caller.member.agent() else { return Ok(None) };
        let (agent, project) = self.access.load_visible_agent(caller, agent).await?;
        let ask = ContextRequest { format: ContextFormat::Injection, ..ContextRequest::default() };
        let rules = Rules::of(&project.policy, &agent, &ask, &self.caches);
        let mut viewer = Viewer::new(caller, &agent);
        let reader = (agent.id.clone(), agent.name.to_string());
        let query = Query::bare(ask.format, agent, project);
        let mut messages = Vec::with_capacity(request.messages.len());
        for one in &request.messages {
            if model_visibility::may_reach_model(&one.message) && viewer.may_read(&self.access, &one.message.to).await?
            {
                messages.push(one.clone());
            }
        }
        if messages.is_empty() {
            return Ok(None);
        }
        // The length of a conversation does not matter here.
        let seqs = messages.iter().map(|one| (one.message.to.clone(), Some(one.message.seq))).collect();
        let conversations = load_conversations(self, &query, &mut viewer, seqs).await?;
        let items = messages.into_iter().map(|source| CheckpointItem::new(source, &conversations)).collect();
        let Rules { context, tokenizer, ceiling, .. } = rules;
        Ok(Some(CheckpointDraft {
            reader,
            context,
            tokenizer,
            ceiling,
            day: day_of(self.clock.now()),
            items,
            lead: request.lead.clone(),
            end: request.end.clone(),
        }))
    }
}

impl ContextService {
    /// Records the text of a run, unless it equals the last one of this delivery path.
    async fn record_text(
        &self,
        run: &Run,
        request: &CheckpointTextRequest,
        text: String,
        receipt: Receipt,
    ) -> Result<(), Failure> {
        let last_texts = &self.caches.last_texts;
        if !last_texts.replace(&run.id, request.delivered_via, &text) {
            return Ok(());
        }
        let injection = Injection {
            id: InjectionId::from_bits(self.ids.next_bits()),
            project_id: run.project_id.clone(),
            run_id: run.id.clone(),
            agent_id: run.agent_id.clone(),
            delivered_via: request.delivered_via,
            format: ContextFormat::Injection,
            at: request.at,
            text: Some(text),
            receipt,
        };
        let recorded = self.store.keep_injection(injection).await;
        if recorded.is_err() {
            last_texts.remove(&run.id, request.delivered_via);
        }
        recorded
    }
}

/// Senders, ids and calls only.
fn without_message_texts(request: &CheckpointTextRequest) -> CheckpointText {
    let messages = &request.messages;
    let text = text_of_names(messages, Tag::default(), request.lead.as_deref(), &request.end);
    let brief =
        |one: &CheckpointMessage| Brief { question: None, ..Brief::of(&one.message, one.why.pause_reason(), "") };
    let named = messages.iter().map(|one| one.message.id.clone()).collect();
    CheckpointText { text, briefs: messages.iter().map(brief).collect(), named }
}

impl CheckpointReason {
    fn pause_reason(self) -> Option<PauseReason> {
        match self {
            Self::Blocks => Some(PauseReason::Message),
            Self::Asked => Some(PauseReason::Asked),
            Self::Unread(_) => None,
        }
    }

    fn reasons(self) -> Vec<Reason> {
        match self {
            Self::Blocks => vec![Reason::Blocking],
            // The agent takes part in the conversation in which it asked.
            Self::Asked => vec![Reason::Thread],
            Self::Unread(DeliveryReason::Mention) => vec![Reason::Mention, Reason::Unread],
            Self::Unread(DeliveryReason::Thread | DeliveryReason::Dm) => vec![Reason::Unread, Reason::Thread],
            Self::Unread(DeliveryReason::Subscription) => vec![Reason::Unread],
        }
    }
}

impl CheckpointItem {
    fn new(source: CheckpointMessage, conversations: &ConversationRefs) -> Self {
        let message = &source.message;
        let conversation = conversations.get(&message.to).cloned();
        let note = note(&source, conversation.as_deref().map(|conversation| conversation.name.as_str()));
        let question =
            message.question.as_ref().filter(|question| question.is_open() && source.why == CheckpointReason::Blocks);
        let answer_format = question.and_then(wanted);
        let candidate = Candidate {
            subject_type: SubjectType::Message,
            id: message.id.to_string(),
            section: Section::Threads,
            conversation,
            seq: message.seq,
            from: Some(message.from.clone()),
            prepared: std::sync::Arc::default(),
            importance: message.importance,
            reasons: source.why.reasons(),
            distance: 0,
            reply_to: message.reply_to.as_ref().map(MessageId::to_string),
            note,
            answer_format,
            summarizes: None,
        };
        Self { source, candidate }
    }
}

/// The hub's lines before a message.
fn note(source: &CheckpointMessage, conversation: Option<&str>) -> Option<String> {
    let message = &source.message;
    let mut lines = Vec::new();
    match source.why {
        CheckpointReason::Blocks => {}
        CheckpointReason::Asked => lines.push(asked_line(&message.id, conversation)),
        // The agent marks it as read by this id.
        CheckpointReason::Unread(_) => lines.push(format!("Unread {}:", message.id)),
    }
    match message.importance {
        Importance::Normal => {}
        Importance::High => lines.push("Importance: high.".to_owned()),
        Importance::Critical => lines.push("Importance: critical.".to_owned()),
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// A message in short; `view` redacts its texts. Option ids and the schema stay, because answers are matched by them.
fn brief(source: &CheckpointMessage, view: impl Fn(&str) -> String) -> Brief {
    let mut brief = Brief::of(&source.message, source.why.pause_reason(), &view(&source.message.body));
    if let Some(question) = &mut brief.question {
        redact_question(question, view);
    }
    brief
}

/// The line for a question of the agent itself.
fn asked_line(id: &MessageId, conversation: Option<&str>) -> String {
    let place = conversation.map(|name| format!(" in {}", Label::of(name).quoted())).unwrap_or_default();
    format!("You asked{place}, and nobody has answered yet ({id}). Wait for it: ask {{\"message_id\":\"{id}\"}}")
}

/// The line for messages that are left out, if they deserve one: for blocking messages it gives their number.
fn rest_line(left: &[CheckpointReason], are_all: bool) -> Option<String> {
    let blocks = left.iter().filter(|why| **why == CheckpointReason::Blocks).count();
    let more = if are_all { "" } else { " more" };
    let has_asked = || left.contains(&CheckpointReason::Asked);
    match blocks {
        0 if left.iter().any(|why| matches!(why, CheckpointReason::Unread(_))) => Some("More: inbox {}".to_owned()),
        0 if are_all && has_asked() => Some("You wait for the answer to your question.".to_owned()),
        0 => None,
        1 => Some(format!("1{more} message waits for your answer: inbox {{\"blocking\":true}}")),
        blocks => Some(format!("{blocks}{more} messages wait for your answer: inbox {{\"blocking\":true}}")),
    }
}

/// A text without message texts: one line for each message, between `lead` and `end`.
fn text_of_names(messages: &[CheckpointMessage], tag: Tag, lead: Option<&str>, end: &[String]) -> String {
    let lines = lead.map(str::to_owned).into_iter().chain(messages.iter().map(name_line)).chain(end.iter().cloned());
    let entries = lines.map(|line| FrameEntry::Hub(HubLine::of(&line))).collect();
    frame::render(&Framed { tag, is_short: false, entries })
}

fn name_line(source: &CheckpointMessage) -> String {
    let (id, name) = (&source.message.id, Label::of(&source.message.from.name).quoted());
    match source.why {
        CheckpointReason::Blocks => {
            let answer = format!("reply_thread {{\"thread_id\":\"{id}\",\"body\":\"your answer\"}}");
            format!("You received a message from {name} ({id}). Answer: {answer}")
        }
        CheckpointReason::Asked => asked_line(id, None),
        CheckpointReason::Unread(_) => format!("Unread from {name}: channel_history {{\"channel_id\":\"{id}\"}}"),
    }
}

#[cfg(test)]
mod tests;
