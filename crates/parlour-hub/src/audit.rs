//! The audit log: administrators read it, and refused requests are recorded in it.

use std::sync::Arc;

use parking_lot::Mutex;
use parlour_core::{
    Code, Timestamp,
    access::Principal,
    attribution::Attribution,
    audit::{AuditEntry, AuditFilter, AuditHead, DONE, SealedEntry},
    id::ProjectId,
    limits,
    paging::{Page, PageRequest},
    scope::Scope,
};

use crate::{
    Failure,
    access::Access,
    infrastructure::Infrastructure,
    ports::{AuditNote, Store},
};

/// The action of the entry that counts the refusals that were not recorded.
const OMITTED: &str = "audit.left_out";

/// Reads the audit log and records refusals in it.
pub struct AuditLog {
    access: Access,
    store: Arc<dyn Store>,
    refusals: RefusalQuota,
}

impl AuditLog {
    /// A service that has recorded no refusal in this minute.
    pub fn new(parts: &Infrastructure) -> Self {
        Self { access: parts.access.clone(), store: parts.store(), refusals: RefusalQuota::default() }
    }

    /// Lists entries of the audit log, newest first. A page may be short or empty and still have a `next`. For
    /// administrators.
    pub(crate) async fn audit(
        &self,
        caller: &Principal,
        filter: &AuditFilter,
        page: &PageRequest,
    ) -> Result<Page<AuditEntry>, Failure> {
        self.access.require_scope(caller, Scope::Admin)?;
        caller.check_admin()?;
        self.store.audit(filter, page).await
    }

    /// Reads entries after this number, oldest first, with their seals; none at the end of the log. For administrators.
    pub(crate) async fn audit_after(&self, caller: &Principal, no: u64) -> Result<Vec<SealedEntry>, Failure> {
        self.access.require_scope(caller, Scope::Admin)?;
        caller.check_admin()?;
        self.store.audit_after(no).await
    }

    /// The end of the audit log, to be stored elsewhere. For administrators.
    pub(crate) async fn audit_head(&self, caller: &Principal) -> Result<AuditHead, Failure> {
        self.access.require_scope(caller, Scope::Admin)?;
        caller.check_admin()?;
        self.store.audit_head().await
    }

    /// Records a refusal. `subject` is the id of a thing, never a text that somebody has sent.
    ///
    /// A failure to record is only logged. At most `AUDIT_NOTES_PER_MINUTE_MAX` refusals are recorded per minute; an entry
    /// with the number of omitted ones precedes the first refusal of the next minute.
    pub(crate) async fn note_refusal(
        &self,
        attribution: Attribution,
        action: &str,
        project: Option<ProjectId>,
        subject: Option<String>,
        code: Code,
    ) {
        let Some(permit) = self.refusals.take(attribution.at) else {
            tracing::debug!(action, code = code.as_str(), "too many refusals to note in this minute");
            return;
        };
        let omitted = (permit.omitted_before > 0).then(|| omission_note(&attribution, permit.omitted_before));
        let result = code.as_str().to_owned();
        let note = AuditNote { attribution, action: action.to_owned(), project_id: project, subject, result };
        for note in omitted.into_iter().chain([note]) {
            if let Err(failure) = self.store.note(note).await {
                tracing::warn!(action, cause = %failure, "a refusal could not be noted");
            }
        }
    }
}

fn omission_note(attribution: &Attribution, count: u64) -> AuditNote {
    AuditNote {
        attribution: Attribution::of_host(attribution.at),
        action: OMITTED.to_owned(),
        project_id: None,
        subject: Some(count.to_string()),
        result: DONE.to_owned(),
    }
}

const MINUTE_MS: i64 = 60_000;

/// Bounds the refusals in the audit log to `AUDIT_NOTES_PER_MINUTE_MAX` per minute, so that an attack is visible but
/// cannot fill the disk. Further refusals are counted.
#[derive(Debug, Default)]
struct RefusalQuota(Mutex<Minute>);

#[derive(Debug, Default)]
struct Minute {
    number: i64,
    recorded: usize,
    omitted: u64,
}

/// Permission to record one refusal.
#[derive(Debug, PartialEq, Eq)]
struct RefusalPermit {
    /// Refusals that were omitted in earlier minutes and not reported yet.
    omitted_before: u64,
}

impl RefusalQuota {
    /// Takes a permit, if this minute has any left.
    fn take(&self, now: Timestamp) -> Option<RefusalPermit> {
        let mut minute = self.0.lock();
        let number = now.as_millis().div_euclid(MINUTE_MS);
        let omitted_before = if minute.number == number { 0 } else { minute.begin(number) };
        if minute.recorded >= limits::AUDIT_NOTES_PER_MINUTE_MAX {
            minute.omitted += 1;
            return None;
        }
        minute.recorded += 1;
        Some(RefusalPermit { omitted_before })
    }
}

impl Minute {
    /// Begins another minute; returns the number of omitted refusals.
    fn begin(&mut self, number: i64) -> u64 {
        std::mem::replace(self, Self { number, recorded: 0, omitted: 0 }).omitted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take_at(quota: &RefusalQuota, seconds: i64) -> Option<u64> {
        quota.take(Timestamp::from_millis(seconds * 1000)).map(|permit| permit.omitted_before)
    }

    #[test]
    fn a_minute_has_a_fixed_number_of_permits() {
        let quota = RefusalQuota::default();
        let taken = (0..limits::AUDIT_NOTES_PER_MINUTE_MAX + 5).filter(|_| take_at(&quota, 59).is_some());
        assert_eq!(taken.count(), limits::AUDIT_NOTES_PER_MINUTE_MAX);
    }

    #[test]
    fn the_next_minute_reports_once_how_many_were_omitted() {
        let quota = RefusalQuota::default();
        for _ in 0..limits::AUDIT_NOTES_PER_MINUTE_MAX + 5 {
            take_at(&quota, 0);
        }
        assert_eq!((take_at(&quota, 60), take_at(&quota, 61)), (Some(5), Some(0)));
    }

    #[test]
    fn a_clock_that_goes_back_grants_permits_too() {
        let quota = RefusalQuota::default();
        assert_eq!((take_at(&quota, 600), take_at(&quota, 0)), (Some(0), Some(0)));
    }
}
