use parlour_core::{
    artifact::Artifact,
    call::{CallReason, Calls, NewCall},
    id::{MemberId, MessageId},
    inbox::{DeliveryReason, Recipient},
    member::Agent,
    message::{Message, State},
    post::PostMessage,
    write::{NewMessage, Write},
};

use super::{Caller, Place, World};

/// A message on its way to the store. Its fingerprint follows from its text.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The message as it is to be posted.
    pub message: Message,
    /// The agents that are told of it.
    pub deliveries: Vec<Recipient>,
    /// The agents that it calls.
    pub calls: Vec<NewCall>,
    /// The message whose call it takes.
    pub answers: Option<MessageId>,
}

impl World {
    /// A plain message of this author in this place, not posted yet.
    pub fn draft(&self, author: &dyn Caller, place: &dyn Place, body: &str) -> Draft {
        let (id, project) = (MessageId::from_bits(self.bits()), place.project_id().clone());
        let to = place.conversation_id();
        let message = Message::plain(id, project, to, author.author(), body.to_owned(), self.now());
        Draft { message, deliveries: Vec::new(), calls: Vec::new(), answers: None }
    }
}

impl Draft {
    /// The draft under an id that the client has chosen.
    #[must_use]
    pub fn under_id(mut self, id: &MessageId) -> Self {
        self.message.id = id.clone();
        self
    }

    /// The draft with a call to this member; an agent is told of it.
    #[must_use]
    pub fn mentioning(mut self, member: &dyn Caller) -> Self {
        self.message.mentions.push(member.member());
        match member.member() {
            MemberId::Agent(recipient) => {
                self.deliveries.push(Recipient { agent_id: recipient, reason: DeliveryReason::Mention });
                self
            }
            MemberId::Person(_) => self,
        }
    }

    /// The draft with this agent told of it.
    #[must_use]
    pub fn telling(mut self, agent: &Agent, reason: DeliveryReason) -> Self {
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

    /// The draft as the beginning of a stream.
    #[must_use]
    pub fn streaming(mut self) -> Self {
        self.message.state = State::Streaming;
        self
    }

    /// A request of the store for it.
    pub fn write(&self) -> Write {
        let digest = PostMessage { body: self.message.body.clone(), ..PostMessage::default() }.digest();
        Write::PostMessage(NewMessage {
            message: self.message.clone(),
            digest,
            deliveries: self.deliveries.clone(),
            calls: Calls { called: self.calls.clone(), held: self.message.held.clone() },
            answers: self.answers.clone(),
        })
    }
}
