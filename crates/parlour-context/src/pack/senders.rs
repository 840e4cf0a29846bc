//! Labels of senders: whoever could be taken for another gets a number.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use parlour_core::{
    author::{Author, AuthorType},
    name::Name,
};

use crate::{
    candidate::Candidate,
    frame::{Label, Sender},
};

/// The senders of all candidates, each under a label of its own.
pub(super) struct Senders {
    senders: Vec<Sender>,
    /// For each candidate the place of its sender.
    by_candidate: Vec<Option<usize>>,
}

/// Who somebody is, in an order that does not depend on a pack: whom the hub knows comes before whom another system knew,
/// people come before machines, and whoever is longer there before who is newer.
type Key<'a> = (bool, u8, Option<&'a str>, &'a str);

impl Senders {
    /// Labels for the authors of these candidates. They do not depend on which of them are shown.
    pub(super) fn of(candidates: &[Candidate]) -> Self {
        let authors = || candidates.iter().map(|candidate| candidate.from.as_ref());
        let keys: BTreeSet<Key<'_>> = authors().flatten().map(key).collect();
        let places: BTreeMap<Key<'_>, usize> = keys.into_iter().zip(0..).collect();
        let by_candidate: Vec<Option<usize>> =
            authors().map(|author| author.and_then(|author| places.get(&key(author)).copied())).collect();
        let mut named: Vec<Option<Sender>> = vec![None; places.len()];
        for (author, place) in authors().zip(&by_candidate) {
            let (Some(author), Some(place)) = (author, place) else { continue };
            named[*place].get_or_insert_with(|| sender(author));
        }
        let mut taken = HashSet::new();
        let labelled = |sender: Sender| Sender { label: free_label(&sender.label, &mut taken), ..sender };
        Self { senders: named.into_iter().flatten().map(labelled).collect(), by_candidate }
    }

    /// The sender of a candidate; nothing for what the hub itself says.
    pub(super) fn get(&self, index: usize) -> Option<&Sender> {
        self.senders.get((*self.by_candidate.get(index)?)?)
    }
}

fn key(author: &Author) -> Key<'_> {
    let sort = match author.author_type {
        AuthorType::System => 0,
        AuthorType::Host => 1,
        AuthorType::Person => 2,
        AuthorType::Agent => 3,
        AuthorType::Applet => 4,
        AuthorType::Scheduler => 5,
        AuthorType::Tool => 6,
    };
    (author.foreign_system().is_some(), sort, author.id.as_deref(), &author.name)
}

fn sender(author: &Author) -> Sender {
    let system = author.foreign_system().map(Label::of);
    Sender { label: Label::of(&author.name), author_type: author.author_type, system }
}

/// The label, with a number when another one looks like it.
fn free_label(label: &Label, taken: &mut HashSet<String>) -> Label {
    if taken.insert(look(label)) {
        return label.clone();
    }
    let short: String = label.as_str().chars().take(40).collect();
    let mut numbered = (2u64..).map(|number| Label::of(&format!("{short} {number}")));
    numbered.find(|label| taken.insert(look(label))).unwrap_or_else(|| label.clone())
}

/// What two labels share that a reader could take for each other.
fn look(label: &Label) -> String {
    let key = Name::parse(label.as_str()).map(|name| name.key().as_str().to_owned());
    key.unwrap_or_else(|_| Name::fold(label.as_str()))
}
