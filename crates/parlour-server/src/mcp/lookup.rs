//! Lookup of projects, channels and members by id or name.

use parlour_core::{
    Code, Refusal,
    access::Role,
    id::{AgentId, ChannelId, ConversationId, MemberId, ProjectId},
    limits,
    mention::{self, Roster, closest_names},
    name::Name,
    paging::{Page, PageRequest},
};
use parlour_hub::Failure;

use super::{message_format::quoted_names, request::McpRequest};

impl McpRequest<'_> {
    /// The project of a request: the named one, the agent's own, or the only one that a person can see.
    pub(super) async fn project(&self, named: Option<&str>) -> Result<ProjectId, Failure> {
        match (named, &self.caller.role) {
            (Some(named), _) if named.parse::<ProjectId>().is_ok() => Ok(named.parse()?),
            (None, Role::Agent(own)) => Ok(own.clone()),
            _ => self.project_by_name(named).await,
        }
    }

    /// A channel of the project by id or name, with or without `#`.
    pub(super) async fn channel(&self, project: Option<&str>, named: &str) -> Result<ChannelId, Failure> {
        if let Ok(id) = named.parse() {
            return Ok(id);
        }
        let project = &self.project(project).await?;
        let channels = read_pages(|page| async move { self.hub.channels(self.caller, project, &page).await }).await?;
        let name = named.strip_prefix('#').unwrap_or(named);
        let found = channels.iter().find(|channel| Name::fold(channel.name.as_str()) == Name::fold(name));
        let refuse = || unknown("channel", named, channels.iter().map(|channel| &channel.name));
        Ok(found.ok_or_else(refuse).map_err(|refusal| refusal.at("channel_id"))?.id.clone())
    }

    /// A channel by id or name, or a thread or DM by id.
    pub(super) async fn conversation(&self, project: Option<&str>, named: &str) -> Result<ConversationId, Failure> {
        match named.parse() {
            Ok(id) => Ok(id),
            Err(_) => Ok(self.channel(project, named).await?.into()),
        }
    }

    /// Members of the project by id or name, with or without `@`. A refusal names `field`.
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

    /// An agent by id or name; without a name, the caller.
    pub(super) async fn agent_named(&self, project: Option<&str>, named: Option<&str>) -> Result<AgentId, Failure> {
        let Some(named) = named else {
            let refuse = || Refusal::invalid("this token belongs to a person; set agent_id").at("agent_id");
            return Ok(self.caller.member.agent().cloned().ok_or_else(refuse)?);
        };
        if let Ok(id) = named.parse() {
            return Ok(id);
        }
        let members = self.members(project, &[named.to_owned()], "agent_id").await?;
        let agent = members.first().and_then(MemberId::agent).cloned();
        Ok(agent.ok_or_else(|| Refusal::invalid(format!("{named:?} is a person, not an agent")).at("agent_id"))?)
    }

    /// The names of a project's members.
    pub(super) async fn roster(&self, project: &ProjectId) -> Result<Roster, Failure> {
        let agents = read_pages(|page| async move { self.hub.agents(self.caller, project, &page).await }).await?;
        let people =
            read_pages(|page| async move { self.hub.project_people(self.caller, project, &page).await }).await?;
        let agents = agents.into_iter().map(|agent| (MemberId::from(agent.id), agent.name));
        let people = people.into_iter().map(|person| (MemberId::from(person.id), person.name));
        Ok(Roster::new(agents.chain(people)))
    }

    async fn project_by_name(&self, named: Option<&str>) -> Result<ProjectId, Failure> {
        let projects = read_pages(|page| async move { self.hub.projects(self.caller, &page).await }).await?;
        let names = || projects.iter().map(|project| &project.name);
        let Some(named) = named else {
            return match projects.as_slice() {
                [only] => Ok(only.id.clone()),
                _ => {
                    let some = names().take(limits::MENTION_CANDIDATES_MAX).map(ToString::to_string).collect();
                    let detail = format!("you can see {} projects; set project_id to a name or id", projects.len());
                    Err(Refusal::invalid(detail).at("project_id").proposing(some).into())
                }
            };
        };
        let found = projects.iter().find(|project| Name::fold(project.name.as_str()) == Name::fold(named));
        Ok(found.ok_or_else(|| unknown("project", named, names()).at("project_id"))?.id.clone())
    }
}

/// Reads a list page by page, up to the limit of a lookup.
async fn read_pages<T, F, R>(fetch: F) -> Result<Vec<T>, Failure>
where
    F: Fn(PageRequest) -> R,
    R: Future<Output = Result<Page<T>, Failure>>,
{
    let (mut items, mut cursor) = (Vec::new(), None);
    loop {
        let page = fetch(PageRequest::new(cursor, Some(limits::PAGE_ITEMS_MAX))?).await?;
        items.extend(page.items);
        cursor = page.next;
        if cursor.is_none() || items.len() >= limits::MCP_LOOKUP_ITEMS_MAX {
            return Ok(items);
        }
    }
}

/// The refusal of an unknown name. Similar names are candidates; without any, the detail lists some that exist.
fn unknown<'a>(noun: &str, named: &str, names: impl Iterator<Item = &'a Name> + Clone) -> Refusal {
    let shown: String = named.chars().take(limits::NAME_CHARS_MAX).collect();
    let close = closest_names(named, names.clone());
    let some: Vec<&str> = names.take(limits::MENTION_CANDIDATES_MAX).map(Name::as_str).collect();
    let existing = match close.is_empty() && !some.is_empty() {
        true => format!("; there are {}", quoted_names(some)),
        false => String::new(),
    };
    let detail = format!("there is no {noun} {shown:?} that you can see{existing}");
    Refusal::new(Code::NotFound, detail).proposing(close)
}

/// Replaces `mentions` in the field of a refusal of the core.
fn rename_field(refusal: Refusal, field: &str) -> Refusal {
    let path = refusal.field.clone().unwrap_or_default().replacen("mentions", field, 1);
    Refusal { field: Some(path), ..refusal }
}
