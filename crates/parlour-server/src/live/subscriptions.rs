//! The projects that one socket follows.

use futures_util::future::{pending, select_all};
use parlour_core::{
    id::ProjectId,
    live::{ReachedPosition, ServerFrame},
};
use parlour_hub::live::{EncodedFrame, Reader, SessionEnd};

use super::follower::Follower;

/// The projects that one socket follows; the hub bounds how many.
#[derive(Default)]
pub(super) struct Subscriptions(Vec<Follower>);

impl Subscriptions {
    /// Follows one more project.
    pub(super) fn add(&mut self, reader: Reader) {
        self.0.push(Follower::new(reader));
    }

    /// Follows a project no longer. Doing it again changes nothing.
    pub(super) fn remove(&mut self, project: &ProjectId) {
        self.0.retain(|follower| follower.reader().project_id() != project);
    }

    /// Waits for the next frames of any project. Cancelling the wait loses nothing.
    pub(super) async fn next(&mut self) -> Result<Vec<EncodedFrame>, SessionEnd> {
        match self.0.as_mut_slice() {
            [] => pending().await,
            [only] => only.next().await,
            several => select_all(several.iter_mut().map(|follower| Box::pin(follower.next()))).await.0,
        }
    }

    /// Where the readers stand that have moved on without telling anything.
    pub(super) fn moved(&mut self) -> Vec<ServerFrame> {
        let moved = self.0.iter_mut().filter_map(|follower| {
            let position = follower.moved()?;
            let project_id = follower.reader().project_id().clone();
            Some(ServerFrame::Position(ReachedPosition { project_id, position }))
        });
        moved.collect()
    }
}
