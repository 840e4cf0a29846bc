//! The first walk: everything is read and tried, and nothing is written.

use parlour_core::{
    Refusal, Timestamp,
    id::{ChannelId, ConversationId},
    import::ImportedMessage,
};

use super::{
    conversations::Conversations,
    kept::events_in,
    progress::Progress,
    source::{Order, Source},
    takeover::{Roots, Takeover},
    walker::{Met, MetMessage, Walker},
};
use crate::{
    commands::convert::{frames::FrameCounts, problems::Problems},
    failure::Failure,
};

/// What is in a source.
#[derive(Debug, Default)]
pub(super) struct Survey {
    pub(super) conversations: Conversations,
    /// What is left out, because it cannot be taken over.
    pub(super) problems: Problems,
    /// How many of those are messages that could be read.
    pub(super) unfit: u64,
    /// What is left out, because it is no message.
    pub(super) skipped: Skipped,
    /// Messages in which the texts of long ones go on.
    pub(super) further_parts: u64,
    /// In which order the rows stand.
    pub(super) order: Order,
    /// All rows.
    pub(super) rows: u64,
}

/// Rows that are no messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Skipped {
    pub(super) frames: FrameCounts,
    /// Answers that were begun; those with an end have it in another row.
    pub(super) begun: u64,
    /// Messages that stand in the source more than once.
    pub(super) doubles: u64,
    /// Events of tools that are shown with their message, but not kept as they were.
    pub(super) cut_events: u64,
}

impl Survey {
    /// Reads a source to its end.
    pub(super) fn of(source: &dyn Source, takeover: &Takeover) -> Result<Self, Failure> {
        let progress = Progress::reading();
        let survey = Self::read(source, takeover, &progress);
        // Before anything else is said: it would stand in the midst of that.
        progress.finish();
        survey
    }

    fn read(source: &dyn Source, takeover: &Takeover, progress: &Progress) -> Result<Self, Failure> {
        let mut survey = Self::default();
        let mut walker = Walker::new(source.rows(Order::OldestFirst)?);
        while let Some(met) = walker.next()? {
            survey.rows += 1;
            progress.step();
            match met {
                Met::Frame(frame) => survey.skipped.frames.add(frame),
                Met::Begun => survey.skipped.begun += 1,
                Met::Double => survey.skipped.doubles += 1,
                Met::Problem(place, refusal) => {
                    survey.problems.add(place, &refusal);
                }
                Met::Message(met) => survey.take(*met, takeover)?,
            }
        }
        survey.order = survey.conversations.order();
        survey.find_roots(source, takeover)?;
        Ok(survey)
    }

    /// Looks for the messages below which threads hang; most sources have no threads, and are not walked again.
    fn find_roots(&mut self, source: &dyn Source, takeover: &Takeover) -> Result<(), Failure> {
        let mut possible = self.conversations.possible_roots();
        if possible.is_empty() {
            return Ok(());
        }
        let mut walker = Walker::new(source.rows(Order::OldestFirst)?);
        while let Some(met) = walker.next()? {
            let Met::Message(mut met) = met else { continue };
            if let Some(thread) = possible.remove(&met.message.id)
                && let Some(place) = self.conversations.known(&met.key)
            {
                give_time(&mut met, None, takeover.now);
                if try_out(&met, takeover).is_ok() {
                    self.conversations.hang(thread, place, met.message.id);
                }
            }
        }
        Ok(())
    }

    fn take(&mut self, mut met: MetMessage, takeover: &Takeover) -> Result<(), Failure> {
        let Some(place) = self.conversations.place(&met.key, met.conversation.as_deref()) else {
            return Err(Failure::new("the source has more than 10000 conversations").hint("import them in parts"));
        };
        give_time(&mut met, self.conversations.list[place].last, takeover.now);
        match try_out(&met, takeover) {
            Ok(requests) => {
                self.conversations.count(place, &met.message);
                self.further_parts += requests.len() as u64 - 1;
                let kept = || events_in(&requests[0].metadata, requests[0].content.as_ref());
                self.skipped.cut_events += met.told.as_ref().map_or(0, |told| told.unkept(&kept())) as u64;
            }
            Err(refusal) => {
                self.unfit += 1;
                self.problems.add(&met.place, &refusal);
            }
        }
        Ok(())
    }
}

/// A message without a time was written when the one before it was, as far as anybody knows.
pub(super) fn give_time(met: &mut MetMessage, before: Option<Timestamp>, otherwise: Timestamp) {
    if !met.has_time {
        met.message.created_at = before.unwrap_or(otherwise);
    }
}

/// What the hub would be sent for it, wherever it goes, or why it would not take it.
fn try_out(met: &MetMessage, takeover: &Takeover) -> Result<Vec<ImportedMessage>, Refusal> {
    let to = ConversationId::from(ChannelId::from_bits(u128::MAX));
    let roots = Roots { to: &to, key: &met.key };
    takeover.requests(met, &roots.id(&met.message.id), roots)
}
