//! What a pack is chosen from: everything that was gathered, as it may be shown. It is made once, however often it is
//! tried what fits.

use std::sync::Arc;

use parlour_context::{prepared::Prepared, rank::Query};
use parlour_core::{
    context::{RedactionRules, Section},
    id::ConversationId,
    task::Task,
};

use super::{
    Workshop,
    gathered::{Card, Sighting},
    items::Item,
    places::Places,
};
use crate::Fault;

/// What was gathered, as it is stored.
pub(super) struct Raw {
    pub(super) sightings: Vec<(Section, Sighting)>,
    pub(super) cards: Vec<Card>,
    pub(super) places: Places,
    /// The conversation that is to be answered.
    pub(super) here: Option<ConversationId>,
    pub(super) asked: String,
    pub(super) task_text: String,
    pub(super) task: Option<Task>,
}

/// The same as it may be shown.
#[derive(Clone)]
pub(super) struct Stock {
    pub(super) items: Vec<Arc<Item>>,
    pub(super) query: Arc<Query>,
    pub(super) task: Option<Task>,
}

impl Raw {
    /// Takes out what the rules take out, and prepares every text.
    pub(super) fn prepare(self, workshop: &Workshop, rules: &RedactionRules) -> Result<Stock, Fault> {
        let kept = workshop.redactor(rules).map_err(|bad| Fault::new("use the rules of redaction", bad))?;
        let prepare = |text: &str| -> Arc<Prepared> { workshop.prepared(text, &kept) };
        let (places, here) = (&self.places, self.here.as_ref());
        let messages = self.sightings.into_iter();
        let messages = messages.map(|(section, sighting)| Item::of_message(sighting, section, places, here, &prepare));
        let cards = self.cards.into_iter().map(|card| Item::of_card(card, places, &prepare));
        let items = messages.chain(cards).map(Arc::new).collect();
        let task = self.task.map(|task| Task {
            title: kept.redact(&task.title),
            description: task.description.map(|text| kept.redact(&text)),
            ..task
        });
        let (asked, of_task) = (prepare(&self.asked), prepare(&self.task_text));
        let query = Query { text: asked.text.clone(), terms: asked.terms.clone(), task: of_task.terms.clone() };
        Ok(Stock { items, query: Arc::new(query), task })
    }
}
