//! Output of an export as session folders of Caco.

use std::{
    collections::{HashMap, HashSet},
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use tempfile::NamedTempFile;

use super::{
    ExportStop, cannot_write,
    sink::{ExportSink, ExportedConversation, persist, temporary_file},
};
use crate::failure::Failure;

/// A folder `sessions` with one folder per conversation.
pub(super) struct CacoSink {
    folder: PathBuf,
    current: Option<(String, std::io::BufWriter<NamedTempFile>)>,
    titles: HashMap<String, Option<String>>,
    begun: HashSet<String>,
    written: u64,
}

impl CacoSink {
    /// Refuses a folder with sessions unless forced.
    pub(super) fn create(path: &Path, is_forced: bool) -> Result<Self, Failure> {
        let folder = path.join("sessions");
        let is_empty = fs::read_dir(&folder).map_or(true, |mut entries| entries.next().is_none());
        if !is_empty && !is_forced {
            let message = format!("{} already contains sessions", folder.display());
            return Err(Failure::new(message).hint("overwrite sessions of the same name with --force"));
        }
        fs::create_dir_all(&folder).map_err(|error| Failure::broken(folder.display(), &error))?;
        Ok(Self { folder, current: None, titles: HashMap::new(), begun: HashSet::new(), written: 0 })
    }

    /// Switches to the session of the conversation.
    fn turn_to(&mut self, conversation: &ExportedConversation<'_>) -> Result<(), ExportStop> {
        let session = folder_name(conversation.foreign);
        if self.current.as_ref().is_some_and(|(current, _)| *current == session) {
            return Ok(());
        }
        self.close()?;
        let folder = self.folder.join(&session);
        let made = fs::create_dir_all(&folder).and_then(|()| temporary_file(&folder));
        let file = made.map_err(|error| cannot_write(&folder.display().to_string(), &error))?;
        let mut writer = std::io::BufWriter::new(file);
        if !self.begun.insert(session.clone()) {
            // The session continues: a thread, or another channel of the same conversation.
            let before = fs::read(folder.join("events.jsonl")).unwrap_or_default();
            writer.write_all(&before).map_err(|error| cannot_write("copy a session", &error))?;
        }
        self.titles.entry(session.clone()).or_insert_with(|| conversation.title.map(str::to_owned));
        self.current = Some((session, writer));
        Ok(())
    }

    fn line(&mut self, conversation: &ExportedConversation<'_>, event: &Value) -> Result<(), ExportStop> {
        self.turn_to(conversation)?;
        let Some((_, writer)) = &mut self.current else { return Ok(()) };
        let mut line = serde_json::to_vec(event).expect("a value can be written to memory");
        line.push(b'\n');
        writer.write_all(&line).map_err(|error| cannot_write("write a session", &error))
    }

    /// Closes the current session and moves its file to the final path.
    fn close(&mut self) -> Result<(), ExportStop> {
        let Some((session, writer)) = self.current.take() else { return Ok(()) };
        let folder = self.folder.join(&session);
        let failed = |error: &std::io::Error| cannot_write(&folder.display().to_string(), error);
        let file = writer.into_inner().map_err(|error| failed(error.error()))?;
        persist(file, &folder.join("events.jsonl")).map_err(|error| failed(&error))?;
        let meta = json!({ "name": self.titles.get(&session) });
        fs::write(folder.join("meta.json"), format!("{meta:#}\n")).map_err(|error| failed(&error))
    }
}

impl ExportSink for CacoSink {
    fn write(&mut self, conversation: &ExportedConversation<'_>, value: Value) -> Result<(), ExportStop> {
        self.written += 1;
        self.line(conversation, &value)
    }

    fn write_step_event(&mut self, conversation: &ExportedConversation<'_>, event: &Value) -> Result<(), ExportStop> {
        self.line(conversation, event)
    }

    fn finish(&mut self) -> Result<(), ExportStop> {
        self.close()
    }

    fn written(&self) -> u64 {
        self.written
    }
}

/// A safe folder name: the topic of a channel is user input.
fn folder_name(foreign: &str) -> String {
    let can_stand = |character: char| character.is_alphanumeric() || matches!(character, '-' | '_' | '.');
    let name: String =
        foreign.chars().map(|character| if can_stand(character) { character } else { '-' }).take(100).collect();
    if name.starts_with('.') || name.is_empty() { format!("session-{name}") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_topic_leaves_the_export_folder() {
        for (foreign, name) in [
            ("3f2a-1", "3f2a-1"),
            ("../../etc", "session-..-..-etc"),
            ("", "session-"),
            ("a/b", "a-b"),
            (".", "session-."),
        ] {
            assert_eq!(folder_name(foreign), name);
        }
    }
}
