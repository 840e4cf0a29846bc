//! The runs of a snapshot.

use parlour_core::run::Run;
use rusqlite::named_params;

use crate::sqlite::{
    access::{readable, sees_project},
    error::StoreResult,
    read::{runs, snapshot::Sight},
};

/// Those that have not ended and that the viewer sees, in the order in which they began.
pub(in crate::sqlite::read) const RUNS: &str = concat!(
    "SELECT run.data
     FROM run INDEXED BY open_run_in
     LEFT JOIN conversation ON conversation.no = run.conversation_no
     LEFT JOIN conversation AS access ON access.no = conversation.access_no
     WHERE run.project_no = :project AND run.state < 2 AND ",
    sees_project!(),
    " AND (run.conversation_no IS NULL OR ",
    readable!(),
    ")
     ORDER BY run.no"
);

impl Sight<'_> {
    /// The runs as they are told: without pauses from other conversations.
    pub(super) fn runs(&self) -> StoreResult<Vec<Run>> {
        let params = named_params! {
            ":project": self.project_no, ":viewer": self.viewer.no, ":is_admin": self.viewer.is_admin
        };
        Ok(runs::load(self.db, RUNS, params)?.into_iter().map(Run::told).collect())
    }
}
