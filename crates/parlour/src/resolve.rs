//! Resolution of names to ids, and of ids to names.

use parlour_agent::Client;
use parlour_core::{
    conversation::{Channel, Dm},
    id::{ConversationId, MemberId, ProjectId},
    project::Project,
};

use crate::{failure::Failure, output::shell::quoted, session::Session};

mod labels;
mod members;
mod named;
mod names;

pub(crate) use labels::{ChannelLabels, label};
use named::{choices, find};
pub(crate) use names::MemberNames;

/// A conversation and its label for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResolvedConversation {
    pub(crate) id: ConversationId,
    /// `#general`, `@Coder`, or the id where no name is known.
    pub(crate) label: String,
}

/// A project by its name or id.
pub(crate) async fn project_named(client: &Client, wanted: &str) -> Result<Project, Failure> {
    if let Ok(id) = wanted.parse::<ProjectId>() {
        return Ok(client.project(&id).await?);
    }
    let projects = client.projects().await?.items;
    find("project", wanted, &projects).cloned()
}

impl Session {
    /// The selected project, or the only visible one.
    pub(crate) async fn project(&self) -> Result<Project, Failure> {
        match &self.wanted_project {
            Some(wanted) => self.project_named(wanted).await,
            None => only_project(self.client.projects().await?.items),
        }
    }

    /// A project by its name or id.
    pub(crate) async fn project_named(&self, wanted: &str) -> Result<Project, Failure> {
        project_named(&self.client, wanted).await
    }

    /// A channel by `#name`, `name` or id. An id needs no project.
    pub(crate) async fn channel(&self, wanted: &str) -> Result<Channel, Failure> {
        if let Ok(id) = wanted.parse() {
            return Ok(self.client.channel(&id).await?);
        }
        let project = self.project().await?;
        let channels = self.client.channels(&project.id).await?.items;
        let name = wanted.strip_prefix('#').unwrap_or(wanted);
        find("channel", name, &channels).cloned()
    }

    /// A conversation by `#name`, `name`, `@name` or id. An id needs no project.
    pub(crate) async fn conversation(&self, wanted: &str) -> Result<ResolvedConversation, Failure> {
        if let Some(name) = wanted.strip_prefix('@') {
            return self.dm_with(name, wanted).await;
        }
        if let Ok(id) = wanted.parse::<ConversationId>() {
            return Ok(ResolvedConversation { label: id.to_string(), id });
        }
        let channel = self.channel(wanted).await?;
        Ok(ResolvedConversation { label: label(&channel), id: channel.id.into() })
    }

    /// Like [`Self::conversation`], for posting: a missing DM is opened.
    pub(crate) async fn conversation_to_post(&self, wanted: &str) -> Result<ResolvedConversation, Failure> {
        let Some(name) = wanted.strip_prefix('@') else { return self.conversation(wanted).await };
        let (project, pair) = self.pair_with(name).await?;
        Ok(ResolvedConversation::dm(self.client.open_dm(&project, &pair).await?, wanted))
    }

    /// Finds a DM without opening one: the other member would see it.
    async fn dm_with(&self, name: &str, wanted: &str) -> Result<ResolvedConversation, Failure> {
        let (project, pair) = self.pair_with(name).await?;
        let dms = self.client.dms(&project).await?.items;
        let found = dms.into_iter().find(|dm| same_members(&dm.participants, &pair));
        let refuse = || Failure::new(format!("there is no DM with {wanted} yet"));
        let hint = || format!("parlour post {} 'Hello'", quoted(wanted));
        Ok(ResolvedConversation::dm(found.ok_or_else(|| refuse().hint(hint()))?, wanted))
    }

    /// Returns the project, and the ids of the named member and of the owner of the token.
    async fn pair_with(&self, name: &str) -> Result<(ProjectId, Vec<MemberId>), Failure> {
        let project = self.project().await?.id;
        let pair = vec![self.member_in(&project, name).await?, self.client.me().await?.member_id];
        Ok((project, pair))
    }
}

impl ResolvedConversation {
    fn dm(dm: Dm, wanted: &str) -> Self {
        Self { id: dm.id.into(), label: wanted.to_owned() }
    }
}

fn same_members(left: &[MemberId], right: &[MemberId]) -> bool {
    left.len() == right.len() && right.iter().all(|member| left.contains(member))
}

/// Several projects are an error: a guess could post to the wrong one.
fn only_project(mut projects: Vec<Project>) -> Result<Project, Failure> {
    match projects.len() {
        1 => Ok(projects.remove(0)),
        0 => Err(Failure::new("there is no project that you can see").hint("parlour project create NAME")),
        _ => {
            let names = choices(&projects);
            Err(Failure::usage(format!("several projects are visible: {names}"))
                .hint("select one with --project NAME, or for all commands with `parlour project use NAME`"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn projects(names: &[&str]) -> Vec<Project> {
        let project = |(at, name): (usize, &&str)| {
            let json = serde_json::json!({
                "id": format!("prj_{at}"), "name": name, "owner": "per_1", "created_at": "2026-11-15T09:12:00.000Z",
            });
            serde_json::from_value(json).expect("a project")
        };
        names.iter().enumerate().map(project).collect()
    }

    #[test]
    fn a_single_project_is_the_default_and_several_require_a_choice() {
        assert_eq!(only_project(projects(&["Tour"])).expect("the only one").name.as_str(), "Tour");
        let several = only_project(projects(&["Tour", "Apollo"])).expect_err("several");
        assert!(several.to_string().contains("Tour, Apollo") && several.exit == crate::failure::EXIT_USAGE);
        assert!(only_project(Vec::new()).expect_err("none").to_string().contains("parlour project create"));
    }

    #[test]
    fn the_members_of_a_dm_are_compared_without_their_order() {
        let members = |ids: &[&str]| ids.iter().map(|id| id.parse().expect("id")).collect::<Vec<MemberId>>();
        let pair = members(&["per_1", "agt_1"]);
        assert!(same_members(&pair, &members(&["agt_1", "per_1"])));
        assert!(!same_members(&members(&["per_1", "agt_1", "agt_2"]), &pair));
        assert!(!same_members(&members(&["per_1", "agt_2"]), &pair));
    }
}
