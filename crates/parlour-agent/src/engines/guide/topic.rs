//! The topics of the guide: their keywords and their prepared texts.
//!
//! Examples of mentions are in code spans, where they call nobody.

use parlour_core::name::Name;

use super::Prompt;

/// A subject that the guide has an answer for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Topic {
    Help,
    Hub,
    Channels,
    Threads,
    Dms,
    Mentions,
    LoopGuard,
    Join,
    Docs,
    Table,
    Code,
    Diagram,
    Summary,
    Question,
    Thanks,
    Unknown,
}

/// The keywords of each topic. The first topic with a matching keyword is used, so general words are at the end.
const KEYWORDS: &[(Topic, &[&str])] = &[
    (Topic::Question, &["ask me", "blocking", "needs you"]),
    (Topic::Summary, &["summarise", "summarize", "summary", "recap", "tldr", "tl dr"]),
    (Topic::Table, &["table", "tables"]),
    (Topic::Diagram, &["diagram", "diagrams", "mermaid", "flowchart"]),
    (Topic::Join, &["join", "connect", "add an agent", "own agent", "claude", "codex", "ollama", "invite"]),
    (Topic::Code, &["code", "snippet"]),
    (Topic::LoopGuard, &["loop", "loops", "loop guard", "each other"]),
    (Topic::Channels, &["channel", "channels"]),
    (Topic::Threads, &["thread", "threads"]),
    (Topic::Dms, &["dm", "dms", "direct message", "direct messages"]),
    (Topic::Mentions, &["mention", "mentions"]),
    (Topic::Docs, &["docs", "documentation", "api"]),
    (Topic::Help, &["what can you do", "who are you", "what are you", "are you"]),
    (Topic::Hub, &["hub", "parlour", "what is this", "how does this work"]),
    (Topic::Help, &["help", "hello", "hi", "hey"]),
    (Topic::Thanks, &["thanks", "thank"]),
];

/// A longer message in a followed thread is probably not for the guide.
const CLEAR_WORDS_MAX: usize = 8;

impl Topic {
    /// The topic of a message. A mention without further words asks for help.
    pub(super) fn of(message: &str, agent: &Name) -> Self {
        match words(message, agent).as_str() {
            "" => Self::Help,
            words => find(words).unwrap_or(Self::Unknown),
        }
    }

    /// The topic of a message that need not be answered, if it is short and about one of the prepared texts.
    pub(super) fn of_clear(message: &str, agent: &Name) -> Option<Self> {
        let words = words(message, agent);
        let is_short = words.split(' ').count() <= CLEAR_WORDS_MAX;
        find(&words).filter(|topic| is_short && !matches!(topic, Self::Help | Self::Thanks))
    }

    /// The prepared text. The summary has none: it is made of quotes.
    pub(super) fn text(self, prompt: &Prompt) -> String {
        let text = match self {
            Self::Help => HELP,
            Self::Hub => HUB,
            Self::Channels => CHANNELS,
            Self::Threads => THREADS,
            Self::Dms => DMS,
            Self::Mentions => MENTIONS,
            Self::LoopGuard => LOOP_GUARD,
            Self::Join => JOIN,
            Self::Docs => DOCS,
            Self::Table => TABLE,
            Self::Code => CODE,
            Self::Diagram => DIAGRAM,
            Self::Summary => "",
            Self::Question => QUESTION_INTRO,
            Self::Thanks => THANKS,
            Self::Unknown => UNKNOWN,
        };
        text.replace("{me}", prompt.agent.name.as_str())
    }
}

fn find(words: &str) -> Option<Topic> {
    let words = format!(" {words} ");
    let has = |keyword: &&str| words.contains(&format!(" {keyword} "));
    KEYWORDS.iter().find(|(_, keywords)| keywords.iter().any(has)).map(|(topic, _)| *topic)
}

/// The words of a message in lower case, separated by one blank, without punctuation and the mention of the agent.
fn words(message: &str, agent: &Name) -> String {
    let text = Name::fold(message).replace(&format!("@{}", Name::fold(agent.as_str())), " ");
    let words = text.split(|char: char| !char.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

const HELP: &str = "\
Hello! I am the guide of this hub: **a small built-in program, not a language model.** I look for keywords in your \
message and answer with a prepared text. Nothing that you write to me leaves this hub.

| keyword | answer |
|---|---|
| `hub`, `channels`, `threads`, `dms`, `mentions` | how conversations work |
| `join` | how to connect your own agent with one command |
| `loop guard` | what stops agents from answering each other endlessly |
| `summarise` | quotes of this conversation |
| `ask me something` | a question that pauses me until you answer |
| `table`, `code`, `diagram` | an example of what messages can show |
| `docs` | where to find the documentation |

Try `@{me} threads`.";

const HUB: &str = "\
**Parlour is a messaging hub for people and AI agents.** The members of a project talk in channels, in threads below a \
message, and in direct messages (DMs).

- Mention an agent and it answers. You can read the answer while it is being written.
- Messages are stored on disk; a restart loses nothing.
- Agents run on your computer, on another one, or inside this hub, as I do.

Ask me about `channels`, `mentions` or `join` next.";

const CHANNELS: &str = "\
**A channel is a named conversation of a project**, open to the whole project or private.

```sh
parlour channel create plans --topic 'Next steps'
parlour post plans 'Hello'
```

An agent that *subscribes* to a channel gets every message in its inbox. It answers only when somebody calls it.";

const THREADS: &str = "\
**A thread is a conversation below one message of a channel.** Everybody who can read the channel can read the thread.

If you mention an agent in a thread, it follows the thread for a while: it may answer your next messages there without \
another mention. After some time or some messages you have to mention it again.";

const DMS: &str = "\
**A DM is a private conversation of two or more members.** Only they can read it, and the set of members never changes.

In a DM with an agent you need no mention: it answers every message. Try it with me.";

const MENTIONS: &str = "\
**A mention is an `@` and a name**, for example `@{me} help`. It calls an agent: the agent answers the message once, even \
if it was offline when you wrote it.

- If you misspell a name, nobody is called, and the hub suggests similar names.
- `@agents` and `@everyone` call many members, so the hub asks you to confirm.
- Names in code spans call nobody, like those in this message.";

const LOOP_GUARD: &str = "\
**The loop guard stops agents from answering each other endlessly.** The hub applies these rules to every agent:

- After a few answers in a row (3 by default) a person has to write.
- An agent is called only once in a chain of answers.
- Two agents that write to each other too often have to wait for a while.
- Nearly identical answers are stopped.

When the loop guard stops a call, the conversation shows the rule. A message from a person always starts a new chain; \
`parlour guard reset general` resets the guard of a channel.";

const JOIN: &str = "\
**You connect an agent with one command**, from any computer that can reach this hub. First sign in with \
`parlour login` and the address of this hub. Then run one of these:

```sh
parlour agent --name Coder --claude-code
parlour agent --name Local --openai http://127.0.0.1:11434/v1 --model llama3.2
parlour agent --name Writer --anthropic --model claude-sonnet-4-5
parlour agent --name Parrot --echo
```

`--exec` takes any command that reads a question and prints an answer. Questions that arrive while the agent is offline \
are answered when it comes back.

To let somebody else connect an agent, create an invite with `parlour invite`.";

const DOCS: &str = "\
- `/docs` on this hub: every API route, with a form to try it. `/openapi.json` is the same for programs.
- `/limits`: every limit. `/errors/…`: the meaning of each error code.
- The folder `docs` of the source code: tour, agents, settings, access, TLS.
- `parlour --help` and `parlour doctor` on the command line.";

const TABLE: &str = "\
The three kinds of conversations:

| | channel | thread | DM |
|---|---|---|---|
| where | in a project | below a message | between members |
| readers | the project, or its own members | readers of the channel | its members |
| mention needed | yes | not while the agent follows it | no |
| created with | `POST /channels` | `POST /threads` | `POST /dms` |";

const CODE: &str = "\
This Python program posts a message:

```python
import json, os, urllib.request

request = urllib.request.Request(
    os.environ[\"PARLOUR_URL\"] + \"/messages\",
    data=json.dumps({\"channel_id\": \"chn_…\", \"body\": \"Hello\"}).encode(),
    headers={
        \"Authorization\": \"Bearer \" + os.environ[\"PARLOUR_TOKEN\"],
        \"Content-Type\": \"application/json\",
    },
)
print(json.load(urllib.request.urlopen(request))[\"seq\"])
```

The same on the command line: `parlour post general 'Hello'`.";

const DIAGRAM: &str = "\
The path of a message:

```mermaid
flowchart LR
    you([You]) -->|post| hub[Hub]
    hub -->|one commit| disk[(Disk)]
    hub -->|event| readers([All readers])
    hub -->|call| agent([Agent])
    agent -->|chunks| hub
    hub -->|chunks| readers
```";

const QUESTION_INTRO: &str = "\
**A blocking message is a question that pauses an agent until it is answered.** I ask you one now. Choose an option below \
the question or in the list *Needs you*, or reply to it. If nobody answers within two minutes, I continue with the default.";

/// The body of the question.
pub(super) const QUESTION: &str = "What would you like to read about?";

pub(super) const ASKS_ONLY_PEOPLE: &str = "\
**A blocking message is a question that pauses an agent until it is answered.** I ask only people: an agent might ask back.";

pub(super) const FREE_TEXT: &str = "Thank you. I have prepared texts only for the options above, so I stop here.";

pub(super) const NO_ANSWER: &str = "I got no answer, so I stop here.";

const THANKS: &str = "You are welcome.";

const UNKNOWN: &str = "\
Sorry, I do not understand that. I am a small built-in program, not a language model, and your message contains none of my \
keywords. `@{me} help` lists them.";

#[cfg(test)]
mod tests {
    use super::*;

    fn guide() -> Name {
        "Guide".parse().expect("a name")
    }

    #[test]
    fn common_questions_have_a_topic() {
        for (text, topic) in [
            ("@Guide", Topic::Help),
            ("@Guide HELP!", Topic::Help),
            ("what can you do?", Topic::Help),
            ("Are you ChatGPT?", Topic::Help),
            ("Hi!", Topic::Help),
            ("What is Parlour?", Topic::Hub),
            ("help me with *threads*, please", Topic::Threads),
            ("show me a table of channels", Topic::Table),
            ("tl;dr", Topic::Summary),
            ("how do I add my own agent?", Topic::Join),
            ("can I connect Claude Code", Topic::Join),
            ("what if two agents call each other in a loop", Topic::LoopGuard),
            ("where is the API documentation", Topic::Docs),
            ("hello, show me some code", Topic::Code),
            ("ask me a question", Topic::Question),
            ("great, thank you", Topic::Thanks),
            ("What is the capital of Peru?", Topic::Unknown),
        ] {
            assert_eq!(Topic::of(text, &guide()), topic, "{text}");
        }
    }

    #[test]
    fn the_name_of_the_agent_is_no_keyword() {
        assert_eq!(Topic::of("@Code Table threads", &"Code Table".parse().expect("a name")), Topic::Threads);
    }

    #[test]
    fn only_a_short_message_with_a_keyword_is_clear() {
        assert_eq!(Topic::of_clear("summarise, please", &guide()), Some(Topic::Summary));
        for text in ["thanks!", "hello", "I will add it tomorrow", "", "why is it blue?"] {
            assert_eq!(Topic::of_clear(text, &guide()), None, "{text}");
        }
        let long = "I think that we should put the new thread into the other channel tomorrow";
        assert_eq!(Topic::of_clear(long, &guide()), None);
    }
}
