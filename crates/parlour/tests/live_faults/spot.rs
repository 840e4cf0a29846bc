//! Where a reader stands: which hub, which project, and who it is.

/// What a client needs to know to follow a project.
#[derive(Clone, Debug)]
pub(crate) struct Spot {
    /// The address, of the proxy or of the hub itself.
    pub(crate) url: String,
    /// The project.
    pub(crate) project: String,
    /// Whose eyes.
    pub(crate) token: String,
}
