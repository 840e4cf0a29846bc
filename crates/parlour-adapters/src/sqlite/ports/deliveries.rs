use async_trait::async_trait;
use parlour_core::{
    delivery::Delivery,
    id::{MemberId, MessageId},
};
use parlour_hub::{Failure, ports::Deliveries};

use crate::sqlite::{SqliteStore, read::deliveries};

#[async_trait]
impl Deliveries for SqliteStore {
    async fn deliveries(&self, message: &MessageId, people: &[MemberId]) -> Result<Vec<Delivery>, Failure> {
        let (message, people) = (message.clone(), people.to_vec());
        self.read("read deliveries", move |db| deliveries::deliveries(db, &message, &people)).await
    }
}
