//! `parlour context`: what the model of an agent would see now, and why.

pub(crate) mod explain;
pub(crate) mod words;

use clap::Args;
use parlour_core::{
    context::{ContextFormat, ContextRequest, Pack},
    id::{AgentId, MessageId, RunId, TaskId},
};

use crate::{
    failure::Failure,
    output::{
        Output,
        plain::{harmless, one_line},
    },
    session::{Connection, Session},
};

const EXAMPLES: &str = "\
Examples:
  parlour context --agent Coder                             what its model would see now
  parlour context --agent Coder --budget 512 --explain      and why, candidate by candidate
  parlour context --agent Coder --message msg_01K…          for its answer to this message
  parlour context --agent Coder --query 'Why did the deployment fail?' --format anthropic
  parlour context --agent Coder --format injection --json

With the token of an agent --agent can be left out. You are shown only what both the agent and you may read.";

/// Show what the model of an agent would see now
///
/// The hub chooses from what the agent may read, takes secrets out, and never goes beyond the budget. With --explain a
/// table follows: what each section costs, and what became of each candidate.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Context {
    /// The agent, by name or id; its own token means itself
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// How many tokens it may cost; the rules of the agent and its project say it otherwise
    #[arg(long, value_name = "TOKENS")]
    budget: Option<u64>,
    /// In which form
    #[arg(long, value_name = "FORMAT", default_value = "pack", value_parser = words::format())]
    format: ContextFormat,
    /// The model that will read it: its way of counting tokens is used
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// The conversation in which the agent is to answer: a channel by name or id, `@name`, or the id of a thread or dm
    #[arg(long, visible_alias = "in", value_name = "CONVERSATION")]
    conversation: Option<String>,
    /// The task that it works on, by id
    #[arg(long, value_name = "TASK")]
    task: Option<TaskId>,
    /// The message that it is to answer, by id
    #[arg(long, value_name = "MESSAGE")]
    message: Option<MessageId>,
    /// What it is about, in words, when there is no message
    #[arg(long, value_name = "TEXT")]
    query: Option<String>,
    /// A notice of the moment for the model; it is not stored (may stand several times)
    #[arg(long = "notice", value_name = "TEXT")]
    notices: Vec<String>,
    /// A message that the model knows already, by id (may stand several times)
    #[arg(long, value_name = "MESSAGE")]
    told: Vec<MessageId>,
    /// The run whose model reads it: what is given is kept (for the agent itself)
    #[arg(long, value_name = "RUN")]
    run: Option<RunId>,
    /// Say what each section costs, and what became of each candidate
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    connection: Connection,
}

impl Context {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let agent = self.agent(&session).await?;
        let pack = session.client.context(&agent, &self.ask(&session).await?).await?;
        let labels = match self.explain && !session.is_json {
            true => session.labels_in(&session.client.agent(&agent).await?.project_id).await?,
            false => Default::default(),
        };
        session.answer(&pack, |pack| {
            let explained = self.explain.then(|| explain::receipt(session.style, &labels, &pack.receipt));
            let parts = [Some(self.show(pack)), explained].into_iter().flatten();
            parts.collect::<Vec<_>>().join("\n")
        })
    }

    async fn agent(&self, session: &Session) -> Result<AgentId, Failure> {
        if let Some(wanted) = &self.agent {
            return session.agent(wanted).await;
        }
        let me = session.client.me().await?.member_id;
        me.agent().cloned().ok_or_else(|| {
            Failure::usage("say which agent's model is meant")
                .hint("parlour context --agent NAME (`parlour agent list`)")
        })
    }

    async fn ask(&self, session: &Session) -> Result<ContextRequest, Failure> {
        let conversation_id = match &self.conversation {
            Some(wanted) => Some(session.place(wanted).await?.id),
            None => None,
        };
        Ok(ContextRequest {
            format: self.format,
            budget: self.budget,
            model: self.model.clone(),
            conversation_id,
            task_id: self.task.clone(),
            message_id: self.message.clone(),
            query: self.query.clone(),
            run_id: self.run.clone(),
            told: self.told.clone(),
            system_notices: self.notices.clone(),
            ..ContextRequest::default()
        })
    }

    /// What the model would read: the list where there is one, else the text and the messages below it.
    fn show(&self, pack: &Pack) -> String {
        if let Some(request) = &pack.request {
            return harmless(&serde_json::to_string_pretty(request).unwrap_or_default()) + "\n";
        }
        let mut parts: Vec<String> = Vec::new();
        if !pack.text.trim().is_empty() {
            parts.push(harmless(pack.text.trim_end()));
        }
        let said = |message: &parlour_core::message::Message| {
            format!("{}:\n{}", one_line(&message.from.name), harmless(message.body.trim_end()))
        };
        parts.extend(pack.messages.iter().map(said));
        match parts.is_empty() {
            true => self.nothing().to_owned(),
            false => parts.join("\n\n") + "\n",
        }
    }

    /// Why there is nothing to read: the last messages are those of a conversation, and perhaps none is named.
    fn nothing(&self) -> &'static str {
        match (self.format, &self.conversation, &self.message) {
            (ContextFormat::Last20, None, None) => {
                "Nothing: the last messages are those of a conversation. Say which one with --in CHANNEL or --message ID.\n"
            }
            _ => "Nothing: there is nothing that this agent's model would be told.\n",
        }
    }
}
