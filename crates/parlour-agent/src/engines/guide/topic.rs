//! What a question is about, by the words in it.

use super::{
    Prompt, conversation,
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

/// How a topic is found.
struct Entry {
    topic: Topic,
    /// What to ask to get there.
    title: &'static str,
    /// Words and groups of words that point there, and how strongly.
    keys: &'static [(&'static str, u32)],
}

const fn entry(topic: Topic, title: &'static str, keys: &'static [(&'static str, u32)]) -> Entry {
    Entry { topic, title, keys }
}

/// All topics that can be asked for. Where two are as likely, the first one counts.
///
/// What is to be shown counts more than what it is about (`a table of channels`), and `help` counts least.
const TABLE: &[Entry] = &[
    entry(
        Topic::Itself,
        "who are you",
        &[
            ("who are you", 6),
            ("what are you", 6),
            ("are you", 3),
            ("yourself", 3),
            ("robot", 3),
            ("bot", 3),
            ("llm", 3),
            ("human", 3),
            ("chatgpt", 3),
        ],
    ),
    entry(
        Topic::Who,
        "who is here",
        &[("who", 3), ("whos", 3), ("who is here", 6), ("members", 3), ("participants", 3), ("people", 2), ("here", 1)],
    ),
    entry(
        Topic::Summary,
        "summarise",
        &[
            ("summarise", 5),
            ("summarize", 5),
            ("summary", 5),
            ("summarised", 5),
            ("recap", 5),
            ("tldr", 5),
            ("tl dr", 5),
        ],
    ),
    entry(Topic::Table, "table", &[("table", 4), ("tables", 4), ("spreadsheet", 4)]),
    entry(
        Topic::Diagram,
        "diagram",
        &[("diagram", 5), ("diagrams", 5), ("mermaid", 5), ("flowchart", 5), ("chart", 4), ("graph", 4), ("draw", 4)],
    ),
    entry(Topic::Code, "code", &[("code", 4), ("snippet", 4), ("example", 1), ("rust", 2), ("python", 2)]),
    entry(
        Topic::Markdown,
        "markdown",
        &[("markdown", 5), ("formatting", 4), ("format", 4), ("checklist", 4), ("task list", 4), ("demo", 3)],
    ),
    entry(
        Topic::Joining,
        "join",
        &[
            ("join", 4),
            ("joining", 4),
            ("connect", 4),
            ("own agent", 4),
            ("add", 2),
            ("agent", 2),
            ("agents", 2),
            ("claude", 3),
            ("codex", 3),
            ("gemini", 3),
            ("openai", 3),
            ("anthropic", 3),
            ("ollama", 3),
            ("model", 2),
            ("invite", 3),
        ],
    ),
    entry(
        Topic::LoopGuard,
        "loop guard",
        &[("loop", 4), ("loops", 4), ("guard", 3), ("endless", 3), ("each other", 3), ("stopped", 1), ("depth", 2)],
    ),
    entry(Topic::Channels, "channels", &[("channel", 3), ("channels", 3), ("room", 2), ("rooms", 2), ("subscribe", 2)]),
    entry(Topic::Threads, "threads", &[("thread", 3), ("threads", 3), ("follow", 3)]),
    entry(Topic::Dms, "dms", &[("dm", 3), ("dms", 3), ("direct message", 4), ("direct messages", 4), ("private", 1)]),
    entry(
        Topic::Mentions,
        "mentions",
        &[("mention", 3), ("mentions", 3), ("mentioned", 3), ("ping", 2), ("call", 2), ("calls", 2)],
    ),
    entry(Topic::Inbox, "inbox", &[("inbox", 3), ("unread", 3), ("deliveries", 2), ("read position", 3)]),
    entry(
        Topic::Tokens,
        "tokens",
        &[("token", 3), ("tokens", 3), ("password", 3), ("sign in", 3), ("login", 3), ("log in", 3), ("scopes", 3)],
    ),
    entry(
        Topic::Streams,
        "streams",
        &[("stream", 3), ("streams", 3), ("streaming", 3), ("chunk", 3), ("chunks", 3), ("cancel", 3), ("live", 2)],
    ),
    entry(
        Topic::Docs,
        "docs",
        &[("docs", 3), ("documentation", 3), ("api", 3), ("manual", 3), ("openapi", 3), ("routes", 3), ("curl", 3)],
    ),
    entry(
        Topic::Hub,
        "hub",
        &[("hub", 2), ("parlour", 2), ("what is this", 3), ("how does this work", 3), ("about", 1), ("explain", 1)],
    ),
    entry(
        Topic::Help,
        "help",
        &[("help", 1), ("what can you do", 6), ("commands", 2), ("topics", 2), ("menu", 2), ("begin", 1), ("start", 1)],
    ),
];

/// Politeness: it counts only where nothing else is asked.
const COURTESIES: &[Entry] = &[
    entry(
        Topic::Thanks,
        "thanks",
        &[("thanks", 2), ("thank", 2), ("thx", 2), ("cheers", 2), ("great", 1), ("nice", 1)],
    ),
    entry(
        Topic::Greeting,
        "hello",
        &[("hello", 1), ("hi", 1), ("hey", 1), ("morning", 1), ("evening", 1), ("greetings", 1), ("moin", 1)],
    ),
];

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
