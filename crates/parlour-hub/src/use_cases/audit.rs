//! The audit log, for administrators.

use parlour_core::{
    access::Principal,
    audit::AuditEntry,
    paging::{Page, PageRequest},
    scope::Scope,
};

use crate::{Failure, Hub};

impl Hub {
    /// Lists the entries of the audit log, newest first.
    pub async fn audit(&self, caller: &Principal, page: &PageRequest) -> Result<Page<AuditEntry>, Failure> {
        caller.check_scope(Scope::Admin)?;
        caller.check_admin()?;
        self.store.audit(page).await
    }
}
