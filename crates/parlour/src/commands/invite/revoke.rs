use clap::Args;
use parlour_core::id::InviteId;
use serde_json::json;

use crate::{failure::Failure, output::Output, session::Connection};

/// Take an invite back; agents that have joined by it stay
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour invite revoke inv_01KA3V8Q2N7W4T9Y6B5C0D1E2F")]
pub(crate) struct Revoke {
    /// The invite's id, as `parlour invite list` shows it
    id: InviteId,
    #[command(flatten)]
    connection: Connection,
}

impl Revoke {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        session.client.revoke_invite(&self.id).await?;
        session.answer(&json!({"id": self.id}), |_| format!("Nobody can join by {} any more.\n", self.id))
    }
}
