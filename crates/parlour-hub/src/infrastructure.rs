//! The ports of a hub, and the parts that several services share.

use std::sync::Arc;

use crate::{
    access::Access,
    event_writer::EventWriter,
    keyed_lock::KeyedLock,
    live::{Feeds, Sessions},
    ports::{Blobs, Clock, Ids, Issuers, Keys, Passwords, Store},
    project_state::ProjectStates,
    runs::RunSupervisor,
};

/// The ports of a hub.
#[derive(Clone)]
pub struct Ports {
    pub store: Arc<dyn Store>,
    pub blobs: Arc<dyn Blobs>,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn Ids>,
    pub keys: Arc<dyn Keys>,
    pub issuers: Arc<dyn Issuers>,
    pub passwords: Arc<dyn Passwords>,
}

/// Everything that services are built from. Services that are built from the same value share its state; a service
/// keeps only what it needs.
pub struct Infrastructure {
    pub(crate) ports: Ports,
    pub(crate) access: Access,
    pub(crate) projects: Arc<ProjectStates>,
    pub(crate) writer: EventWriter,
    pub(crate) run_supervisor: RunSupervisor,
    pub(crate) locks: KeyedLock,
    pub(crate) feeds: Arc<Feeds>,
    pub(crate) sessions: Arc<Sessions>,
}

impl Infrastructure {
    /// Empty state over these ports.
    pub fn new(ports: Ports) -> Self {
        let Ports { store, clock, .. } = &ports;
        let projects = Arc::new(ProjectStates::new(store));
        let run_supervisor = RunSupervisor::new(store, clock);
        Self {
            access: Access::new(store, clock),
            writer: EventWriter::new(store, clock, &projects, &run_supervisor),
            projects,
            run_supervisor,
            locks: KeyedLock::default(),
            feeds: Arc::default(),
            sessions: Arc::default(),
            ports,
        }
    }

    pub(crate) fn store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.ports.store)
    }

    pub(crate) fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.ports.clock)
    }

    pub(crate) fn ids(&self) -> Arc<dyn Ids> {
        Arc::clone(&self.ports.ids)
    }
}
