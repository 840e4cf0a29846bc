//! Files that Caco stores besides events: metadata of outputs and sessions, and schedules.

use parlour_core::Refusal;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::fields::{self, Fields, missing, wrong_type};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputType {
    /// A part of another site, such as a video.
    Embed,
    Image,
    Html,
    Text,
}

/// The metadata of an output (`outputs/<id>.meta.json`).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OutputMetadata {
    #[serde(rename = "type")]
    pub output_type: OutputType,
    /// The site of an embed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The working directory of the session.
    pub session_cwd: String,
    /// RFC 3339, unchanged.
    pub created_at: String,
    /// Unknown fields.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// The metadata of a session (`sessions/<id>/meta.json`).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionMeta {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What the agent sets up in its shell after a restart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env_hint: Option<String>,
    /// Named sets of files and notes of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<Map<String, Value>>,
    /// RFC 3339, unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_idle_at: Option<String>,
    /// RFC 3339, unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_observed_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_intent: Option<String>,
    /// Unknown fields.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// When a schedule runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Timing {
    Cron(String),
    IntervalMinutes(u64),
}

/// A schedule (`schedule/<slug>/definition.json`).
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    pub slug: String,
    pub prompt: String,
    pub is_enabled: bool,
    pub timing: Timing,
    /// Unknown fields, for example the model.
    pub rest: Map<String, Value>,
}

/// The result of the last run of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunResult {
    /// The session accepted the prompt.
    Success,
    /// The session did not accept the prompt.
    Error,
}

/// The last run of a schedule (`schedule/<slug>/last-run.json`). `null` means that it has not happened yet.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LastRun {
    /// RFC 3339, unchanged.
    pub last_run: Option<String>,
    pub last_result: Option<RunResult>,
    pub last_error: Option<String>,
    /// The session that accepted the prompt.
    pub session_id: Option<String>,
    /// RFC 3339, unchanged.
    pub next_run: String,
    /// Unknown fields.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

impl OutputMetadata {
    /// Decodes the metadata of an output.
    pub fn decode(value: Value) -> Result<Self, Refusal> {
        let mut fields = Fields::of(value, "the metadata of an output")?;
        let types = [
            ("embed", OutputType::Embed),
            ("image", OutputType::Image),
            ("html", OutputType::Html),
            ("text", OutputType::Text),
        ];
        Ok(Self {
            output_type: one_of(&mut fields, "type", &types)?.ok_or_else(|| missing("type"))?,
            provider: fields.text("provider")?,
            title: fields.text("title")?,
            session_cwd: fields.required_text("sessionCwd")?,
            created_at: time(&mut fields, "createdAt")?.ok_or_else(|| missing("createdAt"))?,
            rest: fields.rest(),
        })
    }
}

impl SessionMeta {
    /// Decodes the metadata of a session.
    pub fn decode(value: Value) -> Result<Self, Refusal> {
        let mut fields = Fields::of(value, "the metadata of a session")?;
        Ok(Self {
            name: fields.text("name")?,
            env_hint: fields.text("envHint")?,
            context: fields.object("context")?,
            last_idle_at: time(&mut fields, "lastIdleAt")?,
            last_observed_at: time(&mut fields, "lastObservedAt")?,
            current_intent: fields.text("currentIntent")?,
            rest: fields.rest(),
        })
    }
}

impl Schedule {
    /// Decodes a schedule.
    pub fn decode(value: Value) -> Result<Self, Refusal> {
        let mut fields = Fields::of(value, "a schedule")?;
        Ok(Self {
            slug: fields.required_text("slug")?,
            prompt: fields.required_text("prompt")?,
            is_enabled: fields.boolean("enabled")?.ok_or_else(|| missing("enabled"))?,
            timing: timing(&mut fields).map_err(|refusal| refusal.at("schedule"))?,
            rest: fields.rest(),
        })
    }

    /// Encodes the schedule as Caco stores it.
    pub fn encode(&self) -> Value {
        let timing = match &self.timing {
            Timing::Cron(expression) => serde_json::json!({"type": "cron", "expression": expression}),
            Timing::IntervalMinutes(minutes) => serde_json::json!({"type": "interval", "intervalMinutes": minutes}),
        };
        let mut map = self.rest.clone();
        map.insert("slug".to_owned(), self.slug.as_str().into());
        map.insert("prompt".to_owned(), self.prompt.as_str().into());
        map.insert("enabled".to_owned(), self.is_enabled.into());
        map.insert("schedule".to_owned(), timing);
        Value::Object(map)
    }
}

impl LastRun {
    /// Decodes the last run of a schedule.
    pub fn decode(value: Value) -> Result<Self, Refusal> {
        let mut fields = Fields::of(value, "the last run of a schedule")?;
        let results = [("success", RunResult::Success), ("error", RunResult::Error)];
        Ok(Self {
            last_run: time(&mut fields, "lastRun")?,
            last_result: one_of(&mut fields, "lastResult", &results)?,
            last_error: fields.text("lastError")?,
            session_id: fields.text("sessionId")?,
            next_run: time(&mut fields, "nextRun")?.ok_or_else(|| missing("nextRun"))?,
            rest: fields.rest(),
        })
    }
}

fn timing(fields: &mut Fields) -> Result<Timing, Refusal> {
    let mut inner = match fields.take_non_null("schedule") {
        None => return Err(Refusal::invalid("this field is required")),
        Some(value) => Fields::of(value, "when a schedule comes due")?,
    };
    let names = [("cron", true), ("interval", false)];
    let is_cron = one_of(&mut inner, "type", &names)?.ok_or_else(|| missing("type"))?;
    if is_cron {
        return inner.required_text("expression").map(Timing::Cron);
    }
    let minutes = inner.count("intervalMinutes")?.ok_or_else(|| missing("intervalMinutes"))?;
    Ok(Timing::IntervalMinutes(minutes))
}

/// Checks a time and returns its text unchanged.
fn time(fields: &mut Fields, name: &str) -> Result<Option<String>, Refusal> {
    let text = fields.text(name)?;
    text.as_deref().map(|text| fields::parse_time(name, text)).transpose()?;
    Ok(text)
}

fn one_of<T: Copy>(fields: &mut Fields, name: &str, known: &[(&str, T)]) -> Result<Option<T>, Refusal> {
    let Some(text) = fields.text(name)? else { return Ok(None) };
    let found = known.iter().find(|(known, _)| *known == text).map(|(_, value)| *value);
    let names: Vec<String> = known.iter().map(|(known, _)| (*known).to_owned()).collect();
    let refuse = || wrong_type(name, &format!("one of {}", names.join(", ")), &Value::String(String::new()));
    found.map(Some).ok_or_else(|| refuse().proposing(names.clone()))
}
