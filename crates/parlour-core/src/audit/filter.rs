//! Which entries of the audit log somebody wants to see.

use std::str::FromStr;

use super::{AuditEntry, DONE};
use crate::{
    Code, Refusal, Timestamp,
    id::{MemberId, ProjectId, text_serde},
};

/// Which entries are wanted; what is absent does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// Those in this project.
    pub project_id: Option<ProjectId>,
    /// Those of this member, whatever it was called.
    pub actor: Option<MemberId>,
    /// Those with this action.
    pub action: Option<String>,
    /// Those that ended so.
    pub result: Option<ResultFilter>,
    /// Those at this moment or later.
    pub since: Option<Timestamp>,
    /// Those before this moment.
    pub until: Option<Timestamp>,
}

/// How what was tried has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultFilter {
    /// It was done.
    Done,
    /// It was refused, whyever.
    Refused,
    /// It was refused with this code.
    Code(Code),
}

impl AuditFilter {
    /// Whether the entry is among those that are wanted.
    pub fn wants(&self, entry: &AuditEntry) -> bool {
        self.wants_deed(&entry.action, &entry.result)
            && self.project_id.as_ref().is_none_or(|project| entry.project_id.as_ref() == Some(project))
            && self.actor.as_ref().is_none_or(|actor| entry.actor.member_id().as_ref() == Some(actor))
            && self.since.is_none_or(|since| entry.at >= since)
            && self.until.is_none_or(|until| entry.at < until)
    }

    /// The same, asked of action and result alone: for stores that can tell these before all else.
    pub fn wants_deed(&self, action: &str, result: &str) -> bool {
        self.action.as_ref().is_none_or(|wanted| wanted == action)
            && self.result.is_none_or(|wanted| wanted.is_result(result))
    }
}

impl ResultFilter {
    fn is_result(self, result: &str) -> bool {
        match self {
            Self::Done => result == DONE,
            Self::Refused => result != DONE,
            Self::Code(code) => result == code.as_str(),
        }
    }
}

impl std::fmt::Display for ResultFilter {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Done => DONE,
            Self::Refused => "refused",
            Self::Code(code) => code.as_str(),
        })
    }
}

impl FromStr for ResultFilter {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        match text {
            DONE => return Ok(Self::Done),
            "refused" => return Ok(Self::Refused),
            _ => {}
        }
        let code = Code::ALL.iter().copied().find(|code| code.as_str() == text);
        let shown: String = text.chars().take(40).collect();
        let refuse = || Refusal::invalid(format!("{shown:?} is neither done nor refused nor a code like PARLOUR-A02"));
        code.map(Self::Code).ok_or_else(refuse)
    }
}

text_serde!(ResultFilter);
