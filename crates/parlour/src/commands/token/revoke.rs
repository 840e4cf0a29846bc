use clap::Args;
use parlour_core::id::TokenId;
use serde_json::json;

use crate::{failure::Failure, output::Output, session::Connection};

/// End a token at once; what was opened with it is closed
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour token revoke tok_01KA3V8Q2N7W4T9Y6B5C0D1E2F")]
pub(crate) struct Revoke {
    /// The token's id, as `parlour token list` shows it
    id: TokenId,
    #[command(flatten)]
    connection: Connection,
}

impl Revoke {
    pub(super) async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        session.client.revoke_token(&self.id).await?;
        session.answer(&json!({"id": self.id}), |_| format!("{} no longer lets anybody in.\n", self.id))
    }
}
