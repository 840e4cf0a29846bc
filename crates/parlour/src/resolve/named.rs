//! Lookup of an item by name or id.

use parlour_core::{
    conversation::Channel,
    id::MemberId,
    limits,
    member::{Agent, Person},
    name::Name,
    project::Project,
};

use crate::failure::Failure;

/// An item with an id and a name.
pub(super) trait Named {
    fn id(&self) -> &str;
    fn name(&self) -> &Name;
}

macro_rules! named {
    ($($thing:ty: $id:tt, $name:tt;)+) => {
        $(impl Named for $thing {
            fn id(&self) -> &str {
                self.$id.as_str()
            }

            fn name(&self) -> &Name {
                &self.$name
            }
        })+
    };
}

named! {
    Project: id, name;
    Channel: id, name;
    Agent: id, name;
    Person: id, name;
    (MemberId, Name): 0, 1;
}

/// Maximum number of names in an error.
const CHOICES_MAX: usize = 2 * limits::MENTION_CANDIDATES_MAX;

/// Finds an item by id or case-insensitive name. The error lists the existing names.
pub(super) fn find<'a, T: Named>(noun: &str, wanted: &str, things: &'a [T]) -> Result<&'a T, Failure> {
    let fold = Name::fold(wanted);
    let is_wanted = |thing: &&T| thing.id() == wanted || Name::fold(thing.name().as_str()) == fold;
    let mut found = things.iter().filter(is_wanted);
    match (found.next(), found.next()) {
        (Some(only), None) => Ok(only),
        (Some(first), Some(second)) => {
            Err(Failure::usage(format!("several things are named {wanted:?}: {}, {} …", first.id(), second.id()))
                .hint("use the id instead of the name"))
        }
        (None, _) => Err(unknown(noun, wanted, things)),
    }
}

fn unknown<T: Named>(noun: &str, wanted: &str, things: &[T]) -> Failure {
    let message = format!("no {noun} named {wanted:?} is visible to you");
    if things.is_empty() {
        Failure::new(message)
    } else {
        Failure::new(message).hint(format!("use one of: {}", choices(things)))
    }
}

pub(super) fn choices<T: Named>(things: &[T]) -> String {
    let mut names: Vec<_> = things.iter().take(CHOICES_MAX).map(|thing| thing.name().to_string()).collect();
    if things.len() > CHOICES_MAX {
        names.push("…".to_owned());
    }
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(names: &[&str]) -> Vec<(MemberId, Name)> {
        let member =
            |(at, name): (usize, &&str)| (format!("agt_{at}").parse().expect("id"), Name::parse(name).expect("name"));
        names.iter().enumerate().map(member).collect()
    }

    #[test]
    fn names_match_in_any_case_and_ids_exactly() {
        let members = members(&["Coder", "Mara Stone"]);
        for (wanted, id) in [("coder", "agt_0"), ("MARA STONE", "agt_1"), ("agt_1", "agt_1")] {
            assert_eq!(find("member", wanted, &members).expect(wanted).0.as_str(), id);
        }
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_existing_names() {
        let text = find("agent", "Coda", &members(&["Coder", "Mara"])).expect_err("unknown").to_string();
        assert_eq!(text, "parlour: no agent named \"Coda\" is visible to you\n  try: use one of: Coder, Mara");
        let text = find("agent", "Coda", &members(&[])).expect_err("unknown").to_string();
        assert_eq!(text, "parlour: no agent named \"Coda\" is visible to you");
    }

    #[test]
    fn an_ambiguous_name_is_refused() {
        let text = find("member", "mara", &members(&["Mara", "mara"])).expect_err("several").to_string();
        assert!(text.contains("agt_0, agt_1"), "{text}");
    }

    #[test]
    fn long_lists_are_cut() {
        let names: Vec<_> = (0..20).map(|at| format!("Agent {at}")).collect();
        let members = members(&names.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(choices(&members).ends_with("Agent 9, …"));
    }
}
