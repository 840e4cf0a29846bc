//! A folder as Caco keeps its sessions.

use std::{
    collections::{HashMap, HashSet},
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use tempfile::NamedTempFile;

use super::{
    Stop, cannot_write,
    new_file::{put, unplaced},
    sink::{Conversation, Sink},
};
use crate::failure::Failure;

/// A folder `sessions`, with one folder for each conversation.
pub(super) struct CacoFolder {
    folder: PathBuf,
    /// The session that is being written, and its file.
    current: Option<(String, std::io::BufWriter<NamedTempFile>)>,
    titles: HashMap<String, String>,
    begun: HashSet<String>,
    written: u64,
}

impl CacoFolder {
    /// Refuses a folder in which there are sessions, unless writing over them is wanted.
    pub(super) fn create(path: &Path, is_forced: bool) -> Result<Self, Failure> {
        let folder = path.join("sessions");
        let is_empty = fs::read_dir(&folder).map_or(true, |mut entries| entries.next().is_none());
        if !is_empty && !is_forced {
            let message = format!("{} holds sessions already", folder.display());
            return Err(Failure::new(message).hint("write over those of the same name with --force"));
        }
        fs::create_dir_all(&folder).map_err(|error| Failure::broken(folder.display(), &error))?;
        Ok(Self { folder, current: None, titles: HashMap::new(), begun: HashSet::new(), written: 0 })
    }

    /// Makes the session the one that is written.
    fn turn_to(&mut self, conversation: &Conversation<'_>) -> Result<(), Stop> {
        let session = folder_name(conversation.foreign);
        if self.current.as_ref().is_some_and(|(current, _)| *current == session) {
            return Ok(());
        }
        self.close()?;
        let folder = self.folder.join(&session);
        let made = fs::create_dir_all(&folder).and_then(|()| unplaced(&folder));
        let file = made.map_err(|error| cannot_write(&folder.display().to_string(), &error))?;
        let mut writer = std::io::BufWriter::new(file);
        if !self.begun.insert(session.clone()) {
            // The session goes on: a thread, or another channel that was made for it.
            let before = fs::read(folder.join("events.jsonl")).unwrap_or_default();
            writer.write_all(&before).map_err(|error| cannot_write("copy a session", &error))?;
        }
        self.titles.entry(session.clone()).or_insert_with(|| conversation.title.to_owned());
        self.current = Some((session, writer));
        Ok(())
    }

    fn line(&mut self, conversation: &Conversation<'_>, event: &Value) -> Result<(), Stop> {
        self.turn_to(conversation)?;
        let Some((_, writer)) = &mut self.current else { return Ok(()) };
        let mut line = serde_json::to_vec(event).expect("a value can be written to memory");
        line.push(b'\n');
        writer.write_all(&line).map_err(|error| cannot_write("write a session", &error))
    }

    /// Puts the present session into its place.
    fn close(&mut self) -> Result<(), Stop> {
        let Some((session, writer)) = self.current.take() else { return Ok(()) };
        let folder = self.folder.join(&session);
        let failed = |error: &std::io::Error| cannot_write(&folder.display().to_string(), error);
        let file = writer.into_inner().map_err(|error| failed(error.error()))?;
        put(file, &folder.join("events.jsonl")).map_err(|error| failed(&error))?;
        let meta = json!({ "name": self.titles.get(&session) });
        fs::write(folder.join("meta.json"), format!("{meta:#}\n")).map_err(|error| failed(&error))
    }
}

impl Sink for CacoFolder {
    fn write(&mut self, conversation: &Conversation<'_>, value: Value) -> Result<(), Stop> {
        self.written += 1;
        self.line(conversation, &value)
    }

    fn write_told(&mut self, conversation: &Conversation<'_>, event: &Value) -> Result<(), Stop> {
        self.line(conversation, event)
    }

    fn finish(&mut self) -> Result<(), Stop> {
        self.close()
    }

    fn written(&self) -> u64 {
        self.written
    }
}

/// A name that stays within its folder, whatever somebody has written into a topic.
fn folder_name(foreign: &str) -> String {
    let can_stand = |sign: char| sign.is_alphanumeric() || matches!(sign, '-' | '_' | '.');
    let name: String = foreign.chars().map(|sign| if can_stand(sign) { sign } else { '-' }).take(100).collect();
    if name.starts_with('.') || name.is_empty() { format!("session-{name}") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_topic_leads_out_of_the_folder() {
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
