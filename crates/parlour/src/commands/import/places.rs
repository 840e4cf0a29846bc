//! The channels that conversations of another system go to.

use parlour_agent::{ClientError, requests::NewChannel};
use parlour_core::{
    Code, Timestamp,
    conversation::{Channel, Visibility},
    id::ConversationId,
    name::Name,
    project::Project,
};

use super::{
    conversations::{Conversation, Conversations},
    naming::{Names, is_made_for, topic, topic_with_title},
    source::Source,
    system::System,
};
use crate::{failure::Failure, session::Session};

/// How often another name is tried: somebody may have taken it meanwhile, or in a channel that nobody else sees.
const TRIES_MAX: usize = 20;

/// Where one conversation goes.
#[derive(Clone, Debug)]
pub(super) enum Plan {
    /// Into a channel that is there.
    Known(Channel),
    /// Into a channel that is to be made.
    New { name: Name, topic: String, visibility: Visibility },
    /// Below a message of another conversation, whose place this is.
    Thread(usize),
}

/// Where it goes, when all channels are there.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) id: ConversationId,
    /// When the conversation here was begun: no message that carries no time can be older to anybody here.
    pub(super) since: Timestamp,
}

/// Decides where each conversation goes. Nothing is made.
pub(super) async fn plan(
    session: &Session,
    project: &Project,
    (system, source): (System, &dyn Source),
    conversations: &Conversations,
    into: Option<&Channel>,
) -> Result<Vec<Plan>, Failure> {
    let channels = session.client.channels(&project.id).await?.items;
    let mut names = Names::of(&channels);
    let mut plan = Vec::new();
    for (place, conversation) in conversations.list.iter().enumerate() {
        plan.push(match (conversations.root(place), into) {
            (Some((root, _)), _) => Plan::Thread(*root),
            (None, Some(channel)) => Plan::Known(channel.clone()),
            (None, None) => plan_one(&channels, &mut names, (system, source), conversation),
        });
    }
    Ok(plan)
}

/// The topic tells which channel was made for a conversation, also when it was given another name since.
fn plan_one(
    channels: &[Channel],
    names: &mut Names,
    (system, source): (System, &dyn Source),
    conversation: &Conversation,
) -> Plan {
    let topic = topic(system, &conversation.foreign);
    if let Some(known) = channels.iter().find(|channel| is_made_for(channel, &topic)) {
        return Plan::Known(known.clone());
    }
    let title = source.title(&conversation.foreign);
    let name = names.take(system, &conversation.foreign, title.as_deref());
    let topic = topic_with_title(&topic, &name, title.as_deref());
    let visibility = if conversation.is_private() { Visibility::Private } else { Visibility::Project };
    Plan::New { name, topic, visibility }
}

/// Makes a channel. A name that is taken after all gets a number.
pub(super) async fn make(session: &Session, project: &Project, plan: &Plan) -> Result<Option<Channel>, Failure> {
    let Plan::New { name, topic, visibility } = plan else { return Ok(None) };
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
    Err(Failure::new(format!("no name like {name} is free for a channel")).hint("name a channel with --channel"))
}
