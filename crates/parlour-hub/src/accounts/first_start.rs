//! The first start: an administrator, and a sample project that explains the product.

use parlour_core::{
    Code,
    access::{Principal, Role},
    attribution::Attribution,
    author::Author,
    conversation::{Channel, Visibility},
    engine::{BUILT_IN, Engine},
    id::{ChannelId, ConversationId, MessageId, ProjectId},
    member::{Agent, Person},
    message::Message,
    name::Name,
    paging::PageRequest,
    policy::Policy,
    project::Project,
    scope::Scopes,
    token::TokenKey,
    write::{Entry, NewMessage, Write},
};

use crate::{
    Failure,
    accounts::{AccountService, NewAgent, NewPerson},
    host_message::host_message,
    token::hash_token,
};

/// The result of a start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstStart {
    pub admin: Person,
    /// The token of a new administrator; returned once.
    pub new_token: Option<String>,
    /// The code of a new sign-in link of the administrator; absent if the administrator has too many tokens.
    pub link: Option<String>,
    /// The sample project, if this was the first start.
    pub sample: Option<Project>,
}

const ADMIN: &str = "Admin";
const SAMPLE: &str = "Tour";
const CHANNEL: &str = "general";
const GUIDE: &str = "Guide";

impl AccountService {
    /// Creates the administrator with this token if necessary, and the sample project in an empty store.
    ///
    /// Every start creates a new sign-in link. Without `wanted_token` an existing administrator keeps its token. The next
    /// start completes a first start that was interrupted.
    pub async fn first_start(&self, wanted_token: Option<&str>) -> Result<FirstStart, Failure> {
        let (admin, new_token) = self.find_or_make_admin(wanted_token).await?;
        let caller = Principal::new(admin.id.clone(), admin.name.clone(), Role::Admin);
        let is_empty = self.store.projects(&caller, &PageRequest::first()).await?.items.is_empty();
        let sample = if is_empty { Some(self.make_sample(&caller).await?) } else { None };
        let link = self.fresh_link(&admin).await?;
        Ok(FirstStart { admin, new_token, link, sample })
    }

    /// Replaces the link of an earlier start by a new one.
    async fn fresh_link(&self, admin: &Person) -> Result<Option<String>, Failure> {
        self.end_host_links(&admin.id).await?;
        match self.add_link(Attribution::of_host(self.clock.now()), &admin.id, Scopes::all()).await {
            Ok(code) => Ok(Some(code)),
            // An administrator with so many tokens can sign in otherwise; the start must not fail.
            Err(Failure::Refused(refusal)) if refusal.code == Code::Full => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    /// The first administrator, and its token if it is new.
    async fn find_or_make_admin(&self, wanted_token: Option<&str>) -> Result<(Person, Option<String>), Failure> {
        let everybody = self.store.people(&PageRequest::first()).await?.items;
        if let Some(admin) = everybody.into_iter().find(|person| person.is_admin) {
            self.keep_admin_token(&admin, wanted_token).await?;
            return Ok((admin, None));
        }
        let request = NewPerson { name: Name::parse(ADMIN)?, is_admin: true };
        let attribution = Attribution::of_host(self.clock.now());
        match wanted_token {
            Some(token) => Ok((self.add_person(attribution, request, token, Scopes::all()).await?, None)),
            None => {
                let (admin, token) = self.add_person_with_new_token(attribution, request, Scopes::all()).await?;
                Ok((admin, Some(token)))
            }
        }
    }

    async fn keep_admin_token(&self, admin: &Person, wanted_token: Option<&str>) -> Result<(), Failure> {
        let Some(token) = wanted_token else { return Ok(()) };
        let owner = self.store.principal(&TokenKey::Static(hash_token(token))).await?.map(|caller| caller.member);
        if owner == Some(admin.id.clone().into()) {
            return Ok(());
        }
        let attribution = Attribution::of_host(self.clock.now());
        let new = self.static_token(&attribution, &admin.id.clone().into(), token, Scopes::all())?;
        self.replace_tokens(attribution, new).await?;
        Ok(())
    }

    async fn make_sample(&self, admin: &Principal) -> Result<Project, Failure> {
        let description = Some("A look around: what Parlour is and how to begin.".to_owned());
        let project = Project {
            id: ProjectId::from_bits(self.ids.next_bits()),
            name: Name::parse(SAMPLE)?,
            description,
            owner: admin.person()?.clone(),
            policy: Policy::default(),
            created_at: self.clock.now(),
        };
        let project = self.add_project(admin, project).await?;
        let channel = Channel {
            id: ChannelId::from_bits(self.ids.next_bits()),
            project_id: project.id.clone(),
            name: Name::parse(CHANNEL)?,
            topic: Some("Start here".to_owned()),
            visibility: Visibility::Project,
            created_by: Some(admin.member.clone()),
            created_at: self.clock.now(),
            archived_at: None,
        };
        self.writer.append(admin, &project.id, Write::CreateChannel(channel.clone(), Vec::new())).await?;
        let guide = self.make_guide(admin, &project).await?;
        let author =
            guide.as_ref().map_or_else(Author::host, |guide| Author::member(&guide.id.clone().into(), &guide.name));
        let greeting = if guide.is_some() { GREETING_OF_GUIDE } else { GREETING_OF_HUB };
        for text in [greeting, NEXT_STEPS] {
            self.say(&channel, &author, text).await?;
        }
        Ok(project)
    }

    /// Adds the agent that explains the product, if this hub can run it. It has no subscriptions and answers only
    /// mentions.
    async fn make_guide(&self, admin: &Principal, project: &Project) -> Result<Option<Agent>, Failure> {
        if self.engines.iter().all(|offer| offer.provider != BUILT_IN) {
            return Ok(None);
        }
        let request = NewAgent {
            project_id: project.id.clone(),
            name: Name::parse(GUIDE)?,
            capabilities: vec!["explains this hub".to_owned(), "summarises conversations".to_owned()],
            endpoint_url: None,
            instructions: None,
            engine: Some(Engine { provider: BUILT_IN.to_owned(), model: None }),
            context: None,
            role: None,
        };
        Ok(Some(self.create_agent(admin, request).await?.0))
    }

    /// Posts a message of the sample conversation. It calls no agent.
    async fn say(&self, channel: &Channel, author: &Author, text: &str) -> Result<(), Failure> {
        let at = self.clock.now();
        let id = MessageId::from_bits(self.ids.next_bits());
        let (project, to) = (channel.project_id.clone(), ConversationId::from(channel.id.clone()));
        let message = Message::plain(id.clone(), project.clone(), to.clone(), author.clone(), text.to_owned(), at);
        let write =
            Write::PostMessage(NewMessage { message, ..host_message(id, &project, &to, text.to_owned(), None, at) });
        let entry = Entry { project_id: channel.project_id.clone(), attribution: Attribution::of_host(at), write };
        self.store.append(entry).await?;
        Ok(())
    }
}

const GREETING_OF_GUIDE: &str = "**Welcome to Parlour!** I am Guide, a small built-in agent: no language model, no key. \
    People and agents talk here side by side, in channels, in threads below a message, and in direct messages. \
    Mention me and watch the answer arrive, for example with `@Guide help`.";

const GREETING_OF_HUB: &str = "**Welcome to Parlour!** People and agents talk here side by side, in channels, in threads \
    below a message, and in direct messages. Mention a member with `@` and the name.";

const NEXT_STEPS: &str = "Connect an agent of your own with one command, from any machine that reaches this hub:\n\n\
    ```sh\nparlour agent --name Coder --claude-code\n```\n\n\
    `parlour agent --help` lists other engines. All routes of the API, with a form to try each, are at `/docs`.";
