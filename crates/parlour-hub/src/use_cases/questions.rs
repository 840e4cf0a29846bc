//! Questions of blocking messages: the board, answers, and taking back.

use parlour_core::{
    access::Principal,
    checkpoint::Brief,
    id::{MessageId, ProjectId},
    message::Message,
    paging::{Page, PageRequest},
    question::{GiveAnswer, OpenQuestion},
    scope::Scope,
};

use crate::{Failure, Fault, Hub};

/// Which open questions are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuestionQuery {
    /// Of this project; absent means all that the caller sees, and then only those that address the caller.
    pub project_id: Option<ProjectId>,
    /// All of the project that the caller may read, and not only those that address the caller.
    pub whole_project: bool,
}

fn unbuilt() -> Failure {
    Fault::new("question", "not built yet").into()
}

impl Hub {
    /// Lists open questions, the soonest to expire first, each with the runs that wait for it.
    pub async fn questions(
        &self,
        caller: &Principal,
        query: &QuestionQuery,
        page: &PageRequest,
    ) -> Result<Page<OpenQuestion>, Failure> {
        self.admit(caller, Scope::MessagesRead)?;
        let _ = (query, page);
        Err(unbuilt())
    }

    /// Reads a message as soon as its question is closed, or after so many seconds as it is.
    pub async fn wait_question(&self, caller: &Principal, id: &MessageId, seconds: u64) -> Result<Message, Failure> {
        self.admit(caller, Scope::MessagesRead)?;
        let _ = (id, seconds);
        Err(unbuilt())
    }

    /// Answers the question of a message without writing a message, or says that the caller will not answer.
    ///
    /// Those whom it addresses may, and every person who reads it, but never who asked. It is answered once: later
    /// answers are refused (`QuestionClosed`), those that do not fit too (`BadAnswer`), and nothing is lost.
    pub async fn answer_question(
        &self,
        caller: &Principal,
        id: &MessageId,
        wish: GiveAnswer,
    ) -> Result<Message, Failure> {
        self.admit(caller, Scope::MessagesWrite)?;
        let _ = (id, wish);
        Err(unbuilt())
    }

    /// Takes the question of a message back: who asked, or any person who reads it. Whoever waits goes on.
    pub async fn withdraw_question(&self, caller: &Principal, id: &MessageId) -> Result<Message, Failure> {
        self.admit(caller, Scope::MessagesWrite)?;
        let _ = id;
        Err(unbuilt())
    }

    /// The messages that block the calling agent now, the most important first: what rides on results of tools.
    pub async fn pending_blocks(&self, caller: &Principal) -> Result<Vec<Brief>, Failure> {
        self.admit(caller, Scope::MessagesRead)?;
        Err(unbuilt())
    }
}
