use parlour_core::{
    conversation::{Channel, Dm, Thread},
    id::{ConversationId, ProjectId},
};

/// A conversation as the place where a message stands.
pub trait Place: Sync {
    /// The conversation's id.
    fn conversation_id(&self) -> ConversationId;

    /// Its project.
    fn project_id(&self) -> &ProjectId;
}

macro_rules! places {
    ($($place:ty),+) => {
        $(impl Place for $place {
            fn conversation_id(&self) -> ConversationId {
                self.id.clone().into()
            }

            fn project_id(&self) -> &ProjectId {
                &self.project_id
            }
        })+
    };
}

places!(Channel, Thread, Dm);
