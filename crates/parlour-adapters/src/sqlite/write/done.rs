//! What is noted in the audit log about writes that stand in no project's log.

use std::fmt::Display;

use parlour_core::{attribution::Attribution, audit::DONE, id::ProjectId};
use parlour_hub::ports::AuditNote;

/// Says that this was done to the thing with this id, or to two with a `/` between.
pub(super) fn done(
    attribution: Attribution,
    action: &str,
    project_id: Option<ProjectId>,
    subject: impl Display,
) -> AuditNote {
    AuditNote {
        attribution,
        action: action.to_owned(),
        project_id,
        subject: Some(subject.to_string()),
        result: DONE.to_owned(),
    }
}
