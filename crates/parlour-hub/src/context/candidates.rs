//! `Candidates`: the gathered items with redacted, prepared texts. They are prepared once per pack, however often the
//! builder tries other sizes.

use std::{borrow::Cow, collections::BTreeMap, sync::Arc};

use parlour_context::{
    candidate::{Candidate, ConversationRef, SummarizedMessages},
    frame::Label,
    prepared::Prepared,
    rank::RankQuery,
};
use parlour_core::{
    checkpoint::wanted,
    context::{Reason, RedactionRules, Section, SubjectType},
    conversation::Conversation,
    id::{ConversationId, MessageId},
    mention::Roster,
    message::{Importance, Message},
    question::{Answer, Question, QuestionState},
    task::Task,
};
use parlour_redact::Mark;

use super::{
    ContextService, PackCaches, Query, Viewer,
    gather::{Card, FoundMessage},
    model_view,
    summaries::SummarizableConversation,
};
use crate::{Failure, Fault, ports::HistoryRange, summaries::ConversationSummary};

/// Everything that a pack is chosen from.
#[derive(Clone)]
pub(super) struct Candidates {
    pub(super) items: Vec<Arc<PackItem>>,
    pub(super) query: Arc<RankQuery>,
    pub(super) task: Option<Task>,
}

/// The gathered items before redaction.
pub(super) struct RawCandidates {
    pub(super) messages: Vec<(Section, FoundMessage)>,
    pub(super) cards: Vec<Card>,
    pub(super) conversations: ConversationRefs,
    /// The conversation to answer.
    pub(super) here: Option<ConversationId>,
    pub(super) query_text: String,
    pub(super) task_text: String,
    pub(super) task: Option<Task>,
}

/// A candidate, with what it was built from.
pub(super) struct PackItem {
    pub(super) subject: Subject,
    pub(super) candidate: Candidate,
    /// The kinds of what was redacted in the expected answer format.
    pub(super) answer_format_marks: Vec<Cow<'static, str>>,
    /// Whether it belongs to another conversation than the one to answer.
    pub(super) is_elsewhere: bool,
}

pub(super) enum Subject {
    Message(Box<Message>),
    Card,
}

impl RawCandidates {
    /// Redacts and prepares every text. CPU-bound: call it in `run_blocking`.
    pub(super) fn prepare(self, caches: &PackCaches, rules: &RedactionRules) -> Result<Candidates, Fault> {
        let redactor = caches.redactor_for(rules)?;
        let prepare = |text: &str| -> Arc<Prepared> { caches.prepared(text, &redactor) };
        let (conversations, here) = (&self.conversations, self.here.as_ref());
        let messages = self.messages.into_iter();
        let messages =
            messages.map(|(section, found)| PackItem::of_message(found, section, conversations, here, &prepare));
        let cards = self.cards.into_iter().map(|card| PackItem::of_card(card, conversations, &prepare));
        let items = messages.chain(cards).map(Arc::new).collect();
        let task = self.task.map(|task| Task {
            title: redactor.redact(&task.title),
            description: task.description.map(|text| redactor.redact(&text)),
            ..task
        });
        let (text, of_task) = (prepare(&self.query_text), prepare(&self.task_text));
        let query = RankQuery { text: text.text.clone(), terms: text.terms.clone(), task: of_task.terms.clone() };
        Ok(Candidates { items, query: Arc::new(query), task })
    }
}

impl PackItem {
    fn of_message(
        found: FoundMessage,
        section: Section,
        conversations: &ConversationRefs,
        here: Option<&ConversationId>,
        prepare: &impl Fn(&str) -> Arc<Prepared>,
    ) -> Self {
        let FoundMessage { mut message, reasons, distance } = found;
        let answer_format = message.question.as_ref().filter(|question| question.is_open()).and_then(wanted);
        let answer_format = answer_format.map(|text| prepare(&text));
        let closed = message.question.as_ref().and_then(closed_question);
        let prepared = match closed.as_ref().and_then(|closed| closed.answer.as_ref()) {
            Some(answer) => prepare(&format!("{}\n{answer}", message.body)),
            None => prepare(&message.body),
        };
        model_view::strip(&mut message, |text| prepare(text).text.clone());
        let candidate = Candidate {
            subject_type: SubjectType::Message,
            id: message.id.to_string(),
            section,
            conversation: conversations.get(&message.to).cloned(),
            seq: message.seq,
            from: Some(message.from.clone()),
            prepared,
            importance: message.importance,
            reasons: reasons.into_iter().collect(),
            distance,
            reply_to: message.reply_to.as_ref().map(MessageId::to_string),
            note: closed.map(|closed| closed.note),
            answer_format: answer_format.as_ref().map(|format| format.text.clone()),
            summarizes: None,
        };
        let is_elsewhere = Some(&message.to) != here;
        let marks = answer_format.iter().flat_map(|format| &format.marks);
        let answer_format_marks = marks.map(|mark| mark.kind.clone()).collect();
        Self { subject: Subject::Message(Box::new(message)), candidate, answer_format_marks, is_elsewhere }
    }

    fn of_card(card: Card, conversations: &ConversationRefs, prepare: &impl Fn(&str) -> Arc<Prepared>) -> Self {
        let candidate = Candidate {
            subject_type: card.subject_type,
            id: card.id,
            section: card.section,
            conversation: card.conversation_id.as_ref().and_then(|id| conversations.get(id).cloned()),
            seq: 0,
            from: card.from,
            prepared: prepare(&card.text),
            importance: Importance::Normal,
            reasons: vec![card.reason],
            distance: card.distance,
            reply_to: None,
            note: None,
            answer_format: None,
            summarizes: None,
        };
        Self { subject: Subject::Card, candidate, answer_format_marks: Vec::new(), is_elsewhere: true }
    }

    /// A summary. Its sources were redacted; the text is prepared again because a model may have written it.
    pub(super) fn of_summary(
        conversation: &SummarizableConversation,
        summary: &ConversationSummary,
        prepared: &Prepared,
    ) -> Self {
        let prepared = Arc::new(Prepared { marks: marks_of(summary, &prepared.text), ..prepared.clone() });
        let note =
            summary.by.as_ref().map(|by| format!("Written by the model {}, not quoted.", Label::of(by).quoted()));
        let (covers, quotes) = (summary.covers.clone(), summary.quotes.clone());
        let candidate = Candidate {
            subject_type: SubjectType::Summary,
            id: summary.last_id.clone(),
            section: conversation.section,
            conversation: Some(Arc::clone(&conversation.reference)),
            seq: summary.last_seq,
            from: None,
            prepared,
            // By recency alone it would rank behind every newer message and never be shown.
            importance: Importance::High,
            reasons: vec![conversation.reason],
            distance: conversation.distance,
            reply_to: None,
            note,
            answer_format: None,
            summarizes: Some(Arc::new(SummarizedMessages { covers, quotes })),
        };
        Self { subject: Subject::Card, candidate, answer_format_marks: Vec::new(), is_elsewhere: true }
    }
}

/// Finds the redaction marks of the sources in the text of a summary, in order.
fn marks_of(summary: &ConversationSummary, text: &str) -> Vec<Mark> {
    let mut from = 0;
    let mut find = |(kind, mark): &(Cow<'static, str>, String)| {
        let begin = from + text.get(from..)?.find(mark.as_str())?;
        from = begin + mark.len();
        Some(Mark { kind: kind.clone(), range: begin..from })
    };
    summary.marks.iter().filter_map(&mut find).collect()
}

/// Moves messages of the conversation to answer into the section of threads when the format lists that conversation
/// separately: what does not fit into the list competes like any other message.
pub(super) fn outside_list(mut candidate: Candidate, has_list: bool) -> Candidate {
    if has_list && candidate.section == Section::History {
        candidate.section = Section::Threads;
    }
    candidate
}

/// `History` for the conversation to answer, its root message and the messages to answer; otherwise `Threads`.
pub(super) fn section_of(found: &FoundMessage, here: Option<&ConversationId>, query: &Query) -> Section {
    let is_here = Some(&found.message.to) == here;
    let is_root = query.root().is_some_and(|root| *root == found.message.id);
    if is_here || is_root || found.reasons.contains(&Reason::Current) {
        return Section::History;
    }
    Section::Threads
}

/// How a question was closed. An answer by a button or a command posts no message, so without this note a model would
/// treat the question as open.
struct ClosedQuestion {
    /// A line of the hub; it contains quoted names, but no text of others.
    note: String,
    /// The answer, if no message contains it. It is quoted with the question.
    answer: Option<String>,
}

/// `None` while the question is open.
fn closed_question(question: &Question) -> Option<ClosedQuestion> {
    let by = question.closed_by.as_ref().map(|author| Label::of(&author.name).quoted());
    let by = by.as_deref().unwrap_or("the hub");
    let note = match question.state {
        QuestionState::Open => return None,
        QuestionState::Answered => format!("Answered by {by}."),
        QuestionState::Expired | QuestionState::Ignored | QuestionState::Unanswered if question.answer.is_some() => {
            "Nobody has answered it: its default counts.".to_owned()
        }
        QuestionState::Expired => "It has expired without an answer.".to_owned(),
        QuestionState::Ignored | QuestionState::Unanswered => "Nobody will answer it.".to_owned(),
        QuestionState::Withdrawn => format!("Taken back by {by}."),
    };
    let text = question.answer.as_ref().and_then(|answer| answer_text(question, answer));
    let lead =
        if question.state == QuestionState::Answered { format!("Answered by {by}") } else { "Default".to_owned() };
    Some(ClosedQuestion { note, answer: text.map(|text| format!("{lead}: {text}")) })
}

fn answer_text(question: &Question, answer: &Answer) -> Option<String> {
    let label = |id: &String| {
        let option = question.options.iter().find(|option| option.id == *id);
        option.map_or_else(|| id.clone(), |option| option.label.clone())
    };
    let value = || answer.value.as_ref().map(ToString::to_string);
    answer.option.as_ref().map(label).or_else(value).or_else(|| answer.text.clone())
}

/// The conversations of the candidates by id.
pub(super) type ConversationRefs = BTreeMap<ConversationId, Arc<ConversationRef>>;

/// Loads names and lengths of conversations; those that the viewer may not read are left out.
pub(super) async fn load_conversations(
    service: &ContextService,
    query: &Query,
    viewer: &mut Viewer,
    last_seqs: BTreeMap<ConversationId, Option<u64>>,
) -> Result<ConversationRefs, Failure> {
    let roster = service.projects.roster(&query.project.id).await?;
    let mut conversations = ConversationRefs::new();
    for (id, last_seq) in last_seqs {
        let Some(conversation) = viewer.conversation(&service.access, &id).await? else { continue };
        let last_seq = match last_seq {
            Some(seq) => seq,
            None => {
                service.store.messages(&id, HistoryRange::Newest, 1).await?.first().map_or(0, |message| message.seq)
            }
        };
        let name = conversation_name(service, query, viewer, &conversation, &roster).await?;
        conversations.insert(id.clone(), Arc::new(ConversationRef { id, name, last_seq }));
    }
    Ok(conversations)
}

/// `#general`, `a thread in #general`, `a dm with Mara`.
async fn conversation_name(
    service: &ContextService,
    query: &Query,
    viewer: &mut Viewer,
    conversation: &Conversation,
    roster: &Roster,
) -> Result<String, Failure> {
    Ok(match conversation {
        Conversation::Channel(channel) => format!("#{}", channel.name),
        Conversation::Thread(thread) => {
            match viewer.conversation(&service.access, &thread.channel_id.clone().into()).await?.as_deref() {
                Some(Conversation::Channel(channel)) => format!("a thread in #{}", channel.name),
                _ => "a thread".to_owned(),
            }
        }
        Conversation::Dm(dm) => {
            let others = dm.participants.iter().filter(|member| **member != query.member());
            let names = others.map(|member| {
                roster.name_of(member).map_or_else(|| "somebody who has left".to_owned(), ToString::to_string)
            });
            format!("a dm with {}", names.collect::<Vec<_>>().join(", "))
        }
    })
}
