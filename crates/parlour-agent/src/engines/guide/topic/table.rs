//! The words by which topics are found.

use super::Topic;

/// How a topic is found.
pub(super) struct Entry {
    pub(super) topic: Topic,
    /// What to ask to get there.
    pub(super) title: &'static str,
    /// Words and groups of words that point there, and how strongly.
    pub(super) keys: &'static [(&'static str, u32)],
}

const fn entry(topic: Topic, title: &'static str, keys: &'static [(&'static str, u32)]) -> Entry {
    Entry { topic, title, keys }
}

/// All topics that can be asked for. Where two are as likely, the first one counts.
///
/// What is to be shown counts more than what it is about (`a table of channels`), and `help` counts least.
pub(super) const TABLE: &[Entry] = &[
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
        Topic::Asking,
        "ask me something",
        &[("ask me something", 8), ("ask me", 6), ("blocking", 5), ("needs you", 4), ("pause", 3), ("paused", 3)],
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
pub(super) const COURTESIES: &[Entry] = &[
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
