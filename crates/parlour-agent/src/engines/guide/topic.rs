//! What a question is about, by the words in it.

mod table;

use table::{COURTESIES, Entry, TABLE};

use super::{
    Prompt, asking, conversation,
    question::Question,
    shows,
    spelling::{distance, is_alike},
    texts,
};

/// Something that the guide can talk about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Topic {
    Help,
    Itself,
    Hub,
    Channels,
    Threads,
    Dms,
    Mentions,
    Inbox,
    Tokens,
    Joining,
    LoopGuard,
    Streams,
    Asking,
    Docs,
    Table,
    Code,
    Diagram,
    Markdown,
    Summary,
    Who,
    Greeting,
    Thanks,
    Unknown,
}

/// A message of more words is not meant for the guide unless it says so.
const CLEAR_WORDS_MAX: usize = 8;
/// So much points to a topic that it is surely meant.
const CLEAR_SCORE_MIN: u32 = 3;
/// Topics that are proposed when nothing fits.
const PROPOSALS_MAX: usize = 3;
/// A slip is allowed for so many letters of a word, when something is proposed for it: short words resemble everything.
const PROPOSAL_CHARS_PER_SLIP: usize = 3;

impl Topic {
    /// What a question is about. A mention without a word asks what the guide can do.
    pub(super) fn of(question: &Question) -> Self {
        if question.words.is_empty() {
            return Self::Help;
        }
        let found = best(TABLE, question).or_else(|| best(COURTESIES, question));
        found.map_or(Self::Unknown, |(topic, _)| topic)
    }

    /// What a question is surely about, where the guide may just as well be silent.
    pub(super) fn of_clear(question: &Question) -> Option<Self> {
        let (topic, score) = best(TABLE, question)?;
        (score >= CLEAR_SCORE_MIN && question.words.len() <= CLEAR_WORDS_MAX).then_some(topic)
    }

    pub(super) fn is_courtesy(self) -> bool {
        COURTESIES.iter().any(|entry| entry.topic == self)
    }

    /// Whether the answer is made of what was said here.
    pub(super) fn is_about_conversation(self) -> bool {
        matches!(self, Self::Summary | Self::Who)
    }

    /// The answer to a question about it.
    pub(super) fn answer(self, question: &Question, prompt: &Prompt) -> String {
        let text = match self {
            Self::Help => texts::HELP,
            Self::Itself => texts::ITSELF,
            Self::Hub => texts::HUB,
            Self::Channels => texts::CHANNELS,
            Self::Threads => texts::THREADS,
            Self::Dms => texts::DMS,
            Self::Mentions => texts::MENTIONS,
            Self::Inbox => texts::INBOX,
            Self::Tokens => texts::TOKENS,
            Self::Joining => texts::JOINING,
            Self::LoopGuard => texts::LOOP_GUARD,
            Self::Streams => texts::STREAMS,
            Self::Asking if asking::whom(prompt).is_none() => texts::ASKS_PEOPLE,
            Self::Asking => texts::ASKING,
            Self::Docs => texts::DOCS,
            Self::Table => shows::TABLE,
            Self::Code => shows::CODE,
            Self::Markdown => shows::MARKDOWN,
            Self::Greeting => texts::GREETING,
            Self::Thanks => texts::THANKS,
            Self::Diagram if is_about_people(question) => return conversation::diagram(prompt),
            Self::Diagram => shows::DIAGRAM,
            Self::Summary => return conversation::summary(prompt),
            Self::Who => return conversation::who(prompt),
            Self::Unknown => {
                return texts::unknown(&proposals(question)).replace(texts::ME, prompt.agent.name.as_str());
            }
        };
        text.replace(texts::ME, prompt.agent.name.as_str())
    }
}

fn is_about_people(question: &Question) -> bool {
    ["members", "people", "conversation", "us", "who", "here", "participants"].iter().any(|word| question.has(word))
}

/// The topic with the most that points to it, the first of those.
fn best(table: &[Entry], question: &Question) -> Option<(Topic, u32)> {
    let line = format!(" {} ", question.words.join(" "));
    let scores = table.iter().map(|entry| (entry.topic, score(entry, question, &line)));
    scores.rev().max_by_key(|(_, score)| *score).filter(|(_, score)| *score > 0)
}

/// A word counts once for a topic, by the strongest key that it resembles.
fn score(entry: &Entry, question: &Question, line: &str) -> u32 {
    let (groups, words): (Vec<_>, Vec<_>) = entry.keys.iter().partition(|(key, _)| key.contains(' '));
    let of_groups = groups.iter().filter(|(key, _)| line.contains(&format!(" {key} "))).map(|(_, weight)| weight);
    let of_words = question
        .words
        .iter()
        .filter_map(|word| words.iter().filter(|(key, _)| is_alike(word, key)).map(|(_, weight)| weight).max());
    of_groups.sum::<u32>() + of_words.sum::<u32>()
}

/// What may have been meant: the titles of topics with a key that resembles a word of the question, the nearest first.
fn proposals(question: &Question) -> Vec<&'static str> {
    let mut near: Vec<_> = TABLE.iter().filter_map(|entry| Some((nearness(entry, question)?, entry.title))).collect();
    near.sort_by_key(|(distance, _)| *distance);
    near.into_iter().map(|(_, title)| title).take(PROPOSALS_MAX).collect()
}

fn nearness(entry: &Entry, question: &Question) -> Option<usize> {
    let near = |word: &str, key: &str| {
        let slips_max = word.chars().count().min(key.chars().count()) / PROPOSAL_CHARS_PER_SLIP;
        Some(distance(word, key)).filter(|slips| *slips <= slips_max)
    };
    let words = question.words.iter();
    words.filter_map(|word| entry.keys.iter().filter_map(|(key, _)| near(word, key)).min()).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(text: &str) -> Question {
        Question::new(text, &"Guide".parse().expect("a name"))
    }

    #[test]
    fn every_title_leads_to_its_topic() {
        for entry in TABLE.iter().chain(COURTESIES) {
            assert_eq!(Topic::of(&question(entry.title)), entry.topic, "{}", entry.title);
        }
    }

    #[test]
    fn questions_are_understood_as_people_ask_them() {
        for (text, topic) in [
            ("@Guide", Topic::Help),
            ("what can you do?", Topic::Help),
            ("Are you ChatGPT?", Topic::Itself),
            ("What is Parlour?", Topic::Hub),
            ("help me with threads, please", Topic::Threads),
            ("show me a table of channels", Topic::Table),
            ("draw a diagram of the people here", Topic::Diagram),
            ("Please sumarise this conversation", Topic::Summary),
            ("tl;dr", Topic::Summary),
            ("who's here?", Topic::Who),
            ("how do I add my own agent?", Topic::Joining),
            ("can I connect Claude Code", Topic::Joining),
            ("what if two agents call each other in a loop", Topic::LoopGuard),
            ("where is the API documentation", Topic::Docs),
            ("how do I sign in", Topic::Tokens),
            ("hello, show me some code", Topic::Code),
            ("ask me a question", Topic::Asking),
            ("what is a blocking message?", Topic::Asking),
            ("Hi!", Topic::Greeting),
            ("great, thank you", Topic::Thanks),
            ("What is the capital of Peru?", Topic::Unknown),
        ] {
            assert_eq!(Topic::of(&question(text)), topic, "{text}");
        }
    }

    #[test]
    fn only_a_short_and_clear_question_is_taken_up_unasked() {
        assert_eq!(Topic::of_clear(&question("summarise, please")), Some(Topic::Summary));
        for text in ["thanks!", "hello", "I will add it tomorrow", "", "why is it blue?"] {
            assert_eq!(Topic::of_clear(&question(text)), None, "{text}");
        }
        let long = "I think that we should put the new thread into the other channel tomorrow";
        assert_eq!(Topic::of_clear(&question(long)), None);
    }

    #[test]
    fn what_resembles_a_topic_is_proposed() {
        assert_eq!(proposals(&question("explane the chanels")), ["channels", "hub"]);
        assert_eq!(proposals(&question("xyzzy")), [""; 0]);
    }
}
