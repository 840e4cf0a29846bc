//! What the pack before showed.

use parlour_core::{
    context::{Reason, Receipt, ReceiptItem, SubjectType},
    id::MessageId,
    message::Message,
};

use super::gather::Look;
use crate::Failure;

/// Messages of the pack before that are looked up one by one.
const LOOKED_UP_MAX: usize = 100;

impl Look<'_> {
    /// What the pack before showed and nothing else has brought up this time, such as what its question has found: it
    /// can only stay while it comes into question.
    pub(super) async fn at_previous(&mut self, previous: &Receipt) -> Result<(), Failure> {
        let is_message = |item: &&ReceiptItem| item.subject_type == SubjectType::Message && item.level.is_some();
        let shown = previous.items.iter().filter(is_message).filter_map(|item| Some((item, id(item)?)));
        let missing: Vec<_> = shown.filter(|(_, id)| self.gathered.get(id).is_none()).take(LOOKED_UP_MAX).collect();
        for (item, id) in missing {
            let message = self.hub.store.message(&id).await?;
            for message in self.readable(message.into_iter().collect()).await? {
                self.see_again(message, item);
            }
        }
        Ok(())
    }

    /// Notes a message for the reason that it had, save one of that moment.
    fn see_again(&mut self, message: Message, item: &ReceiptItem) {
        let distance = if Some(&message.to) == self.aim.place().as_ref() { 0 } else { 2 };
        let is_lasting = |reason: &&Reason| !matches!(reason, Reason::Current | Reason::Blocking | Reason::Unread);
        let reason = item.reasons.iter().find(is_lasting).copied().unwrap_or(Reason::Found);
        self.gathered.see(message, reason, distance);
    }
}

fn id(item: &ReceiptItem) -> Option<MessageId> {
    item.id.parse().ok()
}
