//! What was given to the models of runs, as far as its reader may read it.

use std::collections::HashMap;

use parlour_core::{
    access::Principal,
    context::{Injection, InjectionDiff, ReceiptItem, SubjectType, difference},
    id::{ArtifactId, ConversationId, RunId},
    limits,
    paging::{Page, PageRequest},
    scope::Scope,
};

use crate::{Failure, Hub};

impl Hub {
    /// Lists what was given to a run, oldest first: for whoever sees the run. What the caller may not read now is left out
    /// of the receipts, and a text with anything of it is left out as a whole. Candidates that are not listed are counted
    /// for the agent alone.
    pub async fn injections(
        &self,
        caller: &Principal,
        run: &RunId,
        page: &PageRequest,
    ) -> Result<Page<Injection>, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        self.access.load_visible_run(caller, run).await?;
        let mut given = self.store.injections(run, page).await?;
        self.limit_injections(caller, &mut given.items).await?;
        Ok(given)
    }

    /// How what was given to two runs differs, as far as the caller may read it.
    pub async fn injection_difference(
        &self,
        caller: &Principal,
        before: &RunId,
        after: &RunId,
    ) -> Result<InjectionDiff, Failure> {
        self.access.require_scope(caller, Scope::MessagesRead)?;
        self.access.load_visible_run(caller, before).await?;
        self.access.load_visible_run(caller, after).await?;
        let before = self.all_shown(caller, before).await?;
        let after = self.all_shown(caller, after).await?;
        Ok(difference(&before, &after))
    }

    /// Everything that a run was given, without what was left out of it: that is most of it, and is not compared.
    async fn all_shown(&self, caller: &Principal, run: &RunId) -> Result<Vec<Injection>, Failure> {
        let (mut all, mut after) = (Vec::new(), None);
        // A run that is given more meanwhile does not make it longer.
        for _ in 0..=limits::INJECTIONS_PER_RUN_MAX / limits::PAGE_ITEMS_MAX {
            let page = PageRequest::new(after, Some(limits::PAGE_ITEMS_MAX))?;
            let mut given = self.store.injections(run, &page).await?;
            given.items.iter_mut().for_each(drop_unshown);
            self.limit_injections(caller, &mut given.items).await?;
            all.append(&mut given.items);
            after = given.next;
            if after.is_none() {
                break;
            }
        }
        Ok(all)
    }

    async fn limit_injections(&self, caller: &Principal, injections: &mut Vec<Injection>) -> Result<(), Failure> {
        let mut sight = Sight::default();
        for injection in std::mem::take(injections) {
            let mut is_all_seen = true;
            for item in &injection.receipt.items {
                is_all_seen &= self.look(caller, item, &mut sight).await?;
            }
            let is_own = caller.member.agent() == Some(&injection.agent_id);
            let limited = match is_all_seen && is_own {
                true => injection,
                false => injection.limited_to(|item| sight.shows(item)),
            };
            injections.push(limited);
        }
        Ok(())
    }

    /// Whether the caller may read this item; what was asked once is remembered.
    async fn look(&self, caller: &Principal, item: &ReceiptItem, sight: &mut Sight) -> Result<bool, Failure> {
        if let Some(place) = &item.conversation_id
            && !sight.places.contains_key(place)
        {
            let may_read = self.access.may_read(caller, place).await?;
            sight.places.insert(place.clone(), may_read);
        }
        if item.subject_type == SubjectType::Artifact && !sight.artifacts.contains_key(&item.id) {
            let may_see = self.may_see_artifact(caller, &item.id).await?;
            sight.artifacts.insert(item.id.clone(), may_see);
        }
        Ok(sight.shows(item))
    }

    async fn may_see_artifact(&self, caller: &Principal, id: &str) -> Result<bool, Failure> {
        let Ok(id) = id.parse::<ArtifactId>() else { return Ok(false) };
        match self.artifact(caller, &id).await {
            Ok(_) => Ok(true),
            Err(Failure::Refused(_)) => Ok(false),
            Err(fault) => Err(fault),
        }
    }
}

/// What the reader may read, as far as it was asked.
#[derive(Default)]
struct Sight {
    places: HashMap<ConversationId, bool>,
    artifacts: HashMap<String, bool>,
}

impl Sight {
    /// Whether an item may be shown. What says something of a conversation must name it; a message that does not is
    /// hidden.
    fn shows(&self, item: &ReceiptItem) -> bool {
        let known = |found: Option<&bool>| found.copied().unwrap_or(false);
        let is_of_place = matches!(item.subject_type, SubjectType::Message | SubjectType::Summary);
        let shows_place = item.conversation_id.as_ref().map_or(!is_of_place, |place| known(self.places.get(place)));
        let is_artifact = item.subject_type == SubjectType::Artifact;
        shows_place && (!is_artifact || known(self.artifacts.get(&item.id)))
    }
}

fn drop_unshown(injection: &mut Injection) {
    injection.text = None;
    injection.receipt.items.retain(|item| item.level.is_some());
}
