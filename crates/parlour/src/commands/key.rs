//! `parlour key`: the keys with which the hub signs tokens.

use clap::{Args, Subcommand};

use crate::{failure::Failure, output::Output, session::Connection};

#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    Rotate(KeyRotate),
}

impl KeyCommand {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        match self {
            Self::Rotate(command) => command.run().await,
        }
    }
}

/// Create a new signing key for tokens (administrators)
///
/// Tokens that were signed with older keys stay valid until they expire; revoke them if necessary.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour key rotate")]
pub(crate) struct KeyRotate {
    #[command(flatten)]
    connection: Connection,
}

impl KeyRotate {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let rotated = session.client.rotate_key().await?;
        let jwks = format!("{}/.well-known/jwks.json", session.client.url());
        session.answer(&rotated, |rotated| format!("New signing key: {}\nAll keys: {jwks}\n", rotated.kid))
    }
}
