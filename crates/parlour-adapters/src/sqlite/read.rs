//! The reads, grouped as the port groups them. Each runs on one state of the database.

pub(super) mod accounts;
pub(super) mod conversations;
pub(super) mod directory;
pub(super) mod graph;
pub(super) mod history;
pub(super) mod inboxes;
pub(super) mod log;
pub(super) mod refs;
pub(super) mod search;
pub(super) mod work;
