//! The project, the task, and what stands beside them in the graph: larger tasks, sisters, other agents.

use parlour_core::{
    author::Author,
    context::{Reason, Section, SubjectType},
    id::MemberId,
    limits,
    member::Agent,
    mention::Roster,
    paging::PageRequest,
    task::Task,
};

use super::{gather::Look, gathered::Card};
use crate::Failure;

/// Other agents of the project that come into question.
const AGENTS_MAX: usize = 50;
/// Tasks beside the agent's own that come into question.
const SISTERS_MAX: usize = 30;

impl Look<'_> {
    /// Everything that the hub knows without anybody having said it.
    pub(super) async fn at_cards(&mut self) -> Result<(), Failure> {
        let project = &self.aim.project;
        let about = project.description.as_deref().unwrap_or_default();
        self.gathered.add_card(Card {
            subject_type: SubjectType::Project,
            id: project.id.to_string(),
            section: Section::Project,
            from: None,
            text: format!("{}\n{about}", project.name).trim_end().to_owned(),
            reason: Reason::Parent,
            distance: 1,
            place: None,
        });
        let roster = self.hub.projects.roster(&project.id).await?;
        self.at_agents().await?;
        let Some(task) = self.aim.task.clone() else { return Ok(()) };
        self.add_task(&task, &roster, Section::Task, Reason::Task, 0);
        self.at_larger_tasks(&task, &roster).await?;
        self.at_sisters(&task, &roster).await
    }

    async fn at_agents(&mut self) -> Result<(), Failure> {
        let page = PageRequest::new(None, Some(AGENTS_MAX))?;
        for agent in self.hub.store.agents(&self.aim.project.id, &page).await?.items {
            if agent.id != self.aim.agent.id {
                self.gathered.add_card(agent_card(&agent));
            }
        }
        Ok(())
    }

    /// The tasks that this one is a part of.
    async fn at_larger_tasks(&mut self, task: &Task, roster: &Roster) -> Result<(), Failure> {
        let mut above = task.parent_id.clone();
        for distance in 1..=limits::TASK_DEPTH_MAX {
            let Some(parent) = above.take() else { break };
            let Some(larger) = self.hub.store.task(&parent).await? else { break };
            above.clone_from(&larger.parent_id);
            let distance = u8::try_from(distance).unwrap_or(u8::MAX);
            self.add_task(&larger, roster, Section::Neighbours, Reason::Parent, distance);
        }
        Ok(())
    }

    /// The parts of this task, and the tasks of the same batch or below the same larger one, newest first.
    async fn at_sisters(&mut self, task: &Task, roster: &Roster) -> Result<(), Failure> {
        let beside = self.hub.store.tasks_beside(task, SISTERS_MAX).await?;
        for other in beside.iter().take(SISTERS_MAX) {
            self.add_task(other, roster, Section::Neighbours, Reason::Peer, 1);
        }
        Ok(())
    }

    fn add_task(&mut self, task: &Task, roster: &Roster, section: Section, reason: Reason, distance: u8) {
        self.gathered.add_card(Card {
            subject_type: SubjectType::Task,
            id: task.id.to_string(),
            section,
            from: author(&task.created_by, roster),
            text: task_text(task, roster),
            reason,
            distance,
            place: None,
        });
    }
}

/// The author that stands for a member of the project.
pub(super) fn author(member: &MemberId, roster: &Roster) -> Option<Author> {
    roster.name_of(member).map(|name| Author::member(member, name))
}

fn agent_card(agent: &Agent) -> Card {
    let skills = agent.capabilities.join(", ");
    let skills = if skills.is_empty() { skills } else { format!(": {skills}") };
    let text = format!("{} (agent){skills}", agent.name);
    // What is known of an agent is nobody's word, least of all its own.
    Card {
        subject_type: SubjectType::Agent,
        id: agent.id.to_string(),
        section: Section::Neighbours,
        from: None,
        text,
        reason: Reason::Peer,
        distance: 1,
        place: None,
    }
}

fn task_text(task: &Task, roster: &Roster) -> String {
    let who = task.assignee.as_ref().and_then(|member| roster.name_of(member));
    let who = who.map(|name| format!(", given to {name}")).unwrap_or_default();
    let about = task.description.as_deref().unwrap_or_default();
    format!("{} ({}{who})\n{about}", task.title, task.status.as_str()).trim_end().to_owned()
}
