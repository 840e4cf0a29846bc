//! Injections of runs and context packs, requested with every combination of options.

use parlour_core::{
    access::Principal,
    context::{ContextFormat, ContextRequest},
    delivery::DeliveryPath,
    id::{MessageId, RunId},
    member::Agent,
};
use parlour_hub::{
    Failure,
    use_cases::{BuiltContext, WrittenPack},
};
use serde_json::json;

use crate::{
    acts::{WORDS, pick},
    reads::ReadRecorder,
    story::{StepVisibility, StoryStep},
    story_hub::{StoryHub, StoryObjects},
};

/// Targets of each side and kind that are requested; building a pack is slow.
const TARGETS_MAX: usize = 3;
/// The formats of requested packs.
const FORMATS: [ContextFormat; 5] = [
    ContextFormat::Pack,
    ContextFormat::Injection,
    ContextFormat::Native,
    ContextFormat::Last20,
    ContextFormat::Anthropic,
];

impl ReadRecorder<'_> {
    /// Reads the injections of runs and the current context of each agent.
    pub(crate) async fn ask_contexts(&mut self, read: &str) {
        let (hub, who) = (&self.story_hub.hub, self.who);
        let runs = self.targets.all(|objects| objects.runs.clone());
        match read {
            "injections" => {
                for id in runs {
                    let list = async |page| hub.injections(who, &id, &page).await;
                    self.note_list(format!("injections {id}"), list).await;
                }
            }
            "injection_difference" => {
                for id in &runs {
                    let question = format!("injection_difference {} {id}", runs[0]);
                    self.note(question, hub.injection_difference(who, &runs[0], id).await);
                }
            }
            _ => self.ask_packs(read).await,
        }
    }

    /// Requests for another agent are sent once: the refusal is always the same.
    async fn ask_packs(&mut self, read: &str) {
        let (hub, who) = (&self.story_hub.hub, self.who);
        let asks = if read == "context" { self.asks() } else { written_asks(self.asks()) };
        for one in self.story_hub.members().iter().filter(|one| one.member.agent().is_some()) {
            let id = one.member.agent().expect("an agent");
            let is_refused = who.member.agent().is_some_and(|own| own != id);
            for ask in asks.iter().take(if is_refused { 1 } else { usize::MAX }) {
                let question = format!("{read} {id} {}", json!(ask));
                if read == "context" {
                    self.note(question, hub.context(who, id, ask).await.map(|made| (made.pack, made.messages)));
                } else {
                    self.note(question, hub.context_written(who, id, ask, &as_list).await);
                }
            }
        }
    }

    /// Requests in every format, about words, conversations, messages and tasks of both sides, and with a small budget.
    fn asks(&self) -> Vec<ContextRequest> {
        let of = |format| ContextRequest { format, ..ContextRequest::default() };
        let words = Some(WORDS.join(" "));
        let mut asks: Vec<ContextRequest> = FORMATS.map(of).to_vec();
        asks.extend(FORMATS.map(|format| ContextRequest { query: words.clone(), ..of(format) }));
        asks.push(ContextRequest { budget: Some(256), query: words, ..ContextRequest::default() });
        let formats = || FORMATS.into_iter().cycle();
        let conversations = self.targets.all(|objects| some(objects.conversations()));
        asks.extend(conversations.iter().zip(formats()).map(|(conversation, format)| ContextRequest {
            conversation_id: Some(conversation.clone()),
            query: Some("payroll".into()),
            ..of(format)
        }));
        asks.extend(
            conversations
                .into_iter()
                .map(|conversation| ContextRequest { conversation_id: Some(conversation), ..of(ContextFormat::Pack) }),
        );
        asks.extend(
            some(self.targets.tasks.clone())
                .into_iter()
                .zip(formats())
                .map(|(task, format)| ContextRequest { task_id: Some(task), ..of(format) }),
        );
        let said: Vec<MessageId> =
            self.targets.all(|objects: &StoryObjects| some(objects.said.iter().map(|said| said.id.clone()).collect()));
        let told = said.clone();
        asks.extend(
            said.into_iter().zip(formats()).map(|(id, format)| ContextRequest { message_id: Some(id), ..of(format) }),
        );
        asks.push(ContextRequest { told, ..of(ContextFormat::Injection) });
        asks
    }
}

impl StoryHub {
    /// Stores a pack with one of an agent's runs, unless readers may join hidden channels: a stored pack with a hidden
    /// item would still show after the loss of access that something was left out.
    pub(crate) async fn give(&self, step: &StoryStep) -> Option<Result<(), Failure>> {
        if self.readers_may_join {
            return None;
        }
        let agent: &Principal = match step.side {
            StepVisibility::Open => &self.cast.readers[1].0,
            StepVisibility::Hidden => &self.cast.coder,
        };
        let run: RunId = pick(&self.objects(step.side).runs, step.what)?;
        let ask = ContextRequest {
            format: FORMATS[usize::from(step.bits) % FORMATS.len()],
            run_id: Some(run),
            delivered_via: Some(DeliveryPath::Prompt),
            query: Some(self.words(step)).filter(|_| step.by.is_multiple_of(2)),
            ..ContextRequest::default()
        };
        let id = agent.member.agent().expect("an agent");
        Some(self.hub.context(agent, id, &ask).await.map(drop))
    }
}

/// At most `TARGETS_MAX` items, from both ends of the list.
fn some<T>(mut targets: Vec<T>) -> Vec<T> {
    let first = TARGETS_MAX.div_ceil(2);
    if targets.len() > TARGETS_MAX {
        targets.drain(first..targets.len() - (TARGETS_MAX - first));
    }
    targets
}

/// The requests whose result depends on the surface; formats without a message list do not.
fn written_asks(asks: Vec<ContextRequest>) -> Vec<ContextRequest> {
    let budgets = [0, 300].map(|budget| ContextRequest {
        format: ContextFormat::Anthropic,
        budget: Some(budget),
        ..ContextRequest::default()
    });
    let is_written = |ask: &ContextRequest| ask.format.is_list() || ask.format == ContextFormat::Last20;
    asks.into_iter().filter(is_written).chain(budgets).collect()
}

/// Renders a list in a minimal form.
fn as_list(_: &ContextRequest, _: &Agent, made: &BuiltContext) -> WrittenPack {
    let text = made.pack.text.clone();
    let bodies: Vec<String> = made.messages.iter().map(|message| message.body.clone()).collect();
    let pieces = std::iter::once(text.clone()).chain(bodies.iter().cloned()).collect();
    WrittenPack { text, request: Some(json!(bodies)), pieces }
}
