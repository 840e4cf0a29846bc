//! The two spellings of names: the standard one, and the legacy one.

use std::borrow::Cow;

/// The fields that have two spellings: the standard one, and the legacy one.
pub(super) const SPELLINGS: [(&str, &str); 12] = [
    ("session_id", "sessionId"),
    ("from_agent", "fromAgent"),
    ("from_user", "fromUser"),
    ("to_agent", "toAgent"),
    ("in_reply_to", "inReplyTo"),
    ("turn_complete", "turnComplete"),
    ("task_id", "taskId"),
    ("context_id", "contextId"),
    ("context_data", "contextData"),
    ("target_agents", "targetAgents"),
    ("error_code", "errorCode"),
    ("error_details", "errorDetails"),
];
/// Where the legacy form says its text once more.
pub(super) const TEXT: &str = "text";

/// In which names a message is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelling {
    Standard,
    Legacy,
}

impl Spelling {
    /// One of the two names of a field.
    pub(super) fn choose(self, standard: &'static str, legacy: &'static str) -> &'static str {
        match self {
            Self::Standard => standard,
            Self::Legacy => legacy,
        }
    }

    /// A standard name in this spelling.
    pub(super) fn of<'a>(self, standard: Cow<'a, str>) -> Cow<'a, str> {
        match self {
            Self::Standard => standard,
            Self::Legacy => legacy_for(&standard).map_or(standard, Cow::Borrowed),
        }
    }
}

/// The legacy name for a standard one, where it is another.
pub(super) fn legacy_for(name: &str) -> Option<&'static str> {
    // All of them have an underscore, which is seen faster than that a name is in no list.
    let mut spellings = if name.contains('_') { SPELLINGS.iter() } else { [].iter() };
    spellings.find(|(standard, _)| *standard == name).map(|(_, legacy)| *legacy)
}

/// The standard name for a legacy one, where it is another.
pub(super) fn standard_for(name: &str) -> Option<&'static str> {
    // Only legacy names have capitals.
    let has_capital = name.bytes().any(|byte| byte.is_ascii_uppercase());
    let mut spellings = if has_capital { SPELLINGS.iter() } else { [].iter() };
    spellings.find(|(_, legacy)| *legacy == name).map(|(standard, _)| *standard)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_found_by_the_other_one() {
        for (standard, legacy) in SPELLINGS {
            assert_eq!((legacy_for(standard), standard_for(legacy)), (Some(legacy), Some(standard)));
            assert_eq!((legacy_for(legacy), standard_for(standard)), (None, None));
            assert_eq!(Spelling::Legacy.of(standard.into()), legacy);
            assert_eq!(Spelling::Standard.of(standard.into()), standard);
        }
    }

    #[test]
    fn other_names_have_one_spelling() {
        for name in ["id", "text", "message_type", "messageType", "", "_", "Ä"] {
            assert_eq!((legacy_for(name), standard_for(name)), (None, None), "{name}");
            assert_eq!(Spelling::Legacy.of(name.into()), name);
        }
    }
}
