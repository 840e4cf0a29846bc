//! What conversations are called in a pack.

use std::{collections::BTreeMap, sync::Arc};

use parlour_context::candidate::Place;
use parlour_core::{conversation::Conversation, id::ConversationId, mention::Roster};

use super::{Aim, Eyes};
use crate::{Failure, Hub, ports::HistoryRange};

/// Conversations by their ids, as candidates know them.
pub(crate) type Places = BTreeMap<ConversationId, Arc<Place>>;

/// The places of these conversations. Those that cannot be read have none.
pub(super) async fn places(
    hub: &Hub,
    aim: &Aim,
    eyes: &mut Eyes,
    last_seqs: BTreeMap<ConversationId, Option<u64>>,
) -> Result<Places, Failure> {
    let roster = hub.projects.roster(&aim.project.id).await?;
    let mut places = Places::new();
    for (id, last_seq) in last_seqs {
        let Some(conversation) = eyes.conversation(hub, &id).await? else { continue };
        let last_seq = match last_seq {
            Some(seq) => seq,
            None => hub.store.messages(&id, HistoryRange::Newest, 1).await?.first().map_or(0, |message| message.seq),
        };
        let name = name(hub, aim, eyes, &conversation, &roster).await?;
        places.insert(id.clone(), Arc::new(Place { id, name, last_seq }));
    }
    Ok(places)
}

/// `#general`, `a thread in #general`, `a dm with Mara`.
async fn name(
    hub: &Hub,
    aim: &Aim,
    eyes: &mut Eyes,
    conversation: &Conversation,
    roster: &Roster,
) -> Result<String, Failure> {
    Ok(match conversation {
        Conversation::Channel(channel) => format!("#{}", channel.name),
        Conversation::Thread(thread) => {
            match eyes.conversation(hub, &thread.channel_id.clone().into()).await?.as_deref() {
                Some(Conversation::Channel(channel)) => format!("a thread in #{}", channel.name),
                _ => "a thread".to_owned(),
            }
        }
        Conversation::Dm(dm) => {
            let others = dm.participants.iter().filter(|member| **member != aim.member());
            let names = others.map(|member| {
                roster.name_of(member).map_or_else(|| "somebody who has left".to_owned(), ToString::to_string)
            });
            format!("a dm with {}", names.collect::<Vec<_>>().join(", "))
        }
    })
}
