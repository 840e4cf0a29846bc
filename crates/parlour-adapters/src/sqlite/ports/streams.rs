use async_trait::async_trait;
use parlour_core::message::Message;
use parlour_hub::{
    Failure,
    ports::{SavedStream, Streams},
};

use crate::sqlite::{
    SqliteStore,
    read::streams::open_streams,
    write::save_streams::{StreamRow, save_streams},
};

#[async_trait]
impl Streams for SqliteStore {
    async fn save_streams(&self, streams: Vec<SavedStream>) -> Result<(), Failure> {
        let rows: Vec<StreamRow> = streams.into_iter().map(StreamRow::from).collect();
        self.write("save the texts of streams".to_owned(), move |tx| save_streams(tx, &rows)).await
    }

    async fn open_streams(&self) -> Result<Vec<(Message, SavedStream)>, Failure> {
        self.read("read open streams", open_streams).await
    }
}
