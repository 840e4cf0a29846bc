//! Questions: what a blocking message wants to know, from whom, until when, and what became of it.
//!
//! Every blocking message carries one. It is open until somebody answers it, its time is over, everybody whom it
//! addresses ignores it, or it is withdrawn. It ends once.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Code, Refusal, Timestamp,
    author::Author,
    id::{MemberId, MessageId, RunId},
    limits, text,
};

/// How far a question is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum QuestionState {
    /// Nobody has answered it yet.
    Open,
    /// Somebody has.
    Answered,
    /// Nobody did in time; its default counts, if it has one.
    Expired,
    /// All whom it addresses said that they will not answer; its default counts, if it has one.
    Ignored,
    /// Whoever asked, or a person who let the work go on without it, took it back.
    Withdrawn,
}

/// One of the answers that are offered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct AnswerOption {
    /// What it is called in answers.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 64))]
    pub id: String,
    /// What is shown.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 200))]
    pub label: String,
    /// What it would mean, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(max_length = 1000))]
    pub description: Option<String>,
}

/// What a blocking message asks, as a part of A request to post it. All of it is optional.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Ask {
    /// The answers that are offered. Whoever answers may also write something else, unless there is a schema.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(max_items = 12))]
    pub options: Vec<AnswerOption>,
    /// What an answer must look like, as a JSON Schema. Excludes options.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Object))]
    pub schema: Option<Value>,
    /// The answer that counts when nobody gives one: the id of an option, or a value that fits the schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Value))]
    pub default: Option<Value>,
    /// Seconds until it expires; absent means a day.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 604800))]
    pub expires_in_seconds: Option<u64>,
    /// The asker's run that waits for the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
}

/// The question of a blocking message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Question {
    /// Who is asked. The answer of one is enough.
    pub addressees: Vec<MemberId>,
    /// The answers that are offered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<AnswerOption>,
    /// What an answer must look like, as a JSON Schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Object))]
    pub schema: Option<Value>,
    /// The answer that counts when nobody gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Value))]
    pub default: Option<Value>,
    /// When it expires.
    pub expires_at: Timestamp,
    /// How far it is.
    pub state: QuestionState,
    /// The answer that counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// Those of the addressees who will not answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored_by: Vec<MemberId>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<Timestamp>,
    /// Who ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_by: Option<Author>,
}

/// What was answered. Free text that stands in a message is not repeated here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Answer {
    /// The id of the option that was chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option: Option<String>,
    /// The value that fits the schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Value))]
    pub value: Option<Value>,
    /// What was written, when it was not written in a message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The message that answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<MessageId>,
    /// Whether it is the default, which nobody gave.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_default: bool,
}

/// A request to answer a question: exactly one of its fields is given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct AnswerRequest {
    /// Takes one of the options, by its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(max_length = 64))]
    pub option: Option<String>,
    /// Gives a value, which must fit the schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Value))]
    pub value: Option<Value>,
    /// Writes something. Where it names an option, that is taken; where there is a schema, it must fit it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(max_length = 16384))]
    pub text: Option<String>,
    /// Says that the caller will not answer.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ignore: bool,
}

/// What a message answers. It stands on the answering message, and settles the question of the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AnswerTo {
    /// The message that asked.
    pub message_id: MessageId,
    /// The id of the option that it takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option: Option<String>,
    /// The value that it gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Value))]
    pub value: Option<Value>,
}

/// How a question ends, or comes nearer to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// Somebody answers.
    Answered(Answer),
    /// One of the addressees will not answer. When all will not, it ends.
    Ignored(MemberId),
    /// Its time is over.
    Expired,
    /// It is taken back.
    Withdrawn,
}

/// A question that has changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct QuestionMark {
    /// The message that asks.
    pub message_id: MessageId,
    /// Where it stands.
    pub conversation_id: crate::id::ConversationId,
    /// The question as it is now.
    pub question: Question,
}

/// What an answer holds before it is checked against a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RawAnswer {
    /// One of the options.
    Option(String),
    /// These values, in the order in which they are to be tried: the first that fits the schema counts.
    Values(Vec<Value>),
    /// Free text.
    Text(String),
}

impl Ask {
    /// Refuses what can be refused without knowing JSON Schema.
    pub fn check(&self) -> Result<(), Refusal> {
        self.check_options()?;
        if self.schema.is_some() && !self.options.is_empty() {
            return Err(Refusal::invalid("a question has either options or a schema").at("schema"));
        }
        check_json_bytes("schema", self.schema.as_ref(), limits::ANSWER_SCHEMA_BYTES_MAX)?;
        check_json_bytes("default", self.default.as_ref(), limits::ANSWER_BYTES_OF_QUESTION_MAX)?;
        self.check_default()?;
        let seconds = self.expires_in_seconds.unwrap_or(1);
        if (1..=limits::QUESTION_SECONDS_MAX as u64).contains(&seconds) {
            return Ok(());
        }
        let most = limits::QUESTION_SECONDS_MAX;
        Err(Refusal::out_of_bounds(format!("a question is open for 1 to {most} seconds")).at("expires_in_seconds"))
    }

    /// The question, asked at this moment.
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
            closed_at: None,
            closed_by: None,
        }
    }

    fn check_options(&self) -> Result<(), Refusal> {
        let count = self.options.len();
        if count > limits::OPTIONS_PER_QUESTION_MAX {
            let most = limits::OPTIONS_PER_QUESTION_MAX;
            return Err(
                Refusal::out_of_bounds(format!("{count} options are given; at most {most} are taken")).at("options")
            );
        }
        for (index, option) in self.options.iter().enumerate() {
            option.check().map_err(|refusal| refusal.at(&format!("options[{index}]")))?;
            if self.options[..index].iter().any(|earlier| earlier.id == option.id) {
                let detail = format!("the id {:?} stands twice", option.id);
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
                Err(Refusal::invalid("the default is the id of an option").at("default").proposing(known))
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
    /// What is given, or why the request cannot be read; nothing when the caller will not answer.
    pub fn given(&self, question: &Question) -> Result<Option<RawAnswer>, Refusal> {
        let (option, value, written) = (&self.option, &self.value, &self.text);
        match (option, value, written, self.ignore) {
            (None, None, None, true) => Ok(None),
            (Some(id), None, None, false) => question.option(id).map(|id| Some(RawAnswer::Option(id))),
            (None, Some(value), None, false) => question.read_value(value).map(Some),
            (None, None, Some(text), false) => {
                text::check_not_blank(text)
                    .and_then(|()| text::check_bytes(text, limits::ANSWER_BYTES_OF_QUESTION_MAX))
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

    /// The addressees from whom an answer can still come.
    pub fn awaited(&self) -> impl Iterator<Item = &MemberId> {
        self.addressees.iter().filter(|member| !self.ignored_by.contains(member))
    }

    /// What a text means as an answer: an option that it names by id, label or number, otherwise itself; where there is
    /// a schema, the JSON that it is, and itself as a JSON text.
    pub fn read_text(&self, text: &str) -> RawAnswer {
        let trimmed = text.trim();
        if self.schema.is_some() {
            let parsed = serde_json::from_str(trimmed).ok();
            return RawAnswer::Values(parsed.into_iter().chain([Value::String(trimmed.to_owned())]).collect());
        }
        let by_number = || trimmed.parse::<usize>().ok()?.checked_sub(1).and_then(|index| self.options.get(index));
        let is_named = |option: &&AnswerOption| same_words(&option.id, trimmed) || same_words(&option.label, trimmed);
        match self.options.iter().find(is_named).or_else(by_number) {
            Some(option) => RawAnswer::Option(option.id.clone()),
            None => RawAnswer::Text(text.to_owned()),
        }
    }

    /// The question after a settlement by this member at this moment; refused (`QuestionClosed`) when it has ended.
    ///
    /// One who ignores it again changes nothing, and is answered with the question as it is.
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
            Settlement::Ignored(member) => {
                let mut ignored_by = self.ignored_by.clone();
                if !ignored_by.contains(member) {
                    ignored_by.push(member.clone());
                }
                match self.addressees.iter().all(|one| ignored_by.contains(one)) {
                    true => Self { ignored_by, ..closed(QuestionState::Ignored, self.default_answer()) },
                    false => Self { ignored_by, ..self.clone() },
                }
            }
        })
    }

    /// The refusal of an answer that comes too late; it says how the question ended.
    pub fn refuse_closed(&self) -> Refusal {
        let by = self.closed_by.as_ref().map_or("somebody", |author| author.name.as_str());
        let detail = match self.state {
            QuestionState::Open => "the question is open".to_owned(),
            QuestionState::Answered => format!("{by} has answered it"),
            QuestionState::Expired if self.answer.is_some() => "it has expired, and its default counts".to_owned(),
            QuestionState::Expired => "it has expired".to_owned(),
            QuestionState::Ignored => "all whom it asked will not answer".to_owned(),
            QuestionState::Withdrawn => format!("{by} has taken it back"),
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
        Err(Refusal::new(Code::BadAnswer, format!("{id:?} is none of the options")).at("option").proposing(known))
    }

    fn read_value(&self, value: &Value) -> Result<RawAnswer, Refusal> {
        check_json_bytes("value", Some(value), limits::ANSWER_BYTES_OF_QUESTION_MAX)?;
        match (value, self.schema.is_some()) {
            (value, true) => Ok(RawAnswer::Values(vec![value.clone()])),
            (Value::String(text), false) => Ok(self.read_text(text)),
            _ => Err(Refusal::new(Code::BadAnswer, "the question has no schema: answer with an option or a text")
                .at("value")),
        }
    }
}

impl AnswerTo {
    /// The answer that a message of this id gives.
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

fn same_words(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.to_lowercase()
}

fn check_json_bytes(field: &str, value: Option<&Value>, bytes_max: usize) -> Result<(), Refusal> {
    let bytes = value.map_or(0, |value| serde_json::to_vec(value).map_or(usize::MAX, |json| json.len()));
    if bytes <= bytes_max {
        return Ok(());
    }
    Err(Refusal::out_of_bounds(format!("{field} has {bytes} bytes as JSON; at most {bytes_max} are taken")).at(field))
}

/// A question that waits for an answer, as the board shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct OpenQuestion {
    /// The message that asks, with its question.
    pub message: crate::message::Message,
    /// What its project is called.
    pub project_name: crate::name::Name,
    /// The channel that it stands in, or that its thread hangs below; a dm has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel_name: Option<crate::name::Name>,
    /// The runs that wait for it, as far as the caller sees them.
    pub blocks: Vec<crate::run::Run>,
}

#[cfg(test)]
mod tests;
