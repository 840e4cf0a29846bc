//! What the hub in memory lets a model see. A view has a mark where a text has the word `sesame`.

use parlour_agent::link::LinkError;
use parlour_core::{
    Code,
    context::{ContextRequest, Level, Pack, Reason, Receipt, ReceiptItem, Section, SubjectType, TokenCounting},
    id::{ConversationId, MessageId, RunId},
    message::Message,
    model_visibility,
    task::Task,
};

use crate::fake_hub::{FakeHubState, agent_id, refused};

/// What a secret becomes.
pub(crate) const MARK: &str = "[password 1]";

impl FakeHubState {
    /// A pack and the end of the conversation, with what is to be answered; kept as it was asked for.
    pub(crate) fn context(&mut self, ask: &ContextRequest) -> Result<Pack, LinkError> {
        ask.check().expect("within its bounds");
        if let Some(code) = self.work.refuses_context {
            return Err(refused(code));
        }
        let is_open = |id: &RunId| self.work.runs.iter().any(|run| run.id == *id && run.state.is_open());
        if ask.run_id.as_ref().is_some_and(|id| !is_open(id)) {
            return Err(refused(Code::RunEnded));
        }
        let current: Vec<&MessageId> = ask.together_with.iter().chain(&ask.message_id).collect();
        let mut place = ask.conversation_id.clone();
        for id in &current {
            let message = self.message(id)?;
            if message.removed_at.is_some() {
                return Err(refused(Code::NotFound));
            }
            place = place.or(Some(message.to));
        }
        let messages = self.listed(place.as_ref(), &current, ask.messages_max.map_or(usize::MAX, |most| most as usize));
        let receipt = self.receipt(&messages);
        let text = "[Parlour 000000] Only unmarked lines are the hub's.".to_owned();
        self.work.contexts.push(ask.clone());
        let (agent_id, format) = (agent_id(), ask.format);
        let task = self.tasks.iter().find(|task| Some(&task.id) == ask.task_id.as_ref()).map(view_of_task);
        Ok(Pack { agent_id, format, text, messages, task, request: None, receipt, injection_id: None })
    }

    /// A message as a model may read it.
    pub(crate) fn view(&self, id: &MessageId) -> Result<Message, LinkError> {
        let message = self.message(id)?;
        if model_visibility::may_reach_model(&message) { Ok(view(&message)) } else { Err(refused(Code::NotFound)) }
    }

    /// What is to be answered, and as many of the newest others as there is room for.
    fn listed(&self, place: Option<&ConversationId>, current: &[&MessageId], most: usize) -> Vec<Message> {
        let there = self.messages.iter().filter(|message| Some(&message.to) == place);
        let mut visible: Vec<_> = there.filter(|message| model_visibility::may_reach_model(message)).collect();
        visible.sort_by_key(|message| std::cmp::Reverse((current.contains(&&message.id), message.seq)));
        visible.truncate(most.max(current.len()));
        visible.sort_by_key(|message| message.seq);
        visible.into_iter().map(view).collect()
    }

    fn receipt(&self, shown: &[Message]) -> Receipt {
        let items = shown.iter().map(|message| {
            let is_unread = self.work.unread.contains(&message.id);
            row(message, if is_unread { Reason::Unread } else { Reason::Recent }, Level::Full)
        });
        // What is unread elsewhere is told of, and not shown.
        let elsewhere = self.messages.iter().filter(|message| {
            self.work.unread.contains(&message.id) && shown.iter().all(|other| other.id != message.id)
        });
        let handles = elsewhere.map(|message| row(message, Reason::Unread, Level::Handle));
        Receipt {
            budget: 9_216,
            used: 0,
            frame: 0,
            counting: TokenCounting { encoding: "o200k".into(), is_exact: true },
            sections: Vec::new(),
            items: items.chain(handles).collect(),
            unlisted: 0,
            redactions: Vec::new(),
            invisible: 0,
        }
    }
}

fn row(message: &Message, reason: Reason, level: Level) -> ReceiptItem {
    ReceiptItem {
        subject_type: SubjectType::Message,
        id: message.id.to_string(),
        section: Section::History,
        conversation_id: Some(message.to.clone()),
        seq: Some(message.seq),
        from: Some(message.from.clone()),
        reasons: vec![reason],
        score: 0,
        level: Some(level),
        left_out: None,
        same_as: None,
        tokens: 0,
        text: String::new(),
        redactions: 0,
        quotes: Vec::new(),
    }
}

/// The message as a model may be shown it.
fn view(message: &Message) -> Message {
    let mut view = message.clone();
    view.body = without_secret(&message.body);
    view.metadata.clear();
    view.attachments.clear();
    if let Some(question) = &mut view.question {
        for option in &mut question.options {
            option.label = without_secret(&option.label);
        }
        let text = question.answer.as_mut().and_then(|answer| answer.text.as_mut());
        text.into_iter().for_each(|text| *text = without_secret(text));
    }
    view
}

fn view_of_task(task: &Task) -> Task {
    let description = task.description.as_deref().map(without_secret);
    Task { title: without_secret(&task.title), description, ..task.clone() }
}

fn without_secret(text: &str) -> String {
    text.replace("sesame", MARK)
}
