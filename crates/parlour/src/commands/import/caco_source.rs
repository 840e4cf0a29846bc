//! The session folders of Caco as a source, with the events that complete the steps of a message.

use std::{
    collections::VecDeque,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use parlour_core::{limits, step::Step};
use parlour_dialects::{Frame, Item};
use serde_json::{Map, Value};

use super::{
    source::{ImportSource, RowOrder, RowReader, SourceRow, read},
    system::System,
};
use crate::{
    commands::convert::{self, decode::DialectDecoder, records::RecordReader},
    failure::Failure,
};

const EVENTS: &str = "events.jsonl";
const META: &str = "meta.json";
/// A longer metadata file is ignored.
const META_BYTES_MAX: u64 = 1024 * 1024;

pub(super) struct CacoSource {
    folder: PathBuf,
    decoder: DialectDecoder,
    sessions: Vec<CacoSession>,
}

struct CacoSession {
    id: String,
    events: PathBuf,
}

impl CacoSource {
    /// Finds the sessions and their event files, which can be in another folder.
    pub(super) fn open(folder: &Path, events: Option<&Path>, decoder: DialectDecoder) -> Result<Self, Failure> {
        let mut sessions = Vec::new();
        let listed = match events {
            Some(events) => list(events)?,
            None => list(&folder.join("sessions")).map_err(|failure| {
                failure
                    .hint("pass the folder that contains `sessions`, usually ~/.caco, and the folder of the events with --events")
            })?,
        };
        for path in listed {
            let events = if path.is_dir() { path.join(EVENTS) } else { path.clone() };
            let is_history = events.extension().is_some_and(|end| end == "jsonl") && events.is_file();
            let name = path.file_stem().filter(|_| path.is_file()).or(path.file_name());
            if let Some(id) = name.and_then(|name| name.to_str()).filter(|_| is_history) {
                sessions.push(CacoSession { id: id.to_owned(), events });
            }
        }
        if sessions.is_empty() {
            let message = format!("no session in {} contains a file {EVENTS}", folder.display());
            return Err(Failure::new(message).hint("pass the folder of the event files with --events DIR"));
        }
        Ok(Self { folder: folder.to_owned(), decoder, sessions })
    }
}

/// The sorted entries of a folder.
fn list(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let failed = |error: io::Error| Failure::broken(folder.display(), &error);
    let entries = fs::read_dir(folder).map_err(failed)?;
    let mut paths =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>().map_err(failed)?;
    paths.sort();
    Ok(paths)
}

impl ImportSource for CacoSource {
    fn rows(&self, _order: RowOrder) -> Result<Box<dyn RowReader + '_>, Failure> {
        Ok(Box::new(BySession { source: self, next: 0, records: None, waiting: VecDeque::new() }))
    }

    fn title(&self, conversation: &str) -> Option<String> {
        let path = self.folder.join("sessions").join(conversation).join(META);
        let is_short = fs::metadata(&path).is_ok_and(|about| about.len() <= META_BYTES_MAX);
        let text = is_short.then(|| fs::read(&path).ok()).flatten()?;
        let meta: Value = serde_json::from_slice(&text).ok()?;
        meta.get("name")?.as_str().filter(|name| !name.trim().is_empty()).map(str::to_owned)
    }
}

struct BySession<'a> {
    source: &'a CacoSource,
    next: usize,
    records: Option<RecordReader<File>>,
    /// A message that waits for step events, and the message after it.
    waiting: VecDeque<SourceRow>,
}

impl RowReader for BySession<'_> {
    /// Caco writes tool results after the message of the call, so a message is held back until the next one.
    fn next(&mut self) -> Result<Option<SourceRow>, Failure> {
        loop {
            if self.waiting.len() > 1 {
                return Ok(self.waiting.pop_front());
            }
            let Some(row) = self.read()? else { return Ok(self.waiting.pop_front()) };
            match &row.item {
                Ok(item) if item.frame == Frame::Step && self.add_step(&row, item) => {}
                Ok(Item { frame: Frame::Message, .. }) => self.waiting.push_back(row),
                // Other frames are returned at once.
                _ => return Ok(Some(row)),
            }
        }
    }
}

impl BySession<'_> {
    /// Adds a step event to the waiting message of the same session that started the step.
    fn add_step(&mut self, row: &SourceRow, event: &Item) -> bool {
        let held = self.waiting.front_mut().filter(|held| held.conversation == row.conversation);
        let Some(SourceRow { item: Ok(begun), step_events, .. }) = held else { return false };
        let [step] = event.message.steps.as_slice() else { return false };
        let steps = &begun.message.steps;
        let Some(event) = System::Caco.dialect().encode(event).filter(|_| steps.iter().any(|one| one.id == step.id))
        else {
            return false;
        };
        step_events.get_or_insert_with(|| StepEvents::begun(steps.clone())).add(step, event);
        true
    }

    fn read(&mut self) -> Result<Option<SourceRow>, Failure> {
        loop {
            if self.records.is_none() {
                let Some(session) = self.source.sessions.get(self.next) else { return Ok(None) };
                let records = RecordReader::open(convert::open(&session.events)?);
                self.records = Some(records.map_err(|error| Failure::broken(session.events.display(), &error))?);
                self.next += 1;
            }
            let session = &self.source.sessions[self.next - 1];
            let records = self.records.as_mut().expect("opened above");
            let record = records.next().map_err(|error| Failure::broken(session.events.display(), &error))?;
            if let Some(record) = record {
                let location = format!("{}, {}", session.id, record.location);
                let (_, item) = read(System::Caco, &self.source.decoder, record.bytes);
                let whole = SourceRow::whole(location, Some(session.id.clone()), item);
                return Ok(Some(SourceRow { is_placed: true, ..whole }));
            }
            self.records = None;
        }
    }
}

/// Maximum length of texts in shortened events.
const CUT_TEXT_BYTES: usize = 1_024;
/// Maximum number of events per message: two per step.
const EVENTS_MAX: usize = 2 * limits::STEPS_PER_MESSAGE_MAX;

/// The completed steps of a message, and the events that completed them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct StepEvents {
    pub(super) steps: Vec<Step>,
    /// In the format of the system, in order; shortened when they exceed the limit together.
    events: Vec<Value>,
    count: usize,
    bytes: usize,
}

impl StepEvents {
    pub(super) fn begun(steps: Vec<Step>) -> Self {
        Self { steps, ..Self::default() }
    }

    /// Adds an event about one of the steps.
    pub(super) fn add(&mut self, step: &Step, event: Value) {
        if let Some(begun) = self.steps.iter_mut().find(|begun| begun.id == step.id)
            && step.finished_at.is_some()
        {
            begun.output = step.output.as_ref().map(shortened);
            (begun.is_error, begun.finished_at) = (step.is_error, step.finished_at);
        }
        self.count += 1;
        let fitted = self.has_room();
        self.bytes += event.to_string().len();
        if self.has_room() {
            self.events.push(event);
            return;
        }
        if fitted {
            self.events = self.cut_events();
        }
        if self.events.len() < EVENTS_MAX {
            self.events.push(cut(&event));
        }
    }

    /// The variants of events to store, the best first.
    pub(super) fn choices(&self) -> [Vec<Value>; 3] {
        [self.events.clone(), self.cut_events(), Vec::new()]
    }

    /// The number of events that are shortened if these are stored.
    pub(super) fn unkept(&self, kept: &[Value]) -> usize {
        if self.has_room() && self.events == kept { 0 } else { self.count }
    }

    fn has_room(&self) -> bool {
        self.bytes <= limits::MESSAGE_CONTENT_BYTES_MAX
    }

    fn cut_events(&self) -> Vec<Value> {
        self.events.iter().map(cut).collect()
    }
}

/// The output of a tool, shortened to the limit of a step.
fn shortened(output: &Value) -> Value {
    let text = output.as_str().map_or_else(|| output.to_string(), str::to_owned);
    if output.to_string().len() <= limits::STEP_VALUE_BYTES_MAX {
        return output.clone();
    }
    // Half of the limit, because JSON escapes need more bytes.
    Value::String(beginning(&text, limits::STEP_VALUE_BYTES_MAX / 2))
}

fn cut(value: &Value) -> Value {
    match value {
        Value::String(text) if text.len() > CUT_TEXT_BYTES => Value::String(beginning(text, CUT_TEXT_BYTES)),
        Value::Array(items) => items.iter().map(cut).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, value)| (name.clone(), cut(value))).collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

fn beginning(text: &str, bytes: usize) -> String {
    format!("{}\n… (cut, {} bytes in all)", &text[..text.floor_char_boundary(bytes)], text.len())
}

#[cfg(test)]
mod tests {
    use parlour_core::Timestamp;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tool_result_is_cut_to_the_size_of_a_step() {
        assert_eq!(shortened(&Value::from("README")), "README");
        let long = shortened(&Value::from("ä\n".repeat(20_000)));
        let text = long.as_str().expect("a text");
        assert!(text.starts_with("ä\nä\n") && text.ends_with("… (cut, 60000 bytes in all)"), "{}", text.len());
        assert!(long.to_string().len() <= limits::STEP_VALUE_BYTES_MAX);
        let wide = shortened(&Value::from(vec!["x"; 10_000]));
        assert!(wide.is_string() && wide.to_string().len() <= limits::STEP_VALUE_BYTES_MAX);
    }

    #[test]
    fn only_long_texts_of_events_are_cut() {
        let event = json!({"data": {"result": ["ä".repeat(1_000), 7]}, "type": "tool.execution_complete"});
        let cut = cut(&event);
        assert_eq!((&cut["type"], &cut["data"]["result"][1]), (&"tool.execution_complete".into(), &7.into()));
        let text = cut["data"]["result"][0].as_str().expect("a text");
        assert!(text.starts_with("ää") && text.ends_with("… (cut, 2000 bytes in all)"), "{text}");
    }

    #[test]
    fn events_that_fit_nowhere_are_cut_to_the_limit() {
        let step = |at| Step {
            id: "a".into(),
            name: "bash".into(),
            input: None,
            output: None,
            is_error: false,
            started_at: at,
            finished_at: None,
        };
        let step = step(Timestamp::from_millis(0));
        let mut step_events = StepEvents::begun(vec![step.clone()]);
        step_events.add(&step, json!({"text": "x".repeat(2_000)}));
        assert_eq!((step_events.unkept(&step_events.choices()[0]), step_events.unkept(&[])), (0, 1));
        for _ in 0..1_000 {
            step_events.add(&step, json!({"text": "y".repeat(limits::MESSAGE_CONTENT_BYTES_MAX)}));
        }
        assert_eq!((step_events.events.len(), step_events.unkept(&step_events.choices()[0])), (EVENTS_MAX, 1_001));
        assert!(step_events.events.iter().all(|event| event.to_string().len() < 2 * CUT_TEXT_BYTES));
    }
}
