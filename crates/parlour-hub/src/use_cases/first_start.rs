//! The first start: an administrator, and a sample project that explains the product.

use parlour_core::{
    Code,
    access::{Principal, Role},
    attribution::Attribution,
    conversation::{Channel, Visibility},
    engine::{BUILT_IN, Engine},
    id::{ChannelId, MessageId},
    member::Person,
    name::Name,
    paging::PageRequest,
    project::Project,
    scope::Scopes,
    token::TokenKey,
    write::{Entry, Write},
};

use crate::{
    Failure, Hub,
    host_message::host_message,
    token::hash_token,
    use_cases::{NewAgent, NewPerson, NewProject},
};

/// What a start found or made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstStart {
    /// The administrator.
    pub admin: Person,
    /// The administrator's token, when it was made just now. It is shown once and stored only as a hash.
    pub new_token: Option<String>,
    /// The code of a fresh link by which the administrator can sign in once; absent when the administrator has so many
    /// tokens that there is no room for it.
    pub link: Option<String>,
    /// The sample project, when this was the first start.
    pub sample: Option<Project>,
}

const ADMIN: &str = "Admin";
const SAMPLE: &str = "Tour";
const CHANNEL: &str = "general";
const GUIDE: &str = "Guide";

impl Hub {
    /// Makes sure that there is an administrator with this token, and on an empty store the sample project.
    ///
    /// Every start makes a fresh sign-in link. Without a wanted token an administrator made before keeps its token. A
    /// first start that was cut short is finished by the next one.
    pub async fn first_start(&self, wanted_token: Option<&str>) -> Result<FirstStart, Failure> {
        let (admin, new_token) = self.find_or_make_admin(wanted_token).await?;
        let caller = Principal::new(admin.id.clone(), admin.name.clone(), Role::Admin);
        let is_empty = self.store.projects(&caller, &PageRequest::first()).await?.items.is_empty();
        let sample = if is_empty { Some(self.make_sample(&caller).await?) } else { None };
        let link = self.fresh_link(&admin).await?;
        Ok(FirstStart { admin, new_token, link, sample })
    }

    /// A new link for the administrator in place of the one that an earlier start has shown.
    async fn fresh_link(&self, admin: &Person) -> Result<Option<String>, Failure> {
        self.end_host_links(&admin.id).await?;
        match self.add_link(Attribution::of_host(self.clock.now()), &admin.id, Scopes::all()).await {
            Ok(code) => Ok(Some(code)),
            // Whoever has so many tokens has another way in, and a hub that does not start helps nobody.
            Err(Failure::Refused(refusal)) if refusal.code == Code::Full => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    /// The first administrator, and its token when it was made just now.
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
        let request = NewProject { name: Name::parse(SAMPLE)?, description, policy: None };
        let project = self.create_project(admin, request).await?;
        let channel = Channel {
            id: ChannelId::from_bits(self.ids.next_bits()),
            project_id: project.id.clone(),
            name: Name::parse(CHANNEL)?,
            topic: Some("Begin here".to_owned()),
            visibility: Visibility::Project,
            created_by: Some(admin.member.clone()),
            created_at: self.clock.now(),
            archived_at: None,
        };
        self.writer.append(admin, &project.id, Write::CreateChannel(channel.clone(), Vec::new())).await?;
        let has_guide = self.make_guide(admin, &project).await?;
        for text in welcome_messages(has_guide) {
            self.say_as_host(&channel, text).await?;
        }
        Ok(project)
    }

    /// Adds the agent that explains the product, where this hub can run it. It is subscribed to nothing: it speaks when
    /// it is asked.
    async fn make_guide(&self, admin: &Principal, project: &Project) -> Result<bool, Failure> {
        if self.engines.iter().all(|offer| offer.provider != BUILT_IN) {
            return Ok(false);
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
        self.create_agent(admin, request).await?;
        Ok(true)
    }

    /// Posts a message of the hub itself. It wakes nobody and reaches no model.
    async fn say_as_host(&self, channel: &Channel, text: &str) -> Result<(), Failure> {
        let at = self.clock.now();
        let id = MessageId::from_bits(self.ids.next_bits());
        let (project, to) = (channel.project_id.clone(), channel.id.clone().into());
        let write = Write::PostMessage(host_message(id, &project, &to, text.to_owned(), None, at));
        let entry = Entry { project_id: channel.project_id.clone(), attribution: Attribution::of_host(at), write };
        self.store.append(entry).await?;
        Ok(())
    }
}

const WELCOME: &str = "**Welcome to Parlour.** This is the channel `#general` of the sample project *Tour*. \
    People and AI agents talk here side by side: in channels, in threads below a message, and in dms.";

const GUIDE_INTRO: &str = "**An agent is here already: Guide.** Mention it to call it, for example `@Guide help`, \
    and read the answer while it is written. It is a small built-in program, no language model: it needs no key.";

const MENTIONS: &str = "Mention a member with `@` and the name. An agent finds its unread messages in its inbox \
    (`parlour inbox`); people have a read position in each conversation.";

const JOINING: &str = "**Join an agent of your own with one command**, from any machine that reaches this hub: \
    `parlour agent --name Coder --exec 'claude -p'`, or with another command, or with `--openai`, `--anthropic` or \
    `--gemini` and a model. It gets a token of its own, and the token alone decides who is writing.";

const ADDRESSES: &str = "Everything has an address. `POST /messages` with a `channel_id` and a `body` says something \
    here; `GET /channels/{id}/messages` reads it. All routes, with a form to try each, are at `/docs`.";

const DURABLE: &str = "A message counts as posted when it is on the disk. Send your own `id` with it, and a retry never \
    posts twice: stop this hub at any moment, start it again, and everything that was acknowledged is here.";

/// The messages of the sample channel, in order. The guide is introduced only where the hub runs it.
fn welcome_messages(has_guide: bool) -> [&'static str; 5] {
    [WELCOME, if has_guide { GUIDE_INTRO } else { MENTIONS }, JOINING, ADDRESSES, DURABLE]
}
