//! What was given to runs, and what each agent would see now, asked in every way in which it can be asked.

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

/// Targets of each side and kind that are asked about: a pack takes a while.
const THINGS_MAX: usize = 3;
/// Forms that packs are asked for in, whatever they are about.
const FORMATS: [ContextFormat; 5] = [
    ContextFormat::Pack,
    ContextFormat::Injection,
    ContextFormat::Native,
    ContextFormat::Last20,
    ContextFormat::Anthropic,
];

impl ReadRecorder<'_> {
    /// What was given to runs, and what each agent would see now.
    pub(crate) async fn ask_contexts(&mut self, read: &str) {
        let (hub, who) = (&self.story_hub.hub, self.who);
        let runs = self.things.all(|place| place.runs.clone());
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

    /// An agent that may not ask for another is asked for once: the refusal is the same for all.
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

    /// Every way to ask: in every form, about words, places, messages and tasks of both sides, and within little.
    fn asks(&self) -> Vec<ContextRequest> {
        let of = |format| ContextRequest { format, ..ContextRequest::default() };
        let words = Some(WORDS.join(" "));
        let mut asks: Vec<ContextRequest> = FORMATS.map(of).to_vec();
        asks.extend(FORMATS.map(|format| ContextRequest { query: words.clone(), ..of(format) }));
        asks.push(ContextRequest { budget: Some(256), query: words, ..ContextRequest::default() });
        let formats = || FORMATS.into_iter().cycle();
        let places = self.things.all(|place| some(place.conversations()));
        asks.extend(places.iter().zip(formats()).map(|(place, format)| ContextRequest {
            conversation_id: Some(place.clone()),
            query: Some("payroll".into()),
            ..of(format)
        }));
        asks.extend(
            places.into_iter().map(|place| ContextRequest { conversation_id: Some(place), ..of(ContextFormat::Pack) }),
        );
        asks.extend(
            some(self.things.tasks.clone())
                .into_iter()
                .zip(formats())
                .map(|(task, format)| ContextRequest { task_id: Some(task), ..of(format) }),
        );
        let said: Vec<MessageId> =
            self.things.all(|place: &StoryObjects| some(place.said.iter().map(|said| said.id.clone()).collect()));
        let told = said.clone();
        asks.extend(
            said.into_iter().zip(formats()).map(|(id, format)| ContextRequest { message_id: Some(id), ..of(format) }),
        );
        asks.push(ContextRequest { told, ..of(ContextFormat::Injection) });
        asks
    }
}

impl StoryHub {
    /// Gives an agent a pack for one of its runs. Readers who may be let in could be given what is hidden, and then what
    /// was beside it in their packs shows for ever that something was; all could know it then.
    pub(crate) async fn give(&self, step: &StoryStep) -> Option<Result<(), Failure>> {
        if self.readers_may_sit {
            return None;
        }
        let agent: &Principal = match step.side {
            StepVisibility::Open => &self.cast.readers[1].0,
            StepVisibility::Hidden => &self.cast.coder,
        };
        let run: RunId = pick(&self.place(step.side).runs, step.what)?;
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

/// The first and the last of them.
fn some<T>(mut things: Vec<T>) -> Vec<T> {
    let first = THINGS_MAX.div_ceil(2);
    if things.len() > THINGS_MAX {
        things.drain(first..things.len() - (THINGS_MAX - first));
    }
    things
}

/// Those whose outcome depends on the surface: what is not written as a list is the same as before.
fn written_asks(asks: Vec<ContextRequest>) -> Vec<ContextRequest> {
    let budgets = [0, 300].map(|budget| ContextRequest {
        format: ContextFormat::Anthropic,
        budget: Some(budget),
        ..ContextRequest::default()
    });
    let is_written = |ask: &ContextRequest| ask.format.is_list() || ask.format == ContextFormat::Last20;
    asks.into_iter().filter(is_written).chain(budgets).collect()
}

/// Writes a list as simply as can be.
fn as_list(_: &ContextRequest, _: &Agent, made: &BuiltContext) -> WrittenPack {
    let text = made.pack.text.clone();
    let bodies: Vec<String> = made.messages.iter().map(|message| message.body.clone()).collect();
    let pieces = std::iter::once(text.clone()).chain(bodies.iter().cloned()).collect();
    WrittenPack { text, request: Some(json!(bodies)), pieces }
}
