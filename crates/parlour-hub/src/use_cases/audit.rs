//! The audit log: read by administrators, and told of refusals.

use parlour_core::{
    Code,
    access::Principal,
    attribution::Attribution,
    audit::{AuditEntry, AuditFilter, AuditHead, DONE, SealedEntry},
    id::ProjectId,
    paging::{Page, PageRequest},
    scope::Scope,
};

use crate::{Failure, Hub, ports::AuditNote};

/// The action of the entry that tells how many refusals were not noted.
const LEFT_OUT: &str = "audit.left_out";

impl Hub {
    /// Lists the wanted entries of the audit log, newest first: for administrators. A page may be short, or empty, and
    /// still have a `next`.
    pub async fn audit(
        &self,
        caller: &Principal,
        filter: &AuditFilter,
        page: &PageRequest,
    ) -> Result<Page<AuditEntry>, Failure> {
        self.access.require_scope(caller, Scope::Admin)?;
        caller.check_admin()?;
        self.store.audit(filter, page).await
    }

    /// Reads some entries after this number, oldest first, with their seals: for administrators. None means that the
    /// log ends there.
    pub async fn audit_after(&self, caller: &Principal, no: u64) -> Result<Vec<SealedEntry>, Failure> {
        self.access.require_scope(caller, Scope::Admin)?;
        caller.check_admin()?;
        self.store.audit_after(no).await
    }

    /// The end of the audit log, to be noted down elsewhere: for administrators.
    pub async fn audit_head(&self, caller: &Principal) -> Result<AuditHead, Failure> {
        self.access.require_scope(caller, Scope::Admin)?;
        caller.check_admin()?;
        self.store.audit_head().await
    }

    /// Notes in the audit log that something was refused. `subject` is the id of a thing, never a text that somebody
    /// has sent.
    ///
    /// It never fails: whoever was refused gets that answer, also when it cannot be noted. At most
    /// `AUDIT_NOTES_PER_MINUTE_MAX` refusals are noted in a minute, so that nobody fills the disk with them; the next
    /// minute's first note is preceded by one that says how many were left out.
    pub async fn note_refusal(
        &self,
        attribution: Attribution,
        action: &str,
        project: Option<ProjectId>,
        subject: Option<String>,
        code: Code,
    ) {
        let Some(room) = self.note_budget.take(attribution.at) else {
            tracing::debug!(action, code = code.as_str(), "too many refusals to note in this minute");
            return;
        };
        let left_out = (room.left_out_before > 0).then(|| note_left_out(&attribution, room.left_out_before));
        let result = code.as_str().to_owned();
        let note = AuditNote { attribution, action: action.to_owned(), project_id: project, subject, result };
        for note in left_out.into_iter().chain([note]) {
            if let Err(failure) = self.store.note(note).await {
                tracing::warn!(action, cause = %failure, "a refusal could not be noted");
            }
        }
    }
}

fn note_left_out(attribution: &Attribution, count: u64) -> AuditNote {
    AuditNote {
        attribution: Attribution::of_host(attribution.at),
        action: LEFT_OUT.to_owned(),
        project_id: None,
        subject: Some(count.to_string()),
        result: DONE.to_owned(),
    }
}
