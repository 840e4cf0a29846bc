use futures_util::future;
use parlour_core::{attribution::Attribution, id::MessageId, message::State};

use super::{StreamEnd, alarms::wait, end_attempt::is_already_ended, open_streams::Expired};
use crate::{Failure, Fault, Hub};

impl Hub {
    /// Tells chunks when their window is over, ends answers whose lease has run out, keeps texts from time to time.
    /// Runs until it is dropped.
    pub(crate) async fn drive_streams(&self) {
        // The fan-out tells only what is posted from now on, so nothing else would announce what is open already.
        self.streams.update_and_publish(&self.feeds, |open| open.announce_all());
        // Each on its own: a slow disk delays ends and saves, but no chunk.
        future::join3(self.drive_windows(), self.drive_leases(), self.drive_saves()).await;
    }

    /// Keeps the texts that have changed since they were kept last, for the case that the hub dies or stops.
    pub(crate) async fn save_all_streams(&self) {
        let unsaved = self.streams.update(|open| open.take_unsaved());
        if unsaved.is_empty() {
            return;
        }
        let marks: Vec<_> = unsaved.iter().map(|(stream, changes)| (stream.message_id.clone(), *changes)).collect();
        let outcome = self.store.save_streams(unsaved.into_iter().map(|(stream, _)| stream).collect()).await;
        if let Err(failure) = &outcome {
            tracing::warn!(count = marks.len(), cause = %failure, "the texts of running answers could not be kept");
        }
        let now = self.clock.now();
        self.streams.update(|open| match outcome {
            Ok(()) => open.mark_saved(&marks),
            Err(_) => open.retry_save(now),
        });
    }

    async fn drive_windows(&self) {
        loop {
            let due = self.streams.0.open.lock().next_times().window;
            wait(self.clock.as_ref(), due, &self.streams.0.alarms.window).await;
            let now = self.clock.now();
            self.streams.update_and_publish(&self.feeds, |open| open.flush_due_windows(now));
        }
    }

    async fn drive_leases(&self) {
        loop {
            let due = self.streams.0.open.lock().next_times().lease;
            wait(self.clock.as_ref(), due, &self.streams.0.alarms.lease).await;
            let now = self.clock.now();
            let expired = self.streams.update(|open| open.take_expired(now));
            // All at once, so that they share a sync of the disk; there are at most STREAMS_MAX.
            future::join_all(expired.into_iter().map(|one| self.interrupt_expired(one))).await;
        }
    }

    async fn drive_saves(&self) {
        loop {
            let due = self.streams.0.open.lock().next_times().save;
            wait(self.clock.as_ref(), due, &self.streams.0.alarms.save).await;
            if due.is_some_and(|due| due <= self.clock.now()) {
                self.save_all_streams().await;
            }
        }
    }

    /// Ends a stream whose lease has run out. If that fails it is tried again.
    async fn interrupt_expired(&self, expired: Expired) {
        let Expired { message_id, lease_seconds } = expired;
        let reason = format!("its producer gave no sign for {lease_seconds} seconds");
        if let Err(failure) = self.interrupt(&message_id, reason).await {
            tracing::warn!(message = %message_id, cause = %failure, "an abandoned answer could not be ended");
        }
    }

    /// Ends a stream in the hub's own name.
    pub(super) async fn interrupt(&self, id: &MessageId, reason: String) -> Result<(), Failure> {
        let message = self.store.message(id).await?;
        let message = message.ok_or_else(|| Fault::new("interrupt a stream", format!("{id} is not in the store")))?;
        match self
            .end_stream(Attribution::of_host(self.clock.now()), message, StreamEnd::new(State::Interrupted, reason))
            .await
        {
            Err(failure) if !is_already_ended(&failure) => Err(failure),
            // Perhaps somebody else has ended it meanwhile.
            _ => Ok(()),
        }
    }
}
