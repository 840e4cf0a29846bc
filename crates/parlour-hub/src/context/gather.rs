//! Reads from the store what comes into question for a pack. Every look is bounded, so that it costs the same in a long
//! history as in a short one, and what one of those who look may not read changes nothing in it.

use parlour_core::{
    context::{ContextFormat, Reason, Receipt},
    conversation::Conversation,
    id::{ConversationId, MemberId, MessageId},
    limits,
    member::Agent,
    mention::without_mentions_of,
    message::Message,
    project::Project,
    search_query,
    task::Task,
};

use super::{Eyes, gathered::Gathered};
use crate::{Failure, Hub, ports::HistoryRange};

/// Messages from the end of the conversation that is to be answered.
pub(super) const HISTORY_MAX: usize = limits::CONTEXT_LIST_MESSAGES_MAX;
/// Characters of a message that say what is asked.
const ASKED_CHARS_MAX: usize = 2_000;

/// What a pack is wanted for, with everything in it looked up.
pub(crate) struct Aim {
    pub(crate) format: ContextFormat,
    pub(crate) agent: Agent,
    pub(crate) project: Project,
    /// The conversation in which the agent is to answer.
    pub(crate) conversation: Option<Conversation>,
    /// The message that it is to answer.
    pub(crate) message: Option<Message>,
    /// Further messages that it is to answer with it.
    pub(crate) together_with: Vec<Message>,
    /// The task that it works on.
    pub(crate) task: Option<Task>,
    /// What it is about, in words.
    pub(crate) query: Option<String>,
}

impl Aim {
    pub(crate) fn place(&self) -> Option<ConversationId> {
        self.conversation.as_ref().map(Conversation::id)
    }

    /// The message above the thread that is to be answered.
    pub(super) fn root(&self) -> Option<&MessageId> {
        match &self.conversation {
            Some(Conversation::Thread(thread)) => Some(&thread.root_message_id),
            _ => None,
        }
    }

    pub(super) fn member(&self) -> MemberId {
        self.agent.id.clone().into()
    }

    /// The words of the task.
    pub(super) fn task_text(&self) -> String {
        self.task.as_ref().map_or_else(String::new, |task| {
            format!("{}\n{}", task.title, task.description.as_deref().unwrap_or_default())
        })
    }
}

/// A look at the store on behalf of an agent.
pub(super) struct Look<'a> {
    pub(super) hub: &'a Hub,
    pub(super) aim: &'a Aim,
    pub(super) eyes: &'a mut Eyes,
    pub(super) gathered: Gathered,
    /// What is asked, in words.
    pub(super) asked: String,
}

/// What is gathered, and what it is to be measured against.
pub(crate) struct Harvest {
    pub(crate) gathered: Gathered,
    /// What is asked, in words.
    pub(crate) asked: String,
}

/// Gathers everything that comes into question, after this pack.
pub(crate) async fn gather(
    hub: &Hub,
    aim: &Aim,
    eyes: &mut Eyes,
    previous: Option<&Receipt>,
) -> Result<Harvest, Failure> {
    let mut look = Look { hub, aim, eyes, gathered: Gathered::default(), asked: String::new() };
    look.at_current();
    look.at_blocks().await?;
    look.at_unread().await?;
    if aim.format == ContextFormat::Injection {
        look.asked = look.find_asked().await?;
    } else {
        look.at_history().await?;
        look.asked = look.find_asked().await?;
        look.at_cards().await?;
        look.at_task().await?;
        look.at_found().await?;
        look.at_talks().await?;
        look.at_files().await?;
        if let Some(previous) = previous {
            look.at_previous(previous).await?;
        }
    }
    look.mark_task();
    look.mark_replies().await?;
    Ok(Harvest { gathered: look.gathered, asked: look.asked })
}

impl Look<'_> {
    /// What is to be answered.
    fn at_current(&mut self) {
        for message in self.aim.message.iter().chain(&self.aim.together_with) {
            self.gathered.see(message.clone(), Reason::Current, 0);
        }
    }

    /// The end of the conversation, and the message above a thread.
    async fn at_history(&mut self) -> Result<(), Failure> {
        let Some(conversation) = &self.aim.conversation else { return Ok(()) };
        let messages = self.hub.store.messages(&conversation.id(), HistoryRange::Newest, HISTORY_MAX).await?;
        self.gathered.see_end(messages, Reason::Recent, 0);
        if let Some(root) = self.aim.root()
            && let Some(root) = self.hub.store.message(root).await?
        {
            self.gathered.see(root, Reason::Thread, 0);
        }
        Ok(())
    }

    /// What is asked, without the name by which the agent is called: that says for whom it is. Taken for a name that is
    /// asked about, it would bring up the agent's own messages whatever they say.
    async fn find_asked(&self) -> Result<String, Failure> {
        let roster = self.hub.projects.roster(&self.aim.project.id).await?;
        Ok(without_mentions_of(&self.aim.member(), &self.words_of_ask(), &roster))
    }

    /// In words, by the message, by the last one of others, by the task, or by what is unread.
    fn words_of_ask(&self) -> String {
        if let Some(query) = self.aim.query.as_ref().filter(|query| !query.trim().is_empty()) {
            return query.clone();
        }
        let member = self.aim.member();
        let is_of_others = |message: &&Message| message.from.member_id().as_ref() != Some(&member);
        let place = self.aim.place();
        let here = || {
            let messages = self.gathered.sightings().map(|sighting| &sighting.message);
            let here = messages.filter(|message| Some(&message.to) == place.as_ref());
            here.filter(is_of_others).max_by_key(|message| message.seq)
        };
        let told = self.aim.message.as_ref().or_else(here);
        match told {
            Some(message) => message.body.chars().take(ASKED_CHARS_MAX).collect(),
            None if self.aim.task.is_some() => self.aim.task_text().chars().take(ASKED_CHARS_MAX).collect(),
            None => String::new(),
        }
    }

    /// Marks what belongs to the task, wherever it was found.
    fn mark_task(&mut self) {
        let Some(task) = &self.aim.task else { return };
        for sighting in self.gathered.sightings_mut() {
            if sighting.message.context.task_id.as_ref() == Some(&task.id) {
                sighting.reasons.insert(Reason::Task);
                sighting.distance = 0;
            }
        }
    }

    /// Marks what mentions or answers the agent, wherever it was found.
    async fn mark_replies(&mut self) -> Result<(), Failure> {
        let member = self.aim.member();
        let replied: Vec<(MessageId, MessageId)> = (self.gathered.sightings())
            .filter_map(|sighting| Some((sighting.message.id.clone(), sighting.message.reply_to.clone()?)))
            .collect();
        let mut answers = Vec::new();
        let mut looked_up = 0;
        for (id, above) in replied {
            let author = match self.gathered.get(&above) {
                Some(sighting) => sighting.message.from.member_id(),
                None if looked_up < REPLIES_MAX => {
                    looked_up += 1;
                    self.hub.store.message(&above).await?.and_then(|message| message.from.member_id())
                }
                None => None,
            };
            answers.extend(Some(id).filter(|_| author.as_ref() == Some(&member)));
        }
        for sighting in self.gathered.sightings_mut() {
            let is_own = sighting.message.from.member_id().as_ref() == Some(&member);
            if sighting.message.mentions.contains(&member) && !is_own {
                sighting.reasons.insert(Reason::Mention);
            }
            if answers.contains(&sighting.message.id) && !is_own {
                sighting.reasons.insert(Reason::Reply);
            }
        }
        Ok(())
    }

    /// Those of the messages that all who look may read, in their order.
    pub(super) async fn readable(&mut self, messages: Vec<Message>) -> Result<Vec<Message>, Failure> {
        let mut kept = Vec::with_capacity(messages.len());
        for message in messages {
            if self.eyes.may_read(self.hub, &message.to).await? {
                kept.push(message);
            }
        }
        Ok(kept)
    }
}

/// Messages above replies that are looked up one by one, to see whose they are.
const REPLIES_MAX: usize = 20;

/// The words of a text that are worth looking for, each once, the first so many of them.
pub(super) fn search_words(text: &str, count: usize) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for range in search_query::words(text) {
        let word = search_query::fold(&text[range]);
        if word.chars().count() >= WORD_CHARS_LEAST && !words.contains(&word) {
            words.push(word);
        }
        if words.len() >= count {
            break;
        }
    }
    words
}

/// Shorter words say nothing about what is meant.
const WORD_CHARS_LEAST: usize = 3;

const _: () = assert!(HISTORY_MAX <= limits::CONTEXT_CANDIDATES_MAX);
