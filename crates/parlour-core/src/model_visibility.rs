//! The only place that decides what a model may see, what wakes an agent, and who may write which kind.

use crate::{
    Refusal,
    author::AuthorType,
    message::{Kind, Message, State},
};

/// Whether a message may be shown to a model.
///
/// Host messages, failed and unfinished answers and removed messages are not.
pub fn may_reach_model(message: &Message) -> bool {
    message.kind != Kind::Host && matches!(message.state, State::Complete) && message.removed_at.is_none()
}

/// Whether a message may call an agent at all. Messages of the hub, tool results and system context never do.
pub fn may_wake(message: &Message) -> bool {
    may_reach_model(message) && matches!(message.kind, Kind::User | Kind::Assistant)
}

/// Whether a message may call agents to answer it: a notice only informs.
pub fn may_call(message: &Message) -> bool {
    may_wake(message) && !message.is_notice
}

/// The kind of a message whose sender gives none: `user` for people, `assistant` for agents.
pub fn usual_kind(author: AuthorType) -> Kind {
    match author {
        AuthorType::Person | AuthorType::Applet | AuthorType::Scheduler => Kind::User,
        AuthorType::Agent => Kind::Assistant,
        AuthorType::Tool => Kind::ToolResult,
        AuthorType::System => Kind::System,
        AuthorType::Host => Kind::Host,
    }
}

/// Refuses a kind that this type of author cannot write: only the hub writes host and system messages.
pub fn check_kind(author: AuthorType, kind: Kind) -> Result<(), Refusal> {
    let is_allowed = match author {
        AuthorType::Agent => matches!(kind, Kind::User | Kind::Assistant | Kind::ToolResult),
        other => kind == usual_kind(other),
    };
    if is_allowed {
        return Ok(());
    }
    let who = match kind {
        Kind::Host | Kind::System => "only the hub can write messages of this kind",
        _ => "only agents can write messages of this kind",
    };
    Err(Refusal::forbidden(who).at("kind"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::tests::sample;

    #[test]
    fn host_messages_never_reach_a_model_and_never_wake() {
        let message = Message { kind: Kind::Host, ..sample() };
        assert!(!may_reach_model(&message) && !may_wake(&message));
    }

    #[test]
    fn failed_unfinished_and_removed_messages_never_reach_a_model() {
        for state in [State::Streaming, State::Failed, State::Cancelled, State::Interrupted] {
            assert!(!may_reach_model(&Message { state, ..sample() }), "{state:?}");
        }
        let removed = Message { removed_at: Some(crate::Timestamp::from_millis(1)), ..sample() };
        assert!(!may_reach_model(&removed));
    }

    #[test]
    fn the_other_four_kinds_reach_a_model() {
        for kind in [Kind::User, Kind::Assistant, Kind::System, Kind::ToolResult] {
            assert!(may_reach_model(&Message { kind, ..sample() }), "{kind:?}");
        }
    }

    #[test]
    fn tool_results_and_system_context_wake_no_agent() {
        for kind in [Kind::System, Kind::ToolResult] {
            assert!(!may_wake(&Message { kind, ..sample() }), "{kind:?}");
        }
    }

    #[test]
    fn messages_of_people_and_agents_may_call() {
        for kind in [Kind::User, Kind::Assistant] {
            assert!(may_call(&Message { kind, ..sample() }), "{kind:?}");
        }
    }

    #[test]
    fn notices_and_messages_that_wake_no_agent_never_call() {
        assert!(!may_call(&Message { is_notice: true, ..sample() }));
        assert!(may_wake(&Message { is_notice: true, ..sample() }), "a notice is read all the same");
        for kind in [Kind::Host, Kind::System, Kind::ToolResult] {
            assert!(!may_call(&Message { kind, ..sample() }), "{kind:?}");
        }
        for state in [State::Streaming, State::Failed, State::Cancelled, State::Interrupted] {
            assert!(!may_call(&Message { state, ..sample() }), "{state:?}");
        }
        assert!(!may_call(&sample().removed(crate::Timestamp::from_millis(1))));
    }

    #[test]
    fn only_the_hub_writes_host_and_system_messages() {
        for author in
            [AuthorType::Person, AuthorType::Agent, AuthorType::Applet, AuthorType::Scheduler, AuthorType::Tool]
        {
            assert!(check_kind(author, Kind::Host).is_err(), "{author:?}");
            assert!(check_kind(author, Kind::System).is_err(), "{author:?}");
        }
    }

    #[test]
    fn every_author_may_write_its_usual_kind() {
        for author in [AuthorType::Person, AuthorType::Agent, AuthorType::Tool, AuthorType::Host, AuthorType::System] {
            assert_eq!(check_kind(author, usual_kind(author)), Ok(()), "{author:?}");
        }
    }

    #[test]
    fn an_agent_may_write_kind_user_and_a_person_may_not_write_kind_assistant() {
        assert_eq!(check_kind(AuthorType::Agent, Kind::User), Ok(()));
        assert!(check_kind(AuthorType::Person, Kind::Assistant).is_err());
    }
}
