//! Names of channels for conversations of other systems.

use std::collections::HashSet;

use parlour_core::{
    conversation::Channel,
    limits,
    name::{Name, NameKey},
    text,
};

use super::{system::System, takeover::bits_of};
use crate::output::plain::one_line;

/// How much of a foreign name is kept: there must be room for a number.
const NAME_KEPT_CHARS_MAX: usize = 48;
/// How much of an id is kept.
const ID_KEPT_CHARS_MAX: usize = 12;
/// An id that is no longer, and not made of digits alone, is a name.
const READABLE_CHARS_MAX: usize = 24;

/// The names that are taken.
pub(super) struct Names(HashSet<NameKey>);

impl Names {
    pub(super) fn of(channels: &[Channel]) -> Self {
        Self(channels.iter().map(|channel| channel.name.key()).collect())
    }

    /// A name that is free, made from what the system calls the conversation. It is taken from now on.
    pub(super) fn take(&mut self, system: System, foreign: &str, title: Option<&str>) -> Name {
        let base = base_name(system, foreign, title);
        let mut name = base.clone();
        for number in 2_u32.. {
            if self.0.insert(name.key()) {
                break;
            }
            name = Name::parse(&format!("{base}-{number}"))
                .unwrap_or_else(|_| fallback(system, &format!("{foreign}{number}")));
        }
        name
    }
}

/// The topic by which the channel of a conversation is found again, whatever it is called by then.
pub(super) fn topic(system: System, foreign: &str) -> String {
    let topic = format!("{system} {foreign}", system = system.as_str());
    if text::check_text(&topic, limits::TOPIC_CHARS_MAX).is_ok() && !foreign.contains('\n') {
        return topic;
    }
    let start: String = one_line(foreign).chars().take(NAME_KEPT_CHARS_MAX).collect();
    format!("{} {start}… {:032x}", system.as_str(), bits_of(&[foreign]))
}

/// The same with a title that the name of the channel cannot say, in a second line.
pub(super) fn topic_with_title(topic: &str, name: &Name, title: Option<&str>) -> String {
    let titled = title.filter(|title| *title != name.as_str()).map(|title| format!("{topic}\n{title}"));
    let titled = titled.filter(|titled| text::check_text(titled, limits::TOPIC_CHARS_MAX).is_ok());
    titled.unwrap_or_else(|| topic.to_owned())
}

/// Whether a channel was made for the conversation of this topic.
pub(super) fn is_made_for(channel: &Channel, topic: &str) -> bool {
    channel.topic.as_deref().is_some_and(|own| own.lines().next() == Some(topic))
}

/// What a topic says that its channel was made for.
pub(crate) fn foreign_of(system: System, channel: &Channel) -> Option<&str> {
    channel.topic.as_deref()?.lines().next()?.strip_prefix(system.as_str())?.strip_prefix(' ')
}

/// What a conversation was called before it got this channel; a channel that was given another name since has that.
pub(crate) fn title_of(system: System, channel: &Channel) -> &str {
    let name = channel.name.as_str();
    let (Some(foreign), Some((_, title))) =
        (foreign_of(system, channel), channel.topic.as_deref().and_then(|topic| topic.split_once('\n')))
    else {
        return name;
    };
    let base = base_name(system, foreign, Some(title));
    let is_number = |rest: &str| rest.strip_prefix('-').is_some_and(|digits| digits.parse::<u32>().is_ok());
    let is_its_own = name.strip_prefix(base.as_str()).is_some_and(|rest| rest.is_empty() || is_number(rest));
    if is_its_own { title } else { name }
}

fn base_name(system: System, foreign: &str, title: Option<&str>) -> Name {
    let of_title = title.and_then(|title| spelt(title, NAME_KEPT_CHARS_MAX));
    of_title.or_else(|| of_id(system, foreign)).unwrap_or_else(|| fallback(system, foreign))
}

/// Of an address the part before the `@`; of a long id its beginning, with the system before it.
fn of_id(system: System, foreign: &str) -> Option<Name> {
    let local = foreign.split('@').next().unwrap_or(foreign);
    let local =
        local.split_once('_').filter(|(kind, _)| matches!(*kind, "chn" | "dm" | "thr")).map_or(local, |(_, id)| id);
    let is_of_digits = local.chars().all(|sign| sign.is_ascii_hexdigit() || sign == '-');
    if local.chars().count() <= READABLE_CHARS_MAX && !is_of_digits {
        return spelt(local, READABLE_CHARS_MAX);
    }
    let start: String = local.chars().take(ID_KEPT_CHARS_MAX).collect();
    spelt(&format!("{}-{start}", system.as_str()), NAME_KEPT_CHARS_MAX)
}

/// Always a name, and the same for the same.
fn fallback(system: System, foreign: &str) -> Name {
    let digits = format!("{:08x}", bits_of(&[foreign]) >> 96);
    Name::parse(&format!("{}-{digits}", system.as_str())).expect("letters of one script and digits are a name")
}

/// The text with all that cannot stand in a name replaced, if that leaves a name.
fn spelt(text: &str, chars_max: usize) -> Option<Name> {
    let can_stand = |sign: char| sign.is_alphanumeric() || matches!(sign, ' ' | '_' | '.' | '\'');
    let plain: String = text.chars().map(|sign| if can_stand(sign) { sign } else { '-' }).collect();
    let joined = plain.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let joined = joined.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-");
    let short: String = joined.chars().take(chars_max).collect();
    Name::parse(short.trim_matches(|sign: char| !sign.is_alphanumeric())).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn named(system: System, foreign: &str, title: Option<&str>) -> String {
        Names(HashSet::new()).take(system, foreign, title).to_string()
    }

    #[test]
    fn a_channel_is_called_as_people_know_the_conversation() {
        for (system, foreign, title, name) in [
            (System::Pynchy, "1203@g.us", Some("Family & friends"), "Family - friends"),
            (System::Pynchy, "team@g.us", None, "team"),
            (System::Pynchy, "120363041234567890@g.us", None, "pynchy-120363041234"),
            (System::Tkr, "3f2a7c1e-0000-4000-8000-123456789abc", None, "tkr-3f2a7c1e-000"),
            (System::Tkr, "default", None, "default"),
            (System::Caco, "3f2a7c1e", Some("Mend the build 🚧"), "Mend the build"),
            (System::Native, "chn_01KA3V8Q2N7W4T9Y6B5C0D1E2F", None, "native-01KA3V8Q2N7W"),
            (System::Zen, "dm coder, planner", None, "dm coder- planner"),
        ] {
            assert_eq!(named(system, foreign, title), name, "{foreign}");
        }
    }

    #[test]
    fn a_name_that_is_taken_gets_a_number() {
        let mut names = Names(HashSet::new());
        let mut take = |foreign: &str| names.take(System::Tkr, foreign, Some("General")).to_string();
        assert_eq!([take("a"), take("b"), take("c")], ["General", "General-2", "General-3"]);
    }

    #[test]
    fn a_topic_names_the_conversation_and_is_never_too_long() {
        assert_eq!(topic(System::Pynchy, "1203@g.us"), "pynchy 1203@g.us");
        let long = topic(System::Pynchy, &"x".repeat(2_000));
        assert!(text::check_text(&long, limits::TOPIC_CHARS_MAX).is_ok());
        assert_ne!(long, topic(System::Pynchy, &"x".repeat(2_001)));
    }

    fn channel(name: &str, topic: &str) -> Channel {
        serde_json::from_value(serde_json::json!({
            "id": "chn_1", "project_id": "prj_1", "name": name, "topic": topic, "visibility": "project",
            "created_at": "2026-01-01T00:00:00Z",
        }))
        .expect("a channel")
    }

    #[test]
    fn a_title_that_no_name_can_say_is_kept_until_the_channel_gets_another_name() {
        let base = topic(System::Pynchy, "1203@g.us");
        let name = Name::parse("Family - friends").expect("a name");
        let titled = topic_with_title(&base, &name, Some("Family & friends"));
        assert_eq!(titled, "pynchy 1203@g.us\nFamily & friends");
        assert_eq!(topic_with_title(&base, &name, Some("Family - friends")), base);
        for (name, title) in [
            ("Family - friends", "Family & friends"),
            ("Family - friends-2", "Family & friends"),
            ("Family - friends-two", "Family - friends-two"),
            ("Relatives", "Relatives"),
        ] {
            let channel = channel(name, &titled);
            assert_eq!(title_of(System::Pynchy, &channel), title);
            assert_eq!(foreign_of(System::Pynchy, &channel), Some("1203@g.us"));
            assert!(is_made_for(&channel, &base) && !is_made_for(&channel, &titled));
        }
        assert_eq!(title_of(System::Tkr, &channel("Family - friends", &titled)), "Family - friends");
    }

    proptest! {
        #[test]
        fn every_conversation_gets_a_name_and_a_topic(foreign in ".{0,80}|\\PC{0,600}", title in proptest::option::of(".{0,90}")) {
            named(System::Pynchy, &foreign, title.as_deref());
            prop_assert!(text::check_text(&topic(System::Pynchy, &foreign), limits::TOPIC_CHARS_MAX).is_ok());
        }
    }
}
