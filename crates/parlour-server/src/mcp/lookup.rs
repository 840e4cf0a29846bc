//! Finding what an agent names: by id, or by the name that it would use.

use parlour_core::{
    Code, Refusal,
    access::Role,
    conversation::Channel,
    id::{AgentId, ChannelId, ConversationId, MemberId, ProjectId},
    limits,
    member::{Agent, Person},
    mention::{self, Roster, closest_names},
    name::Name,
    paging::{Page, PageRequest},
    project::Project,
};
use parlour_hub::Failure;

use super::turn::Turn;

impl Turn<'_> {
    /// The project of a call: the one that is named, the agent's own, or the only one that a person sees.
    pub(super) async fn project(&self, named: Option<&str>) -> Result<ProjectId, Failure> {
        match (named, &self.caller.role) {
            (Some(named), _) if named.parse::<ProjectId>().is_ok() => Ok(named.parse()?),
            (None, Role::Agent(own)) => Ok(own.clone()),
            _ => self.project_called(named).await,
        }
    }

    /// A channel of the project by id or name, with or without `#`.
    pub(super) async fn channel(&self, project: Option<&str>, named: &str) -> Result<ChannelId, Failure> {
        if let Ok(id) = named.parse() {
            return Ok(id);
        }
        let project = self.project(project).await?;
        let mut walk = Walk::<Channel>::default();
        while let Some(page) = walk.next_page()? {
            walk.take(self.hub.channels(self.caller, &project, &page).await?);
        }
        let channels = walk.items;
        let name = named.strip_prefix('#').unwrap_or(named);
        let found = channels.iter().find(|channel| Name::fold(channel.name.as_str()) == Name::fold(name));
        let refuse = || unknown("channel", named, channels.iter().map(|channel| &channel.name));
        Ok(found.ok_or_else(refuse).map_err(|refusal| refusal.at("channel_id"))?.id.clone())
    }

    /// A channel by id or name, or a thread or dm by id.
    pub(super) async fn conversation(&self, project: Option<&str>, named: &str) -> Result<ConversationId, Failure> {
        match named.parse() {
            Ok(id) => Ok(id),
            Err(_) => Ok(self.channel(project, named).await?.into()),
        }
    }

    /// Members of the project by id or name, with or without `@`. `field` is where they are listed.
    pub(super) async fn members(
        &self,
        project: Option<&str>,
        named: &[String],
        field: &str,
    ) -> Result<Vec<MemberId>, Failure> {
        let ids: Option<Vec<MemberId>> = named.iter().map(|name| name.parse().ok()).collect();
        if let Some(ids) = ids {
            return Ok(ids);
        }
        let roster = self.roster(&self.project(project).await?).await?;
        Ok(mention::resolve_named(named, &roster).map_err(|refusal| rename_field(refusal, field))?)
    }

    /// An agent by id or name; absent means the caller.
    pub(super) async fn agent_named(&self, project: Option<&str>, named: Option<&str>) -> Result<AgentId, Failure> {
        let Some(named) = named else {
            let refuse = || Refusal::invalid("this token is a person's: name the agent").at("agent_id");
            return Ok(self.caller.member.agent().cloned().ok_or_else(refuse)?);
        };
        if let Ok(id) = named.parse() {
            return Ok(id);
        }
        let members = self.members(project, &[named.to_owned()], "agent_id").await?;
        let agent = members.first().and_then(MemberId::agent).cloned();
        Ok(agent.ok_or_else(|| Refusal::invalid(format!("{named:?} is a person, no agent")).at("agent_id"))?)
    }

    /// The names of a project's members.
    pub(super) async fn roster(&self, project: &ProjectId) -> Result<Roster, Failure> {
        let (mut agents, mut people) = (Walk::<Agent>::default(), Walk::<Person>::default());
        while let Some(page) = agents.next_page()? {
            agents.take(self.hub.agents(self.caller, project, &page).await?);
        }
        while let Some(page) = people.next_page()? {
            people.take(self.hub.project_people(self.caller, project, &page).await?);
        }
        let agents = agents.items.into_iter().map(|agent| (MemberId::from(agent.id), agent.name));
        let people = people.items.into_iter().map(|person| (MemberId::from(person.id), person.name));
        Ok(Roster::new(agents.chain(people)))
    }

    async fn project_called(&self, named: Option<&str>) -> Result<ProjectId, Failure> {
        let mut walk = Walk::<Project>::default();
        while let Some(page) = walk.next_page()? {
            walk.take(self.hub.projects(self.caller, &page).await?);
        }
        let projects = walk.items;
        let names = || projects.iter().map(|project| &project.name);
        let Some(named) = named else {
            return match projects.as_slice() {
                [only] => Ok(only.id.clone()),
                _ => {
                    let some = names().take(limits::MENTION_CANDIDATES_MAX).map(ToString::to_string).collect();
                    let detail = format!("you see {} projects: name one by name or id", projects.len());
                    Err(Refusal::invalid(detail).at("project_id").proposing(some).into())
                }
            };
        };
        let found = projects.iter().find(|project| Name::fold(project.name.as_str()) == Name::fold(named));
        Ok(found.ok_or_else(|| unknown("project", named, names()).at("project_id"))?.id.clone())
    }
}

/// Reads a list page by page, up to a bound.
struct Walk<T> {
    items: Vec<T>,
    stage: Stage,
}

enum Stage {
    Begun,
    After(String),
    Done,
}

impl<T> Default for Walk<T> {
    fn default() -> Self {
        Self { items: Vec::new(), stage: Stage::Begun }
    }
}

impl<T> Walk<T> {
    fn next_page(&self) -> Result<Option<PageRequest>, Refusal> {
        let cursor = match &self.stage {
            Stage::Begun => None,
            Stage::After(cursor) => Some(cursor.clone()),
            Stage::Done => return Ok(None),
        };
        PageRequest::new(cursor, Some(limits::PAGE_ITEMS_MAX)).map(Some)
    }

    fn take(&mut self, page: Page<T>) {
        self.items.extend(page.items);
        let is_enough = self.items.len() >= limits::MCP_LOOKUP_ITEMS_MAX;
        self.stage = page.next.filter(|_| !is_enough).map_or(Stage::Done, Stage::After);
    }
}

/// A name that fits nothing, with those that come close. Where none does, the detail names some that there are: nobody has
/// confused them with what was asked.
fn unknown<'a>(noun: &str, named: &str, names: impl Iterator<Item = &'a Name> + Clone) -> Refusal {
    let shown: String = named.chars().take(limits::NAME_CHARS_MAX).collect();
    let close = closest_names(named, names.clone());
    let some: Vec<&str> = names.take(limits::MENTION_CANDIDATES_MAX).map(Name::as_str).collect();
    let known = match close.is_empty() && !some.is_empty() {
        true => format!("; there are {}", some.join(", ")),
        false => String::new(),
    };
    let detail = format!("there is no {noun} {shown:?} that you can see{known}");
    Refusal::new(Code::NotFound, detail).proposing(close)
}

/// The core speaks of mentions; the caller wrote them elsewhere.
fn rename_field(refusal: Refusal, field: &str) -> Refusal {
    let path = refusal.field.clone().unwrap_or_default().replacen("mentions", field, 1);
    Refusal { field: Some(path), ..refusal }
}
