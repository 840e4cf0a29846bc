use async_trait::async_trait;
use parlour_core::message::Message;
use parlour_hub::{
    Failure,
    ports::{SavedStream, Streams},
};

use crate::sqlite::SqliteStore;

#[async_trait]
impl Streams for SqliteStore {
    async fn save_streams(&self, _streams: Vec<SavedStream>) -> Result<(), Failure> {
        Ok(())
    }

    async fn open_streams(&self) -> Result<Vec<(Message, SavedStream)>, Failure> {
        Ok(Vec::new())
    }
}
