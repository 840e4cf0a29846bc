//! Messages in Caco's folder: one folder for each session.

use std::{
    collections::VecDeque,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use parlour_dialects::{Frame, Item};
use serde_json::Value;

use super::{
    file_source::read,
    source::{Order, Row, Rows, Source},
    system::System,
    told::Told,
};
use crate::{
    commands::convert::{self, reading::Reading, records::Records},
    failure::Failure,
};

/// The history of a session.
const EVENTS: &str = "events.jsonl";
/// What a session is called, among other things.
const META: &str = "meta.json";
/// A longer description of a session is none.
const META_BYTES_MAX: u64 = 1024 * 1024;

/// A folder with sessions.
pub(super) struct CacoSource {
    folder: PathBuf,
    reading: Reading,
    sessions: Vec<Session>,
}

struct Session {
    id: String,
    events: PathBuf,
}

impl CacoSource {
    /// Finds the sessions and their histories, which may stand in a folder of their own.
    pub(super) fn open(folder: &Path, events: Option<&Path>, reading: Reading) -> Result<Self, Failure> {
        let mut sessions = Vec::new();
        let listed = match events {
            Some(events) => list(events)?,
            None => list(&folder.join("sessions")).map_err(|failure| {
                failure
                    .hint("name the folder that holds `sessions`, usually ~/.caco, and where events are with --events")
            })?,
        };
        for path in listed {
            let events = if path.is_dir() { path.join(EVENTS) } else { path.clone() };
            let is_history = events.extension().is_some_and(|end| end == "jsonl") && events.is_file();
            let name = path.file_stem().filter(|_| path.is_file()).or(path.file_name());
            if let Some(id) = name.and_then(|name| name.to_str()).filter(|_| is_history) {
                sessions.push(Session { id: id.to_owned(), events });
            }
        }
        if sessions.is_empty() {
            let message = format!("no session in {} has a file {EVENTS}", folder.display());
            return Err(Failure::new(message).hint("name the folder of the histories with --events DIR"));
        }
        Ok(Self { folder: folder.to_owned(), reading, sessions })
    }
}

/// What is in a folder, always in the same order.
fn list(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let failed = |error: io::Error| Failure::broken(folder.display(), &error);
    let entries = fs::read_dir(folder).map_err(failed)?;
    let mut paths =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>().map_err(failed)?;
    paths.sort();
    Ok(paths)
}

impl Source for CacoSource {
    fn rows(&self, _order: Order) -> Result<Box<dyn Rows + '_>, Failure> {
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

/// One session after the other.
struct BySession<'a> {
    source: &'a CacoSource,
    next: usize,
    records: Option<Records<File>>,
    /// A message whose steps may still be told of, and what comes after it.
    waiting: VecDeque<Row>,
}

impl Rows for BySession<'_> {
    /// Caco tells what a tool gave back after the message that called it: a message waits for that until the next one.
    fn next(&mut self) -> Result<Option<Row>, Failure> {
        loop {
            if self.waiting.len() > 1 {
                return Ok(self.waiting.pop_front());
            }
            let Some(row) = self.read()? else { return Ok(self.waiting.pop_front()) };
            match &row.item {
                Ok(item) if item.frame == Frame::Step && self.add_step(&row, item) => {}
                Ok(Item { frame: Frame::Message, .. }) => self.waiting.push_back(row),
                // What is no message keeps nobody waiting.
                _ => return Ok(Some(row)),
            }
        }
    }
}

impl BySession<'_> {
    /// A step belongs to the message that waits, when that is of the same session and has begun it.
    fn add_step(&mut self, row: &Row, event: &Item) -> bool {
        let held = self.waiting.front_mut().filter(|held| held.conversation == row.conversation);
        let Some(Row { item: Ok(begun), told, .. }) = held else { return false };
        let [step] = event.message.steps.as_slice() else { return false };
        let steps = &begun.message.steps;
        let Some(event) = System::Caco.dialect().encode(event).filter(|_| steps.iter().any(|one| one.id == step.id))
        else {
            return false;
        };
        told.get_or_insert_with(|| Told::begun(steps.clone())).add(step, event);
        true
    }

    fn read(&mut self) -> Result<Option<Row>, Failure> {
        loop {
            if self.records.is_none() {
                let Some(session) = self.source.sessions.get(self.next) else { return Ok(None) };
                let records = Records::open(convert::open(&session.events)?);
                self.records = Some(records.map_err(|error| Failure::broken(session.events.display(), &error))?);
                self.next += 1;
            }
            let session = &self.source.sessions[self.next - 1];
            let records = self.records.as_mut().expect("opened above");
            let record = records.next().map_err(|error| Failure::broken(session.events.display(), &error))?;
            if let Some(record) = record {
                let place = format!("{}, {}", session.id, record.place);
                let (_, item) = read(System::Caco, &self.source.reading, record.bytes);
                let whole = Row::whole(place, Some(session.id.clone()), item);
                return Ok(Some(Row { is_placed: true, ..whole }));
            }
            self.records = None;
        }
    }
}
