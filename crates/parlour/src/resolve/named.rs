//! Finding one thing of a list by what somebody typed.

use parlour_core::{
    conversation::Channel,
    id::MemberId,
    limits,
    member::{Agent, Person},
    name::Name,
    project::Project,
};

use crate::failure::Failure;

/// Something that people call by a name.
pub(super) trait Named {
    /// Its id.
    fn id(&self) -> &str;
    /// Its name.
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

/// How many names a refusal lists.
const CHOICES_MAX: usize = 2 * limits::MENTION_CANDIDATES_MAX;

/// The thing with this name or id; case does not matter. A wrong name is refused with those that exist.
pub(super) fn find<'a, T: Named>(noun: &str, wanted: &str, things: &'a [T]) -> Result<&'a T, Failure> {
    let fold = Name::fold(wanted);
    let is_wanted = |thing: &&T| thing.id() == wanted || Name::fold(thing.name().as_str()) == fold;
    let mut found = things.iter().filter(is_wanted);
    match (found.next(), found.next()) {
        (Some(only), None) => Ok(only),
        (Some(first), Some(second)) => {
            Err(Failure::usage(format!("several are called {wanted:?}: {}, {} …", first.id(), second.id()))
                .hint("name it by its id"))
        }
        (None, _) => Err(unknown(noun, wanted, things)),
    }
}

/// The names that exist are the best hint: most often a letter was wrong.
fn unknown<T: Named>(noun: &str, wanted: &str, things: &[T]) -> Failure {
    let message = format!("you see no {noun} called {wanted:?}");
    if things.is_empty() { Failure::new(message) } else { Failure::new(message).hint(choices(things)) }
}

/// The names that exist, as many as fit.
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
    fn names_are_found_whatever_their_case_and_ids_as_they_are() {
        let members = members(&["Coder", "Mara Stone"]);
        for (wanted, id) in [("coder", "agt_0"), ("MARA STONE", "agt_1"), ("agt_1", "agt_1")] {
            assert_eq!(find("member", wanted, &members).expect(wanted).0.as_str(), id);
        }
    }

    #[test]
    fn a_wrong_name_is_refused_with_those_that_exist() {
        let text = find("agent", "Coda", &members(&["Coder", "Mara"])).expect_err("unknown").to_string();
        assert_eq!(text, "parlour: you see no agent called \"Coda\"\n  try: Coder, Mara");
        let text = find("agent", "Coda", &members(&[])).expect_err("unknown").to_string();
        assert_eq!(text, "parlour: you see no agent called \"Coda\"");
    }

    #[test]
    fn a_name_that_fits_several_is_refused() {
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
