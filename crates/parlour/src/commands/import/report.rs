//! The report of an import, as text and JSON.

use parlour_core::{
    id::{ChannelId, ProjectId},
    import::ImportOutcome,
    project::Project,
};
use serde::Serialize;

use super::{channel_plan::ChannelPlan, survey::SourceSurvey, system::System, upload::ImportUpload};
use crate::{
    output::{plain::one_line, shell::quoted, table::Table},
    session::Session,
};

/// The result of an import.
#[derive(Debug, Serialize)]
pub(super) struct ImportReport {
    system: &'static str,
    project_id: ProjectId,
    is_dry_run: bool,
    #[serde(flatten)]
    outcome: ImportOutcome,
    /// Messages of an earlier import that changed in the source.
    changed: u64,
    messages: u64,
    /// Continuation messages of long texts, included in the stored ones.
    further_parts: u64,
    kinds: std::collections::BTreeMap<&'static str, u64>,
    authors: usize,
    first_at: Option<parlour_core::Timestamp>,
    last_at: Option<parlour_core::Timestamp>,
    skipped: SkippedCounts,
    problems: ProblemCounts,
    channels: Vec<ChannelRow>,
}

#[derive(Debug, Serialize)]
struct SkippedCounts {
    frames: u64,
    begun_answers: u64,
    doubles: u64,
    cut_events: u64,
}

#[derive(Debug, Serialize)]
struct ProblemCounts {
    count: u64,
    /// Problems whose message was imported without the unreadable field.
    kept: u64,
    first: Vec<String>,
}

#[derive(Debug, Serialize)]
struct ChannelRow {
    conversation: String,
    channel: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    channel_id: Option<ChannelId>,
    is_new: bool,
    messages: u64,
}

impl ImportReport {
    pub(super) fn new(system: System, project: &Project, survey: &SourceSurvey, plan: &[ChannelPlan]) -> Self {
        let conversations = &survey.conversations;
        let span = conversations.span();
        Self {
            system: system.as_str(),
            project_id: project.id.clone(),
            is_dry_run: true,
            outcome: ImportOutcome::default(),
            changed: 0,
            messages: conversations.messages(),
            further_parts: survey.further_parts,
            kinds: conversations.kinds().clone(),
            authors: conversations.authors(),
            first_at: span.map(|(first, _)| first),
            last_at: span.map(|(_, last)| last),
            skipped: SkippedCounts {
                frames: survey.skipped.frames.sum(),
                begun_answers: survey.skipped.begun,
                doubles: survey.skipped.doubles,
                cut_events: survey.skipped.cut_events,
            },
            problems: ProblemCounts {
                count: survey.problems.count,
                kept: survey.kept,
                first: survey.problems.shown.clone(),
            },
            channels: rows(survey, plan),
        }
    }

    /// The report after the upload.
    pub(super) fn done(mut self, sending: &ImportUpload<'_>) -> Self {
        (self.is_dry_run, self.outcome, self.changed) = (false, sending.outcome, sending.changed);
        for (index, channel) in &sending.made {
            self.channels[*index].channel = format!("#{}", channel.name);
            self.channels[*index].channel_id = Some(channel.id.clone());
        }
        self
    }

    pub(super) fn show(&self, session: &Session, survey: &SourceSurvey, again: &str) -> String {
        let mut text = self.channels_shown(session);
        text += &self.contents_shown(session, survey);
        text += &skipped_shown(survey);
        if self.is_dry_run {
            return text + "Dry run: nothing was written.\n" + &session.next(again);
        }
        let ImportOutcome { stored, known } = self.outcome;
        text += &format!(
            "Imported {stored}, already present {known}, skipped {}.\n",
            self.problems.count - self.problems.kept
        );
        if self.problems.kept > 0 {
            text += &format!("Included with an unreadable field: {}.\n", counted(self.problems.kept, "message"));
        }
        if self.further_parts > 0 {
            let parts = counted(self.further_parts, "message");
            text += &format!("Included continuations of long texts: {parts}.\n");
        }
        if self.changed > 0 {
            let changed = counted(self.changed, "message");
            let stays = if self.changed == 1 { "it was not updated" } else { "they were not updated" };
            text += &format!("{changed} changed in the source since the last import; {stays}.\n");
        }
        let first = self.channels.first().map(|row| row.channel.trim_start_matches('#'));
        match first {
            Some(channel) => {
                let project =
                    session.wanted_project.as_deref().map(|project| format!(" --project {}", quoted(project)));
                let words = format!("parlour history {}{}", quoted(channel), project.unwrap_or_default());
                text + &session.next(&words)
            }
            None => text,
        }
    }

    fn channels_shown(&self, session: &Session) -> String {
        if self.channels.is_empty() {
            return "The source contains no messages.\n".to_owned();
        }
        let mut table = Table::new(&["channel", "", "messages", "conversation"]);
        for row in &self.channels {
            let news = if row.is_new { "new" } else { "" };
            table.row(&[&row.channel, news, &row.messages.to_string(), &row.conversation]);
        }
        table.render(session.style) + "\n"
    }

    fn contents_shown(&self, session: &Session, survey: &SourceSurvey) -> String {
        let Some((first, last)) = survey.conversations.span() else { return String::new() };
        let (first, last) = (session.local_time.show(first), session.local_time.show(last));
        let kinds: Vec<String> = self.kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        let mut names: Vec<String> = survey.conversations.named.iter().map(|name| one_line(name)).collect();
        if self.authors > names.len() {
            names.push(format!("{} more", self.authors - names.len()));
        }
        let messages = counted(self.messages, "message");
        format!("{messages} from {first} to {last}: {}\nAuthors: {}\n", kinds.join(", "), names.join(", "))
    }
}

fn rows(survey: &SourceSurvey, plan: &[ChannelPlan]) -> Vec<ChannelRow> {
    let row = |(conversation, plan): (&super::survey::SourceConversation, &ChannelPlan)| {
        let (channel, channel_id, is_new) = match plan {
            ChannelPlan::Known(channel) => (format!("#{}", channel.name), Some(channel.id.clone()), false),
            ChannelPlan::New { name, .. } => (format!("#{name}"), None, true),
            ChannelPlan::Thread(root) => {
                (format!("thread of {}", survey.conversations.list[*root].foreign), None, false)
            }
        };
        let (conversation, messages) = (conversation.foreign.clone(), conversation.messages);
        ChannelRow { conversation, channel, channel_id, is_new, messages }
    };
    survey.conversations.list.iter().zip(plan).map(row).collect()
}

/// The skipped rows, by reason.
fn skipped_shown(survey: &SourceSurvey) -> String {
    let mut text = String::new();
    let frames = &survey.skipped.frames;
    if frames.sum() > 0 {
        text += &format!("Skipped, not messages: {}\n", frames.in_words());
    }
    if survey.skipped.begun > 0 {
        text += &format!("Skipped, unfinished: {}\n", counted(survey.skipped.begun, "answer"));
    }
    if survey.skipped.doubles > 0 {
        text += &format!("Skipped, duplicates: {}\n", counted(survey.skipped.doubles, "message"));
    }
    if survey.skipped.cut_events > 0 {
        let events = counted(survey.skipped.cut_events, "event");
        text += &format!("Shortened, too large: {events} of tools\n");
    }
    text
}

fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
