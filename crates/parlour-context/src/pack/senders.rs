//! Labels of senders: whoever could be taken for another gets a number.

use std::collections::{HashMap, HashSet};

use parlour_core::{
    author::{Author, AuthorType},
    name::Name,
};

use crate::{
    authors::Authors,
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
    /// Labels for these authors. They do not depend on which of the candidates are shown.
    pub(super) fn of(authors: &Authors<'_>) -> Self {
        let mut sorted: Vec<usize> = (0..authors.list.len()).collect();
        sorted.sort_by_key(|number| key(authors.list[*number]));
        let mut places = vec![0; sorted.len()];
        for (place, number) in sorted.iter().enumerate() {
            places[*number] = place;
        }
        let mut taken = Taken::default();
        let labelled = |number: &usize| {
            let sender = sender(authors.list[*number]);
            Sender { label: taken.free_label(sender.label), ..sender }
        };
        let senders = sorted.iter().map(labelled).collect();
        let by_candidate = authors.of.iter().map(|number| number.map(|number| places[number as usize])).collect();
        Self { senders, by_candidate }
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

/// The labels that are taken.
#[derive(Default)]
struct Taken {
    looks: HashSet<String>,
    /// For each label that was wanted again the number up to which all are taken.
    numbers: HashMap<String, u64>,
}

impl Taken {
    /// The label, with a number when another one looks like it.
    fn free_label(&mut self, label: Label) -> Label {
        if self.looks.insert(look(&label)) {
            return label;
        }
        let short: String = label.as_str().chars().take(40).collect();
        let number = self.numbers.entry(short.clone()).or_insert(1);
        loop {
            *number += 1;
            let numbered = Label::of(&format!("{short} {number}"));
            if self.looks.insert(look(&numbered)) {
                return numbered;
            }
        }
    }
}

/// What two labels share that a reader could take for each other.
fn look(label: &Label) -> String {
    let key = Name::parse(label.as_str()).map(|name| name.key().as_str().to_owned());
    key.unwrap_or_else(|_| Name::fold(label.as_str()))
}
