//! `parlour key`: the keys with which the hub signs tokens.

use clap::{Args, Subcommand};

use crate::{failure::Failure, output::Output, session::Connection};

/// What can be done with keys.
#[derive(Debug, Subcommand)]
pub(crate) enum Key {
    Rotate(Rotate),
}

impl Key {
    pub(crate) async fn run(self) -> Result<Output, Failure> {
        match self {
            Self::Rotate(command) => command.run().await,
        }
    }
}

/// Sign tokens with a new key from now on; for administrators
///
/// Tokens that older keys have signed stay good until they end; revoke those that must not.
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour key rotate")]
pub(crate) struct Rotate {
    #[command(flatten)]
    connection: Connection,
}

impl Rotate {
    async fn run(self) -> Result<Output, Failure> {
        let session = self.connection.open()?;
        let rotated = session.client.rotate_key().await?;
        let jwks = format!("{}/.well-known/jwks.json", session.client.url());
        session.answer(&rotated, |rotated| {
            format!("Tokens are signed with the key {} from now on.\nAll keys: {jwks}\n", rotated.kid)
        })
    }
}
