//! The distinct authors of the candidates.

use std::collections::HashMap;

use parlour_core::author::{Author, AuthorType};

use crate::candidate::Candidate;

/// The distinct authors of candidates.
pub(crate) struct Authors<'a> {
    /// The author number of each candidate; `None` for items of the hub itself.
    pub(crate) of: Vec<Option<u32>>,
    pub(crate) list: Vec<&'a Author>,
}

/// Slots of a cache that avoids hashing whole names; a power of two.
const MET_LEN: usize = 256;

impl<'a> Authors<'a> {
    pub(crate) fn of(candidates: &[&'a Candidate]) -> Self {
        let mut list: Vec<&'a Author> = Vec::new();
        // Used for lookups only.
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

/// Ids differ most at their end.
fn slot(author: &Author) -> usize {
    let id = author.id.as_deref().unwrap_or(&author.name).as_bytes();
    let end = id.iter().rev().take(4).fold(id.len(), |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(*byte)));
    end % MET_LEN
}
