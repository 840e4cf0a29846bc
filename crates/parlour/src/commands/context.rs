//! `parlour context`: shows the context pack of an agent and its receipt.

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

pub(super) mod receipt;

const EXAMPLES: &str = "\
Examples:
  parlour context --agent Coder                             the pack for its model
  parlour context --agent Coder --budget 512 --explain      with an explanation of each candidate
  parlour context --agent Coder --message msg_01K…          the pack for answering this message
  parlour context --agent Coder --query 'Why did the deployment fail?' --format anthropic
  parlour context --agent Coder --format injection --json

--agent is not needed with the token of an agent. The output contains only items that both the agent and you can read.";

/// Show the context pack of an agent: what its model would see
///
/// The hub selects from the messages that the agent can read, redacts secrets, and keeps to the token budget. --explain
/// adds the receipt: the tokens of each section and the outcome of each candidate.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ContextCommand {
    /// Agent, by name or id; default: the owner of the token
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Token budget; default: the setting of the agent or of its project
    #[arg(long, value_name = "TOKENS")]
    budget: Option<u64>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "pack", value_parser = receipt::format())]
    format: ContextFormat,
    /// Model whose tokenizer counts the tokens
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Conversation of the answer: channel by name or id, `@name` for a DM, or id of a thread or DM
    #[arg(long, visible_alias = "in", value_name = "CONVERSATION")]
    conversation: Option<String>,
    /// Task of the agent, by id
    #[arg(long, value_name = "TASK")]
    task: Option<TaskId>,
    /// Message to answer, by id
    #[arg(long, value_name = "MESSAGE")]
    message: Option<MessageId>,
    /// Query text, when there is no message
    #[arg(long, value_name = "TEXT")]
    query: Option<String>,
    /// System notice for the model, not stored; can be repeated
    #[arg(long = "notice", value_name = "TEXT")]
    notices: Vec<String>,
    /// Message that is already in the model's prompt, by id; can be repeated
    #[arg(long, value_name = "MESSAGE")]
    told: Vec<MessageId>,
    /// Own run that receives the pack; the hub stores it with the run (agents only)
    #[arg(long, value_name = "RUN")]
    run: Option<RunId>,
    /// Print the receipt: tokens per section and the outcome of each candidate
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    connection: Connection,
}

impl ContextCommand {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let agent = self.agent(&session).await?;
        let pack = session.client.context(&agent, &self.ask(&session).await?).await?;
        let labels = match self.explain && !session.is_json {
            true => session.labels_in(&session.client.agent(&agent).await?.project_id).await?,
            false => Default::default(),
        };
        session.answer(&pack, |pack| {
            let explained = self.explain.then(|| receipt::receipt(session.style, &labels, &pack.receipt));
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
            Failure::usage("no agent is given").hint("pass --agent NAME; `parlour agent list` shows the names")
        })
    }

    async fn ask(&self, session: &Session) -> Result<ContextRequest, Failure> {
        let conversation_id = match &self.conversation {
            Some(wanted) => Some(session.conversation(wanted).await?.id),
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

    /// The provider request if there is one, else the text followed by the messages.
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

    /// The reason for an empty pack.
    fn nothing(&self) -> &'static str {
        match (self.format, &self.conversation, &self.message) {
            (ContextFormat::Last20, None, None) => {
                "Empty: the format last-20 needs a conversation. Pass --in CHANNEL or --message ID.\n"
            }
            _ => "Empty: there is nothing to include for this agent.\n",
        }
    }
}
