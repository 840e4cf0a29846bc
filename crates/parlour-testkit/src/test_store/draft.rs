use parlour_core::{
    artifact::Artifact,
    call::{CallReason, Calls, NewCall},
    conversation::{Channel, Dm, Thread},
    id::{ConversationId, MemberId, MessageId, ProjectId},
    inbox::{DeliveryReason, Recipient},
    member::Agent,
    message::{Message, State},
    post::PostMessage,
    write::{NewMessage, Write},
};

use super::{TestMember, TestStore};

/// A message before it is posted. Its digest is computed from its text.
#[derive(Clone, Debug)]
pub struct MessageDraft {
    /// The message.
    pub message: Message,
    /// The agents that get it into their inbox.
    pub deliveries: Vec<Recipient>,
    /// The agents that it calls.
    pub calls: Vec<NewCall>,
    /// The message whose call it takes.
    pub answers: Option<MessageId>,
    pub answers_also: Vec<MessageId>,
}

impl TestStore {
    /// A plain message of this author in this conversation, not posted yet.
    pub fn draft(&self, author: &dyn TestMember, target: &dyn PostTarget, body: &str) -> MessageDraft {
        let (id, project) = (MessageId::from_bits(self.bits()), target.project_id().clone());
        let to = target.conversation_id();
        let message = Message::plain(id, project, to, author.author(), body.to_owned(), self.now());
        MessageDraft { message, deliveries: Vec::new(), calls: Vec::new(), answers: None, answers_also: Vec::new() }
    }
}

impl MessageDraft {
    /// The draft with this id.
    #[must_use]
    pub fn with_id(mut self, id: &MessageId) -> Self {
        self.message.id = id.clone();
        self
    }

    /// The draft with a mention of this member; an agent gets it into its inbox.
    #[must_use]
    pub fn mentioning(mut self, member: &dyn TestMember) -> Self {
        self.message.mentions.push(member.member());
        match member.member() {
            MemberId::Agent(recipient) => {
                self.deliveries.push(Recipient { agent_id: recipient, reason: DeliveryReason::Mention });
                self
            }
            MemberId::Person(_) => self,
        }
    }

    /// The draft with a delivery to this agent.
    #[must_use]
    pub fn delivered_to(mut self, agent: &Agent, reason: DeliveryReason) -> Self {
        self.deliveries.push(Recipient { agent_id: agent.id.clone(), reason });
        self
    }

    /// The draft with a call of this agent.
    #[must_use]
    pub fn calling(mut self, agent: &Agent, reason: CallReason) -> Self {
        self.calls.push(NewCall { agent_id: agent.id.clone(), reason });
        self
    }

    /// The draft as the answer that takes the call by that message.
    #[must_use]
    pub fn taking(mut self, message: &Message) -> Self {
        self.answers = Some(message.id.clone());
        self.answering(message)
    }

    /// The draft as an answer that takes the calls by these messages too.
    #[must_use]
    pub fn also_taking(mut self, messages: &[&Message]) -> Self {
        self.answers_also = messages.iter().map(|message| message.id.clone()).collect();
        self
    }

    /// The draft as an answer to that message.
    #[must_use]
    pub fn answering(mut self, message: &Message) -> Self {
        self.message.reply_to = Some(message.id.clone());
        self
    }

    /// The draft with this artifact.
    #[must_use]
    pub fn carrying(mut self, artifact: &Artifact) -> Self {
        self.message.artifacts.push(artifact.id.clone());
        self
    }

    /// The draft as a streaming message.
    #[must_use]
    pub fn streaming(mut self) -> Self {
        self.message.state = State::Streaming;
        self
    }

    /// The write that posts it.
    pub fn write(&self) -> Write {
        let digest = PostMessage { body: self.message.body.clone(), ..PostMessage::default() }.digest();
        Write::PostMessage(NewMessage {
            message: self.message.clone(),
            digest,
            deliveries: self.deliveries.clone(),
            calls: Calls { called: self.calls.clone(), held: self.message.held.clone() },
            answers: self.answers.clone(),
            answers_also: self.answers_also.clone(),
        })
    }
}

/// A conversation that messages can be posted to.
pub trait PostTarget: Sync {
    /// The conversation's id.
    fn conversation_id(&self) -> ConversationId;

    /// Its project.
    fn project_id(&self) -> &ProjectId;
}

macro_rules! post_targets {
    ($($target:ty),+) => {
        $(impl PostTarget for $target {
            fn conversation_id(&self) -> ConversationId {
                self.id.clone().into()
            }

            fn project_id(&self) -> &ProjectId {
                &self.project_id
            }
        })+
    };
}

post_targets!(Channel, Thread, Dm);
