//! Whole messages as models and people may see them: complete texts, redacted by the rules of their projects.

use parlour_context::preview;
use parlour_core::{
    context::RedactionRules, id::ProjectId, limits, message::Message, model_visibility, question::Question,
};

use super::{ContextService, list::guard};
use crate::{Failure, Fault};

/// The only metadata field that a model may see: how far the sender allows an agent to go.
const MODE: &str = "execution_mode";

impl ContextService {
    /// The messages that a model may see, in the same order and redacted. The caller has checked read access.
    pub(crate) async fn views(&self, messages: impl IntoIterator<Item = Message>) -> Result<Vec<Message>, Failure> {
        let mut views: Vec<Message> = messages.into_iter().filter(model_visibility::may_reach_model).collect();
        let mut projects: Vec<ProjectId> = views.iter().map(|message| message.project_id.clone()).collect();
        projects.sort();
        projects.dedup();
        for project in projects {
            let policy = self.projects.policy(&project).await?;
            let redact = self.run_blocking(move |caches| {
                let redactor = caches.redactor_for(&policy.context.redaction)?;
                for message in views.iter_mut().filter(|message| message.project_id == project) {
                    message.body = redactor.redact(&message.body);
                    strip(message, |text| redactor.redact(text));
                }
                Ok::<_, Fault>(views)
            });
            views = redact.await??;
        }
        Ok(views)
    }
}

impl ContextService {
    /// Short texts of members, such as the topics of channels, for a model: redacted by the rules of the project, each on one
    /// line without spellings of speaker borders. The caller has checked read access.
    pub(crate) async fn lines(&self, project: &ProjectId, texts: Vec<String>) -> Result<Vec<String>, Failure> {
        if texts.is_empty() {
            return Ok(texts);
        }
        let policy = self.projects.policy(project).await?;
        let lines = self.run_blocking(move |caches| {
            let redactor = caches.redactor_for(&policy.context.redaction)?;
            let line = |text: &String| guarded_line(&redactor.redact(text));
            Ok::<_, Fault>(texts.iter().map(line).collect())
        });
        Ok(lines.await??)
    }

    /// The beginning of a text as one redacted line, for people.
    pub(crate) async fn preview_line(&self, rules: &RedactionRules, text: String) -> Result<String, Failure> {
        let rules = rules.clone();
        let line = self.run_blocking(move |caches| {
            let redactor = caches.redactor_for(&rules)?;
            Ok::<_, Fault>(preview::line(&caches.prepared(&text, &redactor), limits::MESSAGE_PREVIEW_CHARS_MAX))
        });
        Ok(line.await??)
    }
}

/// A text on one line without spellings of speaker borders.
pub(super) fn guarded_line(text: &str) -> String {
    guard(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Removes everything beside the text except the question and file names, which are passed through `view`. Other fields
/// cannot be redacted, and a URL could send a model to an unchecked address.
pub(super) fn strip(message: &mut Message, view: impl Fn(&str) -> String) {
    message.content = None;
    message.steps.clear();
    message.metadata.retain(|name, _| name == MODE);
    message.reason = None;
    for file in &mut message.attachments {
        file.filename = view(&file.filename);
        file.url = None;
    }
    if let Some(question) = &mut message.question {
        redact_question(question, view);
    }
}

/// Redacts labels, descriptions and the answer. Option ids and the schema stay, because answers are matched by them.
pub(super) fn redact_question(question: &mut Question, view: impl Fn(&str) -> String) {
    for option in &mut question.options {
        option.label = view(&option.label);
        option.description = option.description.take().map(|text| view(&text));
    }
    if let Some(answer) = &mut question.answer {
        answer.text = answer.text.take().map(|text| view(&text));
    }
}
