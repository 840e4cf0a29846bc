//! What is told of given messages: at a checkpoint, with the result of a tool, at the end of a run.
//!
//! The promise:
//!
//! - Only the given messages are told, and of them only those that the agent may read now and that a model may see.
//! - Texts are views, without what the rules of the project take out, quoted in the frame of the engine. So are those
//!   of briefs.
//! - The whole text, the delivery path's own lines included, costs no more than the budget of injections, counted for the model
//!   of the agent. What blocks is shortened rather than left out. Where not all of it has room, the less important are
//!   only counted; where not even one has, the text has names, ids and calls; then it only counts (`rungs`).
//! - What is told to a run is kept before it is given, and not twice in a row by the same delivery path. Lines that count are not
//!   kept: they count messages that the reader of a run may not read.
//! - When the engine or the store fails, something is told all the same: names, ids and calls, and no word of a message.

mod given;
mod lines;
mod rungs;

use parlour_context::{candidate::Candidate, frame::Tag};
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

pub(super) use self::given::RawAnswer;
use self::rungs::{Draft, Sheet};
use super::{Aim, Eyes, Rules, places, views::redact_question};
use crate::{Failure, Hub};

/// What is to be told.
pub(crate) struct Telling {
    /// How it will come before the model.
    pub(crate) delivered_via: DeliveryPath,
    /// The run that it is kept with.
    pub(crate) run: Option<Run>,
    /// When its messages were read: what is edited from then on is no longer what was told.
    pub(crate) at: Timestamp,
    /// The messages, the most important first.
    pub(crate) news: Vec<News>,
    /// A line at the beginning that counts.
    pub(crate) lead: Option<String>,
    /// Lines at the end.
    pub(crate) end: Vec<String>,
}

/// A message that is to be told.
#[derive(Clone, Debug)]
pub(crate) struct News {
    pub(crate) message: Message,
    pub(crate) why: Why,
}

/// Why it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// It asks the agent something.
    Blocks,
    /// The agent asked it itself, and waits.
    Asked,
    /// It was not read.
    Unread(DeliveryReason),
}

/// What was told.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Told {
    /// The text; empty when there is nothing that the agent may read.
    pub(crate) text: String,
    /// The messages in short, in their order, as views.
    pub(crate) briefs: Vec<Brief>,
    /// Those that the text names.
    pub(crate) named: Vec<MessageId>,
}

/// A message on its way into a text.
pub(super) struct Item {
    pub(super) news: News,
    pub(super) candidate: Candidate,
}

impl Hub {
    /// Tells an agent of messages, whatever fails.
    pub(crate) async fn tell(&self, caller: &Principal, telling: Telling) -> Told {
        match self.try_to_tell(caller, &telling).await {
            Ok(told) => told,
            Err(failure) => {
                let cause = match &failure {
                    Failure::Fault(fault) => fault.chain(),
                    Failure::Refused(refusal) => refusal.to_string(),
                };
                tracing::error!(cause, "a text for a model could not be made; it is told who wrote and no more");
                without_words(&telling)
            }
        }
    }

    async fn try_to_tell(&self, caller: &Principal, telling: &Telling) -> Result<Told, Failure> {
        let Some(draft) = self.draft(caller, telling).await? else {
            return Ok(Told { text: String::new(), briefs: Vec::new(), named: Vec::new() });
        };
        let (sheet, briefs) = self.at_bench(move |workshop| draft.make(workshop)).await??;
        let Sheet { text, kept, receipt, named } = sheet;
        if let Some(run) = &telling.run {
            self.keep_told(run, telling, kept, receipt).await?;
        }
        Ok(Told { text, briefs, named })
    }

    /// Everything that the text is made of; nothing when there is nothing that the agent may read.
    async fn draft(&self, caller: &Principal, telling: &Telling) -> Result<Option<Draft>, Failure> {
        let Some(agent) = caller.member.agent() else { return Ok(None) };
        let (agent, project) = self.access.load_visible_agent(caller, agent).await?;
        let ask = ContextRequest { format: ContextFormat::Injection, ..ContextRequest::default() };
        let rules = Rules::of(&project.policy, &agent, &ask, &self.workshop);
        let mut eyes = Eyes::new(caller, &agent);
        let reader = (agent.id.clone(), agent.name.to_string());
        let aim = Aim {
            format: ask.format,
            agent,
            project,
            conversation: None,
            message: None,
            together_with: Vec::new(),
            task: None,
            query: None,
        };
        let mut news = Vec::with_capacity(telling.news.len());
        for one in &telling.news {
            if model_visibility::may_reach_model(&one.message) && eyes.may_read(self, &one.message.to).await? {
                news.push(one.clone());
            }
        }
        if news.is_empty() {
            return Ok(None);
        }
        // How long a conversation is plays no part here.
        let seqs = news.iter().map(|one| (one.message.to.clone(), Some(one.message.seq))).collect();
        let places = places::places(self, &aim, &mut eyes, seqs).await?;
        let items = news.into_iter().map(|news| Item::new(news, &places)).collect();
        let day = self.clock.now().to_string().chars().take("2026-11-16".len()).collect();
        let Rules { context, tokenizer, ceiling, .. } = rules;
        Ok(Some(Draft {
            reader,
            context,
            tokenizer,
            ceiling,
            day,
            items,
            lead: telling.lead.clone(),
            end: telling.end.clone(),
        }))
    }

    /// Keeps what is told to a run, unless it was told the same by this delivery path the last time.
    async fn keep_told(&self, run: &Run, telling: &Telling, text: String, receipt: Receipt) -> Result<(), Failure> {
        let given = &self.workshop.given;
        if !given.is_news(&run.id, telling.delivered_via, &text) {
            return Ok(());
        }
        let injection = Injection {
            id: InjectionId::from_bits(self.ids.next_bits()),
            project_id: run.project_id.clone(),
            run_id: run.id.clone(),
            agent_id: run.agent_id.clone(),
            delivered_via: telling.delivered_via,
            format: ContextFormat::Injection,
            at: telling.at,
            text: Some(text),
            receipt,
        };
        let kept = self.store.keep_injection(injection).await;
        if kept.is_err() {
            given.forget(&run.id, telling.delivered_via);
        }
        kept
    }
}

/// Who wrote, ids and calls.
fn without_words(telling: &Telling) -> Told {
    let text = lines::bare(&telling.news, Tag::default(), telling.lead.as_deref(), &telling.end);
    let brief = |news: &News| Brief { question: None, ..Brief::of(&news.message, news.why.pauses(), "") };
    let named = telling.news.iter().map(|news| news.message.id.clone()).collect();
    Told { text, briefs: telling.news.iter().map(brief).collect(), named }
}

impl Why {
    /// How it pauses a run.
    pub(super) fn pauses(self) -> Option<PauseReason> {
        match self {
            Self::Blocks => Some(PauseReason::Message),
            Self::Asked => Some(PauseReason::Asked),
            Self::Unread(_) => None,
        }
    }

    fn reasons(self) -> Vec<Reason> {
        match self {
            Self::Blocks => vec![Reason::Blocking],
            // It takes part in the conversation in which it asked.
            Self::Asked => vec![Reason::Thread],
            Self::Unread(DeliveryReason::Mention) => vec![Reason::Mention, Reason::Unread],
            Self::Unread(DeliveryReason::Thread | DeliveryReason::Dm) => vec![Reason::Unread, Reason::Thread],
            Self::Unread(DeliveryReason::Subscription) => vec![Reason::Unread],
        }
    }
}

impl Item {
    fn new(news: News, places: &places::Places) -> Self {
        let message = &news.message;
        let place = places.get(&message.to).cloned();
        let note = note(&news, place.as_deref().map(|place| place.name.as_str()));
        let question = message.question.as_ref().filter(|question| question.is_open() && news.why == Why::Blocks);
        let wanted = question.and_then(wanted);
        let candidate = Candidate {
            subject_type: SubjectType::Message,
            id: message.id.to_string(),
            section: Section::Threads,
            place,
            seq: message.seq,
            from: Some(message.from.clone()),
            prepared: std::sync::Arc::default(),
            importance: message.importance,
            reasons: news.why.reasons(),
            distance: 0,
            reply_to: message.reply_to.as_ref().map(MessageId::to_string),
            note,
            wanted,
            stands_for: None,
        };
        Self { candidate, news }
    }
}

/// What the hub says in front of a message.
fn note(news: &News, place: Option<&str>) -> Option<String> {
    let message = &news.message;
    let mut lines = Vec::new();
    match news.why {
        Why::Blocks => {}
        Why::Asked => lines.push(lines::asked(&message.id, place)),
        // By its id it is marked as read.
        Why::Unread(_) => lines.push(format!("Unread {}:", message.id)),
    }
    match message.importance {
        Importance::Normal => {}
        Importance::High => lines.push("Importance: high.".to_owned()),
        Importance::Critical => lines.push("Importance: critical.".to_owned()),
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// A message in short, with a view of everything that others wrote in it, save what an answer is matched by.
fn brief(news: &News, view: impl Fn(&str) -> String) -> Brief {
    let mut brief = Brief::of(&news.message, news.why.pauses(), &view(&news.message.body));
    if let Some(question) = &mut brief.question {
        redact_question(question, view);
    }
    brief
}

#[cfg(test)]
mod tests;
