//! The hook's entries in the settings file of a coding agent, and the rules that permit its commands: find, add and remove
//! them without changing any other byte.

use std::collections::BTreeMap;

use jsonc_parser::ast::Value;
use serde::{Deserialize, Serialize, Serializer};

use super::tool::{HookPoint, HookRegistration, Tool};
use document::{JsoncDocument, children, member};

mod document;

pub use document::JsonSyntaxError;

/// The largest settings file that is read.
pub const SETTINGS_BYTES_MAX: usize = 1024 * 1024;
/// How often Cursor may call the hook again within one turn.
const CURSOR_LOOPS_MAX: u64 = 5;
/// Bounds the loop that removes entries.
const ENTRIES_MAX: usize = 100;
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Why a settings file is not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HookSettingsError {
    /// The file is not JSON.
    #[error("it is not valid JSON ({0})")]
    Syntax(#[from] JsonSyntaxError),
    /// The tool would not read an entry there.
    #[error("{part} must be {expected} for {tool}")]
    Shape {
        /// The part of the file, such as `"hooks"`.
        part: String,
        /// `an object` or `an array`.
        expected: &'static str,
        /// The name of the tool.
        tool: &'static str,
    },
}

/// An entry of the hook in a settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookEntry {
    /// The event, as the tool names it.
    pub event: String,
    /// The command that the tool runs.
    pub command: String,
    /// The time limit in the entry.
    pub timeout: Option<u64>,
    /// The place in the list of the event, and in the group there.
    pub place: (usize, usize),
}

/// The information that uninstalling needs to restore the file byte for byte.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RestoreInfo {
    /// The whole file, if it contained only blanks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blank: Option<String>,
    /// Lists that existed and were empty: the keys that lead to each, and the blanks before its closing bracket.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub empty: Vec<(Vec<String>, String)>,
    /// Whether `version` was added to the file.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub added_version: bool,
    /// The rules that were added to `permissions.allow`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub added_rules: Vec<String>,
}

/// The entries of the hook in a settings file, in file order.
pub fn entries(text: &str, tool: Tool) -> Result<Vec<HookEntry>, HookSettingsError> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let document = JsoncDocument::parse(split_mark(text).1)?;
    Ok(find_entries(&document.root, tool).into_iter().map(|(_, entry)| entry).collect())
}

/// Whether `permissions.allow` contains all of these rules.
pub fn has_rules(text: &str, rules: &[String]) -> bool {
    let Ok(document) = JsoncDocument::parse(split_mark(text).1) else { return rules.is_empty() };
    let known = allowed_rules(&document.root);
    rules.iter().all(|rule| known.contains(rule))
}

/// The text with an entry for every event of the tool and with these rules, and the information that [`without_entries`]
/// needs.
pub fn with_entries(
    text: &str,
    tool: Tool,
    command: &str,
    rules: &[String],
) -> Result<(String, RestoreInfo), HookSettingsError> {
    let mut restore = RestoreInfo::default();
    let (mark, rest) = split_mark(text);
    if rest.trim_matches([' ', '\t', '\r', '\n']).is_empty() {
        restore.blank = Some(text.to_owned());
        let mut edit = Edit { text: "{}\n".to_owned(), restore };
        edit.add_entries(tool, command)?;
        edit.add_rules(tool, rules)?;
        return Ok((edit.text, edit.restore));
    }
    let mut edit = Edit { text: rest.to_owned(), restore };
    edit.add_entries(tool, command)?;
    edit.add_rules(tool, rules)?;
    Ok((mark.to_owned() + &edit.text, edit.restore))
}

/// The text without the entries and without the lists that were added for them.
pub fn without_entries(text: &str, tool: Tool, restore: &RestoreInfo) -> Result<String, HookSettingsError> {
    if text.trim().is_empty() {
        return Ok(text.to_owned());
    }
    let (mark, rest) = split_mark(text);
    let mut edit = Edit { text: rest.to_owned(), restore: restore.clone() };
    for rule in restore.added_rules.iter().rev() {
        edit.remove_rule(rule)?;
    }
    for _ in 0..ENTRIES_MAX {
        let path = find_entries(&JsoncDocument::parse(&edit.text)?.root, tool).pop().map(|(path, _)| path);
        let Some(path) = path else { break };
        edit.remove(&path)?;
    }
    if edit.text == rest {
        return Ok(text.to_owned());
    }
    if restore.added_version {
        edit.remove_version()?;
    }
    match &restore.blank {
        Some(blank) if edit.text.trim() == "{}" => Ok(blank.clone()),
        _ => Ok(mark.to_owned() + &edit.text),
    }
}

/// The setting that stops the tool from calling any hook, if the file contains it.
pub fn hooks_disabled_by(text: &str, tool: Tool) -> Option<&'static str> {
    let root = JsoncDocument::parse(split_mark(text).1).ok()?.root;
    let is = |value: Option<&Value>, wanted| value.and_then(Value::as_boolean_lit).is_some_and(|it| it.value == wanted);
    match tool {
        Tool::ClaudeCode => is(member(&root, "disableAllHooks"), true).then_some("\"disableAllHooks\": true"),
        Tool::Gemini => {
            let enabled = member(&root, "hooksConfig").and_then(|config| member(config, "enabled"));
            is(enabled, false).then_some("\"hooksConfig\": {\"enabled\": false}")
        }
        Tool::Codex | Tool::Cursor => None,
    }
}

fn split_mark(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 })
}

/// A settings file during a change; parsed anew for each step.
struct Edit {
    text: String,
    restore: RestoreInfo,
}

impl Edit {
    fn add_entries(&mut self, tool: Tool, command: &str) -> Result<(), HookSettingsError> {
        let document = JsoncDocument::parse(&self.text)?;
        check_shape(&document.root, tool)?;
        let needs_version = tool == Tool::Cursor && member(&document.root, "version").is_none();
        let hooks = member(&document.root, "hooks");
        let has_hooks = hooks.is_some();
        let has_event = |event| hooks.is_some_and(|hooks| member(hooks, event).is_some());
        let known: Vec<_> = tool.registrations().iter().map(|one| has_event(one.event)).collect();
        if needs_version {
            self.append(&[], Some("version"), &1)?;
            self.restore.added_version = true;
        }
        if !has_hooks {
            return self.append(&[], Some("hooks"), &NewHooks { tool, command });
        }
        for (one, is_known) in tool.registrations().iter().zip(known) {
            let entry = NewEntry::of(tool, one, command);
            if is_known {
                self.append(&["hooks", one.event], None, &entry)?;
            } else {
                self.append(&["hooks"], Some(one.event), &[entry])?;
            }
        }
        Ok(())
    }

    /// Adds the rules that are missing in `permissions.allow`.
    fn add_rules(&mut self, tool: Tool, rules: &[String]) -> Result<(), HookSettingsError> {
        let document = JsoncDocument::parse(&self.text)?;
        let known = allowed_rules(&document.root);
        let missing: Vec<String> = rules.iter().filter(|rule| !known.contains(rule)).cloned().collect();
        if missing.is_empty() {
            return Ok(());
        }
        let shape = |part: &str, expected| {
            let part = part.to_owned();
            Err(HookSettingsError::Shape { part, expected, tool: tool.title() })
        };
        match member(&document.root, "permissions").map(|permissions| (permissions, member(permissions, "allow"))) {
            None => self.append(&[], Some("permissions"), &BTreeMap::from([("allow", &missing)]))?,
            Some((permissions, _)) if permissions.as_object().is_none() => {
                return shape("\"permissions\"", "an object");
            }
            Some((_, None)) => self.append(&["permissions"], Some("allow"), &missing)?,
            Some((_, Some(allow))) if allow.as_array().is_none() => {
                return shape("\"permissions\".\"allow\"", "an array");
            }
            Some((_, Some(_))) => {
                for rule in &missing {
                    self.append(&["permissions", "allow"], None, rule)?;
                }
            }
        }
        self.restore.added_rules = missing;
        Ok(())
    }

    /// Removes the last occurrence of a rule from `permissions.allow`.
    fn remove_rule(&mut self, rule: &str) -> Result<(), HookSettingsError> {
        let document = JsoncDocument::parse(&self.text)?;
        let place = |value: &Value, key: &str| children(value).iter().rposition(|child| child.key == Some(key));
        let Some(permissions_at) = place(&document.root, "permissions") else { return Ok(()) };
        let permissions = children(&document.root).swap_remove(permissions_at).value;
        let Some(allow_at) = place(permissions, "allow") else { return Ok(()) };
        let allow = children(permissions).swap_remove(allow_at).value;
        let is_rule = |value: &Value| value.as_string_lit().is_some_and(|it| it.value == rule);
        let found = children(allow).iter().rposition(|child| child.key.is_none() && is_rule(child.value));
        found.map_or(Ok(()), |rule_at| self.remove(&[permissions_at, allow_at, rule_at]))
    }

    /// Appends a child to the list that these keys lead to.
    fn append(&mut self, keys: &[&str], key: Option<&str>, value: &impl Serialize) -> Result<(), HookSettingsError> {
        let document = JsoncDocument::parse(&self.text)?;
        let list = keys.iter().try_fold(&document.root, |value, key| member(value, key));
        let Some(list) = list else { return Ok(()) };
        let (text, blanks) = document.with_child(list, key, value, keys.len() + 1);
        let keys = keys.iter().map(|key| (*key).to_owned()).collect();
        self.restore.empty.extend(blanks.map(|blanks| (keys, blanks)));
        self.text = text;
        Ok(())
    }

    /// Removes a value, and each list around it that becomes empty and did not exist before.
    fn remove(&mut self, path: &[usize]) -> Result<(), HookSettingsError> {
        let document = JsoncDocument::parse(&self.text)?;
        let mut path = path;
        while let Some((index, parent)) = path.split_last() {
            let (list, keys) = value_at(&document.root, parent);
            let blanks = self.restore.empty.iter().find(|(empty, _)| *empty == keys).map(|(_, blanks)| blanks.as_str());
            if children(list).len() > 1 || blanks.is_some() || parent.is_empty() {
                self.text = document.without_child(list, *index, blanks.unwrap_or_default());
                return Ok(());
            }
            path = parent;
        }
        Ok(())
    }

    fn remove_version(&mut self) -> Result<(), HookSettingsError> {
        let document = JsoncDocument::parse(&self.text)?;
        let index = children(&document.root).iter().rposition(|child| child.key == Some("version"));
        index.map_or(Ok(()), |index| self.remove(&[index]))
    }
}

/// The value at a path of child numbers, and the keys on the way. The key of an array element is empty.
fn value_at<'v, 'a>(root: &'v Value<'a>, path: &[usize]) -> (&'v Value<'a>, Vec<String>) {
    path.iter().fold((root, Vec::new()), |(value, mut keys), index| {
        let child = children(value).swap_remove(*index);
        keys.push(child.key.unwrap_or_default().to_owned());
        (child.value, keys)
    })
}

/// Refuses a file in which the tool would not read the entries.
fn check_shape(root: &Value, tool: Tool) -> Result<(), HookSettingsError> {
    let refuse =
        |part: &str, expected| Err(HookSettingsError::Shape { part: part.to_owned(), expected, tool: tool.title() });
    if root.as_object().is_none() {
        return refuse("the top level", "an object");
    }
    let Some(hooks) = member(root, "hooks") else { return Ok(()) };
    if hooks.as_object().is_none() {
        return refuse("\"hooks\"", "an object");
    }
    for one in tool.registrations() {
        if member(hooks, one.event).is_some_and(|list| list.as_array().is_none()) {
            return refuse(&format!("\"hooks\".\"{}\"", one.event), "an array");
        }
    }
    Ok(())
}

/// The strings of `permissions.allow`.
fn allowed_rules(root: &Value) -> Vec<String> {
    let allow = member(root, "permissions").and_then(|permissions| member(permissions, "allow"));
    let rules = allow.map(children).unwrap_or_default();
    rules.iter().filter_map(|rule| Some(rule.value.as_string_lit()?.value.clone().into_owned())).collect()
}

/// All entries of the hook below `hooks`, each with its path of child numbers.
fn find_entries(root: &Value, tool: Tool) -> Vec<(Vec<usize>, HookEntry)> {
    let mut found = Vec::new();
    let Some(hooks_at) = children(root).iter().rposition(|child| child.key == Some("hooks")) else { return found };
    let hooks = children(root).swap_remove(hooks_at).value;
    for (event_at, event) in children(hooks).iter().enumerate() {
        if event.value.as_array().is_none() {
            continue;
        }
        let mut check = |path: Vec<usize>, entry: &Value| {
            let command = own_command(entry, tool);
            let event = event.key.unwrap_or_default().to_owned();
            let timeout = member(entry, "timeout").and_then(|it| it.as_number_lit()?.value.parse().ok());
            let place = (path[2], path.get(4).copied().unwrap_or_default());
            found.extend(command.map(|command| (path, HookEntry { event, command, timeout, place })));
        };
        for (at, entry) in children(event.value).iter().enumerate() {
            check(vec![hooks_at, event_at, at], entry.value);
            let inner_at = children(entry.value).iter().rposition(|child| child.key == Some("hooks"));
            let Some(inner_at) = inner_at else { continue };
            let inner = children(entry.value).swap_remove(inner_at).value;
            for (hook_at, hook) in children(inner).iter().filter(|hook| hook.key.is_none()).enumerate() {
                check(vec![hooks_at, event_at, at, inner_at, hook_at], hook.value);
            }
        }
    }
    found
}

/// The command of an entry, if it runs this hook.
fn own_command(entry: &Value, tool: Tool) -> Option<String> {
    let command = &member(entry, "command")?.as_string_lit()?.value;
    let (program, rest) = command.split_once(" hook run ")?;
    let is_own = program.contains("parlour") && rest.split(' ').next() == Some(tool.name());
    is_own.then(|| command.clone().into_owned())
}

/// The value of `hooks` in a file that has none.
struct NewHooks<'a> {
    tool: Tool,
    command: &'a str,
}

impl Serialize for NewHooks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let registrations = self.tool.registrations().iter();
        serializer.collect_map(registrations.map(|one| (one.event, [NewEntry::of(self.tool, one, self.command)])))
    }
}

/// An entry for one event, in the format of the tool.
#[derive(Serialize)]
#[serde(untagged)]
enum NewEntry<'a> {
    Group { hooks: [NewHook<'a>; 1] },
    Plain(NewHook<'a>),
}

#[derive(Serialize)]
struct NewHook<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'static str>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    command: &'a str,
    timeout: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    loop_limit: Option<u64>,
}

impl<'a> NewEntry<'a> {
    fn of(tool: Tool, one: &HookRegistration, command: &'a str) -> Self {
        let timeout = one.seconds_max;
        let hook = NewHook { name: None, kind: Some("command"), command, timeout, loop_limit: None };
        match tool {
            Tool::ClaudeCode | Tool::Codex => Self::Group { hooks: [hook] },
            Tool::Gemini => {
                Self::Group { hooks: [NewHook { name: Some("parlour"), timeout: timeout * 1_000, ..hook }] }
            }
            Tool::Cursor => {
                let loop_limit = (one.at == HookPoint::TurnEnd).then_some(CURSOR_LOOPS_MAX);
                Self::Plain(NewHook { kind: None, loop_limit, ..hook })
            }
        }
    }
}

#[cfg(test)]
mod tests;
