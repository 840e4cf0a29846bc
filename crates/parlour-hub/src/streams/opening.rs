use parlour_core::{
    audience::AccessRoot,
    id::{ConversationId, MemberId, MessageId, ProjectId},
    message::Message,
    policy::StreamRules,
    step::Step,
};

/// What an open stream begins with.
#[derive(Clone, Debug)]
pub(crate) struct NewStream {
    pub(super) message_id: MessageId,
    pub(super) author: MemberId,
    pub(super) project_id: ProjectId,
    pub(super) conversation_id: ConversationId,
    pub(super) root: AccessRoot,
    /// As the project has them at this moment; later changes count for later answers.
    pub(super) rules: StreamRules,
    pub(super) text: String,
    pub(super) steps: Vec<Step>,
}

impl NewStream {
    /// The stream of a message as it was posted, if its author is a member.
    pub(super) fn of(message: &Message, rules: StreamRules, root: AccessRoot) -> Option<Self> {
        Some(Self {
            message_id: message.id.clone(),
            author: message.from.member_id()?,
            project_id: message.project_id.clone(),
            conversation_id: message.to.clone(),
            root,
            rules,
            text: message.body.clone(),
            steps: message.steps.clone(),
        })
    }
}
