use parlour_core::{
    Code, Refusal,
    access::Principal,
    conversation::Conversation,
    id::{AgentId, MemberId, RunId},
    inbox::Recipient,
    limits,
    message::Message,
    paging::PageRequest,
    question::{Ask, Question},
    waiting,
};

use super::{AnswerSchema, Reply, asks};
use crate::{
    Failure, Hub,
    calling::{PostCommit, RunEffect},
    ports::PostContext,
};

impl Hub {
    /// Notes on a blocking message that is to be posted what it asks, and that its author's run waits for the answer.
    pub(crate) async fn attach_question(
        &self,
        caller: &Principal,
        ask: &Ask,
        message: &mut Message,
        post_context: &PostContext,
        recipients: &[Recipient],
        post_commit: &mut PostCommit,
    ) -> Result<Reply, Failure> {
        check_schema(ask).map_err(|refusal| refusal.at("question"))?;
        let question = ask.asked(addressees(caller, message, post_context, recipients), message.created_at);
        // A repeated post only asks for its first answer: nothing is refused that has changed since then.
        if self.store.message(&message.id).await?.is_none() {
            self.check_asking(caller, ask, message, &question, post_commit).await?;
        }
        if let Some(run) = &ask.run_id {
            post_commit.then(&self.run_supervisor, RunEffect::Pause(run.clone()));
        }
        message.question = Some(question);
        Ok(Reply::default())
    }

    async fn check_asking(
        &self,
        caller: &Principal,
        ask: &Ask,
        message: &Message,
        question: &Question,
        post_commit: &mut PostCommit,
    ) -> Result<(), Failure> {
        if question.addressees.is_empty() {
            let detail = "mention whom you ask: nobody here would get this question";
            return Err(Refusal::new(Code::NobodyAsked, detail).at("mentions").into());
        }
        if let Some(run) = &ask.run_id {
            self.check_asking_run(caller, run).await?;
        }
        // One after another: two who ask each other at once would otherwise both be let through.
        post_commit.hold(self.call_locks.lock(&format!("ask {}", message.project_id)).await?);
        self.check_room(caller, message).await?;
        self.check_ring(caller, message, question).await
    }

    async fn check_asking_run(&self, caller: &Principal, id: &RunId) -> Result<(), Failure> {
        let refuse = || Refusal::not_found("run of yours", id).at("question.run_id");
        let run = self.store.run(id).await?.ok_or_else(refuse)?;
        if caller.member.agent() != Some(&run.agent_id) {
            return Err(refuse().into());
        }
        Ok(run.check_open().map_err(|refusal| refusal.at("question.run_id"))?)
    }

    async fn check_room(&self, caller: &Principal, message: &Message) -> Result<(), Failure> {
        let (own, all) = self.store.open_question_counts(&message.project_id, &caller.member).await?;
        // The store knows askers that are members; programs that write for one are few, and are looked for.
        let own = if caller.grant.acts_as.is_some() { self.count_asked_by(caller, message).await? } else { own };
        let bounds = [
            (own, limits::QUESTIONS_PER_ASKER_MAX, "you have"),
            (all, limits::QUESTIONS_PER_PROJECT_MAX, "this project has"),
        ];
        for (count, most, who) in bounds {
            if count >= most as u64 {
                let detail = format!("{who} {count} open questions; at most {most} may be open at once");
                return Err(Refusal::new(Code::Full, detail).at("blocking").into());
            }
        }
        Ok(())
    }

    async fn count_asked_by(&self, caller: &Principal, message: &Message) -> Result<u64, Failure> {
        let (mut count, mut next) = (0, Some(PageRequest::new(None, Some(limits::PAGE_ITEMS_MAX))?));
        while let Some(page) = next.take() {
            let open = self.store.open_questions(&message.project_id, caller, &page).await?;
            count += open.items.iter().filter(|asked| asks(&message.from, asked)).count() as u64;
            next = open.next.map(|key| PageRequest::new(Some(key), Some(limits::PAGE_ITEMS_MAX))).transpose()?;
        }
        Ok(count)
    }

    /// Refuses an agent's question that nobody could answer, because all whom it asks wait for the asker.
    async fn check_ring(&self, caller: &Principal, message: &Message, question: &Question) -> Result<(), Failure> {
        let Some(asker) = caller.member.agent() else { return Ok(()) };
        let waits = self.store.waits(&message.project_id).await?;
        let Some(ring) = waiting::find_ring(asker, &question.addressees, &waits) else { return Ok(()) };
        let names = self.names_in(message, &ring).await?;
        let way = names.iter().chain(names.first()).map(String::as_str).collect::<Vec<_>>().join(" → ");
        let detail = format!("nobody could answer, because they would wait for each other: {way}");
        Err(Refusal::new(Code::WaitRing, detail).at("blocking").into())
    }

    async fn names_in(&self, message: &Message, ring: &[AgentId]) -> Result<Vec<String>, Failure> {
        let roster = self.roster(&message.project_id).await?;
        let name_of = |id: &AgentId| match roster.name_of(&id.clone().into()) {
            Some(name) => name.to_string(),
            None => id.to_string(),
        };
        Ok(ring.iter().map(name_of).collect())
    }
}

fn check_schema(ask: &Ask) -> Result<(), Refusal> {
    let Some(schema) = &ask.schema else { return Ok(()) };
    let schema = AnswerSchema::compile(schema).map_err(|refusal| refusal.at("schema"))?;
    let Some(default) = &ask.default else { return Ok(()) };
    schema.check(default).map_err(|refusal| {
        Refusal::invalid(format!("the default does not fit the schema: {}", refusal.detail)).at("default")
    })
}

/// Whom a blocking message asks: the members that it mentions, and if it mentions none, in a dm the others there,
/// elsewhere the agents that get it into their inbox. Each of them can read it.
fn addressees(
    caller: &Principal,
    message: &Message,
    post_context: &PostContext,
    recipients: &[Recipient],
) -> Vec<MemberId> {
    let author = message.from.member_id();
    let mentioned: Vec<MemberId> =
        message.mentions.iter().filter(|member| Some(*member) != author.as_ref()).cloned().collect();
    match &post_context.conversation {
        _ if !mentioned.is_empty() => mentioned,
        Conversation::Dm(dm) => dm.participants.iter().filter(|member| **member != caller.member).cloned().collect(),
        _ => recipients.iter().map(|recipient| recipient.agent_id.clone().into()).collect(),
    }
}
