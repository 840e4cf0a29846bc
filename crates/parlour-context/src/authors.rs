//! Who wrote the candidates: each author once.

use std::collections::HashMap;

use parlour_core::author::{Author, AuthorType};

use crate::candidate::Candidate;

/// The authors of candidates, by numbers.
pub(crate) struct Authors<'a> {
    /// For each candidate the number of its author; nothing for what the hub itself says.
    pub(crate) of: Vec<Option<u32>>,
    /// The authors, each of them once.
    pub(crate) list: Vec<&'a Author>,
}

/// Authors that were met last, found without hashing a whole name. It is a power of two.
const MET_LEN: usize = 256;

impl<'a> Authors<'a> {
    /// Those of these candidates.
    pub(crate) fn of(candidates: &[&'a Candidate]) -> Self {
        let mut list: Vec<&'a Author> = Vec::new();
        // They are looked up only.
        let mut known: HashMap<(AuthorType, Option<&str>, &str), u32> = HashMap::new();
        let mut met: [Option<u32>; MET_LEN] = [None; MET_LEN];
        let mut number = |author: &'a Author| {
            let met = &mut met[slot(author)];
            if let Some(number) = met.filter(|number| list[*number as usize] == author) {
                return number;
            }
            let key = (author.author_type, author.id.as_deref(), author.name.as_str());
            let next = u32::try_from(list.len()).unwrap_or(u32::MAX);
            let number = *known.entry(key).or_insert_with(|| {
                list.push(author);
                next
            });
            *met = Some(number);
            number
        };
        let of = candidates.iter().map(|candidate| candidate.from.as_ref().map(&mut number)).collect();
        Self { of, list }
    }
}

/// Where an author is met again: ids differ most at their end.
fn slot(author: &Author) -> usize {
    let id = author.id.as_deref().unwrap_or(&author.name).as_bytes();
    let end = id.iter().rev().take(4).fold(id.len(), |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(*byte)));
    end % MET_LEN
}
