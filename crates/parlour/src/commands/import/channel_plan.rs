//! The channel of each conversation: found by its topic, or created with a free name.

use std::collections::HashSet;

use parlour_agent::{ClientError, requests::NewChannel};
use parlour_core::{
    Code, Timestamp,
    conversation::{Channel, Visibility},
    id::ConversationId,
    limits,
    name::{Name, NameKey},
    project::Project,
    text,
};

use super::{
    request::bits_of,
    source::ImportSource,
    survey::{ConversationIndex, SourceConversation},
    system::System,
};
use crate::{failure::Failure, output::plain::one_line, session::Session};

/// Number of attempts with other names: a name can be taken meanwhile or by a hidden channel.
const TRIES_MAX: usize = 20;

/// The channel for one conversation.
#[derive(Clone, Debug)]
pub(super) enum ChannelPlan {
    /// An existing channel.
    Known(Channel),
    /// A channel to create.
    New { name: Name, topic: String, visibility: Visibility },
    /// A thread of the conversation with this index.
    Thread(usize),
}

/// The created or found conversation.
#[derive(Clone, Debug)]
pub(super) struct Destination {
    pub(super) id: ConversationId,
    /// The creation time: the time of messages without their own.
    pub(super) since: Timestamp,
}

/// Plans the channel of each conversation, without creating any.
pub(super) async fn plan(
    session: &Session,
    project: &Project,
    (system, source): (System, &dyn ImportSource),
    conversations: &ConversationIndex,
    into: Option<&Channel>,
) -> Result<Vec<ChannelPlan>, Failure> {
    let channels = session.client.channels(&project.id).await?.items;
    let mut names = FreeNames::of(&channels);
    let mut plan = Vec::new();
    for (index, conversation) in conversations.list.iter().enumerate() {
        plan.push(match (conversations.root(index), into) {
            (Some((root, _)), _) => ChannelPlan::Thread(*root),
            (None, Some(channel)) => ChannelPlan::Known(channel.clone()),
            (None, None) => plan_one(&channels, &mut names, (system, source), (conversations, conversation)),
        });
    }
    Ok(plan)
}

/// Finds a renamed channel by its topic.
fn plan_one(
    channels: &[Channel],
    names: &mut FreeNames,
    (system, source): (System, &dyn ImportSource),
    (conversations, conversation): (&ConversationIndex, &SourceConversation),
) -> ChannelPlan {
    let topic = topic(system, &conversation.foreign);
    if let Some(known) = channels.iter().find(|channel| is_made_for(channel, &topic)) {
        return ChannelPlan::Known(known.clone());
    }
    let record = conversations.record(conversation);
    let recorded = record.and_then(|record| record.name.as_ref()).map(Name::to_string);
    let title = recorded.or_else(|| source.title(&conversation.foreign));
    let name = names.take(system, &conversation.foreign, title.as_deref());
    let untitled = base_name(system, &conversation.foreign, None);
    let topic = match record.and_then(|record| record.topic.as_deref()) {
        Some(original) => topic_with_original(&topic, title.as_deref().unwrap_or(name.as_str()), original),
        None => topic_with_title(&topic, (&name, &untitled), title.as_deref()),
    };
    ChannelPlan::New { name, topic, visibility: conversations.visibility(conversation) }
}

/// Creates a channel; a name that is taken gets a number.
pub(super) async fn make(session: &Session, project: &Project, plan: &ChannelPlan) -> Result<Option<Channel>, Failure> {
    let ChannelPlan::New { name, topic, visibility } = plan else { return Ok(None) };
    let mut request = NewChannel {
        project_id: project.id.clone(),
        name: name.clone(),
        topic: Some(topic.clone()),
        visibility: *visibility,
    };
    for number in 2..=TRIES_MAX {
        match session.client.create_channel(&request).await {
            Ok(channel) => return Ok(Some(channel)),
            Err(ClientError::Problem(problem)) if problem.is(Code::NameTaken) => {
                request.name = Name::parse(&format!("{name}-{number}"))?;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Err(Failure::new(format!("no free channel name found for {name}")).hint("select a channel with --channel"))
}

/// Maximum length of a name, with room for a number.
const NAME_KEPT_CHARS_MAX: usize = 48;
/// Length of an id in a name.
const ID_KEPT_CHARS_MAX: usize = 12;
/// Ids up to this length that are not hexadecimal are used as names.
const READABLE_CHARS_MAX: usize = 24;

/// The channel names that are in use.
pub(super) struct FreeNames(HashSet<NameKey>);

impl FreeNames {
    pub(super) fn of(channels: &[Channel]) -> Self {
        Self(channels.iter().map(|channel| channel.name.key()).collect())
    }

    /// Creates and reserves a free name from the title or id of a conversation.
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

/// The topic that identifies the channel of a conversation, independent of its name.
pub(super) fn topic(system: System, foreign: &str) -> String {
    let topic = format!("{system} {foreign}", system = system.as_str());
    if text::check_text(&topic, limits::TOPIC_CHARS_MAX).is_ok() && !foreign.contains('\n') {
        return topic;
    }
    let start: String = one_line(foreign).chars().take(NAME_KEPT_CHARS_MAX).collect();
    format!("{} {start}… {:032x}", system.as_str(), bits_of(&[foreign]))
}

/// Adds the title in a second line if it does not follow from the name: it differs from it, or the conversation would have
/// this name without a title too.
pub(super) fn topic_with_title(topic: &str, (name, untitled): (&Name, &Name), title: Option<&str>) -> String {
    let is_needed = |title: &&str| *title != name.as_str() || is_derived(name.as_str(), untitled);
    let titled = title.filter(is_needed).map(|title| format!("{topic}\n{title}"));
    let titled = titled.filter(|titled| text::check_text(titled, limits::TOPIC_CHARS_MAX).is_ok());
    titled.unwrap_or_else(|| topic.to_owned())
}

/// Adds the title in a second line and the topic of a native channel below it, shortened to the limit of a topic.
pub(super) fn topic_with_original(topic: &str, title: &str, original: &str) -> String {
    let whole = format!("{topic}\n{title}\n{original}");
    if text::check_text(&whole, limits::TOPIC_CHARS_MAX).is_ok() {
        return whole;
    }
    let kept: String = whole.chars().take(limits::TOPIC_CHARS_MAX - 1).collect();
    let short = format!("{}…", kept.trim_end());
    if text::check_text(&short, limits::TOPIC_CHARS_MAX).is_ok() { short } else { topic.to_owned() }
}

/// The topic of a channel before its import from a native export.
pub(crate) fn original_topic(channel: &Channel) -> Option<&str> {
    channel.topic.as_deref()?.splitn(3, '\n').nth(2)
}

/// Whether an import of this conversation from a native export created the channel.
pub(crate) fn is_native_import(channel: &Channel, id: &ConversationId) -> bool {
    let foreign = id.as_str().strip_prefix("chn_f_").unwrap_or(id.as_str());
    [foreign, id.as_str()].iter().any(|foreign| is_made_for(channel, &topic(System::Native, foreign)))
}

/// Whether an import of any system created the channel.
pub(crate) fn is_imported(channel: &Channel) -> bool {
    origin_of(channel).is_some()
}

pub(super) fn is_made_for(channel: &Channel, topic: &str) -> bool {
    channel.topic.as_deref().is_some_and(|own| own.lines().next() == Some(topic))
}

/// The source id in the topic of a channel.
pub(crate) fn foreign_of(system: System, channel: &Channel) -> Option<&str> {
    channel.topic.as_deref()?.lines().next()?.strip_prefix(system.as_str())?.strip_prefix(' ')
}

/// The system from whose import the channel comes, and the source id.
fn origin_of(channel: &Channel) -> Option<(System, &str)> {
    System::ALL.into_iter().find_map(|system| Some((system, foreign_of(system, channel)?)))
}

/// The original title of a conversation, or the name of a channel that was renamed or created here; none if the
/// conversation had no title, so that its channel is named after its id.
pub(crate) fn title_of(channel: &Channel) -> Option<&str> {
    let name = channel.name.as_str();
    let Some((system, foreign)) = origin_of(channel) else { return Some(name) };
    let title = channel.topic.as_deref().and_then(|topic| topic.split_once('\n')).map(|(_, title)| match system {
        // Below the title, a native channel has its original topic.
        System::Native => title.lines().next().unwrap_or(title),
        _ => title,
    });
    if is_derived(name, &base_name(system, foreign, title)) { title } else { Some(name) }
}

/// Whether a channel has the name that an import chose, possibly with a number.
fn is_derived(name: &str, base: &Name) -> bool {
    let is_number = |rest: &str| rest.strip_prefix('-').is_some_and(|digits| digits.parse::<u32>().is_ok());
    name.strip_prefix(base.as_str()).is_some_and(|rest| rest.is_empty() || is_number(rest))
}

/// The name from the title; without one, or with the id as title, from the id.
fn base_name(system: System, foreign: &str, title: Option<&str>) -> Name {
    let of_title = title.filter(|title| *title != foreign).and_then(|title| match system {
        // The title is the name of a channel of another hub, so it is a valid name.
        System::Native => Name::parse(title).ok(),
        _ => spelt(title, NAME_KEPT_CHARS_MAX),
    });
    of_title.or_else(|| of_id(system, foreign)).unwrap_or_else(|| fallback(system, foreign))
}

/// The part before `@` of an address; for a long id the system and the start of the id.
fn of_id(system: System, foreign: &str) -> Option<Name> {
    let local = foreign.split('@').next().unwrap_or(foreign);
    let local =
        local.split_once('_').filter(|(kind, _)| matches!(*kind, "chn" | "dm" | "thr")).map_or(local, |(_, id)| id);
    let is_of_digits = local.chars().all(|character| character.is_ascii_hexdigit() || character == '-');
    if local.chars().count() <= READABLE_CHARS_MAX && !is_of_digits {
        return spelt(local, READABLE_CHARS_MAX);
    }
    let start: String = local.chars().take(ID_KEPT_CHARS_MAX).collect();
    spelt(&format!("{}-{start}", system.as_str()), NAME_KEPT_CHARS_MAX)
}

/// A valid name derived from the id.
fn fallback(system: System, foreign: &str) -> Name {
    let digits = format!("{:08x}", bits_of(&[foreign]) >> 96);
    Name::parse(&format!("{}-{digits}", system.as_str())).expect("letters of one script and digits are a name")
}

/// Replaces invalid characters; none if no valid name is left.
fn spelt(text: &str, chars_max: usize) -> Option<Name> {
    let can_stand = |character: char| character.is_alphanumeric() || matches!(character, ' ' | '_' | '.' | '\'');
    let plain: String = text.chars().map(|character| if can_stand(character) { character } else { '-' }).collect();
    let joined = plain.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let joined = joined.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-");
    let short: String = joined.chars().take(chars_max).collect();
    Name::parse(short.trim_matches(|character: char| !character.is_alphanumeric())).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn named(system: System, foreign: &str, title: Option<&str>) -> String {
        FreeNames(HashSet::new()).take(system, foreign, title).to_string()
    }

    #[test]
    fn a_channel_gets_the_title_of_the_conversation() {
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
    fn a_used_name_gets_a_number() {
        let mut names = FreeNames(HashSet::new());
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
    fn a_title_that_is_no_valid_name_is_kept_until_the_channel_is_renamed() {
        let base = topic(System::Pynchy, "1203@g.us");
        let name = Name::parse("Family - friends").expect("a name");
        let untitled = Name::parse("pynchy-1203").expect("a name");
        let titled = topic_with_title(&base, (&name, &untitled), Some("Family & friends"));
        assert_eq!(titled, "pynchy 1203@g.us\nFamily & friends");
        assert_eq!(topic_with_title(&base, (&name, &untitled), Some("Family - friends")), base);
        for (name, title) in [
            ("Family - friends", "Family & friends"),
            ("Family - friends-2", "Family & friends"),
            ("Family - friends-two", "Family - friends-two"),
            ("Relatives", "Relatives"),
        ] {
            let channel = channel(name, &titled);
            assert_eq!(title_of(&channel), Some(title));
            assert_eq!(foreign_of(System::Pynchy, &channel), Some("1203@g.us"));
            assert!(is_made_for(&channel, &base) && !is_made_for(&channel, &titled));
        }
        assert_eq!(title_of(&channel("general", "About everything")), Some("general"));
    }

    #[test]
    fn a_channel_that_is_named_after_the_id_has_no_title() {
        for (name, topic, title) in [
            ("pynchy-1203", "pynchy 1203@g.us", None),
            ("pynchy-1203-2", "pynchy 1203@g.us", None),
            ("pynchy-1203", "pynchy 1203@g.us\n1203@g.us", Some("1203@g.us")),
            ("Relatives", "pynchy 1203@g.us\n1203@g.us", Some("Relatives")),
            ("team", "pynchy team@g.us", None),
            ("team", "pynchy team@g.us\nteam", Some("team")),
            ("Family", "pynchy 1203@g.us", Some("Family")),
        ] {
            assert_eq!(title_of(&channel(name, topic)), title, "{name} {topic}");
        }
        let team = Name::parse("team").expect("a name");
        let base = topic(System::Pynchy, "team@g.us");
        assert_eq!(topic_with_title(&base, (&team, &team), Some("team")), "pynchy team@g.us\nteam");
    }

    proptest! {
        #[test]
        fn every_conversation_gets_a_name_and_a_topic(foreign in ".{0,80}|\\PC{0,600}", title in proptest::option::of(".{0,90}")) {
            named(System::Pynchy, &foreign, title.as_deref());
            prop_assert!(text::check_text(&topic(System::Pynchy, &foreign), limits::TOPIC_CHARS_MAX).is_ok());
        }
    }
}
