//! The audit log: read by administrators, and told of refusals.

use parlour_core::{
    Code,
    access::Principal,
    audit::AuditEntry,
    deed::Deed,
    id::ProjectId,
    paging::{Page, PageRequest},
    scope::Scope,
};

use crate::{Failure, Hub, ports::Note};

/// The action of the entry that tells how many refusals were not noted.
const LEFT_OUT: &str = "audit.left_out";

impl Hub {
    /// Lists the entries of the audit log, newest first.
    pub async fn audit(&self, caller: &Principal, page: &PageRequest) -> Result<Page<AuditEntry>, Failure> {
        check_audit(caller)?;
        self.store.audit(page).await
    }

    /// Notes in the audit log that something was refused. `subject` is the id of a thing, never a text that somebody
    /// has sent.
    ///
    /// It never fails: whoever was refused gets that answer, also when it cannot be noted. At most
    /// `AUDIT_NOTES_PER_MINUTE_MAX` refusals are noted in a minute, so that nobody fills the disk with them; the next
    /// minute's first note is preceded by one that says how many were left out.
    pub async fn note_refusal(
        &self,
        deed: Deed,
        action: &str,
        project: Option<ProjectId>,
        subject: Option<String>,
        code: Code,
    ) {
        let Some(room) = self.note_budget.take(deed.at) else {
            tracing::debug!(action, code = code.as_str(), "too many refusals to note in this minute");
            return;
        };
        let left_out = (room.left_out_before > 0).then(|| note_left_out(&deed, room.left_out_before));
        let result = code.as_str().to_owned();
        let note = Note { deed, action: action.to_owned(), project_id: project, subject, result };
        for note in left_out.into_iter().chain([note]) {
            if let Err(failure) = self.store.note(note).await {
                tracing::warn!(action, cause = %failure, "a refusal could not be noted");
            }
        }
    }
}

/// Only an administrator reads the audit log: it names things of every conversation.
fn check_audit(caller: &Principal) -> Result<(), Failure> {
    caller.check_scope(Scope::Admin)?;
    caller.check_admin()?;
    Ok(())
}

fn note_left_out(deed: &Deed, count: u64) -> Note {
    Note {
        deed: Deed::of_host(deed.at),
        action: LEFT_OUT.to_owned(),
        project_id: None,
        subject: Some(count.to_string()),
        result: "done".to_owned(),
    }
}
