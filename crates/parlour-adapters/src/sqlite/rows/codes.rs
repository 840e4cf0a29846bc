//! The numbers that represent enum variants in the database. Existing files contain them, so their meaning never
//! changes.

use parlour_core::{
    author::AuthorType,
    call::CallReason,
    context::ContextFormat,
    conversation::ConversationType,
    delivery::{DeliveryPath, DeliveryState},
    inbox::DeliveryReason,
    message::{Importance, Kind, State},
    question::QuestionState,
    run::RunState,
    timeline::TimelineEntryKind,
    token::TokenKind,
};

use crate::sqlite::error::{StoreError, StoreResult};

macro_rules! encode {
    ($encode:ident, $enum:ident { $($variant:ident = $code:literal),+ }) => {
        /// The stored number.
        pub(in crate::sqlite) fn $encode(value: $enum) -> i64 {
            match value { $($enum::$variant => $code),+ }
        }
    };
}

macro_rules! codes {
    ($encode:ident, $decode:ident, $enum:ident { $($variant:ident = $code:literal),+ }) => {
        encode!($encode, $enum { $($variant = $code),+ });

        /// The value of a stored number.
        pub(in crate::sqlite) fn $decode(code: i64) -> StoreResult<$enum> {
            match code {
                $($code => Ok($enum::$variant),)+
                unknown => Err(StoreError::Unreadable(format!("{unknown} is no {}", stringify!($enum)))),
            }
        }
    };
}

codes!(author_code, author_type, AuthorType {
    Person = 0, Agent = 1, Applet = 2, Scheduler = 3, Tool = 4, Host = 5, System = 6
});
codes!(kind_code, kind, Kind { User = 0, Assistant = 1, System = 2, ToolResult = 3, Host = 4 });
codes!(importance_code, importance, Importance { Normal = 0, High = 1, Critical = 2 });
codes!(state_code, state, State { Complete = 0, Streaming = 1, Failed = 2, Cancelled = 3, Interrupted = 4 });
codes!(token_kind_code, token_kind, TokenKind {
    Static = 0, Jwt = 1, Session = 2, Link = 3, Certificate = 4, External = 5
});
// In the order of strength: an upsert keeps the larger one.
codes!(reason_code, reason, DeliveryReason { Subscription = 0, Thread = 1, Dm = 2, Mention = 3 });
codes!(call_reason_code, call_reason, CallReason { Follow = 0, Dm = 1, Mention = 2 });
codes!(delivery_code, delivery_state, DeliveryState {
    Stored = 0, Queued = 1, Injected = 2, Seen = 3, Answered = 4, Expired = 5, Failed = 6
});
codes!(delivery_path_code, delivery_path, DeliveryPath { Prompt = 0, Checkpoint = 1, Nudge = 2, Tool = 3, Hook = 4 });
codes!(format_code, format, ContextFormat {
    Pack = 0, Injection = 1, OpenaiChat = 2, OpenaiResponses = 3, Anthropic = 4, Gemini = 5, Last20 = 6, Native = 7
});
codes!(timeline_entry_code, timeline_entry_kind, TimelineEntryKind {
    RunStarted = 0, Paused = 1, Asked = 2, Resumed = 3, RunDone = 4, RunFailed = 5, RunCancelled = 6, TaskCreated = 7,
    TaskMoved = 8
});
// Questions and runs are read from their JSON; the numbers only serve indexes of open ones.
encode!(question_code, QuestionState { Open = 0, Answered = 1, Expired = 2, Ignored = 3, Withdrawn = 4, Unanswered = 5 });
encode!(run_code, RunState { Running = 0, Paused = 1, Done = 2, Failed = 3, Cancelled = 4 });

/// The conversation type of a stored number. Statements that write it contain the number literally.
pub(in crate::sqlite) fn conversation_type(code: i64) -> StoreResult<ConversationType> {
    match code {
        0 => Ok(ConversationType::Channel),
        1 => Ok(ConversationType::Thread),
        2 => Ok(ConversationType::Dm),
        unknown => Err(StoreError::Unreadable(format!("{unknown} is no ConversationType"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stronger_reasons_have_larger_numbers() {
        let reasons = [0, 1, 2, 3].map(|code| reason(code).expect("reason"));
        assert!(reasons.is_sorted());
    }

    #[test]
    fn unknown_numbers_are_reported() {
        assert!(kind(9).is_err() && state(-1).is_err());
    }

    #[test]
    fn codes_round_trip() {
        for code in 0..=6 {
            assert_eq!(author_code(author_type(code).expect("author")), code);
        }
        for code in 0..=8 {
            assert_eq!(timeline_entry_code(timeline_entry_kind(code).expect("timeline entry")), code);
        }
        for code in 0..=6 {
            assert_eq!(delivery_code(delivery_state(code).expect("delivery")), code);
            assert_eq!(format_code(format(code).expect("format")), code);
        }
        for code in 0..=4 {
            assert_eq!(delivery_path_code(delivery_path(code).expect("a path")), code);
            assert_eq!(kind_code(kind(code).expect("kind")), code);
            assert_eq!(state_code(state(code).expect("state")), code);
        }
    }
}
