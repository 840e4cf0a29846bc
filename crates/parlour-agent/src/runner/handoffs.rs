//! Gives the follow-up tasks that the outcome of a task asks for.

use parlour_core::{
    handoff::{Handoff, find_handoffs},
    id::MessageId,
    member::Agent,
    name::Name,
    task::Task,
};

use super::{Report, shared::Shared, tasks::post_notice};
use crate::{link::FollowUp, streaming::patiently};

/// What a hand-off starts with.
const START: &str = "[HANDOFF:";

/// The text with hand-offs that mention nobody, if it has any: whom they name gets a task, and need not be called for it
/// as well.
pub(super) fn quiet(text: &str) -> Option<String> {
    let mut parts = text.split(START);
    let mut quiet = parts.next()?.to_owned();
    for part in parts {
        let name = part.trim_start();
        let blanks = &part[..part.len() - name.len()];
        quiet.extend([START, blanks, name.strip_prefix('@').unwrap_or(name)]);
    }
    (quiet != text).then_some(quiet)
}

/// Gives a task for each hand-off in this text, and tells what became of each: in the task's thread where there is one,
/// and to whoever watches.
pub(super) async fn hand_on(shared: &Shared, task: &Task, place: Option<&MessageId>, text: &str) {
    let handoffs = find_handoffs(text);
    if handoffs.is_empty() {
        return;
    }
    let agents = patiently(|| shared.link.agents()).await.unwrap_or_default();
    let mut lines = Vec::new();
    for handoff in handoffs {
        lines.push(give(shared, task, &agents, handoff).await);
    }
    if place.is_some() {
        post_notice(shared, task, place, lines.join("\n")).await;
    }
    lines.into_iter().for_each(|line| shared.tell(Report::Task(line)));
}

/// Gives one task. It is tried once: a task that was given twice would be done twice.
async fn give(shared: &Shared, parent: &Task, agents: &[Agent], handoff: Handoff) -> String {
    let Handoff { name, title } = handoff;
    let Some(agent) = agents.iter().find(|agent| Name::fold(agent.name.as_str()) == Name::fold(&name)) else {
        return format!("“{title}” was not handed on: no agent here is called {name}.");
    };
    let description = Some(format!("Handed on by {} after “{}”.", shared.agent().name, parent.title));
    let assignee = agent.id.clone().into();
    let follow_up = FollowUp { parent: parent.clone(), title: title.clone(), description, assignee };
    match shared.link.follow_up(follow_up).await {
        Ok(_) => format!("“{title}” was handed on to {}.", agent.name),
        Err(error) => format!("“{title}” was not handed on to {}: {error}.", agent.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hand_off_mentions_nobody_and_all_else_stays() {
        let text = "Ask @Mara. [HANDOFF: @Critic \"Look\"] [HANDOFF:@A b \"x\"] [HANDOFF: none]";
        let expected = "Ask @Mara. [HANDOFF: Critic \"Look\"] [HANDOFF:A b \"x\"] [HANDOFF: none]";
        assert_eq!(quiet(text).as_deref(), Some(expected));
        assert_eq!(quiet("Ask @Mara. [HANDOFF: none]"), None);
    }
}
