//! Questions: what a blocking message asks, whom, until when, and how it ended.
//!
//! Every blocking message has a question. It is open until it is answered, expires, is withdrawn, or until no addressee
//! is left who could answer: each has declined, or has handled the message without an answer. It ends once.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Code, Refusal, Timestamp,
    author::Author,
    id::{AgentId, MemberId, MessageId, RunId},
    limits,
    post::null_as_value,
    run::RunState,
    text,
};

mod answer_text;

/// The state of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum QuestionState {
    /// Not answered yet.
    Open,
    /// Answered.
    Answered,
    /// Not answered in time. The default is the answer, if there is one.
    Expired,
    /// All addressees declined to answer. The default is the answer, if there is one.
    Ignored,
    /// No addressee is left who could answer: each has handled the message without an answer, or declined. The default is
    /// the answer, if there is one.
    Unanswered,
    /// The asker, or a person who resumed the run, withdrew it.
    Withdrawn,
}

/// One of the offered answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct AnswerOption {
    /// The id of the option in answers.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 64))]
    pub id: String,
    /// The label.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 200))]
    pub label: String,
    /// A description in one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(max_length = 1000))]
    pub description: Option<String>,
}

/// The question of a new blocking message. All fields are optional.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct NewQuestion {
    /// The offered answers. Free text is also accepted, unless there is a schema.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(max_items = 12))]
    pub options: Vec<AnswerOption>,
    /// A JSON Schema for the answer. Excludes options.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Object))]
    pub schema: Option<Value>,
    /// The answer if nobody answers: the id of an option, or a value that matches the schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Value))]
    pub default: Option<Value>,
    /// Seconds until the question expires; a day by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 604800))]
    pub expires_in_seconds: Option<u64>,
    /// The run of the asker that waits for the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
}

/// The question of a blocking message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Question {
    /// The members who are asked. One answer is enough.
    pub addressees: Vec<MemberId>,
    /// The offered answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<AnswerOption>,
    /// A JSON Schema for the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Object))]
    pub schema: Option<Value>,
    /// The answer if nobody answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Value))]
    pub default: Option<Value>,
    /// When the question expires.
    pub expires_at: Timestamp,
    /// The state.
    pub state: QuestionState,
    /// The answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// The addressees who declined to answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored_by: Vec<MemberId>,
    /// The addressees who handled the message without an answer: they resumed or finished the run that was given it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unanswered_by: Vec<MemberId>,
    /// When the question ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<Timestamp>,
    /// The member who ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_by: Option<Author>,
}

/// An answer. Free text of an answering message is not repeated here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Answer {
    /// The id of the chosen option.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option: Option<String>,
    /// The value that matches the schema.
    #[serde(default, deserialize_with = "null_as_value", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Value))]
    pub value: Option<Value>,
    /// Free text that is not in a message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The answering message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<MessageId>,
    /// Whether it is the default.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_default: bool,
}

/// A request to answer a question. Exactly one field must be given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct AnswerRequest {
    /// Chooses an option by its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(max_length = 64))]
    pub option: Option<String>,
    /// Gives a value, which must match the schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Value))]
    pub value: Option<Value>,
    /// Free text. A text that names an option chooses it; with a schema, the text must match it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(max_length = 16384))]
    pub text: Option<String>,
    /// Declines to answer.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ignore: bool,
}

/// The question that a message answers. The answering message settles it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AnswerTo {
    /// The message with the question.
    pub message_id: MessageId,
    /// The id of the chosen option.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option: Option<String>,
    /// The value.
    #[serde(default, deserialize_with = "null_as_value", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Value))]
    pub value: Option<Value>,
}

/// A change of a question that ends it or brings it closer to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "data", rename_all = "snake_case")]
pub enum Settlement {
    /// An answer.
    Answered(Answer),
    /// An addressee declines to answer. The question ends when all have declined.
    Ignored(MemberId),
    /// An addressee has handled the message without an answer. The question ends when no addressee is left.
    Unanswered(MemberId),
    /// The question expires.
    Expired,
    /// The question is withdrawn.
    Withdrawn,
}

/// A question that has changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct QuestionMark {
    /// The message with the question.
    pub message_id: MessageId,
    /// The conversation of the message.
    pub conversation_id: crate::id::ConversationId,
    /// The current question.
    pub question: Question,
}

/// An answer before the check against the schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RawAnswer {
    /// The id of an option.
    Option(String),
    /// Values to try in order: the first that matches the schema is the answer.
    Values(Vec<Value>),
    /// Free text.
    Text(String),
}

impl NewQuestion {
    /// Refuses invalid fields, except those that need a JSON Schema validator.
    pub fn check(&self) -> Result<(), Refusal> {
        self.check_options()?;
        if self.schema.is_some() && !self.options.is_empty() {
            return Err(Refusal::invalid("a question can have options or a schema, not both").at("schema"));
        }
        check_json_bytes("schema", self.schema.as_ref(), limits::ANSWER_SCHEMA_BYTES_MAX)?;
        check_json_bytes("default", self.default.as_ref(), limits::QUESTION_ANSWER_BYTES_MAX)?;
        self.check_default()?;
        let seconds = self.expires_in_seconds.unwrap_or(1);
        if (1..=limits::QUESTION_SECONDS_MAX as u64).contains(&seconds) {
            return Ok(());
        }
        let most = limits::QUESTION_SECONDS_MAX;
        Err(Refusal::out_of_bounds(format!("a question expires after 1 to {most} seconds")).at("expires_in_seconds"))
    }

    /// The question, asked at this time.
    pub fn asked(&self, addressees: Vec<MemberId>, at: Timestamp) -> Question {
        let seconds = self.expires_in_seconds.unwrap_or(limits::QUESTION_SECONDS_DEFAULT as u64);
        Question {
            addressees,
            options: self.options.clone(),
            schema: self.schema.clone(),
            default: self.default.clone(),
            expires_at: at.plus_millis(seconds * 1_000),
            state: QuestionState::Open,
            answer: None,
            ignored_by: Vec::new(),
            unanswered_by: Vec::new(),
            closed_at: None,
            closed_by: None,
        }
    }

    fn check_options(&self) -> Result<(), Refusal> {
        let count = self.options.len();
        if count > limits::OPTIONS_PER_QUESTION_MAX {
            let most = limits::OPTIONS_PER_QUESTION_MAX;
            return Err(Refusal::out_of_bounds(format!(
                "the question has {count} options; at most {most} are allowed"
            ))
            .at("options"));
        }
        for (index, option) in self.options.iter().enumerate() {
            option.check().map_err(|refusal| refusal.at(&format!("options[{index}]")))?;
            if self.options[..index].iter().any(|earlier| earlier.id == option.id) {
                let detail = format!("two options have the id {:?}", option.id);
                return Err(Refusal::invalid(detail).at(&format!("options[{index}].id")));
            }
        }
        Ok(())
    }

    fn check_default(&self) -> Result<(), Refusal> {
        match &self.default {
            Some(Value::String(id)) if self.options.iter().any(|option| option.id == *id) => Ok(()),
            Some(_) if !self.options.is_empty() => {
                let known = self.options.iter().map(|option| option.id.clone()).collect();
                Err(Refusal::invalid("the default must be the id of an option").at("default").proposing(known))
            }
            _ => Ok(()),
        }
    }
}

impl AnswerOption {
    fn check(&self) -> Result<(), Refusal> {
        let line = |text: &str, most: usize, field: &str| {
            text::check_not_blank(text).and_then(|()| text::check_line(text, most)).map_err(|refusal| refusal.at(field))
        };
        line(&self.id, limits::OPTION_ID_CHARS_MAX, "id")?;
        line(&self.label, limits::TITLE_CHARS_MAX, "label")?;
        let description = self.description.as_deref().unwrap_or_default();
        text::check_text(description, limits::OPTION_DESCRIPTION_CHARS_MAX).map_err(|refusal| refusal.at("description"))
    }
}

impl AnswerRequest {
    /// The given answer; `None` when the caller declines.
    pub fn given(&self, question: &Question) -> Result<Option<RawAnswer>, Refusal> {
        let (option, value, written) = (&self.option, &self.value, &self.text);
        match (option, value, written, self.ignore) {
            (None, None, None, true) => Ok(None),
            (Some(id), None, None, false) => question.option(id).map(|id| Some(RawAnswer::Option(id))),
            (None, Some(value), None, false) => question.read_value(value).map(Some),
            (None, None, Some(text), false) => {
                text::check_not_blank(text)
                    .and_then(|()| text::check_bytes(text, limits::QUESTION_ANSWER_BYTES_MAX))
                    .map_err(|refusal| refusal.at("text"))?;
                Ok(Some(question.read_text(text)))
            }
            _ => Err(Refusal::invalid("give exactly one of option, value, text and ignore").at("option")),
        }
    }
}

impl Question {
    /// Whether it can still be answered.
    pub fn is_open(&self) -> bool {
        self.state == QuestionState::Open
    }

    /// The addressees who can still answer.
    pub fn awaited(&self) -> impl Iterator<Item = &MemberId> {
        self.addressees
            .iter()
            .filter(|member| !self.ignored_by.contains(member) && !self.unanswered_by.contains(member))
    }

    /// Whether the end of a run means that its agent will not answer: the question is open, awaits the agent, and the run
    /// was given the message. A run that failed or was cancelled says nothing: the message is injected again later.
    pub fn is_passed_over(&self, agent: &AgentId, end: RunState, is_given: bool) -> bool {
        let awaits = self.awaited().any(|member| member.agent() == Some(agent));
        self.is_open() && awaits && is_given && end == RunState::Done
    }

    /// The question after a settlement. Refuses (`QuestionClosed`) a question that has ended.
    ///
    /// A repeated decline by the same member changes nothing, and neither does handling it after declining.
    pub fn settled(&self, settlement: &Settlement, by: &Author, at: Timestamp) -> Result<Self, Refusal> {
        if !self.is_open() {
            return Err(self.refuse_closed());
        }
        let closed =
            |state, answer| Self { state, answer, closed_at: Some(at), closed_by: Some(by.clone()), ..self.clone() };
        Ok(match settlement {
            Settlement::Answered(answer) => closed(QuestionState::Answered, Some(answer.clone())),
            Settlement::Expired => closed(QuestionState::Expired, self.default_answer()),
            Settlement::Withdrawn => closed(QuestionState::Withdrawn, None),
            Settlement::Ignored(member) | Settlement::Unanswered(member) => {
                let noted = self.noted(settlement, member);
                if noted.awaited().next().is_some() {
                    return Ok(noted);
                }
                let is_ignored = noted.unanswered_by.is_empty();
                let state = if is_ignored { QuestionState::Ignored } else { QuestionState::Unanswered };
                let Self { ignored_by, unanswered_by, .. } = noted;
                Self { ignored_by, unanswered_by, ..closed(state, self.default_answer()) }
            }
        })
    }

    /// The question with a note that this member will not answer; each member is noted once.
    fn noted(&self, settlement: &Settlement, member: &MemberId) -> Self {
        let mut noted = self.clone();
        if noted.ignored_by.contains(member) || noted.unanswered_by.contains(member) {
            return noted;
        }
        match settlement {
            Settlement::Unanswered(_) => noted.unanswered_by.push(member.clone()),
            _ => noted.ignored_by.push(member.clone()),
        }
        noted
    }

    /// The members who were awaited before the settlement and are not after it.
    pub fn released_by<'a>(&'a self, settled: &'a Self) -> impl Iterator<Item = &'a MemberId> {
        self.awaited().filter(|member| !settled.is_open() || settled.awaited().all(|one| one != *member))
    }

    /// The question after the removal of its message: withdrawn if it was open, without its contents and answer.
    pub fn removed(&self, by: &Author, at: Timestamp) -> Self {
        let ended = self.settled(&Settlement::Withdrawn, by, at).unwrap_or_else(|_| self.clone());
        Self { options: Vec::new(), schema: None, default: None, answer: None, ..ended }
    }

    /// The refusal of a late answer, with the way in which the question ended.
    pub fn refuse_closed(&self) -> Refusal {
        let by = self.closed_by.as_ref().map_or("somebody", |author| author.name.as_str());
        let detail = match self.state {
            QuestionState::Open => "the question is open".to_owned(),
            QuestionState::Answered => format!("{by} has answered it"),
            QuestionState::Expired if self.answer.is_some() => "it has expired; its default is the answer".to_owned(),
            QuestionState::Expired => "it has expired".to_owned(),
            QuestionState::Ignored => "all addressees have declined to answer".to_owned(),
            QuestionState::Unanswered => "all addressees have handled it without an answer".to_owned(),
            QuestionState::Withdrawn => format!("{by} has withdrawn it"),
        };
        Refusal::new(Code::QuestionClosed, detail)
    }

    fn default_answer(&self) -> Option<Answer> {
        let default = self.default.clone()?;
        let (option, value) = match default {
            Value::String(id) if !self.options.is_empty() => (Some(id), None),
            value => (None, Some(value)),
        };
        Some(Answer { option, value, text: None, message_id: None, is_default: true })
    }

    fn option(&self, id: &str) -> Result<String, Refusal> {
        if self.options.iter().any(|option| option.id == id) {
            return Ok(id.to_owned());
        }
        let known = self.options.iter().map(|option| option.id.clone()).collect();
        Err(Refusal::new(Code::BadAnswer, format!("{id:?} is not one of the options")).at("option").proposing(known))
    }

    fn read_value(&self, value: &Value) -> Result<RawAnswer, Refusal> {
        check_json_bytes("value", Some(value), limits::QUESTION_ANSWER_BYTES_MAX)?;
        match (value, self.schema.is_some()) {
            (value, true) => Ok(RawAnswer::Values(vec![value.clone()])),
            (Value::String(text), false) => Ok(self.read_text(text)),
            _ => Err(Refusal::new(Code::BadAnswer, "the question has no schema; answer with an option or a text")
                .at("value")),
        }
    }
}

impl AnswerTo {
    /// The answer given by this message.
    pub fn answer(&self, by_message: MessageId) -> Answer {
        Answer {
            option: self.option.clone(),
            value: self.value.clone(),
            text: None,
            message_id: Some(by_message),
            is_default: false,
        }
    }
}

fn check_json_bytes(field: &str, value: Option<&Value>, bytes_max: usize) -> Result<(), Refusal> {
    let bytes = value.map_or(0, |value| serde_json::to_vec(value).map_or(usize::MAX, |json| json.len()));
    if bytes <= bytes_max {
        return Ok(());
    }
    Err(Refusal::out_of_bounds(format!("{field} has {bytes} bytes as JSON; at most {bytes_max} are allowed")).at(field))
}

/// An open question, as the list "Needs you" shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct OpenQuestion {
    /// The message with its question.
    pub message: crate::message::Message,
    /// The name of its project.
    pub project_name: crate::name::Name,
    /// The channel of the message or of its thread; absent for a DM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel_name: Option<crate::name::Name>,
    /// The runs that wait for it, as far as the caller can see them.
    pub blocks: Vec<crate::run::Run>,
}

#[cfg(test)]
mod tests;
