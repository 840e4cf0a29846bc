//! Taking over messages of other systems.

use parlour_core::import::{ImportMessages, ImportOutcome};

use super::Client;
use crate::ClientError;

impl Client {
    /// Takes over messages of another system. Their ids make a repetition harmless, so it is repeated while the hub
    /// cannot be reached or asks for patience.
    pub async fn import(&self, request: &ImportMessages) -> Result<ImportOutcome, ClientError> {
        self.retry.run(|| self.post("/imports", request)).await
    }
}
