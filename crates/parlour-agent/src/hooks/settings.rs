//! The hook's entries in the settings file of a coding agent: found, added and taken out, with every other byte kept.

use serde::{Deserialize, Serialize};

use super::tool::{Occasion, Registration, Tool};
use edit::{Piece, Style};
use json_text::{Kind, Node};

mod edit;
mod json_text;

pub use json_text::BadJson;

/// A longer file is no settings file of a tool.
pub const SETTINGS_BYTES_MAX: usize = 1024 * 1024;
/// How often Cursor lets a hook hold one turn.
const CURSOR_LOOPS_MAX: u64 = 5;
/// A safety net for taking out: no file has more entries of ours.
const ENTRIES_MAX: usize = 100;

/// Why a settings file is not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSettings {
    /// It is no JSON.
    #[error("it is no valid JSON ({0})")]
    NoJson(#[from] BadJson),
    /// It is JSON of another shape than the tool reads.
    #[error("{0} is not what {1} expects there")]
    Shape(String, &'static str),
}

/// An entry of the hook in a settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The event, as the tool calls it.
    pub event: String,
    /// The command that is called.
    pub command: String,
}

/// What has to be known to take the entries out again without leaving a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Traces {
    /// The whole file, when nothing but blanks stood in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blank: Option<String>,
    /// Lists that were there and empty: the way to them, and what stood before their end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub empty: Vec<(Vec<String>, String)>,
    /// Whether the version of the file was added.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub added_version: bool,
}

/// The entries of the hook in a text, in its order.
pub fn entries(text: &str, tool: Tool) -> Result<Vec<Entry>, BadSettings> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let root = Node::parse(text)?;
    let ours = places(&root, tool).into_iter().map(|place| Entry { event: place.event, command: place.command });
    Ok(ours.collect())
}

/// The text with an entry for every event of the tool, and what is needed to take them out again.
pub fn with_entries(text: &str, tool: Tool, command: &str) -> Result<(String, Traces), BadSettings> {
    let mut traces = Traces::default();
    let mut text = text.to_owned();
    if text.trim_matches(['\u{feff}', ' ', '\t', '\r', '\n']).is_empty() {
        traces.blank = Some(text);
        text = "{}\n".to_owned();
    }
    check_shape(&Node::parse(&text)?, tool)?;
    let mut pen = Pen { text, traces };
    if tool == Tool::Cursor && pen.root()?.member("version").is_none() {
        pen.put(&[], Some("version"), &Piece::Number(1))?;
        pen.traces.added_version = true;
    }
    let groups = || tool.registrations().iter().map(|one| (one.event, vec![entry(tool, one, command)]));
    if pen.root()?.member("hooks").is_none() {
        let all = groups().map(|(event, group)| (event, Piece::Array(group))).collect();
        pen.put(&[], Some("hooks"), &Piece::Object(all))?;
        return Ok((pen.text, pen.traces));
    }
    for (event, mut group) in groups() {
        let has_event = pen.root()?.member("hooks").is_some_and(|hooks| hooks.value.member(event).is_some());
        match group.pop() {
            Some(entry) if has_event => pen.put(&["hooks", event], None, &entry)?,
            Some(entry) => pen.put(&["hooks"], Some(event), &Piece::Array(vec![entry]))?,
            None => {}
        }
    }
    Ok((pen.text, pen.traces))
}

/// The text without the entries, and without what was made to hold them.
pub fn without_entries(text: &str, tool: Tool, traces: &Traces) -> Result<String, BadSettings> {
    if text.trim().is_empty() {
        return Ok(text.to_owned());
    }
    let mut pen = Pen { text: text.to_owned(), traces: traces.clone() };
    for _ in 0..ENTRIES_MAX {
        let Some(place) = places(&pen.root()?, tool).pop() else { break };
        pen.take_out(&place.list, place.index)?;
    }
    if pen.text == text {
        return Ok(pen.text);
    }
    if traces.added_version {
        pen.take_member(&[], "version")?;
    }
    let is_empty = pen.root()?.spans().is_empty() && pen.text.trim() == "{}";
    Ok(traces.blank.clone().filter(|_| is_empty).unwrap_or(pen.text))
}

/// What in a settings file keeps the tool from calling any hook, if something does.
pub fn switch_off(text: &str, tool: Tool) -> Option<&'static str> {
    let root = Node::parse(text).ok()?;
    let is = |node: Option<&Node>, word: &str| node.is_some_and(|node| &text[node.span.clone()] == word);
    let value = |key: &str| root.member(key).map(|member| &member.value);
    match tool {
        Tool::ClaudeCode => is(value("disableAllHooks"), "true").then_some("\"disableAllHooks\": true"),
        Tool::Gemini => {
            let enabled = value("hooksConfig").and_then(|config| config.member("enabled"));
            is(enabled.map(|member| &member.value), "false").then_some("\"hooksConfig\": {\"enabled\": false}")
        }
        Tool::Codex | Tool::Cursor => None,
    }
}

/// A text while it is changed.
struct Pen {
    text: String,
    traces: Traces,
}

/// Where one entry stands: the way to its list, and its number there.
struct Place {
    list: Vec<Step>,
    index: usize,
    event: String,
    command: String,
}

/// One step from a value to one inside it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Key(String),
    Index(usize),
}

impl Pen {
    fn root(&self) -> Result<Node, BadSettings> {
        Ok(Node::parse(&self.text)?)
    }

    fn put(&mut self, way: &[&str], key: Option<&str>, piece: &Piece) -> Result<(), BadSettings> {
        let root = self.root()?;
        let steps: Vec<_> = way.iter().map(|key| Step::Key((*key).to_owned())).collect();
        let Some(list) = at(&root, &steps) else { return Ok(()) };
        let style = Style::of(&self.text, root.span.start, root.spans().first().map(|span| span.start));
        let (text, tail) = edit::put(&self.text, list, key, piece, &style, way.len() + 1);
        self.text = text;
        let way = way.iter().map(|key| (*key).to_owned()).collect();
        self.traces.empty.extend(tail.map(|tail| (way, tail)));
        Ok(())
    }

    /// Takes an element out, then each list around it that is empty now and was not there before.
    fn take_out(&mut self, list: &[Step], index: usize) -> Result<(), BadSettings> {
        let root = self.root()?;
        let Some(node) = at(&root, list) else { return Ok(()) };
        let is_last_one = node.spans().len() == 1;
        let keys: Option<Vec<String>> = list.iter().map(Step::key).collect();
        let trace = self.traces.empty.iter().find(|(way, _)| Some(way) == keys.as_ref());
        if is_last_one && trace.is_none() && !list.is_empty() {
            let (step, around) = list.split_last().unwrap_or((&Step::Index(0), &[]));
            let index = at(&root, around).and_then(|node| step.index_in(node));
            return index.map_or(Ok(()), |index| self.take_out(around, index));
        }
        let tail = trace.map(|(_, tail)| tail.clone()).unwrap_or_default();
        self.text = edit::take_out(&self.text, node, index, &tail);
        Ok(())
    }

    fn take_member(&mut self, list: &[Step], key: &str) -> Result<(), BadSettings> {
        let root = self.root()?;
        let index = at(&root, list).and_then(|node| Step::Key(key.to_owned()).index_in(node));
        index.map_or(Ok(()), |index| self.take_out(list, index))
    }
}

impl Step {
    fn key(&self) -> Option<String> {
        match self {
            Self::Key(key) => Some(key.clone()),
            Self::Index(_) => None,
        }
    }

    fn index_in(&self, node: &Node) -> Option<usize> {
        match self {
            Self::Key(key) => node.members()?.iter().rposition(|member| member.key == *key),
            Self::Index(index) => Some(*index),
        }
    }
}

fn at<'a>(root: &'a Node, way: &[Step]) -> Option<&'a Node> {
    way.iter().try_fold(root, |node, step| match step {
        Step::Key(key) => node.member(key).map(|member| &member.value),
        Step::Index(index) => node.elements()?.get(*index),
    })
}

/// Refuses a file in which the entries would not be read.
fn check_shape(root: &Node, tool: Tool) -> Result<(), BadSettings> {
    let refuse = |what: String| Err(BadSettings::Shape(what, tool.title()));
    if root.members().is_none() {
        return refuse("a value that is no object".to_owned());
    }
    let Some(hooks) = root.member("hooks").map(|member| &member.value) else { return Ok(()) };
    if hooks.members().is_none() {
        return refuse("\"hooks\" as something else than an object".to_owned());
    }
    for one in tool.registrations() {
        if hooks.member(one.event).is_some_and(|member| member.value.elements().is_none()) {
            return refuse(format!("\"hooks\".\"{}\" as something else than a list", one.event));
        }
    }
    Ok(())
}

/// The entry for one event, as the tool wants it.
fn entry(tool: Tool, one: &Registration, command: &str) -> Piece {
    let command = ("command", Piece::Text(command.to_owned()));
    let kind = ("type", Piece::Text("command".to_owned()));
    let hook = match tool {
        Tool::ClaudeCode | Tool::Codex => vec![kind, command, ("timeout", Piece::Number(one.seconds_max))],
        Tool::Gemini => {
            let name = ("name", Piece::Text("parlour".to_owned()));
            vec![name, kind, command, ("timeout", Piece::Number(one.seconds_max * 1_000))]
        }
        Tool::Cursor => {
            let loops = (one.at == Occasion::TurnEnd).then_some(("loop_limit", Piece::Number(CURSOR_LOOPS_MAX)));
            let seconds = ("timeout", Piece::Number(one.seconds_max));
            return Piece::Object([command, seconds].into_iter().chain(loops).collect());
        }
    };
    Piece::Object(vec![("hooks", Piece::Array(vec![Piece::Object(hook)]))])
}

/// All entries of the hook, wherever they stand below `hooks`.
fn places(root: &Node, tool: Tool) -> Vec<Place> {
    let events = root.member("hooks").and_then(|hooks| hooks.value.members()).unwrap_or_default();
    let mut found = Vec::new();
    for event in events {
        let list = vec![Step::Key("hooks".to_owned()), Step::Key(event.key.clone())];
        for (index, element) in event.value.elements().unwrap_or_default().iter().enumerate() {
            let inner = element.member("hooks").and_then(|member| member.value.elements());
            let place = |list: Vec<Step>, index, command| Place { list, index, event: event.key.clone(), command };
            found.extend(own_command(element, tool).map(|command| place(list.clone(), index, command)));
            for (number, hook) in inner.unwrap_or_default().iter().enumerate() {
                let way = [Step::Index(index), Step::Key("hooks".to_owned())];
                let list: Vec<_> = list.iter().cloned().chain(way).collect();
                found.extend(own_command(hook, tool).map(|command| place(list, number, command)));
            }
        }
    }
    found
}

/// The command of an entry, when it calls this hook.
fn own_command(entry: &Node, tool: Tool) -> Option<String> {
    let Kind::Text(command) = &entry.member("command")?.value.kind else { return None };
    let (program, rest) = command.split_once(" hook run ")?;
    let is_own = program.contains("parlour") && rest.split(' ').next() == Some(tool.name());
    is_own.then(|| command.clone())
}

#[cfg(test)]
mod tests;
