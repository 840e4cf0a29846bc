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
