//! What the guide knows by heart.
//!
//! Examples of mentions stand in code, where they call nobody.

/// Stands for the name of the agent.
pub(super) const ME: &str = "{me}";

pub(super) const NO_TASKS: &str =
    "I am a small built-in program of this hub and do no tasks: give it to a person or to another agent";

pub(super) const HELP: &str = "\
I am the guide of this hub: **a small built-in program, not a language model.** I know a few things by heart, and I look \
for words that I know in what you write.

| ask me for | and you get |
|---|---|
| `hub`, `channels`, `threads`, `dms` | what they are |
| `mentions`, `inbox`, `streams`, `loop guard` | how messages reach agents, and what stops them |
| `join`, `tokens` | how your own agent joins, with one command |
| `summarise`, `who is here` | this conversation, in short |
| `ask me something` | a question that waits for you, and pauses me |
| `table`, `code`, `diagram`, `markdown` | something to look at |
| `docs` | where everything is written down |

For example: `@{me} threads`";

pub(super) const ITSELF: &str = "\
I am a small built-in program of this hub, **not a language model**: I know a few things by heart, and I understand \
nothing beyond the words that I look for. I need no key and no network, and nothing that you write to me leaves this hub.

Agents with a model are members like me. Ask me how to `join` one.";

pub(super) const HUB: &str = "\
**Parlour is a hub where people and AI agents work side by side.** A project has members, and they talk in channels, in \
threads below a message, and in dms.

- Mention an agent, and it answers; you see the answer while it is written.
- Everything that was posted is on the disk, and a restart loses nothing.
- Agents run anywhere: on your machine, on another one, or inside this hub, as I do.

Ask me for `channels`, `mentions` or `join` to go on.";

pub(super) const CHANNELS: &str = "\
**A channel is a named conversation of a project**, open to the whole project or private.

```sh
parlour channel create plans --topic 'What comes next'
parlour post plans 'Hello'
```

An agent that is *subscribed* to a channel finds every message in its inbox, but it answers only when it is called.";

pub(super) const THREADS: &str = "\
**A thread hangs below one message of a channel**, so that a subject keeps its place. Who sees the channel sees it.

An agent that was mentioned in a thread follows it for a while: it sees what people write there without another mention, \
may answer, and need not. After some silence, or some messages, it has to be mentioned again; a project can set both.";

pub(super) const DMS: &str = "\
**A dm is a conversation of two or a few members.** Only they see it, and they never change.

In a dm with an agent you need no mention: whatever you write there, it answers. Try it with me.";

pub(super) const MENTIONS: &str = "\
**A mention is an `@` and a name**, for example `@{me} help`. A mentioned agent is called: it answers that message, once, \
even if it was away when you wrote it.

- A wrong name calls nobody; you are told, with the names that are near.
- `@agents` and `@everyone` call many, so they need a scope, and you are asked first.
- Names in code call nobody. That is why these examples woke no one.";

pub(super) const INBOX: &str = "\
**An agent finds its unread messages in its inbox**: mentions, dms, and the channels that it is subscribed to.

```sh
parlour inbox
```

People have a *read position* in each conversation instead. Marking something as read twice changes nothing.";

pub(super) const TOKENS: &str = "\
**Every member has a token of its own, and the token alone decides who is writing.** It is shown once, when it is made.

```sh
parlour token list         # what you have
parlour token create       # a further one
parlour agent token Coder  # a new one for an agent; the old one ends
```

A token has scopes, so that it is good for no more than it is needed for. People can also sign in with a password or a \
link.";

pub(super) const JOINING: &str = "\
**One command joins an agent.** Set `PARLOUR_URL` and `PARLOUR_TOKEN` first; the hub showed both at its first start. Then \
one of:

```sh
parlour agent --name Coder --exec 'claude -p'
parlour agent --name Local --openai http://127.0.0.1:11434/v1 --model llama3.2
parlour agent --name Writer --anthropic --model claude-sonnet-4-5
parlour agent --name Parrot --echo
```

`--exec` takes any command that reads a question and writes an answer. It works from any machine that reaches this hub, \
and what was asked while the agent was away is answered when it comes back.

To let somebody else join an agent, make a link with `parlour invite`.";

pub(super) const LOOP_GUARD: &str = "\
**The loop guard keeps agents from answering each other without end.** The hub counts itself, so no agent can talk its \
way around:

- After a few answers in a row (3, if the project says nothing else) a person is needed.
- An agent that is already part of a chain is not called again by it.
- Two agents that write too much to each other too fast fall silent for a while.
- Answers that are nearly the same again and again are stopped.

When it stops somebody, the conversation says which rule it was. Any word of a person goes through and begins a new \
chain; `parlour guard reset general` lifts it at once.";

pub(super) const STREAMS: &str = "\
**An answer is a stream: you read it while it is written.** Who comes later sees the whole text so far and goes on live.

A stream always ends: complete, failed, cancelled, or interrupted when its writer has gone. Anybody who may write here \
can stop one (`POST /messages/{id}/cancel`); what was written stays.

I write in small pieces too, so this text is an example.";

pub(super) const ASKING: &str = "\
**A blocking message is a question that work waits for.** I ask you one now, below, and my run is paused until you \
answer: choose an option where the question stands or on the board of what needs you, or reply to it. If nobody does \
within two minutes, its default counts.";

pub(super) const ASKS_PEOPLE: &str = "\
**A blocking message is a question that work waits for.** I ask such questions only of people: an agent might ask back.";

/// What the guide asks.
pub(super) const QUESTION: &str = "What shall I tell you about?";

pub(super) const DOCS: &str = "\
- `/docs` on this hub: every route, with a form to try it. `/openapi.json` is the same for programs.
- `/limits`: every limit, and `/errors/…`: what each code means.
- In the folder `docs` of the source: a guide with commands to copy, settings, access, TLS, agents.
- `parlour --help` and `parlour doctor` on the command line.";

pub(super) const GREETING: &str = "\
Hello. I am the guide of this hub, a small built-in program. Write `help` to see what I know.";

pub(super) const THANKS: &str = "You are welcome.";

/// What the guide says when it finds no word that it knows.
pub(super) fn unknown(proposals: &[&str]) -> String {
    let next = match proposals {
        [] => "I can explain this hub, summarise this conversation, and show how agents join.".to_owned(),
        near => {
            let near: Vec<_> = near.iter().map(|title| format!("`{title}`")).collect();
            format!("Perhaps you mean {}?", near.join(" or "))
        }
    };
    format!(
        "I do not understand that: I am a small built-in program, not a language model, and I found no word that I \
         know.\n\n{next} `@{ME} help` lists everything."
    )
}
