//! The hub itself: the ports and what is remembered of them.

use std::sync::Arc;

use parlour_core::{
    access::Principal,
    id::ProjectId,
    limits,
    mention::Roster,
    write::{Appended, Entry, TokenHash, Write},
};

use crate::{
    Failure,
    memo::Memo,
    ports::{Blobs, Clock, Ids, Store},
};

/// The use cases of Parlour over a set of ports. Cheap to share behind an `Arc`.
pub struct Hub {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) blobs: Arc<dyn Blobs>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn Ids>,
    /// Who a token belongs to; forgotten whenever a token or a member changes.
    pub(crate) principals: Memo<TokenHash, Principal>,
    /// The names of a project's members; forgotten whenever its members change.
    pub(crate) rosters: Memo<ProjectId, Arc<Roster>>,
}

impl Hub {
    /// Puts a hub together.
    pub fn new(store: Arc<dyn Store>, blobs: Arc<dyn Blobs>, clock: Arc<dyn Clock>, ids: Arc<dyn Ids>) -> Self {
        Self {
            store,
            blobs,
            clock,
            ids,
            principals: Memo::new(limits::TOKEN_CACHE_LEN_MAX),
            rosters: Memo::new(limits::ROSTER_CACHE_LEN_MAX),
        }
    }

    /// Appends a write of this caller, dated now.
    pub(crate) async fn append(
        &self,
        caller: &Principal,
        project: &ProjectId,
        write: Write,
    ) -> Result<Appended, Failure> {
        let entry = Entry { project_id: project.clone(), actor: caller.author(), at: self.clock.now(), write };
        self.store.append(entry).await
    }

    /// The names of a project's members.
    pub(crate) async fn roster(&self, project: &ProjectId) -> Result<Arc<Roster>, Failure> {
        let load = async { Ok(Some(Arc::new(Roster::new(self.store.roster(project).await?)))) };
        Ok(self.rosters.get_or_load(project, load).await?.expect("a roster is always loaded"))
    }

    /// Forgets what is remembered of members, after one has changed.
    pub(crate) fn forget_members(&self) {
        self.principals.clear();
        self.rosters.clear();
    }
}
