//! Mentions: names in a text, `@everyone` and `@agents`.

use parlour_core::{
    Code, Refusal,
    access::Principal,
    conversation::Visibility,
    id::{ConversationId, MemberId, ProjectId},
    limits,
    mention::{self, MentionProblem, MentionProblemReason, Mentions, WideMention},
    message::{Kind, Message},
    model_visibility::usual_kind,
    name::Name,
    policy::CallRules,
    post::PostMessage,
    scope::Scope,
};

use super::CallService;
use crate::{Failure, ports::PostContext};

/// The members that a wide mention addresses.
struct WideMembers(Vec<(MemberId, Name)>);

impl CallService {
    /// Adds the members that `@everyone` or `@agents` addresses. Requires a scope and a confirmation; without the
    /// confirmation the post is refused with their names.
    pub(crate) async fn expand_wide_mention(
        &self,
        caller: &Principal,
        request: &PostMessage,
        post_context: &PostContext,
        mut mentions: Mentions,
    ) -> Result<Mentions, Failure> {
        let Some(wide) = mentions.wide.filter(|_| is_talk(caller, request)) else { return Ok(mentions) };
        if request.stream {
            report_wide_mention(&mut mentions);
            return Ok(mentions);
        }
        self.access.require_scope(caller, Scope::MentionsWide)?;
        let meant = self.wide_members(wide, caller, post_context).await?;
        let rules = &self.projects.policy(post_context.conversation.project_id()).await?.calls;
        meant.check_room(rules, &mentions.members)?;
        if !request.confirm_wide && !meant.0.is_empty() {
            return Err(meant.ask(caller).into());
        }
        for (member, _) in meant.0 {
            if !mentions.members.contains(&member) {
                mentions.members.push(member);
            }
        }
        Ok(mentions)
    }

    /// The members who can read the conversation, without the caller.
    async fn wide_members(
        &self,
        wide: WideMention,
        caller: &Principal,
        post_context: &PostContext,
    ) -> Result<WideMembers, Failure> {
        let roster = self.projects.roster(post_context.conversation.project_id()).await?;
        let is_meant =
            |member: &MemberId| *member != caller.member && (wide == WideMention::Everyone || member.agent().is_some());
        let mut meant: Vec<_> = roster.members().iter().filter(|(member, _)| is_meant(member)).cloned().collect();
        if post_context.membership.visibility == Visibility::Private {
            let members: Vec<_> = meant.iter().map(|(member, _)| member.clone()).collect();
            let readers = self.store.readers_among(&post_context.conversation.id(), &members).await?;
            meant.retain(|(member, _)| readers.contains(member));
        }
        Ok(WideMembers(meant))
    }

    /// The members named by the text and by the list beside it. An unknown name in the list is refused; one in the
    /// text is only reported, because a text may contain `@` for other reasons.
    pub(crate) async fn resolve_mentions(
        &self,
        project: &ProjectId,
        body: &str,
        named: &[String],
    ) -> Result<Mentions, Failure> {
        if named.is_empty() && !body.contains('@') {
            return Ok(Mentions::default());
        }
        let roster = self.projects.roster(project).await?;
        let listed = mention::resolve_named(named, &roster)?;
        let mut found = mention::find_mentions(body, &roster);
        for member in listed {
            if !found.members.contains(&member) && found.members.len() < limits::MENTIONS_MAX {
                found.members.push(member);
            }
        }
        Ok(found)
    }

    /// The members that a message mentions with this new text. Members that the old text did not name stay: the list
    /// beside it named them, or a wide mention that the new text still contains.
    pub(crate) async fn resolve_edited_mentions(&self, message: &Message, body: &str) -> Result<Mentions, Failure> {
        let before = self.resolve_mentions(&message.project_id, &message.body, &[]).await?;
        let mut found = self.resolve_mentions(&message.project_id, body, &[]).await?;
        if before.wide.is_some() && found.wide.is_none() {
            return Ok(found);
        }
        let beside = message.mentions.iter().filter(|member| !before.members.contains(member));
        for member in beside {
            if !found.members.contains(member) && found.members.len() < limits::MENTIONS_MAX {
                found.members.push(member.clone());
            }
        }
        Ok(found)
    }

    /// Moves members who cannot read the conversation from the mentions to the problems.
    pub(crate) async fn keep_readable_mentions(
        &self,
        id: &ConversationId,
        visibility: Visibility,
        mut mentions: Mentions,
    ) -> Result<Mentions, Failure> {
        if visibility == Visibility::Project || mentions.members.is_empty() {
            return Ok(mentions);
        }
        let readers = self.store.readers_among(id, &mentions.members).await?;
        let (kept, outside): (Vec<MemberId>, Vec<MemberId>) =
            mentions.members.into_iter().partition(|member| readers.contains(member));
        mentions.members = kept;
        mentions.problems.extend(outside.into_iter().map(|member| MentionProblem {
            name: member.to_string(),
            reason: MentionProblemReason::NotInConversation,
            candidates: Vec::new(),
        }));
        Ok(mentions)
    }
}

impl WideMembers {
    fn agents(&self) -> usize {
        self.0.iter().filter(|(member, _)| member.agent().is_some()).count()
    }

    /// Refuses to call more agents than the policy allows, or to mention more members than a message holds.
    fn check_room(&self, rules: &CallRules, mentioned: &[MemberId]) -> Result<(), Refusal> {
        let (agents, most) = (self.agents() as u64, rules.wide_agents_max);
        if agents > most {
            let detail = format!(
                "this would call {agents} agents at once; the policy calls.wide_agents_max of the project allows {most}"
            );
            return Err(Refusal::out_of_bounds(detail).at("body"));
        }
        let others = mentioned.iter().filter(|member| self.0.iter().all(|(one, _)| one != *member)).count();
        let (count, most) = (self.0.len() + others, limits::MENTIONS_MAX);
        if count > most {
            let detail = format!("this would mention {count} members; a message mentions at most {most}");
            return Err(Refusal::out_of_bounds(detail).at("body"));
        }
        Ok(())
    }

    /// The request for a confirmation. A token without `channels:read` receives only the counts.
    fn ask(&self, caller: &Principal) -> Refusal {
        let agents = self.agents();
        let people = self.0.len() - agents;
        let agents = if agents == 1 { "1 agent".to_owned() } else { format!("{agents} agents") };
        let people = if people == 1 { "1 person".to_owned() } else { format!("{people} people") };
        let detail = format!("this would call {agents} and mention {people}; nothing was posted yet");
        let names = match caller.grant.scopes.contains(Scope::ChannelsRead) {
            true => self.0.iter().map(|(_, name)| name.to_string()).collect(),
            false => Vec::new(),
        };
        Refusal::new(Code::WideMention, detail).at("confirm_wide").proposing(names)
    }
}

/// Reports a wide mention that calls nobody, where no confirmation is possible.
pub(crate) fn report_wide_mention(mentions: &mut Mentions) {
    let Some(wide) = mentions.wide.take() else { return };
    let name = match wide {
        WideMention::Agents => "agents",
        WideMention::Everyone => "everyone",
    };
    let problem = MentionProblem { name: name.to_owned(), reason: MentionProblemReason::Wide, candidates: Vec::new() };
    mentions.problems.insert(0, problem);
    mentions.problems.truncate(limits::MENTION_PROBLEMS_MAX);
}

/// Whether the post addresses others: in the result of a tool a wide mention is plain text.
fn is_talk(caller: &Principal, request: &PostMessage) -> bool {
    let kind = request.kind.unwrap_or_else(|| usual_kind(caller.author().author_type));
    matches!(kind, Kind::User | Kind::Assistant)
}
